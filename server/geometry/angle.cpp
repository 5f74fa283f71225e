// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/angle.h"

#include <cmath>
#include <utility>

namespace vicinity {
namespace {

constexpr double exact_reduction_max_rad = 1e6;

/// Taylor series for |r| <= pi / 4 (a little more after rounding); the first term left out is
/// below (pi / 4)^19 / 19! = 9e-20.
double sine_near_zero(double r) {
  const double s = r * r;
  double sum = 1.0 / 355687428096000.0;  // 1 / 17!
  sum = sum * s - 1.0 / 1307674368000.0;
  sum = sum * s + 1.0 / 6227020800.0;
  sum = sum * s - 1.0 / 39916800.0;
  sum = sum * s + 1.0 / 362880.0;
  sum = sum * s - 1.0 / 5040.0;
  sum = sum * s + 1.0 / 120.0;
  sum = sum * s - 1.0 / 6.0;
  return r + r * (s * sum);
}
double cosine_near_zero(double r) {
  const double s = r * r;
  double sum = 1.0 / 20922789888000.0;  // 1 / 16!
  sum = sum * s - 1.0 / 87178291200.0;
  sum = sum * s + 1.0 / 479001600.0;
  sum = sum * s - 1.0 / 3628800.0;
  sum = sum * s + 1.0 / 40320.0;
  sum = sum * s - 1.0 / 720.0;
  sum = sum * s + 1.0 / 24.0;
  return (1.0 - 0.5 * s) + s * s * sum;
}

/// Series of the arc tangent for 0 <= t <= tan(pi / 16) = 0.199; the first term left out is below
/// t^27 / 27 = 5e-21.
double arc_tangent_near_zero(double t) {
  const double s = t * t;
  double sum = 0;
  for (int odd = 25; odd >= 3; odd -= 2) sum = 1.0 / odd - s * sum;
  return t - t * (s * sum);
}

}  // namespace

SineCosine sine_cosine(double angle_rad) {
  if (std::abs(angle_rad) > exact_reduction_max_rad) angle_rad = std::fmod(angle_rad, 2 * pi);
  // pi / 2 in three parts (Cody and Waite 1980). The first two have 33 bits, so that their
  // products with the count of quarters, below 2^20, are exact.
  constexpr double part_1 = 0x1.921fb544p+0;
  constexpr double part_2 = 0x1.0b4611a6p-34;
  constexpr double part_3 = 0x1.3198a2e037073p-69;
  const double quarters = std::floor(angle_rad * (2 / pi) + 0.5);
  const double reduced = ((angle_rad - quarters * part_1) - quarters * part_2) - quarters * part_3;
  const double sine = sine_near_zero(reduced);
  const double cosine = cosine_near_zero(reduced);
  const auto quadrant = static_cast<unsigned>(static_cast<long long>(quarters)) & 3u;
  if (quadrant == 0) return {sine, cosine};
  if (quadrant == 1) return {cosine, -sine};
  if (quadrant == 2) return {-sine, -cosine};
  return {-cosine, sine};
}

double arc_tangent(double y, double x) {
  if (y == 0) return 0;
  const bool steep = y > x;
  if (steep) std::swap(x, y);
  const double t = y / x;  // tan of an angle in [0, pi / 4]
  // Halved twice: tan(angle / 2) = t / (1 + sqrt(1 + t^2)).
  const double half = t / (1 + std::sqrt(1 + t * t));
  const double quarter = half / (1 + std::sqrt(1 + half * half));
  const double angle_rad = 4 * arc_tangent_near_zero(quarter);
  return steep ? pi / 2 - angle_rad : angle_rad;
}

}  // namespace vicinity
