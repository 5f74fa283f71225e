// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/ring_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/vec_math.h"

namespace vicinity {
namespace {

constexpr double hysteresis = 1.1;

/// Farthest from the position that the leave size reaches, metres.
double reach_m(const AreaSpec& spec) {
  switch (spec.kind) {
    case AreaKind::Sphere: return spec.leave_radius_m;
    case AreaKind::Box: return length(spec.leave_half_extent_m);
    case AreaKind::Cylinder:
      return std::hypot(spec.radius_m, spec.half_height_m) + 2 * spec.leave_margin_m;
    case AreaKind::OrientedBox: return length(spec.half_extent_m) + 2 * spec.leave_margin_m;
    case AreaKind::Cone:
    case AreaKind::Frustum:
    case AreaKind::Prism: break;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void RingRule::reset(std::span<const InterestArea> areas) {
  trivial_ = std::all_of(areas.begin(), areas.end(),
                         [](const InterestArea& area) { return area.spec.rings.empty(); });
  area_count_ = 0;
  if (trivial_) return;
  outermost_ = 1;
  for (const InterestArea& area : areas) {
    if (!area.placed) continue;
    if (area_count_ == areas_.size()) areas_.emplace_back();
    Area& out = areas_[area_count_++];
    out.position = area.position;
    const double reach = reach_m(area.spec);
    out.reach_squared = reach * reach;
    out.steps.clear();
    for (const Ring& ring : area.spec.rings) {
      const double leave_m = ring.distance_m * hysteresis;
      out.steps.push_back(
          {ring.distance_m * ring.distance_m, leave_m * leave_m, ring.interval_ticks});
    }
    if (out.steps.empty()) out.steps.push_back({0, 0, 1});
    outermost_ = std::max(outermost_, out.steps.back().interval_ticks);
  }
}

std::uint32_t RingRule::interval(Vec3 position, std::uint32_t present) const {
  std::uint32_t strict = 0;  // the interval if it came in now; 0 = no area has a say
  std::uint32_t kept = 0;    // the shortest that it may keep
  const auto take = [](std::uint32_t& shortest, std::uint32_t interval) {
    if (shortest == 0 || interval < shortest) shortest = interval;
  };
  for (std::size_t i = 0; i < area_count_; ++i) {
    const Area& area = areas_[i];
    const double distance_squared = length_squared(position - area.position);
    if (distance_squared > area.reach_squared) continue;
    const std::uint32_t last = area.steps.back().interval_ticks;
    std::uint32_t strict_here = last;
    std::uint32_t kept_here = last;
    for (auto step = area.steps.rbegin(); step != area.steps.rend(); ++step) {
      if (distance_squared <= step->enter_squared) strict_here = step->interval_ticks;
      if (distance_squared <= step->leave_squared) kept_here = step->interval_ticks;
    }
    take(strict, strict_here);
    take(kept, kept_here);
  }
  if (strict == 0) return outermost_;
  if (present == 0) return strict;
  // Intervals need not grow outwards, so the two may come in either order.
  return std::clamp(present, std::min(kept, strict), std::max(kept, strict));
}

}  // namespace vicinity
