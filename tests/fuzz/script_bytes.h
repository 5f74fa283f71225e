// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Bytes of a fuzzer as numbers and vectors, so that a short input says much: most bytes stand for a
// number as worlds have them, in steps that make edges meet, the others for what is at an end of a
// range, beyond it, or no number at all. Behind the end all bytes are 0.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/vec.h"
#include "geometry/quat.h"

namespace vicinity::fuzz {

class ScriptBytes {
 public:
  explicit ScriptBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t out = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return out;
  }
  std::uint32_t below(std::uint32_t count) { return byte() % count; }
  bool flag() { return (byte() & 1u) != 0; }
  std::uint64_t word(int size_bytes) {
    std::uint64_t out = 0;
    for (int i = 0; i < size_bytes; ++i) out |= std::uint64_t{byte()} << (8 * i);
    return out;
  }

  /// -25 to 24.75 in quarters, or an extreme.
  double number() {
    const std::uint8_t first = byte();
    return first < ordinary ? (first - 100) / 4.0 : extreme(first);
  }
  /// 0 to 12.4375 in sixteenths, or an extreme.
  double length() {
    const std::uint8_t first = byte();
    return first < ordinary ? first / 16.0 : extreme(first);
  }
  Vec3 numbers() {
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) out[axis] = number();
    return out;
  }
  Vec3 lengths() {
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) out[axis] = length();
    return out;
  }
  /// Mostly of length 1, as decoding makes them; what has no direction comes back as it is.
  Quat rotation() {
    switch (below(4)) {
      case 0: return {};
      case 1: return turned_by(numbers() * 0.25);
      case 2: return turned_by({0, number() * 0.25, 0});
      default: {
        const Quat raw{number(), number(), number(), number()};
        return is_finite(raw) && raw != Quat{0, 0, 0, 0} ? normalized(raw) : raw;
      }
    }
  }

 private:
  static constexpr std::uint8_t ordinary = 200;

  /// What is no angle gives no rotation either: nothing of length 1.
  static Quat turned_by(Vec3 v) {
    const bool is_angle = is_finite(v) && largest_component(v) < 1e6;
    return is_angle ? from_rotation_vector(v) : Quat{v.x, v.y, v.z, 1};
  }

  double extreme(std::uint8_t first) {
    using Limits = std::numeric_limits<double>;
    static constexpr std::array<double, 50> values = {
        0.0, -0.0, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
        // Too small to matter, and just too large to.
        Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), -Limits::min(), 1e-300,
        Limits::epsilon(), 1 + Limits::epsilon(), 1e-12, -1e-9, 0x1p-30, 0x1p-16, 1e-3, -1e-3,
        // What binary cannot hold.
        0.1, -0.3, 1.0 / 3, 1.5707963267948966, -3.141592653589793, 6.283185307179586,
        // Ends of worlds, of speeds and of what f32 and f64 tell apart.
        63.75, 64, -64, 64.00000000000001, 1023, -1024, 0x1p23, 0x1p24 + 1, -0x1p30, 0x1p30 - 0.25,
        62.832, 6283.2, 6283.3, 999999999.0, 1e9, -1e9, 0x1p43, -0x1p43, 0x1p43 - 0x1p-9,
        0x1p43 + 0x1p-9, 0x1p44, -0x1p44, 0x1p53, 3.4028234663852886e38, Limits::max(),
        -Limits::max()};
    const std::size_t place = first - ordinary;
    return place < values.size() ? values[place] : std::bit_cast<double>(word(8));
  }

  std::span<const std::uint8_t> bytes_;
};

}  // namespace vicinity::fuzz
