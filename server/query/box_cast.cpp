// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/box_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/vec_math.h"

namespace vicinity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The open interval of t in which a box moved by t * delta overlaps the target strictly:
///
///     per axis     target.min < box.max + t * delta   and   box.min + t * delta < target.max
///
/// An axis without movement (also -0) either overlaps all the time or never.
struct Interval {
  double begin = -infinity;
  double end = infinity;
  int axis = 0;  ///< that begins last
};
std::optional<Interval> overlap_interval(const Aabb& box, Vec3 delta, const Aabb& target) {
  Interval overlap;
  for (int axis = 0; axis < 3; ++axis) {
    const double to_near = target.min[axis] - box.max[axis];
    const double to_far = target.max[axis] - box.min[axis];
    const double step = delta[axis];
    if (step == 0) {
      if (!(to_near < 0 && to_far > 0)) return std::nullopt;
      continue;
    }
    const double first = step > 0 ? to_near / step : to_far / step;
    const double last = step > 0 ? to_far / step : to_near / step;
    if (first > overlap.begin) {
      overlap.begin = first;
      overlap.axis = axis;
    }
    overlap.end = std::min(overlap.end, last);
  }
  if (!(overlap.begin < overlap.end)) return std::nullopt;
  return overlap;
}

Vec3 middle_of_common(const Aabb& box, const Aabb& target) {
  Vec3 out;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = std::max(box.min[axis], target.min[axis]);
    const double high = std::min(box.max[axis], target.max[axis]);
    out[axis] = std::clamp(low + (high - low) * 0.5, target.min[axis], target.max[axis]);
  }
  return out;
}

double largest_extent(const Aabb& box) { return largest_component(box.max - box.min); }
double largest_coordinate(const Aabb& box) {
  return std::max(largest_component(box.min), largest_component(box.max));
}

}  // namespace

Vec3 against(Vec3 delta) { return unit_or(negated(delta), {0, 1, 0}); }

std::optional<Surface> cast_box(const Aabb& box, Vec3 delta, double max_t, const Aabb& target) {
  const std::optional<Interval> overlap = overlap_interval(box, delta, target);
  if (!overlap || overlap->end <= 0) return std::nullopt;
  if (overlap->begin < 0) return Surface{0, middle_of_common(box, target), against(delta)};
  if (overlap->begin >= max_t) return std::nullopt;
  Surface hit;
  hit.value = overlap->begin + 0.0;  // never -0
  const Vec3 path = delta * hit.value;
  hit.point = middle_of_common({box.min + path, box.max + path}, target);
  const int axis = overlap->axis;
  const bool upwards = delta[axis] > 0;
  hit.point[axis] = upwards ? target.min[axis] : target.max[axis];
  hit.normal[axis] = upwards ? -1 : 1;
  return hit;
}

std::optional<Window> touch_window(const Aabb& box, Vec3 delta, double max_t, const Aabb& target) {
  const double pad_m = std::max(largest_extent(box), largest_extent(target)) * 0x1p-4 +
                       (largest_coordinate(box) + largest_coordinate(target)) * 0x1p-48;
  Window window{0, max_t};
  for (int axis = 0; axis < 3; ++axis) {
    const double to_near = target.min[axis] - box.max[axis] - pad_m;
    const double to_far = target.max[axis] - box.min[axis] + pad_m;
    const double step = delta[axis];
    if (step == 0) {
      if (to_near > 0 || to_far < 0) return std::nullopt;
      continue;
    }
    window.begin = std::max(window.begin, step > 0 ? to_near / step : to_far / step);
    window.end = std::min(window.end, step > 0 ? to_far / step : to_near / step);
  }
  if (!(window.begin <= window.end)) return std::nullopt;
  return window;
}

}  // namespace vicinity
