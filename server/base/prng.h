// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Small deterministic generator (SplitMix64, Steele, Lea and Flood, OOPSLA 2014). The same seed
// gives the same numbers on every machine; the standard distributions do not, so they are not used.

#include <cstdint>

namespace vicinity {

class Prng {
 public:
  explicit constexpr Prng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound must be positive. The bias is below 2^-32 for bounds below 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  /// Uniform in [0, 1) with 53 bits.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [low, high).
  constexpr double between(double low, double high) { return low + (high - low) * unit(); }
  constexpr bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace vicinity
