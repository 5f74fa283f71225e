// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The value checks of every door. Each check returns true when the value is good; the first one
// that fails writes the error and ends the chain, so good input builds no text.
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "base/limits.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using limits::area_size_m;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// What a number may be: |value| <= max, or 0 <= value <= max. NaN and infinity never.
struct Range {
  bool is_signed = true;
  double max = 0;
  const char* unit = "";  ///< with a leading blank
  ErrorCode below = ErrorCode::InvalidNumber;
  ErrorCode above = ErrorCode::LimitExceeded;

  std::string text(const std::string& field) const {
    return is_signed ? "|" + field + "| <= " + number(max) + unit : "0 to " + number(max) + unit;
  }
};

constexpr Range signed_range(double max, const char* unit, ErrorCode beyond) {
  return {true, max, unit, beyond, beyond};
}
constexpr Range positive_range(double max, const char* unit, ErrorCode below, ErrorCode above) {
  return {false, max, unit, below, above};
}

constexpr Range shape_coordinate =
    signed_range(limits::shape_extent_m, " m", ErrorCode::InvalidShape);
constexpr Range shape_size =
    positive_range(limits::shape_extent_m, " m", ErrorCode::InvalidShape, ErrorCode::InvalidShape);
constexpr Range search_coordinate = signed_range(area_size_m, " m", ErrorCode::LimitExceeded);
constexpr Range search_size =
    positive_range(area_size_m, " m", ErrorCode::InvalidNumber, ErrorCode::LimitExceeded);

class Checker {
 public:
  explicit Checker(const DecodeLimits& limits)
      : world_(signed_range(limits.world_half_size_m, " m", ErrorCode::OutOfWorld)) {}

  Error take() { return std::move(error_); }

  bool refuse(ErrorCode code, std::string text) {
    error_ = {code, std::move(text)};
    return false;
  }

  bool scalar(const char* field, double value, const Range& range) {
    if (std::isfinite(value) && value >= (range.is_signed ? -range.max : 0.0) && value <= range.max)
      return true;
    const ErrorCode code = !std::isfinite(value) ? ErrorCode::InvalidNumber
                           : value < 0           ? range.below
                                                 : range.above;
    return refuse(code,
                  std::string(field) + " is " + number(value) + "; allowed: " + range.text(field));
  }

  bool vector(const char* field, Vec3 value, const Range& range) {
    for (int axis = 0; axis < 3; ++axis) {
      const double v = value[axis];
      if (std::isfinite(v) && v >= (range.is_signed ? -range.max : 0.0) && v <= range.max) continue;
      static constexpr const char* suffix[3] = {".x", ".y", ".z"};
      return scalar((std::string(field) + suffix[axis]).c_str(), v, range);
    }
    return true;
  }

  bool count(const char* field, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
    if (value >= min && value <= max) return true;
    return refuse(ErrorCode::LimitExceeded, std::string(field) + " is " + std::to_string(value) +
                                                "; allowed: " + std::to_string(min) + " to " +
                                                std::to_string(max));
  }

  /// Finite, then ordered, then in range: an inverted box is InvalidBox, however large.
  bool box(const char* field_min, const char* field_max, const Aabb& box, const Range& range) {
    if (!finite(field_min, box.min, range) || !finite(field_max, box.max, range)) return false;
    for (int axis = 0; axis < 3; ++axis) {
      if (box.min[axis] <= box.max[axis]) continue;
      return refuse(ErrorCode::InvalidBox, std::string(field_min) + " is above " + field_max +
                                               " on axis " + "xyz"[axis] +
                                               "; allowed: min <= max on every axis");
    }
    return vector(field_min, box.min, range) && vector(field_max, box.max, range);
  }

  bool entity(const char* field, const EntityRef& ref) {
    return ref.present() || refuse(ErrorCode::MissingField,
                                   std::string(field) +
                                       " is 0; needed: the id of an "
                                       "entity, or the sequence of the spawn that makes it");
  }

  bool position(const char* field, Vec3 value) { return vector(field, value, world_); }

  bool velocity(Vec3 value) {
    static constexpr Range speed =
        signed_range(limits::speed_m_per_s, " m/s", ErrorCode::LimitExceeded);
    if (!vector("velocity", value, speed)) return false;
    const double speed_m_per_s = length(value);
    return speed_m_per_s <= limits::speed_m_per_s ||
           refuse(ErrorCode::LimitExceeded, "the speed is " + number(speed_m_per_s) +
                                                " m/s; allowed: 0 to " +
                                                number(limits::speed_m_per_s) + " m/s");
  }

  bool shape(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::Sphere:
      case ShapeKind::Capsule:
        if (!scalar("shape.radius_m", shape.radius_m, shape_size) ||
            !scalar("shape.half_height_m", shape.half_height_m, shape_size) ||
            !vector("shape.offset", shape.offset, shape_coordinate))
          return false;
        break;
      case ShapeKind::Box:
        if (!box("shape.box_min", "shape.box_max", {shape.box_min, shape.box_max},
                 shape_coordinate))
          return false;
        break;
      default:
        return refuse(ErrorCode::InvalidShape, "shape.kind is " +
                                                   std::to_string(static_cast<int>(shape.kind)) +
                                                   "; allowed: 0 (sphere), 1 (capsule), 2 (box)");
    }
    const Aabb local = local_box(shape);
    return vector("the lower corner of shape", local.min, shape_coordinate) &&
           vector("the upper corner of shape", local.max, shape_coordinate);
  }

  bool inside_world(const Shape& shape, Vec3 position) {
    const Aabb tight = tight_box(shape, position);
    return vector("the lower corner of the box", tight.min, world_) &&
           vector("the upper corner of the box", tight.max, world_);
  }

  bool area(const AreaSpec& spec) {
    if (spec.reach != Reach::Shape && spec.reach != Reach::Centre) {
      return refuse(ErrorCode::InvalidArea, "spec.reach is " +
                                                std::to_string(static_cast<int>(spec.reach)) +
                                                "; allowed: 0 (shape), 1 (centre)");
    }
    const bool centre_good = spec.anchor.present()
                                 ? vector("spec.centre", spec.centre, search_coordinate)
                                 : vector("spec.centre", spec.centre, world_);
    return centre_good &&
           count("spec.min_dwell_ticks", spec.min_dwell_ticks, 0, limits::min_dwell_ticks_max) &&
           area_size(spec);
  }

 private:
  bool finite(const char* field, Vec3 value, const Range& range) {
    return is_finite(value) || vector(field, value, range);
  }

  bool area_size(const AreaSpec& spec) {
    switch (spec.kind) {
      case AreaKind::Sphere:
        return scalar("spec.enter_radius_m", spec.enter_radius_m, search_size) &&
               scalar("spec.leave_radius_m", spec.leave_radius_m, search_size) &&
               (spec.leave_radius_m >= spec.enter_radius_m || leave_below_enter());
      case AreaKind::Box:
        if (!vector("spec.enter_half_extent_m", spec.enter_half_extent_m, search_size) ||
            !vector("spec.leave_half_extent_m", spec.leave_half_extent_m, search_size))
          return false;
        for (int axis = 0; axis < 3; ++axis) {
          if (spec.leave_half_extent_m[axis] < spec.enter_half_extent_m[axis])
            return leave_below_enter();
        }
        return true;
    }
    return refuse(ErrorCode::InvalidArea, "spec.kind is " +
                                              std::to_string(static_cast<int>(spec.kind)) +
                                              "; allowed: 0 (sphere), 1 (box)");
  }

  bool leave_below_enter() {
    return refuse(ErrorCode::InvalidArea,
                  "the leave size of spec is below its enter size; allowed: leave >= enter");
  }

  Range world_;
  Error error_;
};

bool check(Checker& c, const SpawnCommand& spawn) {
  if (!c.position("position", spawn.position) || !c.velocity(spawn.velocity) ||
      !c.shape(spawn.shape) || !c.inside_world(spawn.shape, spawn.position))
    return false;
  if (!spawn.filter.is_static || spawn.velocity == Vec3{}) return true;
  return c.refuse(ErrorCode::StaticMotion,
                  "velocity of a static entity; allowed: 0 while filter.is_static");
}
bool check(Checker& c, const DespawnCommand& command) { return c.entity("entity", command.entity); }
bool check(Checker& c, const SetVelocityCommand& command) {
  return c.entity("entity", command.entity) && c.velocity(command.velocity);
}
bool check(Checker& c, const MoveToCommand& command) {
  return c.entity("entity", command.entity) && c.position("position", command.position);
}
bool check(Checker& c, const TeleportCommand& command) {
  return c.entity("entity", command.entity) && c.position("position", command.position);
}
bool check(Checker& c, const SetShapeCommand& command) {
  return c.entity("entity", command.entity) && c.shape(command.shape);
}
bool check(Checker& c, const SetFilterCommand& command) {
  return c.entity("entity", command.entity);
}
bool check(Checker& c, const SetUserDataCommand& command) {
  return c.entity("entity", command.entity);
}
bool check(Checker& c, const AddAreaCommand& command) { return c.area(command.spec); }
bool check(Checker& c, const ChangeAreaCommand& command) { return c.area(command.spec); }
bool check(Checker&, const RemoveAreaCommand&) { return true; }
bool check(Checker& c, const OpenSessionCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "sessions are opened by the server alone");
}
bool check(Checker& c, const CloseSessionCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "sessions are closed by the server alone");
}

bool check(Checker& c, const BoxQuery& query) {
  return c.box("min", "max", query.box, search_coordinate);
}
bool check(Checker& c, const SphereQuery& query) {
  return c.vector("point", query.centre, search_coordinate) &&
         c.scalar("radius_m", query.radius_m, search_size);
}
bool check(Checker& c, const CastQuery& query) {
  // So that the product with the longest delta stays finite.
  static constexpr Range times =
      positive_range(1e250, "", ErrorCode::InvalidNumber, ErrorCode::LimitExceeded);
  if (!check(c, BoxQuery{query.box}) || !c.vector("delta", query.delta, search_coordinate) ||
      !c.scalar("max_t", query.max_t, times))
    return false;
  if (query.delta == Vec3{} && query.box.min == query.box.max)
    return c.refuse(ErrorCode::InvalidQuery, "delta is 0; a ray needs a direction");
  // The far end must stay in the range of the index, or its box would overflow.
  return c.vector("delta * max_t", query.delta * query.max_t, search_coordinate);
}
bool check(Checker& c, const NearestQuery& query) {
  static constexpr Range distance =
      signed_range(area_size_m, " m", ErrorCode::LimitExceeded);  // negative: no limit
  return c.vector("point", query.point, search_coordinate) &&
         c.count("k", query.k, 0, limits::query_hits_max) &&
         c.scalar("max_distance_m", query.max_distance_m, distance);
}
bool check(Checker& c, const ContactsQuery& query) {
  return static_cast<bool>(query.entity) ||
         c.refuse(ErrorCode::MissingField, "entity is 0; needed: the id of an entity");
}

}  // namespace

Error validate(const CommandBody& command, const DecodeLimits& limits) {
  Checker checker(limits);
  std::visit([&checker](const auto& value) { return check(checker, value); }, command);
  return checker.take();
}

Error validate(const Query& query, const DecodeLimits& limits) {
  Checker checker(limits);
  if (checker.count("limit", query.limit, 1, limits::query_hits_max))
    std::visit([&checker](const auto& value) { return check(checker, value); }, query.body);
  return checker.take();
}

}  // namespace vicinity::wire
