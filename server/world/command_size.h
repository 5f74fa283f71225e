// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What commands hold of the memory, for those who keep many of them and must bound it: door 1 and
// the journal. A few bytes of a message may become many: a hull is sent as points and kept with its
// faces and edges. Pure; any room.

#include <cstdint>
#include <span>

#include "world/command.h"

namespace vicinity {

/// Of the commands and everything that they own, without what the allocator adds. A shape that
/// several share counts for each of them. O(commands and parts of their shapes).
std::uint64_t size_bytes(std::span<const Command> commands);

}  // namespace vicinity
