// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a client is told about one tick, as plain values. All parts of a tick are joined before the
// application sees them. Apply in the order of the members.

#include <cstdint>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "world/filter.h"
#include "world/reasons.h"
#include "world/shape.h"

namespace vicinity::client {

struct EntityView {
  EntityId id;
  ObserverId observer;
  Vec3 position;   ///< metres
  Vec3 velocity;   ///< metres per second
  Aabb local_box;  ///< around the shape, relative to position
  ShapeKind shape_kind = ShapeKind::Box;
  Filter filter;  ///< `enabled` is always true: what is disabled is not seen
  std::uint64_t user_data = 0;
};
struct EntityMove {
  EntityId id;
  ObserverId observer;
  Vec3 position;  ///< metres
  Vec3 velocity;  ///< metres per second
  std::uint64_t user_data = 0;
};
struct EntityLeave {
  EntityId id;
  ObserverId observer;
  LeaveReason reason = LeaveReason::OutOfRange;
  std::uint64_t user_data = 0;  ///< of the entity now, or when it ended
};
struct ContactBeginEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;
  std::uint64_t user_data_b = 0;
  double toi = 1;
  bool sensor = false;
};
struct ContactEndEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;
  std::uint64_t user_data_b = 0;
  EndReason reason = EndReason::Separated;
  bool sensor = false;
};
struct LostEntity {
  EntityId id;
  DespawnReason reason = DespawnReason::LeftWorld;
  std::uint64_t user_data = 0;  ///< when it ended
};

struct TickFrame {
  Tick tick = 0;
  IndexVersion index_version = 0;
  std::uint64_t server_time_us = 0;  ///< the server's monotonic clock when the tick began
  std::uint64_t result_hash = 0;
  std::vector<EntityLeave> leaves;
  std::vector<EntityView> enters;
  std::vector<EntityView> changed;
  std::vector<EntityMove> moved;
  std::vector<ContactEndEvent> contact_ends;
  std::vector<ContactBeginEvent> contact_begins;
  std::vector<ContactEndEvent> contact_passed;  ///< ends of contacts that began in this tick
  std::vector<LostEntity> lost;
};

}  // namespace vicinity::client
