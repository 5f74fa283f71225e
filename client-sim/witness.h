// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The one session that sees the whole world in every tick: the source of the truth, and of the
// server's clock. An observer with one area that is larger than the world. Belongs to the thread
// that runs the io_context.

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "client-sim/clock_map.h"
#include "client-sim/truth_check.h"
#include "client/connection.h"
#include "client/replica.h"

namespace vicinity::sim {

class Witness {
 public:
  struct Events {
    /// Once: sees the world, and the clock is known. Bots may join from now on.
    std::function<void()> on_ready;
    /// The session ended (code and text as in client::Handlers), or the server is of no use.
    std::function<void(const Error&)> on_lost;
  };

  Witness(boost::asio::io_context& io, ClockMap& clock, TruthCheck& check, ShapeOf shape_of,
          Events events);

  void connect(client::ConnectOptions options);
  void close() { connection_.close(); }

  const client::Welcome& welcome() const { return welcome_; }
  /// Last tick that was seen; 0 before the first.
  Tick tick() const { return replica_.tick(); }
  std::uint64_t entity_count() const;
  /// Breaches of the stream's own rules (a second enter and the like); 0 with a correct server.
  std::uint64_t violation_count() const { return replica_.violation_count(); }

 private:
  void on_welcome(const client::Welcome& welcome);
  void on_frame(const client::TickFrame& frame);
  void on_command(const client::CommandOutcome& outcome);
  void on_pong(const client::PongInfo& pong);
  void check_ready();

  ClockMap& clock_;
  TruthCheck& check_;
  const ShapeOf shape_of_;
  Events events_;
  client::Replica replica_;
  client::Welcome welcome_;
  bool sees_world_ = false;
  bool ready_ = false;
  std::uint32_t pong_count_ = 0;
  client::Connection connection_;
};

}  // namespace vicinity::sim
