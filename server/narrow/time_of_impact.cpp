// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/time_of_impact.h"

#include <optional>

#include "geometry/primitive_bounds.h"
#include "narrow/advancement.h"
#include "narrow/contacts.h"
#include "narrow/mesh_impact.h"
#include "narrow/pair_order.h"
#include "narrow/ray_cast.h"
#include "narrow/shape_tests.h"

namespace vicinity {
namespace {

using narrow::Advance;
using narrow::Mover;
using narrow::PlacedCore;

struct Way {
  const Primitive& shape;
  const Path& path;
};

/// Whether nothing but the position changes. A ball around the entity's origin may turn.
bool only_shifts(const Way& way) {
  return way.path.rotation_vector == Vec3{} ||
         (way.shape.kind == PrimitiveKind::Sphere && way.shape.offset.position == Vec3{});
}

bool is_upright_box(const Way& way) {
  return way.shape.kind == PrimitiveKind::Box && way.path.rotation_vector == Vec3{} &&
         is_identity(way.path.start.rotation) && is_identity(way.path.end.rotation) &&
         is_identity(way.shape.offset.rotation);
}

/// A ball with a ball or a capsule, both only shifted: the path of the ball's centre is a ray
/// against the other one, grown by its radius.
std::optional<Advance> ball_impact(const Way& ball, const Way& other) {
  const Vec3 origin = other.path.start.position;
  PlacedCore grown = narrow::place(other.shape, {}, other.path.start.rotation);
  const PlacedCore centre =
      narrow::place(ball.shape, ball.path.start.position - origin, ball.path.start.rotation);
  grown.radius_m += centre.radius_m;
  const Vec3 delta = (ball.path.end.position - ball.path.start.position) -
                     (other.path.end.position - other.path.start.position);
  const std::optional<narrow::CoreRayHit> hit = narrow::ray_cast(grown, centre.centre, delta, 1);
  if (!hit) return std::nullopt;
  return Advance{hit->fraction, false};
}

std::optional<Advance> first_impact(const Way& a, const Way& b, const ImpactPrecision& precision) {
  const bool shift = only_shifts(a) && only_shifts(b);
  const auto is_ball = [](const Way& way) { return way.shape.kind == PrimitiveKind::Sphere; };
  const auto is_round = [](const Way& way) { return way.shape.kind <= PrimitiveKind::Capsule; };
  if (shift && is_ball(a) && is_round(b)) return ball_impact(a, b);
  if (shift && is_round(a) && is_ball(b)) return ball_impact(b, a);
  if (is_upright_box(a) && is_upright_box(b)) {
    const std::optional<double> toi =
        first_overlap(box_around(a.shape, a.path.start), box_around(a.shape, a.path.end),
                      box_around(b.shape, b.path.start), box_around(b.shape, b.path.end));
    return toi ? std::optional(Advance{*toi, false}) : std::nullopt;
  }
  if (a.shape.kind == PrimitiveKind::Mesh)
    return narrow::mesh_impact(b.shape, b.path, a.shape, a.path, precision);
  if (b.shape.kind == PrimitiveKind::Mesh)
    return narrow::mesh_impact(a.shape, a.path, b.shape, b.path, precision);
  return narrow::advance(Mover(a.shape, a.path), Mover(b.shape, b.path), precision.tolerance_m,
                         precision.iterations_max);
}

}  // namespace

TimeOfImpact time_of_impact(const Primitive& a, const Path& path_a, const Primitive& b,
                            const Path& path_b, const ImpactPrecision& precision) {
  TimeOfImpact out;
  out.hit = true;
  if (!overlaps(a, path_a.start, b, path_b.start)) {
    // In an order of their own, so that it does not matter how they were named.
    const bool in_order = narrow::comes_first(a, path_a.start, b, path_b.start);
    const Way way_a{a, path_a};
    const Way way_b{b, path_b};
    const std::optional<Advance> first =
        in_order ? first_impact(way_a, way_b, precision) : first_impact(way_b, way_a, precision);
    out.hit = first.has_value() || overlaps(a, path_a.end, b, path_b.end);
    out.toi = first ? first->toi : 1;
    out.capped = first && first->capped;
  }
  out.pose_a = pose_at(path_a, out.toi);
  out.pose_b = pose_at(path_b, out.toi);
  return out;
}

}  // namespace vicinity
