// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/checker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "world/placed_box.h"

namespace vicinity {
namespace {

/// How far from 1 the length of a rotation may be: rounding, but no mistake of a caller.
constexpr double rotation_length_tolerance = 1e-9;

std::string text_of(const Range& range, const std::string& field) {
  const std::string max = number_text(range.max) + range.unit;
  return range.is_signed ? "|" + field + "| <= " + max : "0 to " + max;
}

bool is_within(double value, const Range& range) {
  return std::isfinite(value) && value >= (range.is_signed ? -range.max : 0.0) &&
         value <= range.max;
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

bool Checker::refuse(ErrorCode code, std::string text) {
  error_ = {code, std::move(text)};
  return false;
}

bool Checker::scalar(const char* field, double value, const Range& range) {
  if (is_within(value, range)) return true;
  const ErrorCode code = !std::isfinite(value) ? ErrorCode::InvalidNumber
                         : value < 0           ? range.below
                                               : range.above;
  return refuse(code, std::string(field) + " is " + number_text(value) +
                          "; allowed: " + text_of(range, field));
}

bool Checker::vector(const char* field, Vec3 value, const Range& range) {
  for (int axis = 0; axis < 3; ++axis) {
    if (is_within(value[axis], range)) continue;
    static constexpr const char* suffix[3] = {".x", ".y", ".z"};
    return scalar((std::string(field) + suffix[axis]).c_str(), value[axis], range);
  }
  return true;
}

bool Checker::count(const char* field, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value >= min && value <= max) return true;
  return refuse(ErrorCode::LimitExceeded, std::string(field) + " is " + std::to_string(value) +
                                              "; allowed: " + std::to_string(min) + " to " +
                                              std::to_string(max));
}

bool Checker::kind(const char* field, int value, int max, ErrorCode code, const char* allowed) {
  return (value >= 0 && value <= max) ||
         refuse(code,
                std::string(field) + " is " + std::to_string(value) + "; allowed: " + allowed);
}

bool Checker::box(const char* field_min, const char* field_max, const Aabb& box,
                  const Range& range) {
  if (!finite(field_min, box.min, range) || !finite(field_max, box.max, range)) return false;
  for (int axis = 0; axis < 3; ++axis) {
    if (box.min[axis] <= box.max[axis]) continue;
    return refuse(ErrorCode::InvalidBox, std::string(field_min) + " is above " + field_max +
                                             " on axis " + "xyz"[axis] +
                                             "; allowed: min <= max on every axis");
  }
  return vector(field_min, box.min, range) && vector(field_max, box.max, range);
}

bool Checker::rotation(const char* field, const Quat& value) {
  const double parts[4] = {value.x, value.y, value.z, value.w};
  static constexpr const char* suffix[4] = {".x", ".y", ".z", ".w"};
  for (int i = 0; i < 4; ++i) {
    if (std::isfinite(parts[i])) continue;
    return refuse(ErrorCode::InvalidNumber, std::string(field) + suffix[i] + " is " +
                                                number_text(parts[i]) +
                                                "; allowed: finite numbers");
  }
  const double size = std::sqrt(length_squared(value.vector()) + value.w * value.w);
  return std::abs(size - 1) <= rotation_length_tolerance ||
         refuse(ErrorCode::InvalidNumber, std::string(field) + " has length " + number_text(size) +
                                              "; allowed: any but 0, it is brought to length 1");
}

bool Checker::entity(const char* field, const EntityRef& ref) {
  return ref.present() ||
         refuse(ErrorCode::MissingField,
                std::string(field) +
                    " is 0; needed: the id of an entity, or the sequence of the spawn that makes "
                    "it");
}

bool Checker::velocity(Vec3 value) {
  return speed("velocity", value, limits::speed_m_per_s, " m/s");
}

bool Checker::angular_velocity(Vec3 value) {
  return speed("angular_velocity", value, limits::angular_speed_rad_per_s, " rad/s");
}

bool Checker::speed(const char* field, Vec3 value, double max, const char* unit) {
  if (!vector(field, value, signed_range(max, unit, ErrorCode::LimitExceeded))) return false;
  const double size = length(value);
  return size <= max || refuse(ErrorCode::LimitExceeded,
                               "the length of " + std::string(field) + " is " + number_text(size) +
                                   unit + "; allowed: 0 to " + number_text(max) + unit);
}

bool Checker::shape(const Shape& shape) {
  if (shape.is_plain()) {
    if (!plain_shape(shape)) return false;
  } else {
    const auto& parts = shape.compound->parts;
    if (!count("the number of shape.parts", parts.size(), 1, limits::shape_parts_max)) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_good = parts.size() == 1
                               ? primitive("shape.", parts[i])
                               : primitive("shape.parts[" + std::to_string(i) + "].", parts[i]);
      if (!is_good) return false;
    }
  }
  const Aabb local = local_box(shape);
  return vector("the lower corner of shape", local.min, shape_coordinate) &&
         vector("the upper corner of shape", local.max, shape_coordinate);
}

bool Checker::plain_shape(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Sphere:
    case ShapeKind::Capsule:
      return scalar("shape.radius_m", shape.radius_m, shape_size) &&
             scalar("shape.half_height_m", shape.half_height_m, shape_size) &&
             vector("shape.offset", shape.offset, shape_coordinate);
    case ShapeKind::Box:
      return box("shape.box_min", "shape.box_max", {shape.box_min, shape.box_max},
                 shape_coordinate);
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
    case ShapeKind::Compound: break;  // never plain
  }
  return refuse(
      ErrorCode::InvalidShape,
      "shape.kind is " + std::to_string(static_cast<int>(shape.kind)) +
          "; allowed: 0 (sphere), 1 (capsule), 2 (box), 3 (hull), 4 (mesh), 5 (compound)");
}

bool Checker::primitive(const std::string& prefix, const Primitive& part) {
  if (sizes(part) && vector("offset", part.offset.position, shape_coordinate) &&
      rotation("rotation", part.offset.rotation))
    return true;
  error_.text = prefix + error_.text;
  return false;
}

bool Checker::sizes(const Primitive& part) {
  switch (part.kind) {
    case PrimitiveKind::Sphere:
    case PrimitiveKind::Capsule:
      return scalar("radius_m", part.radius_m, shape_size) &&
             scalar("half_height_m", part.half_height_m, shape_size);
    case PrimitiveKind::Box: {
      return box("box_min", "box_max", {negated(part.half_extent_m), part.half_extent_m},
                 shape_coordinate);
    }
    case PrimitiveKind::Hull:
      return part.hull != nullptr || refuse(ErrorCode::MissingField, "points is missing");
    case PrimitiveKind::Mesh:
      return part.mesh != nullptr || refuse(ErrorCode::MissingField, "triangles is missing");
  }
  return refuse(ErrorCode::InvalidShape, "kind is " + std::to_string(static_cast<int>(part.kind)) +
                                             "; allowed: 0 to 4 (sphere to mesh)");
}

bool Checker::inside_world(const Shape& shape, const Pose& pose) {
  const bool is_turned = !is_identity(pose.rotation);
  const Aabb local = is_turned ? turned_box(shape, pose.rotation) : local_box(shape);
  const Aabb tight = placed_box(local, pose.position);
  return vector("the lower corner of the box", tight.min, world_) &&
         vector("the upper corner of the box", tight.max, world_);
}

bool Checker::finite(const char* field, Vec3 value, const Range& range) {
  return is_finite(value) || vector(field, value, range);
}

}  // namespace vicinity
