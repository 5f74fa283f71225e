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
#include "geometry/pose.h"
#include "geometry/shape.h"
#include "world/filter.h"
#include "world/reasons.h"

namespace vicinity::client {

/// How well the server gets rid of what it has to tell.
enum class StreamHealth : std::uint8_t {
  Ok = 0,
  Degraded = 1,  ///< rings are slowed down: link or budget take less than there is to tell
  Starved = 2,   ///< only leaves, own entities, contacts and answers
};
/// What the server leaves out to keep its tick rate; each stage includes those before it.
enum class Shedding : std::uint8_t {
  None = 0,
  OuterRings = 1,  ///< updates of outer rings come at half their rate or less
  Queries = 2,     ///< queries are refused beyond a small number per tick
  Sessions = 3,    ///< new sessions are refused
};

struct EntityView {
  EntityId id;
  ObserverId observer;
  Vec3 position;   ///< metres
  Vec3 velocity;   ///< metres per second
  Aabb local_box;  ///< around the shape before it is turned, relative to position
  ShapeKind shape_kind = ShapeKind::Box;
  Filter filter;  ///< `enabled` is always true: what is disabled is not seen
  std::uint64_t user_data = 0;
  Quat rotation = {};          ///< of length 1
  Vec3 angular_velocity = {};  ///< radians per second, world axes
  /// Tick of the last news of it. Set by Replica; 0 in a TickFrame.
  Tick last_update = 0;
  /// Small number that the client gives it while it is in view: in one tick a slot means one entity
  /// of one observer, and the slots of a session are dense, so that they index arrays.
  std::uint32_t slot = 0;
};

// What moved is told by parts: each list names what changed in that part, at most once per tick,
// and everything else is as before. `slot` is that of the enter. In no particular order.

struct EntityMove {
  EntityId id;
  ObserverId observer;
  std::uint32_t slot = 0;
  Vec3 position;  ///< metres
};
struct EntityTurn {
  EntityId id;
  ObserverId observer;
  std::uint32_t slot = 0;
  Quat rotation = {};  ///< of length 1
};
struct EntityVelocity {
  EntityId id;
  ObserverId observer;
  std::uint32_t slot = 0;
  Vec3 value;  ///< metres per second; of spins: radians per second, world axes
};
/// No path leads to where the entity is now.
struct EntityJump {
  EntityId id;
  ObserverId observer;
  std::uint32_t slot = 0;
};
struct EntityLeave {
  EntityId id;
  ObserverId observer;
  LeaveReason reason = LeaveReason::OutOfRange;
  std::uint64_t user_data = 0;  ///< of the entity now, or when it ended
  bool suspended = false;       ///< out of range of an area that suspends: may be kept as last seen
};
struct ContactBeginEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;
  std::uint64_t user_data_b = 0;
  double toi = 1;
  bool sensor = false;
  /// The search for toi used up its steps: it may be too early, and the two may just miss.
  bool capped = false;
  /// Number of the event in this world, from 1; 0 for a contact that was open already.
  std::uint64_t event_seq = 0;
};
/// More of the begin with the same name (a, b, begin_tick) in the same tick; only for a session
/// that asked for contact_details.
struct ContactDetailEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  // At the end of the tick; of those that pass through, at toi:
  Vec3 point;   ///< world, metres
  Vec3 normal;  ///< unit, from a to b; zero when it could not be found
  double penetration_m = 0;
  Pose pose_a;  ///< at toi
  Pose pose_b;
};
struct ContactEndEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;
  std::uint64_t user_data_b = 0;
  EndReason reason = EndReason::Separated;
  bool sensor = false;
  std::uint64_t event_seq = 0;  ///< number of the event in this world
};
/// A contact that goes on, told every so many ticks where the policy says so.
struct ContactStayEvent {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;
  std::uint64_t user_data_b = 0;
  bool sensor = false;
  std::uint64_t event_seq = 0;
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
  std::vector<EntityTurn> turned;
  std::vector<EntityVelocity> velocities;
  std::vector<EntityVelocity> spins;
  std::vector<EntityJump> jumped;
  std::vector<ContactEndEvent> contact_ends;
  std::vector<ContactBeginEvent> contact_begins;
  std::vector<ContactDetailEvent> begin_details;  ///< in the order of contact_begins
  std::vector<ContactEndEvent> contact_passed;    ///< ends of contacts that began in this tick
  std::vector<ContactStayEvent> contact_stays;
  std::vector<LostEntity> lost;
  std::uint32_t enters_waiting = 0;  ///< entities in view whose enter waits for room in the budget
  StreamHealth health = StreamHealth::Ok;
  Shedding shedding = Shedding::None;
  /// What waited of this tick while the client was slow, and nothing of views: these are as they
  /// were until a later frame, which follows at once. No health either.
  bool events_only = false;
};

}  // namespace vicinity::client
