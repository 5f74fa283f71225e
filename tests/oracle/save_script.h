// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Random sessions of a Simulation that use everything a saved world has to keep: what RandomScript
// does, and beside it sessions with attachments, exclusions, turned and compound shapes, policies,
// subscriptions, areas of all kinds and rules, visibilities, sessions that begin anew, restarts.

#include <cstdint>
#include <map>
#include <vector>

#include "base/prng.h"
#include "oracle/random_script.h"

namespace vicinity::oracle {

class SaveScript {
 public:
  explicit SaveScript(std::uint64_t seed) : base_(seed), prng_(seed ^ 0x5A5E) {}

  SimulationSettings settings() const;
  /// The commands of the next tick, ordered by (session, sequence).
  std::vector<Command> next_tick();
  /// Call after each tick.
  void learn(const TickOutput& output);

 private:
  void open_sessions();
  void session_commands();
  void entity_command(SessionId session);
  void pair_command(SessionId session);
  void area_command(SessionId session);
  void rule_command(SessionId session);
  void send(SessionId session, CommandBody body);

  double length(double max);
  Vec3 offset(double max);
  Vec3 position();
  EntityRef any_entity();
  EntityRef entity_of(SessionId session);
  AreaSpec area_spec();
  void give_sizes(AreaSpec& spec);

  RandomScript base_;
  Prng prng_;
  bool is_open_ = false;
  std::uint64_t sequence_ = 0;
  std::uint32_t view_number_ = 0;
  std::vector<Command> commands_;
  std::vector<EntityId> entities_;
  std::vector<Vec3> positions_;
  std::map<SessionId, std::vector<EntityId>> owned_;
};

}  // namespace vicinity::oracle
