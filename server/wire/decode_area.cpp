// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Interest areas, and what else decides who is seen.
#include <algorithm>
#include <cmath>
#include <string>

#include "client_generated.h"
#include "wire/decode_values.h"

namespace vicinity::wire {
namespace {

bool failed(const Error& error) { return error.code != ErrorCode::None; }

Error missing(const char* field, const char* kind) {
  return {ErrorCode::MissingField, std::string(field) + " is missing; " + kind + " needs it"};
}

static_assert(limits::area_points_per_frame_max == 4096);  // a text below says so

/// Elements of a vector of structs. Counted here as well as in validate(): many areas may name the
/// same vector.
template <class Struct>
Error check_vector(const char* field, const flatbuffers::Vector<const Struct*>& vector,
                   std::size_t count_max, FrameBudget& budget) {
  if (vector.size() > count_max) {
    return {ErrorCode::LimitExceeded, std::string(field) + " has " + std::to_string(vector.size()) +
                                          " elements; allowed: 0 to " + std::to_string(count_max)};
  }
  // The verifier does not look at the address of the elements.
  if (reinterpret_cast<std::uintptr_t>(vector.Data()) % alignof(Struct) != 0) {
    return {ErrorCode::InvalidArea,
            std::string(field) + " is not aligned; allowed: a multiple of 8 bytes"};
  }
  if (vector.size() > budget.area_points) {
    return {ErrorCode::LimitExceeded,
            "too many points of outlines and rings in one frame; allowed: 4096 in all, so split "
            "the batch"};
  }
  budget.area_points -= vector.size();
  return {};
}

Error read_outline(const proto::Area& in, FrameBudget& budget, AreaSpec& out) {
  if (!in.outline()) return missing("spec.outline", "a prism area");
  if (Error error = check_vector("spec.outline", *in.outline(), limits::outline_points_max, budget);
      failed(error))
    return error;
  out.outline.reserve(in.outline()->size());
  for (const proto::OutlinePoint* point : *in.outline())
    out.outline.push_back({point->x(), point->z()});
  return {};
}

Error read_rings(const proto::Area& in, FrameBudget& budget, AreaSpec& out) {
  if (!in.rings()) return {};
  if (Error error = check_vector("spec.rings", *in.rings(), limits::rings_per_area_max, budget);
      failed(error))
    return error;
  out.rings.reserve(in.rings()->size());
  for (const proto::Ring* ring : *in.rings())
    out.rings.push_back({ring->distance_m(), ring->interval_ticks()});
  return {};
}

void read_sphere(const proto::Area& in, AreaSpec& out) {
  out.enter_radius_m = in.enter_radius_m();
  out.leave_radius_m = in.leave_radius_m().value_or(default_leave_size(out.enter_radius_m));
}

Error read_box(const proto::Area& in, AreaSpec& out) {
  if (!in.enter_half_extent_m()) return missing("spec.enter_half_extent_m", "a box area");
  const Vec3 enter = to_vec3(*in.enter_half_extent_m());
  out.enter_half_extent_m = enter;
  out.leave_half_extent_m = in.leave_half_extent_m()
                                ? to_vec3(*in.leave_half_extent_m())
                                : Vec3{default_leave_size(enter.x), default_leave_size(enter.y),
                                       default_leave_size(enter.z)};
  return {};
}

/// The smaller side of the box around an outline, halved; 0 for none.
double outline_half_width(const std::vector<OutlinePoint>& outline) {
  if (outline.empty()) return 0;
  const auto [min_x, max_x] = std::ranges::minmax(outline, {}, &OutlinePoint::x);
  const auto [min_z, max_z] = std::ranges::minmax(outline, {}, &OutlinePoint::z);
  return std::min(max_x.x - min_x.x, max_z.z - min_z.z) / 2;
}

/// Sizes, rotation and margin of the kinds from Cylinder on.
Error read_solid(const proto::Area& in, FrameBudget& budget, AreaSpec& out) {
  double smallest = 0;
  switch (out.kind) {
    case AreaKind::Cylinder:
      out.radius_m = in.radius_m();
      out.half_height_m = in.half_height_m();
      smallest = std::min(out.radius_m, out.half_height_m);
      break;
    case AreaKind::OrientedBox: {
      if (!in.half_extent_m()) return missing("spec.half_extent_m", "an oriented box area");
      const Vec3 half = to_vec3(*in.half_extent_m());
      out.half_extent_m = half;
      smallest = std::min({half.x, half.y, half.z});
      break;
    }
    case AreaKind::Frustum:
      out.near_m = in.near_m();
      out.half_angle_up_rad = in.half_angle_up_rad();
      [[fallthrough]];
    case AreaKind::Cone:
      out.range_m = in.range_m();
      out.half_angle_rad = in.half_angle_rad();
      smallest = out.range_m;
      break;
    case AreaKind::Prism:
      if (Error error = read_outline(in, budget, out); failed(error)) return error;
      out.half_height_m = in.half_height_m();
      smallest = std::min(out.half_height_m, outline_half_width(out.outline));
      break;
    case AreaKind::Sphere:
    case AreaKind::Box: return {};
  }
  if (out.kind != AreaKind::Cylinder) out.rotation = read_rotation(in.rotation());
  // What is no size is refused under its own name, not for a margin that follows from it.
  const double margin = std::isfinite(smallest) && smallest > 0 ? smallest / 10 : 0;
  out.leave_margin_m = in.leave_margin_m().value_or(std::min(margin, limits::area_size_m));
  return {};
}

}  // namespace

double default_leave_size(double size_m) {
  return std::max(size_m, std::min(size_m * 1.1, limits::area_size_m));
}

Error read_area(const proto::Area& in, FrameBudget& budget, AreaSpec& out) {
  out.kind = static_cast<AreaKind>(in.kind());
  out.reach = static_cast<Reach>(in.reach());
  out.anchor = {EntityId::from_raw(in.anchor()), in.anchor_spawned_by()};
  out.include_anchor = in.include_anchor();
  if (!out.anchor.present() && !in.centre()) return missing("spec.centre", "a fixed area");
  if (in.centre()) out.centre = to_vec3(*in.centre());
  out.filter = {in.category_mask(), in.instance()};
  out.min_dwell_ticks = in.min_dwell_ticks();
  out.follow = static_cast<AreaFollow>(in.follow());
  out.nearest_max = in.nearest_max();
  out.suspend = in.suspend();
  if (Error error = read_rings(in, budget, out); failed(error)) return error;
  if (in.kind() > proto::AreaKind::MAX) return {};  // for validate() to refuse
  if (out.kind == AreaKind::Box) return read_box(in, out);
  if (out.kind != AreaKind::Sphere) return read_solid(in, budget, out);
  read_sphere(in, out);
  return {};
}

Relevance read_relevance(const proto::Relevance* in) {
  if (in == nullptr) return {};
  const double enter = in->seen_from_enter_m();
  return {in->always(), in->boost(), enter,
          in->seen_from_leave_m().value_or(default_leave_size(enter))};
}

}  // namespace vicinity::wire
