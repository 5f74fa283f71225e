// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One player: a session with one entity, an area attached to it, a path and now and then a query.
// Sends one batch per tick frame it receives, as a game client would. Belongs to the thread that
// runs the io_context; must not be destroyed from within one of its own callbacks.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/prng.h"
#include "client-sim/clock_map.h"
#include "client-sim/run_totals.h"
#include "client-sim/scenario.h"
#include "client-sim/truth_check.h"
#include "client/connection.h"

namespace vicinity::sim {

struct BotSettings {
  client::ConnectOptions connect;
  MoverSettings mover;  ///< the tick rate is taken from the server
  double enter_radius_m = 20;
  double leave_radius_m = 22;
  std::uint32_t query_interval_ms = 2000;  ///< 0 = no queries
};

/// What the bots of a run share. All of it outlives the bots.
struct BotContext {
  ClockMap& clock;
  TruthCheck& check;
  RunTotals& totals;
  /// Once: entity and area are in the world.
  std::function<void(std::uint32_t bot)> on_ready;
  /// At most once, never after close(): the session ended, or the bot has nothing left to do.
  std::function<void(std::uint32_t bot, const Error& error)> on_lost;
};

class Bot {
 public:
  Bot(boost::asio::io_context& io, const BotSettings& settings, const BotContext& context);

  void connect();
  /// No more commands and queries; frames are still received and checked.
  void stop_acting() { acting_ = false; }
  void close();
  /// Between connect() and the end of the session.
  bool has_session() const { return state_ != State::Idle && state_ != State::Closed; }
  client::TrafficStats traffic() const { return connection_.traffic(); }

 private:
  enum class State : std::uint8_t { Idle, Joining, InWorld, Closing, Closed };

  std::uint32_t number() const { return settings_.mover.bot; }
  void on_welcome(const client::Welcome& welcome);
  void on_command(const client::CommandOutcome& outcome);
  void on_frame(const client::TickFrame& frame);
  void on_query(const client::QueryOutcome& outcome);
  void on_closed(const Error& error);
  void lose(const Error& error);
  void act(Tick tick);
  void ask(Tick tick);

  BotSettings settings_;
  const BotContext& context_;
  State state_ = State::Idle;
  bool acting_ = true;
  std::optional<Mover> mover_;
  Prng query_prng_;
  EntityId entity_;
  Tick first_tick_ = 0;
  std::uint64_t spawn_sequence_ = 0;
  std::map<std::uint64_t, Pose> moves_;  ///< commanded and not answered yet, by sequence
  std::map<std::uint64_t, std::int64_t> asked_at_us_;  ///< local clock, by request
  client::Connection connection_;
};

}  // namespace vicinity::sim
