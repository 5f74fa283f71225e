// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/process_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace vicinity::admin {

/// Kept open: who has no descriptors left must still learn how much memory there is.
std::optional<ProcessMemory> read_process_memory() {
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];  // seven numbers
  const ssize_t size = pread(file, text, sizeof text, 0);
  std::uint64_t pages[3];  // address space, resident, of files
  const char* at = text;
  for (std::uint64_t& number : pages) {
    if (size <= 0) return std::nullopt;
    const auto [end, fault] = std::from_chars(at, text + size, number);
    if (fault != std::errc()) return std::nullopt;
    at = end + (end != text + size);  // a space
  }
  const std::uint64_t resident = pages[1];
  const std::uint64_t of_files = pages[2];
  // The kernel counts the two at different moments.
  const std::uint64_t anonymous = resident > of_files ? resident - of_files : 0;
  return ProcessMemory{resident * page_bytes, anonymous * page_bytes};
}

}  // namespace vicinity::admin
