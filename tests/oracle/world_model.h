// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// An independent model of the world for oracle tests: exact integers (units of 1/1024 m), plain
// lists, all pairs, none of the server's code. It shares the words of the contract only: touch
// rule, filter rule, motion, passing through.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "world/command.h"
#include "world/reasons.h"

namespace vicinity::oracle {

/// Units per metre. Positions are whole units, so that f64 metres hold them exactly.
inline constexpr std::int64_t units_per_m = 1024;

using Point = std::array<std::int64_t, 3>;

struct IntBox {
  Point min{};
  Point max{};
  friend bool operator==(const IntBox&, const IntBox&) = default;
};

Vec3 to_metres(const Point& point);

/// The pair rule in the words of the contract, one sentence each.
bool may_meet(const Filter& a, const Filter& b);

struct ModelEntity {
  SessionId owner;
  std::uint64_t user_data = 0;
  Point position{};
  Point velocity{};  ///< units per tick
  IntBox local;
  Filter filter;
  IntBox last_box;      ///< at the end of the last tick, or where it was spawned or teleported to
  bool placed = false;  ///< spawned or teleported in this tick, and not moved on from there
  bool path = false;    ///< moved by command in this tick
  bool continuous = false;
  bool teleported = false;  ///< in this tick, to another place or off its path
  bool reshaped = false;    ///< in this tick
  IntBox start;             ///< of the tick that was ended last
  IntBox end;
};

/// Smaller slot first.
using IdPair = std::pair<EntityId, EntityId>;

struct ExpectedContact {
  bool touching = false;
  bool sensor = false;
  double toi = 1;
};

/// What begins and ends tell of a contact, besides the pair.
struct ContactFacts {
  Tick begin_tick = 0;
  bool sensor = false;
  std::array<std::uint64_t, 2> user_data{};
  std::array<SessionId, 2> owner{};
  friend bool operator==(const ContactFacts&, const ContactFacts&) = default;
};
struct ExpectedEnd {
  ContactFacts facts;
  EndReason reason = EndReason::Separated;
  friend bool operator==(const ExpectedEnd&, const ExpectedEnd&) = default;
};

struct ExpectedTick {
  std::map<IdPair, ExpectedContact> contacts;
  std::map<IdPair, ContactFacts> open;  ///< after the tick
  std::map<IdPair, ContactFacts> begins;
  std::map<IdPair, ExpectedEnd> ends;
  std::map<IdPair, ExpectedEnd> passed;
};

class WorldModel {
 public:
  explicit WorldModel(std::int64_t half_size) : half_size_(half_size) {}

  std::map<EntityId, ModelEntity>& entities() { return entities_; }
  bool in_world(const IntBox& local, const Point& position) const;

  // What each command does when it is accepted.
  void spawn(EntityId id, const ModelEntity& entity);
  void despawn(EntityId id);
  void despawn_all();
  void move_to(EntityId id, const Point& position, bool continuous);
  void teleport(EntityId id, const Point& position);
  void set_shape(EntityId id, const IntBox& local);

  /// Integrates, removes what left the world, and says what the tick must report.
  ExpectedTick end_tick();

 private:
  void advance();
  void find_contacts(ExpectedTick& tick) const;
  void compare_with_last_tick(ExpectedTick& tick) const;
  ExpectedEnd end_of(const IdPair& pair, ContactFacts facts) const;

  std::int64_t half_size_;
  Tick tick_ = 0;
  std::map<EntityId, ModelEntity> entities_;
  std::set<EntityId> despawned_;         ///< in this tick
  std::set<EntityId> left_world_;        ///< in this tick
  std::map<IdPair, ContactFacts> open_;  ///< touching at the end of the last tick
};

/// First fraction of a tick at which a strictly overlaps b, both moving straight; nothing when they
/// never do. Exact but for the rounding of the answer. Coordinates of up to 2^53 units.
std::optional<double> first_meeting(const IntBox& a_start, const IntBox& a_end,
                                    const IntBox& b_start, const IntBox& b_end);

}  // namespace vicinity::oracle
