// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/process_memory.h"

#include <unistd.h>

#include <fstream>

namespace vicinity::admin {

std::optional<ProcessMemory> read_process_memory() {
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/statm");
  std::uint64_t address_space = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  if (!(file >> address_space >> resident >> of_files)) return std::nullopt;
  // The kernel counts the two at different moments.
  const std::uint64_t anonymous = resident > of_files ? resident - of_files : 0;
  return ProcessMemory{resident * page_bytes, anonymous * page_bytes};
}

}  // namespace vicinity::admin
