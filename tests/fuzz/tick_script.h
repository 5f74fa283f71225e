// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Bytes -> what sessions command over several ticks. Every command passes what stands before the
// tick room: role, values, door 1. What does not is dropped there, as a server does.
//
//      input   = settings (2 bytes) operation*
//      operation = what (5 low bits), who (3 high bits), operands
//
// Entities are named by their place among those that live, or that have ended, so that the same
// bytes mean much the same in any state of the world. Everything is open from the start: five
// sessions, of which who stands for one.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/script_bytes.h"
#include "tick/simulation.h"
#include "wire/decode.h"
#include "world/command.h"
#include "world/command_queue.h"

namespace vicinity::fuzz {

class TickScript {
 public:
  static constexpr std::uint32_t entities_max = 40;
  static constexpr std::size_t ids_kept = 128;

  explicit TickScript(std::span<const std::uint8_t> bytes);

  /// Index and kernel are left to the caller; workers, too, but for whether they shall be several.
  const SimulationSettings& settings() const { return settings_; }
  bool wants_workers() const { return wants_workers_; }
  bool wants_brute_force() const { return wants_brute_force_; }
  bool done() const { return bytes_.done() && quiet_ticks_ == 0; }

  struct Step {
    std::vector<Command> commands;  ///< as door 1 hands them out
    bool restores = false;  ///< before this tick, others go on from what the first world saves
  };
  Step next_tick();
  /// Learns the ids that the simulation gave. Call after each tick.
  void learn(const TickOutput& output);

 private:
  enum class What : std::uint32_t;
  struct Seat {
    Role role;
    ContactScope contacts;
    bool details;
    SessionId session = {};
    std::uint64_t sequence = 0;
    std::uint32_t view_number = 0;
    std::vector<std::uint64_t> spawns = {};  ///< sequences of this tick
  };

  /// False at the end of the tick.
  bool operation(Step& step);
  void entity_operation(What what, Seat& seat);
  void pair_operation(What what, Seat& seat);
  void interest_operation(What what, Seat& seat);
  void session_operation(Seat& seat);
  void open(Seat& seat);
  /// Through the door of clients, and of the server itself.
  void send(Seat& seat, CommandBody body);
  void send_by_server(Seat& seat, CommandBody body);

  EntityRef entity(const Seat& seat);
  Vec3 near_somebody();
  SpawnCommand spawn();
  Shape shape();
  Primitive part();
  Filter filter();
  FilterPatch patch();
  SetPolicyCommand policy();
  SubscribeCommand subscription(const Seat& seat);
  AreaSpec area(const Seat& seat);
  void give_sizes(AreaSpec& spec);

  ScriptBytes bytes_;
  SimulationSettings settings_;
  bool wants_workers_ = false;
  bool wants_brute_force_ = false;
  wire::DecodeLimits limits_{};
  std::array<Seat, 5> seats_;
  std::uint64_t next_session_ = 1;
  CommandQueue queue_;
  std::uint32_t quiet_ticks_ = 0;  ///< that are still to come, without a command
  bool is_first_ = true;
  std::vector<EntityId> alive_;
  std::vector<Vec3> positions_;  ///< of these
  std::vector<EntityId> ended_;
};

}  // namespace vicinity::fuzz
