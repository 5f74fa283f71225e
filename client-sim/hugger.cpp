// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/hugger.h"

#include <algorithm>
#include <cmath>

namespace vicinity::sim {
namespace {

/// Past the edge by this part of its size, and a body's width.
constexpr double beyond = 0.03;
constexpr double body_m = 1;

}  // namespace

Vec3 Hugger::advance(Vec3 centre, double step_m, const Ground& ground, double margin_m) {
  const Vec3 gap{position_.x - centre.x, 0, position_.z - centre.z};
  const double distance_m = length(gap);
  const double outer_m = edge_.leave_m * (1 + beyond) + body_m;
  const double inner_m = std::max(0.0, edge_.enter_m * (1 - beyond) - body_m);
  if (outwards_ && distance_m >= outer_m) outwards_ = false;
  if (!outwards_ && distance_m <= inner_m) outwards_ = true;
  const Vec3 out = distance_m > 0 ? gap * (1 / distance_m) : Vec3{1, 0, 0};
  const Vec3 next = position_ + out * (outwards_ ? step_m : -step_m);
  const double half_x_m = ground.half_x_m + margin_m;
  const double half_z_m = ground.half_z_m + margin_m;
  const Vec3 kept{std::clamp(next.x, -half_x_m, half_x_m), next.y,
                  std::clamp(next.z, -half_z_m, half_z_m)};
  // At a border of the ground there is no way out: it turns round.
  if (outwards_ && (kept.x != next.x || kept.z != next.z)) outwards_ = false;
  position_ = kept;
  return position_;
}

}  // namespace vicinity::sim
