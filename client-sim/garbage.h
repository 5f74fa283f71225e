// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Bytes that no client should send. Everything follows from the generator. Pure; any thread.

#include <cstdint>
#include <vector>

#include "base/prng.h"

namespace vicinity::sim {

enum class Garbage : std::uint8_t {
  RandomBody,   ///< a right length, and noise
  BrokenTable,  ///< a right length and identifier, and offsets that lead nowhere
  Oversize,     ///< announces far more than any limit
  ZeroLength,   ///< announces an empty frame
  Truncated,    ///< announces more than follows
};
inline constexpr std::uint64_t garbage_count = 5;

std::vector<std::uint8_t> make_garbage(Garbage kind, Prng& prng);

}  // namespace vicinity::sim
