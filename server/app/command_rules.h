// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a session may command, whatever the world is like: by its role, and by the caps of its
// token. Net room, before door 1. What needs the world (who owns an entity, how many there are) is
// decided by the tick.

#include "access/session_guard.h"
#include "base/error.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::app {

/// None, or WrongRole, or InvalidShape for a mesh of who is no authority.
Error check_role(Role role, const CommandBody& body);

/// None, or why the token does not allow it: LimitExceeded for number and size of areas, else
/// WrongRole. Narrows what an area or subscription looks for to the categories of the token.
Error apply_caps(access::SessionGuard& guard, CommandBody& body);
/// The same for a query.
Error apply_caps(const access::Caps& caps, Query& query);

/// How far an area reaches from its position, metres; its leave margin counts as it is written.
double reach_m(const AreaSpec& area);

}  // namespace vicinity::app
