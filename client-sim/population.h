// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The entities of a run that are nobody's: walkers in the thousands, owned by one session with the
// role of an authority. Each goes straight by its velocity and is turned when its leg ends, so the
// session sends little. Everything follows from the seed and the number of ticks.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/prng.h"
#include "client-sim/run_totals.h"
#include "client-sim/scenario.h"
#include "client/connection.h"

namespace vicinity::sim {

struct PopulationSettings {
  std::uint32_t entities = 0;
  std::uint64_t seed = 1;
  Ground ground;
};

/// The walkers' paths, without a network. Pure.
class Walkers {
 public:
  Walkers(const PopulationSettings& settings, std::uint32_t tick_rate_hz);

  struct Turn {
    std::uint32_t walker = 0;
    Vec3 velocity;  ///< metres per second, from the next tick on
  };
  std::uint32_t count() const { return static_cast<std::uint32_t>(walkers_.size()); }
  Vec3 position(std::uint32_t walker) const { return walkers_[walker].position; }
  Vec3 velocity(std::uint32_t walker) const { return walkers_[walker].velocity; }
  Shape shape(std::uint32_t walker) const;
  /// One tick further; the walkers whose leg ends with it, ascending. Cost: those alone.
  const std::vector<Turn>& advance();

 private:
  struct Walker {
    Vec3 position;  ///< at the start of the leg
    Vec3 velocity;
    std::uint64_t leg_ticks = 0;
  };
  void begin_leg(std::uint32_t walker);

  Ground ground_;
  std::uint32_t tick_rate_hz_;
  Prng prng_;
  std::uint64_t tick_ = 0;
  std::vector<Walker> walkers_;
  std::vector<std::vector<std::uint32_t>> due_;  ///< by tick, as a wheel
  std::vector<Turn> turns_;
};

class Population {
 public:
  struct Events {
    /// Once: all of them are in the world.
    std::function<void()> on_ready;
    std::function<void(const Error&)> on_lost;
  };
  Population(boost::asio::io_context& io, const PopulationSettings& settings, RunTotals& totals,
             Events events);

  void connect(client::ConnectOptions options);
  /// Takes its entities out of the world, for an authority's outlive its session, and then leaves.
  void close();
  bool has_session() const { return connection_.is_open(); }
  void stop_acting() { acting_ = false; }

 private:
  client::Handlers handlers();
  void on_welcome(const client::Welcome& welcome);
  void on_frame();
  void on_command(const client::CommandOutcome& outcome);
  void despawn_more();
  void spawn_more();

  PopulationSettings settings_;
  RunTotals& totals_;
  Events events_;
  bool acting_ = true;
  bool closing_ = false;
  std::uint32_t despawned_ = 0;     ///< entities that were taken out, or are about to be
  std::optional<Walkers> walkers_;  ///< once the tick rate is known
  std::vector<EntityId> entities_;  ///< by walker
  std::uint32_t spawns_sent_ = 0;
  std::uint32_t spawns_answered_ = 0;
  std::uint32_t started_ = 0;  ///< that were given their first velocity
  client::Connection connection_;
};

}  // namespace vicinity::sim
