// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Random but repeatable sessions of a Simulation: an authority, players and observers that come and
// go, churn of entities, filters, motion and areas, and now and then a command that must be
// refused. All lengths are whole multiples of 1/8 m, so that f64 holds them exactly and equality at
// an edge is frequent.

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "tick/simulation.h"
#include "world/command.h"

namespace vicinity::oracle {

class RandomScript {
 public:
  explicit RandomScript(std::uint64_t seed);

  /// Worker count and index are left to the caller.
  SimulationSettings settings() const;

  /// The commands of the next tick, ordered by (session, sequence).
  std::vector<Command> next_tick();
  /// Learns the ids that the simulation gave. Call after each tick.
  void learn(const TickOutput& output);

 private:
  void open_and_close_sessions();
  void entity_command(SessionId session);
  void area_command(SessionId session);
  void send(SessionId session, CommandBody body);

  double length(std::uint64_t eighths_max);
  Vec3 offset(std::uint64_t eighths_max);
  Vec3 position();
  Shape shape();
  Filter filter();
  FilterPatch patch();
  EntityRef entity();
  AreaSpec area_spec();

  Prng prng_;
  std::uint64_t reach_eighths_;  ///< of positions around their cluster
  bool far_;                     ///< clusters at the ends of a huge world
  std::uint32_t reuse_delay_ticks_;
  std::map<SessionId, Role> open_;
  std::uint64_t next_session_ = 1;
  std::uint64_t sequence_ = 0;
  std::vector<std::uint64_t> spawns_;  ///< sequences of this tick
  std::vector<EntityId> entities_;     ///< alive after the last tick
  std::vector<EntityId> dead_;
  std::vector<Command> commands_;
};

}  // namespace vicinity::oracle
