// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The one session that sees the whole world in every tick: the source of the truth, and of the
// server's clock. An observer with one area that is larger than the world, or, where few bots of a
// large world are checked, one observer for each of these, with an area around it; without truth to
// tell, of the clock and the ticks alone, and without an area. Belongs to the thread that runs the
// io_context.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/error.h"
#include "client-sim/clock_map.h"
#include "client-sim/truth_check.h"
#include "client-sim/view.h"
#include "client/connection.h"

namespace vicinity::sim {

class Witness {
 public:
  struct Events {
    /// Once: sees the world, and the clock is known. Bots may join from now on.
    std::function<void()> on_ready;
    /// The session ended (code and text as in client::Handlers), or the server is of no use.
    std::function<void(const Error&)> on_lost;
  };

  /// `check`: null when nobody asks for the truth. `in_parts`: sees what follow() names and no
  /// more; the check is told from which tick on (compare_from).
  Witness(boost::asio::io_context& io, ClockMap& clock, TruthCheck* check, bool in_parts,
          ShapeOf shape_of, Events events);

  void connect(client::ConnectOptions options);
  /// From now on sees what is around this entity of the bot, instead of the one before. Of at most
  /// limits::areas_per_session_max bots. Where the whole world is seen: nothing to do.
  void follow(std::uint32_t bot, EntityId entity, double radius_m);
  void close() { connection_.close(); }

  const client::Welcome& welcome() const { return welcome_; }
  /// Last tick that was seen; 0 before the first.
  Tick tick() const { return tick_; }
  bool sees_all() const { return check_ != nullptr && !in_parts_; }
  /// That it sees: 0 without an area.
  std::uint64_t entity_count() const;
  /// Breaches of the stream's own rules (a second enter and the like); 0 with a correct server.
  std::uint64_t violation_count() const { return violation_count_; }

 private:
  client::Handlers handlers();
  void on_welcome(const client::Welcome& welcome);
  void on_frame(const client::TickFrame& frame);
  void on_command(const client::CommandOutcome& outcome);
  void on_followed(const client::CommandOutcome& outcome);
  void on_pong(const client::PongInfo& pong);
  void check_ready();

  ClockMap& clock_;
  TruthCheck* check_;
  const bool in_parts_;
  const ShapeOf shape_of_;
  Events events_;
  std::vector<View> views_;
  Tick tick_ = 0;
  std::uint64_t violation_count_ = 0;
  client::Welcome welcome_;
  bool sees_world_ = false;  ///< or as much of it as it was asked for
  /// Of one bot: what is around it, and the command that put the area around its newest entity.
  struct Part {
    std::uint32_t number = 0;  ///< of observer and area, and from 1 in views_
    bool is_made = false;
    std::uint64_t sequence = 0;
  };
  std::map<std::uint32_t, Part> parts_;  ///< by bot
  bool ready_ = false;
  std::uint32_t pong_count_ = 0;
  client::Connection connection_;
};

}  // namespace vicinity::sim
