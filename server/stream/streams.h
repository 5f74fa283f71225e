// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The streams of all sessions, and the table of motions that they share. Tick thread; the loops
// over sessions run in parallel. What a stream does changes nothing in the world: whatever the
// bandwidth, the game is told the same of contacts and pairs.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "stream/motion_table.h"
#include "stream/session_stream.h"
#include "stream/stream_settings.h"
#include "tick/simulation.h"

namespace vicinity {

class Streams {
 public:
  explicit Streams(const StreamSettings& settings);

  /// After every tick. Takes the sessions of `output`, one stream each; the streams of sessions
  /// that are not in it end. `started` is called for each new one, on the calling thread. Returns
  /// the sessions whose reliable events are more than may wait.
  std::vector<SessionId> absorb(TickOutput& output, std::span<const std::uint32_t> changed,
                                std::uint64_t server_time_us, Workers& workers,
                                const std::function<void(SessionStream&)>& started);

  /// Ascending by session.
  std::span<SessionStream* const> all() const { return all_; }
  SessionStream* find(SessionId session);
  const MotionTable& motions() const { return motions_; }
  /// What the client of a session knows of an entity; nothing for a session without a stream.
  ToldState told(SessionId session, ObserverId observer, EntityId entity) const;

 private:
  const StreamSettings settings_;
  MotionTable motions_;
  std::map<SessionId, std::unique_ptr<SessionStream>> streams_;
  std::vector<SessionStream*> all_;  ///< of streams_, by session
};

/// Divides what may leave in one tick among sessions that want so much, so that nobody gets less
/// than an equal part unless it wants less; what some leave over goes to the others. `total` = 0:
/// all get what they want. O(n log n).
std::vector<std::size_t> share_fairly(std::uint64_t total, std::span<const std::size_t> wanted);

}  // namespace vicinity
