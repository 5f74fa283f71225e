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

struct ModelEntity {
  Point position{};
  Point velocity{};  ///< units per tick
  IntBox local;
  Filter filter;
  IntBox last_box;      ///< at the end of the last tick, or where it was spawned or teleported to
  bool placed = false;  ///< spawned or teleported in this tick, and not moved on from there
  bool path = false;    ///< moved by command in this tick
  bool continuous = false;
  IntBox start;  ///< of the tick that was ended last
  IntBox end;
};

/// Smaller slot first.
using IdPair = std::pair<EntityId, EntityId>;

struct ExpectedContact {
  bool touching = false;
  bool sensor = false;
  double toi = 1;
};

struct ExpectedTick {
  std::map<IdPair, ExpectedContact> contacts;
  std::set<IdPair> begins;
  std::set<IdPair> ends;
  std::set<IdPair> passed;
};

class WorldModel {
 public:
  explicit WorldModel(std::int64_t half_size) : half_size_(half_size) {}

  std::map<EntityId, ModelEntity>& entities() { return entities_; }
  bool in_world(const IntBox& local, const Point& position) const;

  // What each command does when it is accepted.
  void spawn(EntityId id, const Point& position, const Point& velocity, const IntBox& local,
             const Filter& filter);
  void despawn(EntityId id) { entities_.erase(id); }
  void move_to(EntityId id, const Point& position, bool continuous);
  void teleport(EntityId id, const Point& position);

  /// Integrates, removes what left the world, and says what the tick must report.
  ExpectedTick end_tick();

 private:
  void advance();

  std::int64_t half_size_;
  std::map<EntityId, ModelEntity> entities_;
  std::map<IdPair, bool> touching_;  ///< pairs touching at the end of the last tick -> sensor
};

}  // namespace vicinity::oracle
