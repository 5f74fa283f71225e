// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the process holds of the memory of the machine, as the system counts it. Any thread but the
// tick thread: it reads a file.

#include <cstdint>
#include <optional>

namespace vicinity::admin {

struct ProcessMemory {
  std::uint64_t resident_bytes = 0;  ///< all that is in RAM
  /// The part of it that no file stands behind. Pages of files (programs, the journal's map) the
  /// system takes back by itself before it ends anybody for want of memory; these it cannot.
  std::uint64_t anonymous_bytes = 0;
};

/// Nothing when the system does not say (no /proc). About 10 us.
std::optional<ProcessMemory> read_process_memory();

}  // namespace vicinity::admin
