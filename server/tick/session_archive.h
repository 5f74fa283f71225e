// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The sessions of a saved world. Tick thread, between two ticks.

#include "base/archive.h"
#include "events/open_contacts.h"
#include "tick/session_table.h"
#include "world/restored_entities.h"

namespace vicinity {

void save_sessions(const SessionTable& sessions, ArchiveWriter& out);
/// Into an empty table; fails the reader when these are no bytes of save_sessions(). `open`: of the
/// restored world.
void load_sessions(ArchiveReader& in, const RestoredEntities& entities, const OpenContacts& open,
                   SessionTable& sessions);

}  // namespace vicinity
