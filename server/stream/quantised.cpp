// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/quantised.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace vicinity {
namespace {

/// Halves to even. Below 2^51 an addition rounds: the steps of doubles about `ones` are 1, so what
/// is behind the point falls away, and the low bits of the sum are the integer. No call of a
/// library, of which every moved entity would cost a dozen.
std::int64_t nearest(double value) {
  constexpr double ones = 0x1.8p52;
  if (!(std::abs(value) < 0x1p51)) return static_cast<std::int64_t>(std::nearbyint(value));
  return std::bit_cast<std::int64_t>(value + ones) - std::bit_cast<std::int64_t>(ones);
}

}  // namespace

QuantisedPosition quantise_position(Vec3 position, double resolution_m) {
  return {nearest(position.x / resolution_m), nearest(position.y / resolution_m),
          nearest(position.z / resolution_m)};
}

/// A binary16 has 10 bits of fraction, and exponents from -14 on; below them its steps are 2^-24.
/// The 42 bits of a double's fraction that are too many are rounded away in place; the carry into
/// the exponent comes of itself.
std::uint16_t to_half(double value) {
  constexpr int surplus = 52 - 10;
  constexpr std::uint64_t almost_half = (std::uint64_t{1} << (surplus - 1)) - 1;
  constexpr std::uint64_t exponent_shift = std::uint64_t{1023 - 15} << 10;
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::abs(value);
  if (!(size < 65520)) return sign | 0x7C00;
  if (size < 0x1p-14)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(nearest(size * 0x1p24)));
  const auto bits = std::bit_cast<std::uint64_t>(size);
  const std::uint64_t is_odd = (bits >> surplus) & 1;
  const std::uint64_t rounded = (bits + almost_half + is_odd) >> surplus;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rounded - exponent_shift));
}

std::uint32_t quantise_rotation(const Quat& rotation) {
  const double parts[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (std::abs(parts[i]) > std::abs(parts[largest])) largest = i;
  const double sign = parts[largest] < 0 ? -1 : 1;  // both signs are the same rotation
  std::uint32_t out = static_cast<std::uint32_t>(largest) << 30;
  int shift = 0;
  for (int i = 0; i < 4; ++i) {
    if (i == largest) continue;
    const double scaled = (sign * parts[i] * std::sqrt(2.0) + 1) / 2 * 1023;
    const std::int64_t step = std::clamp<std::int64_t>(nearest(scaled), 0, 1023);
    out |= static_cast<std::uint32_t>(step) << shift;
    shift += 10;
  }
  return out;
}

}  // namespace vicinity
