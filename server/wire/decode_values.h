// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Verified FlatBuffers tables -> values, for decode.cpp alone. Presence of fields is checked here;
// the values themselves are checked by validate(), but for those that hulls, meshes and compounds
// are built of. Enumerators that this version does not know are carried over as they are, for
// validate() to refuse. Net room; pure.

#include <cstddef>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/limits.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::proto {
struct Area;
struct Command;
struct Quat;
struct Query;
struct Relevance;
struct Shape;
struct Vec3;
}  // namespace vicinity::proto

namespace vicinity::wire {

/// What the shapes and areas of one frame may still make the server build. Tables may share their
/// content, so the size of the frame alone bounds nothing.
struct FrameBudget {
  std::size_t parts = limits::shape_parts_per_frame_max;
  std::size_t hulls = limits::hulls_per_frame_max;
  std::size_t hull_points = limits::hull_points_per_frame_max;
  std::size_t points = limits::shape_points_per_frame_max;
  std::size_t triangles = limits::mesh_triangles_per_frame_max;
  std::size_t area_points = limits::area_points_per_frame_max;
  /// DecodeLimits::refuse_built_shapes.
  ErrorCode refuse_built_shapes = ErrorCode::None;

  bool has_built_shapes() const {
    return hulls < limits::hulls_per_frame_max || triangles < limits::mesh_triangles_per_frame_max;
  }
};

Vec3 to_vec3(const proto::Vec3& v);

/// Of length 1; the identity when absent. What has no direction (NaN, infinite, all zero) comes
/// back as it is, for validate() to refuse.
Quat read_rotation(const proto::Quat* rotation);

/// `size_m` and a tenth of it, but not above the largest legal size: what sees the whole world must
/// not be refused for a default.
double default_leave_size(double size_m);

/// The fields that the kind has, with the defaults of the schema. MissingField, LimitExceeded.
Error read_area(const proto::Area& in, FrameBudget& budget, AreaSpec& out);
Relevance read_relevance(const proto::Relevance* in);

/// MissingField, LimitExceeded, or what building a hull or mesh refuses.
Error read_shape(const proto::Shape& in, FrameBudget& budget, Shape& out);
/// One part, checked; anything but a compound. Errors name its fields behind `prefix`.
Error read_primitive(const proto::Shape& in, const std::string& prefix, FrameBudget& budget,
                     Primitive& out);

/// MissingField or UnknownCommand when there is no value, and errors of its shape. Fields that the
/// kind does not use are ignored.
std::variant<CommandBody, Error> read_command(const proto::Command& command, FrameBudget& budget);

/// MissingField, InvalidQuery (unknown kind, not six planes), InvalidNumber (a distance limit below
/// zero, which as a value would mean no limit), and errors of its shape.
std::variant<Query, Error> read_query(const proto::Query& query);

}  // namespace vicinity::wire
