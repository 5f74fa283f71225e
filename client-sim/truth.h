// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The world at one tick as the witness saw it, and how exactly that is known. Pure; a TruthTick may
// be read by any thread once rows_near() has been called.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "client-sim/view.h"
#include "client/frame.h"
#include "geometry/shape.h"

namespace vicinity::sim {

/// The shape that an entity with this user data was made with; null: it is what its box says.
/// Nothing: it is not known. What is returned outlives the check.
using ShapeOf = std::function<std::optional<const Shape*>(std::uint64_t user_data)>;

/// How far what is told may be from what is. Positions travel as multiples of a resolution,
/// rotations as three components of 10 bits, velocities as binary16; full states exactly. So two
/// clients may know one entity by two values.
class Precision {
 public:
  /// 0: everything is told exactly.
  explicit Precision(double position_resolution_m = 0) : resolution_m_(position_resolution_m) {}

  bool is_exact() const { return resolution_m_ == 0; }
  /// Largest difference of two positions of one entity, per axis, metres.
  double position_m() const { return resolution_m_; }
  /// Largest difference of two boxes of one entity, per axis, metres.
  double box_m(const client::EntityView& entity) const;

  bool same_position(Vec3 a, Vec3 b) const;
  bool same_rotation(const Quat& a, const Quat& b) const;
  bool same_velocity(Vec3 a, Vec3 b) const;
  /// Pose and velocities.
  bool same_motion(const client::EntityView& a, const client::EntityView& b) const;

 private:
  double resolution_m_;
};

/// Everything but the motion and the observer, which names the session's own view.
bool same_nature(const client::EntityView& a, const client::EntityView& b);

/// All entities of one tick, ascending by id; `boxes[i]` is the tight box of `entities[i]`, and
/// `shapes[i]` the shape that it was made with, if its box does not tell it. Of one that
/// `is_known[i]` is 0 for it can only be said that it is somewhere in its box.
struct TruthTick {
  Tick tick = 0;
  std::uint64_t server_time_us = 0;  ///< when the tick began
  std::vector<client::EntityView> entities;
  std::vector<Aabb> boxes;
  std::vector<const Shape*> shapes;
  std::vector<std::uint8_t> is_known;

  std::optional<std::size_t> row_of(EntityId id) const;
  /// Rows whose box may reach within `distance_m` of the point: a superset, ascending. Sorts the
  /// rows along x on the first call.
  void rows_near(Vec3 point, double distance_m, std::vector<std::size_t>& rows) const;
  std::size_t size_bytes() const;

 private:
  mutable std::vector<std::pair<double, std::uint32_t>> along_x_;  ///< lower side of box, row
  mutable double width_max_m_ = 0;
};

/// What the views of one session show, together. `out`: its memory is used again.
void make_truth(Tick tick, std::uint64_t server_time_us, std::span<const View> views,
                const ShapeOf& shape_of, TruthTick& out);

}  // namespace vicinity::sim
