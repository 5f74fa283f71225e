// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The compact numbers of moves in proto/server.fbs -> values. Private to the client library. Pure;
// any thread.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "base/vec.h"
#include "geometry/pose.h"

namespace vicinity::client {

/// binary16 of IEEE 754: 1 bit sign, 5 bits exponent, 10 bits fraction. Exact.
inline double from_binary16(std::uint16_t bits) {
  const std::uint64_t sign = static_cast<std::uint64_t>(bits & 0x8000u) << 48;
  const std::uint64_t exponent = (bits >> 10) & 0x1Fu;
  const std::uint64_t fraction = bits & 0x3FFu;
  if (exponent == 0) {  // zero, or a multiple of 2^-24
    const double size = static_cast<double>(fraction) * 0x1p-24;
    return sign != 0 ? -size : size;
  }
  constexpr std::uint64_t bias = 1023 - 15;
  const std::uint64_t wide_exponent = exponent == 0x1F ? 0x7FF : exponent + bias;
  return std::bit_cast<double>(sign | (wide_exponent << 52) | (fraction << 42));
}

/// Three signed numbers of 21 bits each, x lowest.
inline std::array<std::int64_t, 3> from_packed21(std::uint64_t bits) {
  const auto number = [&](unsigned shift) {
    return static_cast<std::int64_t>(bits << (43 - shift)) >> 43;
  };
  return {number(0), number(21), number(42)};
}

/// Nothing when the three are longer than 1 together.
inline std::optional<Quat> from_smallest_three(std::uint32_t bits) {
  const auto part = [&](unsigned shift) {
    const double v = (bits >> shift) & 0x3FFu;
    return (v / 1023 * 2 - 1) / std::numbers::sqrt2;
  };
  const double a = part(0), b = part(10), c = part(20);
  const double rest = 1 - (a * a + b * b + c * c);
  if (rest < 0) return std::nullopt;
  const double largest = std::sqrt(rest);
  switch (bits >> 30) {
    case 0: return Quat{largest, a, b, c};
    case 1: return Quat{a, largest, b, c};
    case 2: return Quat{a, b, largest, c};
    default: return Quat{a, b, c, largest};
  }
}

}  // namespace vicinity::client
