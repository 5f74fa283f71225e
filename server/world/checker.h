// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Checks of single numbers and small values that come from outside: commands and queries from the
// wire (wire/validate.cpp), saved worlds from a disk. Each returns true when the value is good; the
// first one that fails writes the error and ends the chain, so good input builds no text. Pure; any
// thread.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/aabb.h"
#include "base/error.h"
#include "base/limits.h"
#include "world/command.h"

namespace vicinity {

/// What a number may be: |value| <= max, or 0 <= value <= max. NaN and infinity never.
struct Range {
  bool is_signed = true;
  double max = 0;
  const char* unit = "";  ///< with a leading blank
  ErrorCode below = ErrorCode::InvalidNumber;
  ErrorCode above = ErrorCode::LimitExceeded;
};

constexpr Range signed_range(double max, const char* unit, ErrorCode beyond) {
  return {true, max, unit, beyond, beyond};
}
constexpr Range positive_range(double max, const char* unit, ErrorCode below, ErrorCode above) {
  return {false, max, unit, below, above};
}

inline constexpr Range shape_coordinate =
    signed_range(limits::shape_extent_m, " m", ErrorCode::InvalidShape);
inline constexpr Range shape_size =
    positive_range(limits::shape_extent_m, " m", ErrorCode::InvalidShape, ErrorCode::InvalidShape);
inline constexpr Range search_coordinate =
    signed_range(limits::area_size_m, " m", ErrorCode::LimitExceeded);
inline constexpr Range search_size =
    positive_range(limits::area_size_m, " m", ErrorCode::InvalidNumber, ErrorCode::LimitExceeded);

/// As it stands in the texts of errors: "NaN", "-Inf", "0.5".
std::string number_text(double value);

class Checker {
 public:
  explicit Checker(double world_half_size_m)
      : world_(signed_range(world_half_size_m, " m", ErrorCode::OutOfWorld)) {}

  Error take() { return std::move(error_); }
  /// Always false, as the end of a chain.
  bool refuse(ErrorCode code, std::string text);

  bool scalar(const char* field, double value, const Range& range);
  bool vector(const char* field, Vec3 value, const Range& range);
  bool count(const char* field, std::uint64_t value, std::uint64_t min, std::uint64_t max);
  /// An enumerator that counts from 0 without gaps; `allowed` names them all.
  bool kind(const char* field, int value, int max, ErrorCode code, const char* allowed);
  /// Finite, then ordered, then in range: an inverted box is InvalidBox, however large.
  bool box(const char* field_min, const char* field_max, const Aabb& box, const Range& range);
  /// Finite and of length 1; decoding has seen to the length of what is not 0.
  bool rotation(const char* field, const Quat& value);
  bool entity(const char* field, const EntityRef& ref);
  bool position(const char* field, Vec3 value) { return vector(field, value, world_); }
  bool velocity(Vec3 value);
  bool angular_velocity(Vec3 value);

  bool shape(const Shape& shape);
  /// The sizes and the place of a part, whose fields the errors name behind `prefix`.
  bool primitive(const std::string& prefix, const Primitive& part);
  bool inside_world(const Shape& shape, const Pose& pose);
  // checker_area.cpp
  bool area(const AreaSpec& spec);
  bool relevance(const Relevance& relevance);

 private:
  bool finite(const char* field, Vec3 value, const Range& range);
  bool speed(const char* field, Vec3 value, double max, const char* unit);
  bool plain_shape(const Shape& shape);
  bool sizes(const Primitive& part);
  bool area_place(const AreaSpec& spec);
  bool area_size(const AreaSpec& spec);
  bool solid_size(const AreaSpec& spec);
  bool angle(const char* field, double value_rad);
  bool range(double near_m, double range_m);
  bool outline(const std::vector<OutlinePoint>& points);
  bool rings(const std::vector<Ring>& rings);
  bool leave_below_enter();

  Range world_;
  Error error_;
};

}  // namespace vicinity
