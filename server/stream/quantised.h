// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Motion of an entity in the few bits in which it travels, and the conversions into them. Values;
// pure functions; the same bits on every machine. proto/server.fbs says what the bits mean.

#include <cstdint>

#include "base/vec.h"
#include "geometry/quat.h"

namespace vicinity {

/// A position in units of the resolution, from the origin of the world.
struct QuantisedPosition {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  friend constexpr bool operator==(const QuantisedPosition&, const QuantisedPosition&) = default;
};

/// Nearest multiple of the resolution, halves to even. |position| / resolution must be below 2^62.
QuantisedPosition quantise_position(Vec3 position, double resolution_m);

/// The nearest binary16 of IEEE 754, halves to even; infinity for 65520 and more.
std::uint16_t to_half(double value);
/// Whether binary16 holds it to its usual precision.
constexpr bool fits_half(double value) { return value > -65504 && value < 65504; }

/// The smallest three components with 10 bits each, and which one is left out.
std::uint32_t quantise_rotation(const Quat& rotation);

/// 32 bytes, compared as they are: equal ones look the same to every client.
struct QuantisedMotion {
  /// In units of the server's resolution; the low 32 bits of it where `far`.
  std::int32_t position[3] = {0, 0, 0};
  std::uint32_t rotation = 0;
  std::uint16_t velocity[3] = {0, 0, 0};
  std::uint16_t spin[3] = {0, 0, 0};
  bool far = false;   ///< the position does not fit into 32 bits per axis
  bool fast = false;  ///< a velocity is beyond binary16
  std::uint16_t reserved = 0;

  friend constexpr bool operator==(const QuantisedMotion&, const QuantisedMotion&) = default;
};
static_assert(sizeof(QuantisedMotion) == 32);

}  // namespace vicinity
