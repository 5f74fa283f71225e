// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Drives an entity table and the model of it with the same random commands, all from one seed.
// Scenes are chosen for what breaks an index: row borders, negative and far coordinates, zero
// sizes, sizes from a millimetre to ten kilometres, plates, everything in one point.

#include <cstdint>

#include "base/prng.h"
#include "oracle/world_model.h"
#include "world/entity_table.h"

namespace vicinity::oracle {

enum class Scene : std::uint8_t { Cluster, Borders, Far, MixedSizes, Line, OnePoint, SmallWorld };
inline constexpr std::uint64_t scene_count = 7;

class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed);

  Prng& prng() { return prng_; }
  EntityTable& table() { return table_; }

  /// One tick: random commands to both, then advances both. The table may be frozen afterwards.
  /// Adds a test failure when the table answers a command differently from the model.
  ExpectedTick run_tick();
  /// A tick in which everything is despawned.
  ExpectedTick run_last_tick();

  /// A random box in metres, about where the entities are.
  Aabb search_area();

 private:
  Point random_position();
  Point random_step(std::int64_t reach);
  IntBox random_local_box();
  Filter random_filter();
  FilterPatch random_patch();
  EntityId random_entity();
  void spawn();
  void change(EntityId id);
  void move(EntityId id);

  Prng prng_;
  Scene scene_;
  Workers workers_{1};
  EntityTable table_;
  WorldModel model_;
  Tick tick_ = 0;
  bool calm_ = false;  ///< for some ticks few commands come, so that much of the world rests
};

}  // namespace vicinity::oracle
