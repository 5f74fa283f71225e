// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Long arrays into an archive, by all workers.

#include <cstddef>
#include <functional>

#include "base/archive.h"
#include "base/parallel.h"

namespace vicinity {

using WriteBlock =
    std::function<void(ArchiveWriter& out, std::size_t block, std::size_t begin, std::size_t end)>;

/// Appends to `out` what `write` writes of [0, item_count), block by block in their order: the same
/// bytes for any number of workers. Some blocks at a time are written into buffers that stay in the
/// cache, and then copied to where they belong, since that is not known before:
///
///      blocks   0 1 2 ... 15 | 16 17 ... 31 | ...
///      buffers  0 1 2 ... 15 |  0  1 ... 15 | ...       one for each block of a wave
///      out      0 1 2 ... 15   16 17 ... 31   ...
void write_in_blocks(Workers& workers, std::size_t item_count, std::size_t block_size,
                     ArchiveWriter& out, const WriteBlock& write);

}  // namespace vicinity
