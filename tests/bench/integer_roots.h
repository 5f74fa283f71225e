// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Roots of whole numbers, rounded down. Those of the C library differ between machines.

#include <cstdint>

namespace vicinity::bench {

/// Largest r below 2^`bits` with r^power <= value.
constexpr std::uint64_t whole_root(std::uint64_t value, int power, int bits) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t root = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    const std::uint64_t next = root | (std::uint64_t{1} << bit);
    Wide product = 1;
    for (int i = 0; i < power; ++i) product *= next;
    if (product <= value) root = next;
  }
  return root;
}
constexpr std::uint64_t square_root(std::uint64_t value) { return whole_root(value, 2, 32); }
constexpr std::uint64_t cube_root(std::uint64_t value) { return whole_root(value, 3, 22); }

}  // namespace vicinity::bench
