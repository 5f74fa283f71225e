// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/closest_features.h"

#include <algorithm>
#include <array>

namespace vicinity::narrow {
namespace {

/// Directions are as good as their 53 bits: what differs by less is parallel.
constexpr double parallel_sine = 1e-14;

double within(double value, double half) { return std::clamp(value, -half, half); }

/// How far a coordinate lies beyond an interval around 0, with its sign.
double beyond(double value, double half) {
  return value > half ? value - half : value < -half ? value + half : 0.0;
}

}  // namespace

double closest_on_segment(const Segment& segment, Vec3 point) {
  return within(dot(point - segment.centre, segment.direction), segment.half_length_m);
}

SegmentPlaces closest_on_segments(const Segment& a, const Segment& b) {
  const Vec3 between = b.centre - a.centre;
  const Vec3 normal = cross_of_units(a.direction, b.direction);
  const double sine_squared = length_squared(normal);
  double on_a = 0;
  if (sine_squared > parallel_sine * parallel_sine) {
    // The lines are closest where the connection is along the normal of both.
    on_a = within(dot(cross(between, b.direction), normal) / sine_squared, a.half_length_m);
  } else {
    const double shift = dot(between, a.direction);
    const double from = std::max(-a.half_length_m, shift - b.half_length_m);
    const double to = std::min(a.half_length_m, shift + b.half_length_m);
    on_a = within((from + to) / 2, a.half_length_m);
  }
  // The best place on b for that one, and back: exact where one of them had to be clamped.
  const double on_b = closest_on_segment(b, a.at(on_a));
  return {closest_on_segment(a, b.at(on_b)), on_b};
}

Vec3 closest_in_box(Vec3 half_extent_m, Vec3 point) {
  return {within(point.x, half_extent_m.x), within(point.y, half_extent_m.y),
          within(point.z, half_extent_m.z)};
}

/// The squared distance is convex along the segment and quadratic between the places where it
/// crosses a face's plane; its slope never falls. So the least distance is where the slope is zero.
double closest_to_box(const Segment& segment, Vec3 half_extent_m) {
  std::array<double, 8> places;
  std::size_t count = 0;
  places[count++] = -segment.half_length_m;
  places[count++] = segment.half_length_m;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double face : {-half_extent_m[axis], half_extent_m[axis]}) {
      const double place = (face - segment.centre[axis]) / segment.direction[axis];
      if (std::abs(place) < segment.half_length_m) places[count++] = place;  // not when it is NaN
    }
  }
  std::sort(places.begin(), places.begin() + count);
  const auto slope = [&segment, half_extent_m](double place) {
    const Vec3 point = segment.at(place);
    double sum = 0;
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double excess_m = beyond(point[axis], half_extent_m[axis]);
      sum += segment.direction[axis] * excess_m;
      size += std::abs(excess_m);
    }
    return std::abs(sum) <= parallel_sine * size ? 0.0 : sum;
  };
  double before = places[0];
  double slope_before = slope(before);
  if (slope_before > 0) return before;
  double first_flat = before;
  bool flat = slope_before == 0;
  for (std::size_t i = 1; i < count; ++i) {
    const double here = places[i];
    const double slope_here = slope(here);
    if (slope_here == 0 && !flat) {
      first_flat = here;
      flat = true;
    } else if (slope_here > 0) {
      if (flat) return (first_flat + before) / 2;
      return std::clamp(before - slope_before * ((here - before) / (slope_here - slope_before)),
                        before, here);
    }
    before = here;
    slope_before = slope_here;
  }
  return flat ? (first_flat + before) / 2 : before;
}

}  // namespace vicinity::narrow
