// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace vicinity::cases {

namespace {

/// Distance from |value| to the next larger f64.
double ulp(double value) {
  if (value == 0) return std::numeric_limits<double>::denorm_min();
  return std::ldexp(1.0, std::max(std::ilogb(value) - 52, -1074));
}

/// Position on one axis for corners 0 < low <= high.
///
/// Why not simply `low`: high - low may need more bits than an f64 has, and then no local corner
/// gives `high` back. A position that is a multiple of the ulp u of `high` makes both differences
/// exact: high - position is a multiple of u below 2^53 u, and low - position lies in [0, u).
double position_below(double low, double high) {
  const double step = ulp(high);
  return std::floor(low / step) * step;
}

double position_on_axis(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return 0;
  if (low > 0) return position_below(low, high);
  if (high < 0) return -position_below(-high, -low);
  return 0;
}

}  // namespace

double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "+Inf") return std::numeric_limits<double>::infinity();
  if (value == "-Inf") return -std::numeric_limits<double>::infinity();
  if (value == "-0.0") return -0.0;
  throw ScriptError(value.dump() + " is not a number");
}

Vec3 vector3(const Json& value) {
  if (!value.is_array() || value.size() != 3) throw ScriptError(value.dump() + " is not [x, y, z]");
  return {number(value[0]), number(value[1]), number(value[2])};
}

Aabb corners(const Json& fields) { return {vector3(fields.at("min")), vector3(fields.at("max"))}; }

std::optional<std::uint32_t> unsigned32(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  // Whole numbers above the signed range are beyond 32 bits as well.
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 32 != 0) return std::nullopt;
  const auto wide = value.get<std::int64_t>();
  if (wide < 0 || wide > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(wide);
}

std::optional<std::uint32_t> bit_word(const Json& value) {
  if (value == "all") return 0xFFFF'FFFFu;
  return unsigned32(value);
}

Placement place_box(const Aabb& box) {
  Placement placed;
  Vec3 local_min;
  Vec3 local_max;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = box.min[axis];
    const double high = box.max[axis];
    const double position = position_on_axis(low, high);
    placed.position[axis] = position;
    local_min[axis] = position == 0 ? low : low - position;
    local_max[axis] = position == 0 ? high : high - position;
    CHECK(position == 0 || position + local_min[axis] == low);
    CHECK(position == 0 || position + local_max[axis] == high);
  }
  placed.shape = Shape::box_corners(local_min, local_max);
  return placed;
}

std::string error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidNumber:
    case ErrorCode::InvalidBox:
    case ErrorCode::InvalidShape:
    case ErrorCode::InvalidFilter:
    case ErrorCode::InvalidArea:
    case ErrorCode::InvalidQuery: return "invalid";
    case ErrorCode::OutOfWorld: return "out_of_world";
    case ErrorCode::MissingField: return "missing_field";
    case ErrorCode::UnknownCommand: return "unknown_command";
    case ErrorCode::StaleEntity: return "stale";
    case ErrorCode::UnknownEntity:
    case ErrorCode::UnknownArea: return "unknown";
    case ErrorCode::DuplicateArea: return "duplicate";
    default: return std::string(to_string(code));
  }
}

}  // namespace vicinity::cases
