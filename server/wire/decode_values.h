// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Verified FlatBuffers tables -> values, for decode.cpp alone. Presence of fields is checked here;
// the values themselves are checked by validate(). Enumerators that this version does not know are
// carried over as they are, for validate() to refuse. Net room; pure.

#include <variant>

#include "base/error.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::proto {
struct Command;
struct Query;
struct Vec3;
}  // namespace vicinity::proto

namespace vicinity::wire {

Vec3 to_vec3(const proto::Vec3& v);

/// MissingField or UnknownCommand when there is no value. Fields that the kind does not use are
/// ignored.
std::variant<CommandBody, Error> read_command(const proto::Command& command);

/// MissingField, InvalidQuery (unknown kind) or InvalidNumber (a distance limit below zero, which
/// as a value would mean no limit).
std::variant<Query, Error> read_query(const proto::Query& query);

}  // namespace vicinity::wire
