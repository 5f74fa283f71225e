// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Plays a journal to a server that runs, as an authority: the world before the first tick, then the
// commands of each tick (feed_script.h), one tick of the journal for one of the server.
//
//      manual mode   commands of tick N ─► step ─► answers ─► tick N + 1      exact, but see there
//      timer mode    commands of tick N, N + 1, ... at the pace of the ticks; a command may fall
//                    into the tick before or behind the one it was meant for
//
// One thread; waits for the server and for the time.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/blocking.h"
#include "replay/feed_script.h"
#include "store/replay.h"

namespace vicinity::replay {

struct FeedOptions {
  double speed = 1;        ///< times as fast as it was; 0: as fast as the server goes
  bool with_areas = true;  ///< see FeedScriptSettings
};

/// What has been fed so far.
struct FeedCounts {
  std::uint64_t ticks = 0;
  std::uint64_t commands = 0;  ///< sent, those that make the first world included
  std::map<ErrorCode, std::uint64_t> refused;
  std::uint64_t left_out = 0;  ///< see FeedScript::left_out
  std::uint64_t refused_count() const;
};

class Feed {
 public:
  /// `session` is connected as an authority, and outlives the feed. `dt_s`: of the journal.
  Feed(client::BlockingClient& session, const client::Welcome& welcome, const FeedOptions& options,
       double dt_s);

  /// Why this journal cannot be played to this server; empty: it can.
  std::string objection() const;

  // An error: the server is gone, or does not answer.
  /// First: the world as it is.
  Error begin(const Simulation& world, const std::vector<SessionId>& sessions);
  /// Then every tick that was run in it.
  Error take(const store::ReplayedTick& tick, const Simulation& world);
  /// Last: waits for what is not answered.
  Error finish();

  const FeedCounts& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;

  void send(const FeedScript::Commands& commands);
  Error pass_tick();
  Error wait_for_answers();
  Error collect();
  Error lost() const;

  client::BlockingClient& session_;
  const client::Welcome welcome_;
  const FeedOptions options_;
  const double dt_s_;
  FeedScript script_;
  FeedCounts counts_;
  std::uint64_t unanswered_ = 0;
  FeedScript::Commands first_;            ///< go out with the commands of the first tick
  std::optional<Clock::time_point> due_;  ///< of the next tick
};

}  // namespace vicinity::replay
