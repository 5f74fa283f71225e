// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Areas of the model: where they are and what is inside of them.
#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/interest_views_model.h"

namespace vicinity::oracle {
namespace {

/// Of an entity: a box along the axes and a radius around it; relative to the area's place.
struct Body {
  Vec3 low;
  Vec3 high;
  double radius = 0;
};

Body tight_body(const Snapshot& snapshot, std::uint32_t slot, Vec3 place) {
  return {snapshot.tight_box[slot].min - place, snapshot.tight_box[slot].max - place, 0};
}

/// Exactly the shape; only for what is not turned and one part.
Body exact_body(const Snapshot& snapshot, std::uint32_t slot, Vec3 place) {
  const Shape& shape = snapshot.shape[slot];
  if (shape.kind == ShapeKind::Box) return tight_body(snapshot, slot, place);
  const Vec3 middle = (snapshot.position[slot] - place) + shape.offset;
  const Vec3 up{0, shape.kind == ShapeKind::Capsule ? shape.half_height_m : 0, 0};
  return {middle - up, middle + up, shape.radius_m};
}

Body centre_body(const Snapshot& snapshot, std::uint32_t slot, Vec3 place) {
  const Body tight = tight_body(snapshot, slot, place);
  const Vec3 middle = (tight.low + tight.high) * 0.5;
  return {middle, middle, 0};
}

Answer less_or_equal(double a, double b, double band) {
  if (std::abs(a - b) <= band) return Answer::Open;
  return a < b ? Answer::Yes : Answer::No;
}
Answer answer(bool yes) { return yes ? Answer::Yes : Answer::No; }

Answer in_sphere(const Body& body, double radius) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({0.0, body.low[i], -body.high[i]});
    sum += gap * gap;
  }
  const double reach = radius + body.radius;
  return answer(sum <= reach * reach);
}

Answer in_box(const Body& body, Vec3 half) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({0.0, body.low[i] - half[i], -half[i] - body.high[i]});
    sum += gap * gap;
  }
  return answer(sum <= body.radius * body.radius);
}

Answer in_cylinder(const Body& body, double radius, double half_height) {
  const double x = std::max({0.0, body.low.x, -body.high.x});
  const double z = std::max({0.0, body.low.z, -body.high.z});
  const double y = std::max({0.0, body.low.y - half_height, -half_height - body.high.y});
  if (body.radius == 0) return answer(y == 0 && x * x + z * z <= radius * radius);
  const double across = std::max(0.0, std::sqrt(x * x + z * z) - radius);
  return less_or_equal(std::hypot(across, y), body.radius, 1e-9);
}

// --- Solids by projections ---------------------------------------------------------------------

/// normal * point <= offset, in the solid's own frame; unit normals.
struct HalfSpace {
  Vec3 normal;
  double offset;
};

void add_outline(const AreaSpec& spec, double margin, std::vector<HalfSpace>& out) {
  const std::size_t count = spec.outline.size();
  for (std::size_t i = 0; i < count; ++i) {
    const OutlinePoint a = spec.outline[i];
    const OutlinePoint b = spec.outline[(i + 1) % count];
    Vec3 normal{a.z - b.z, 0, b.x - a.x};
    normal = normal * (1 / length(normal));
    out.push_back({normal, dot(normal, {a.x, 0, a.z}) + margin});
  }
}

std::vector<HalfSpace> half_spaces(const AreaSpec& spec, double margin) {
  std::vector<HalfSpace> out;
  const auto slab = [&](Vec3 axis, double half) {
    out.push_back({axis, half + margin});
    out.push_back({negated(axis), half + margin});
  };
  if (spec.kind == AreaKind::OrientedBox) {
    slab({1, 0, 0}, spec.half_extent_m.x);
    slab({0, 1, 0}, spec.half_extent_m.y);
    slab({0, 0, 1}, spec.half_extent_m.z);
  } else if (spec.kind == AreaKind::Prism) {
    slab({0, 1, 0}, spec.half_height_m);
    add_outline(spec, margin, out);
  } else if (spec.kind == AreaKind::Frustum) {
    out.push_back({{0, 0, 1}, margin - spec.near_m});
    out.push_back({{0, 0, -1}, margin + spec.range_m});
    const double s = std::sin(spec.half_angle_rad), c = std::cos(spec.half_angle_rad);
    const double su = std::sin(spec.half_angle_up_rad), cu = std::cos(spec.half_angle_up_rad);
    for (const double sign : {-1.0, 1.0}) {
      out.push_back({{sign * c, 0, s}, margin});
      out.push_back({{0, sign * cu, su}, margin});
    }
  }
  return out;
}

/// Onto the cone whose side is `margin` from the origin and whose axis is -z.
Vec3 onto_cone(const AreaSpec& spec, double margin, Vec3 at) {
  const double s = std::sin(spec.half_angle_rad), c = std::cos(spec.half_angle_rad);
  const double back = margin / s;
  const double r = std::hypot(at.x, at.y);
  const double t = back - at.z;  // from the apex along the axis
  if (r * c - t * s <= 0) return at;
  const double along = r * s + t * c;  // along the side
  const Vec3 apex{0, 0, back};
  if (along <= 0) return apex;
  const double x = r > 0 ? at.x / r : 1, y = r > 0 ? at.y / r : 0;
  return {x * along * s, y * along * s, back - along * c};
}

/// Closest point of the solid, by Dykstra's projections (1983).
Vec3 onto_solid(const AreaSpec& spec, const std::vector<HalfSpace>& planes, double margin,
                Vec3 at) {
  const std::size_t sets = spec.kind == AreaKind::Cone ? 2 : planes.size();
  std::array<Vec3, 24> left{};
  for (int round = 0; round < 2000; ++round) {
    const Vec3 before = at;
    double outside = 0;  // of any of the sets; the projections may rest there for some rounds
    for (std::size_t i = 0; i < sets; ++i) {
      const Vec3 from = at + left[i];
      const Vec3 was = at;
      if (spec.kind != AreaKind::Cone) {
        at =
            from - planes[i].normal * std::max(0.0, dot(planes[i].normal, from) - planes[i].offset);
      } else if (i == 0) {
        at = onto_cone(spec, margin, from);
      } else {
        const double range = spec.range_m + margin;
        const double size = length(from);
        at = size > range ? from * (range / size) : from;
      }
      left[i] = from - at;
      outside = std::max(outside, length(at - was));
    }
    if (length(at - before) < 1e-10 && outside < 1e-10 && round > 0) break;
  }
  return at;
}

/// Yes by two points that are close enough, No by a plane between the two.
Answer in_solid(const ModelArea& area, const Body& body, double margin) {
  constexpr double band = 0.02;
  const AreaSpec& spec = area.spec;
  const std::vector<HalfSpace> planes = half_spaces(spec, margin);
  const Quat back = conjugate(area.rotation);
  const std::vector<HalfSpace> inner = half_spaces(spec, margin - band);
  Vec3 in_body = (body.low + body.high) * 0.5;
  for (int round = 0; round < 100; ++round) {
    const Vec3 local = rotate(back, in_body);
    if (onto_solid(spec, inner, margin - band, local) == local) return Answer::Yes;
    const Vec3 in_area = rotate(area.rotation, onto_solid(spec, planes, margin, local));
    const Vec3 way = in_area - in_body;
    const double distance = length(way);
    if (distance <= body.radius - band) return Answer::Yes;
    // The solid lies beyond the plane through in_area that the way is at right angles to.
    Vec3 farthest;
    for (int i = 0; i < 3; ++i) farthest[i] = way[i] > 0 ? body.high[i] : body.low[i];
    if (dot(way, in_area - farthest) > (body.radius + band) * distance) return Answer::No;
    for (int i = 0; i < 3; ++i) in_body[i] = std::clamp(in_area[i], body.low[i], body.high[i]);
    if (body.radius == 0 && length(in_area - in_body) == 0) return Answer::Open;
  }
  return Answer::Open;
}

Answer in_area(const ModelArea& area, const Body& body, bool leave) {
  const AreaSpec& spec = area.spec;
  const double margin = leave ? spec.leave_margin_m : 0;
  switch (spec.kind) {
    case AreaKind::Sphere:
      return in_sphere(body, leave ? spec.leave_radius_m : spec.enter_radius_m);
    case AreaKind::Box:
      return in_box(body, leave ? spec.leave_half_extent_m : spec.enter_half_extent_m);
    case AreaKind::Cylinder:
      return in_cylinder(body, spec.radius_m + margin, spec.half_height_m + margin);
    default: return in_solid(area, body, margin);
  }
}

/// Sure inside: the ball around the middle of the shape, which a turned box contains.
Body inner_body(const Snapshot& snapshot, std::uint32_t slot, Vec3 place) {
  const Shape& shape = snapshot.shape[slot];
  const Vec3 size = shape.box_max - shape.box_min;
  const Vec3 middle = rotate(snapshot.pose(slot).rotation, (shape.box_max + shape.box_min) * 0.5);
  const Vec3 at = (snapshot.position[slot] - place) + middle;
  return {at, at, 0.5 * std::min({size.x, size.y, size.z})};
}

}  // namespace

void ModelArea::move(const Snapshot& snapshot) {
  Quat turn;
  if (!anchor) {
    place = spec.centre;
  } else {
    if (!snapshot.contains(anchor)) return;
    const std::uint32_t slot = anchor.index();
    if (spec.follow == AreaFollow::PositionAndHeading) turn = snapshot.pose(slot).rotation;
    const Aabb& box = snapshot.tight_box[slot];
    place = (box.min + box.max) * 0.5 + rotate(turn, spec.centre);
  }
  rotation = turn * spec.rotation;
}

bool ModelArea::takes(const Snapshot& snapshot, std::uint32_t slot) const {
  const Filter& filter = snapshot.filter[slot];
  if (!place || !filter.enabled || filter.instance != spec.filter.instance) return false;
  if ((filter.category & spec.filter.category_mask) == 0) return false;
  return !(snapshot.id[slot] == anchor && !spec.include_anchor);
}

std::optional<double> ModelArea::distance(const Snapshot& snapshot, std::uint32_t slot) const {
  const bool is_centre = spec.reach == Reach::Centre;
  if (!is_centre && snapshot.form[slot] == Form::Other) return std::nullopt;
  const Body body =
      is_centre ? centre_body(snapshot, slot, *place) : exact_body(snapshot, slot, *place);
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({0.0, body.low[i], -body.high[i]});
    sum += gap * gap;
  }
  return std::max(0.0, std::sqrt(sum) - body.radius);
}

Answer ModelArea::inside(const Snapshot& snapshot, std::uint32_t slot, bool leave) const {
  const Relevance relevance = snapshot.relevance.empty() ? Relevance{} : snapshot.relevance[slot];
  if (relevance.always) return Answer::Yes;
  const double seen_from = leave ? relevance.seen_from_leave_m : relevance.seen_from_enter_m;
  const std::optional<double> distance_m = distance(snapshot, slot);
  if (seen_from > 0 && distance_m && *distance_m <= seen_from) return Answer::Yes;
  if (spec.reach == Reach::Centre)
    return in_area(*this, centre_body(snapshot, slot, *place), leave);
  if (distance_m) return in_area(*this, exact_body(snapshot, slot, *place), leave);
  if (in_area(*this, inner_body(snapshot, slot, *place), leave) == Answer::Yes) return Answer::Yes;
  const bool may_be_seen =
      seen_from > 0 && in_sphere(tight_body(snapshot, slot, *place), seen_from) == Answer::Yes;
  if (may_be_seen || in_area(*this, tight_body(snapshot, slot, *place), leave) != Answer::No)
    return Answer::Open;
  return Answer::No;
}

}  // namespace vicinity::oracle
