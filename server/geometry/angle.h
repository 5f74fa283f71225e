// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Sine, cosine and arc tangent that give the same bits on every machine: those of the C library
// differ in the last place from one to the next. Only + - * / sqrt and exact remainders. Pure; any
// room. Tests hold the errors against the C library's functions.

namespace vicinity {

inline constexpr double pi = 3.14159265358979323846;

struct SineCosine {
  double sine = 0;
  double cosine = 1;
};

/// Absolute error of each below 4e-16 up to 10^6 radians. Beyond that the angle is taken modulo the
/// f64 next to 2 pi: still deterministic, but off by up to |angle| * 4e-17. Finite angles only.
SineCosine sine_cosine(double angle_rad);

/// Angle of the point (x, y) from the x axis for x >= 0 and y >= 0, in [0, pi / 2]; 0 for (0, 0).
/// Absolute error below 5e-16.
double arc_tangent(double y, double x);

}  // namespace vicinity
