// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One client of a run: sessions with one entity each, an area attached to it, a path and now and
// then a query. Sends one batch per tick, either when a frame comes (closed loop, as a game client
// would) or when its owner says so (open loop). Comes back when its connection is cut, or when it
// is hostile and was thrown out. Belongs to the thread that runs the io_context; must not be
// destroyed from within one of its own callbacks.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/prng.h"
#include "client-sim/behaviour.h"
#include "client-sim/clock_map.h"
#include "client-sim/hugger.h"
#include "client-sim/link.h"
#include "client-sim/resume.h"
#include "client-sim/run_totals.h"
#include "client-sim/scenario.h"
#include "client-sim/truth_check.h"
#include "client/connection.h"

namespace vicinity::sim {

struct BotSettings {
  client::ConnectOptions connect;
  Behaviour behaviour = Behaviour::Normal;
  MoverSettings mover;                     ///< the tick rate is taken from the server
  AreaSpec area;                           ///< without anchor
  Edge edge;                               ///< of the area of the bot that a border hugger hugs
  std::uint32_t query_interval_ms = 2000;  ///< 0 = no queries
  bool is_checked = true;                  ///< its views are compared with the truth
  bool is_paced = false;                   ///< acts when act_at() says so, not when a frame comes
  std::optional<NetConditions> conditions;
};

/// What the bots of a run share. All of it outlives the bots.
struct BotContext {
  ClockMap& clock;
  TruthCheck& check;
  RunTotals& totals;
  std::vector<Vec3>& places;  ///< by bot: where each is
  /// A bot that is checked has this entity now, and its area around it.
  std::function<void(std::uint32_t bot, EntityId entity)> on_entity;
  /// Once: entity and area are in the world, or a hostile bot has been let in or thrown out.
  std::function<void(std::uint32_t bot)> on_ready;
  /// At most once, never after close(): the session ended, or the bot has nothing left to do.
  std::function<void(std::uint32_t bot, const Error& error)> on_lost;
};

class Bot {
 public:
  Bot(boost::asio::io_context& io, const BotSettings& settings, const BotContext& context);

  void connect();
  /// Open loop: sends what is due now and was intended for `intended_us` (local clock).
  void act_at(std::int64_t intended_us);
  /// No more commands and queries; frames are still received and checked.
  void stop_acting() { acting_ = false; }
  void close();
  /// Between connect() and its end.
  bool has_session() const { return state_ != State::Idle && state_ != State::Closed; }
  Behaviour behaviour() const { return settings_.behaviour; }
  /// Of all its connections.
  client::TrafficStats traffic() const;

 private:
  enum class State : std::uint8_t { Idle, Joining, InWorld, Away, Closing, Closed };
  /// Something that was sent and is not answered yet.
  struct Pending {
    std::uint64_t number = 0;  ///< sequence or request
    std::int64_t intended_us = 0;
    std::optional<Pose> pose;  ///< where it puts the entity
  };

  std::uint32_t number() const { return settings_.mover.bot; }
  std::uint64_t user_data() const { return user_data_of(settings_.mover.seed, number()); }
  bool is_hostile() const { return sim::is_hostile(settings_.behaviour); }
  client::Handlers handlers();
  void open();
  void join();
  void on_welcome(const client::Welcome& welcome);
  void on_command(const client::CommandOutcome& outcome);
  void on_joined(Tick tick);
  void on_frame(const client::TickFrame& frame);
  void count_frame(const client::TickFrame& frame, std::int64_t received_us);
  void on_query(const client::QueryOutcome& outcome);
  void on_closed(const Error& error);
  void lose(const Error& error);
  void ready();

  void act(std::int64_t intended_us);
  std::vector<CommandBody> next_commands();
  std::vector<CommandBody> hug();
  void ask(std::int64_t intended_us);
  void flood();
  void misbehave();
  void stall();
  void come_back_after(std::int64_t pause_us);
  void cut_after(std::int64_t life_us);
  void cut();
  void end_session();

  BotSettings settings_;
  const BotContext& context_;
  boost::asio::io_context& io_;
  State state_ = State::Idle;
  bool acting_ = true;
  bool is_ready_ = false;
  Prng prng_;
  Prng query_prng_;
  std::optional<Mover> mover_;
  std::optional<Hugger> hugger_;
  EntityId entity_;
  std::uint64_t acts_ = 0;
  std::uint64_t spawn_sequence_ = 0;
  std::deque<Pending> commands_;  ///< ascending
  std::deque<Pending> queries_;   ///< ascending
  // Of the present connection.
  std::int64_t connect_us_ = 0;
  bool has_first_view_ = false;
  Tick frame_tick_ = 0;
  // For the next one.
  ResumePoint resume_;
  bool is_parked_ = false;  ///< the session may go on; its view is still kept
  client::TrafficStats traffic_before_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<client::Connection> connection_;
};

}  // namespace vicinity::sim
