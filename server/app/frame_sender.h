// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The last step of a tick: what each session is told of it, and whether now. Tick thread.
//
//      TickOutput ─► Streams::absorb ─► has the connection room? ─► select ─► encode ─► offer
//                                          no: it waits, as what is dirty, not as bytes
//
// A session without room costs no encoding, and delays nobody. Frames leave at the moments of their
// slots, spread over the time until the next tick has been computed, and are encoded in the order
// in which they leave.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "app/session_registry.h"
#include "base/parallel.h"
#include "stream/streams.h"
#include "tick/simulation.h"
#include "wire/encode.h"

namespace vicinity::app {

struct FrameSenderSettings {
  StreamSettings stream;
  std::size_t outbox_bytes_max = limits::outbox_bytes_default;
  /// Moments of a tick at which frames leave; 1 = all at once.
  std::uint32_t send_slots = 1;
  std::uint32_t worker_count = 0;  ///< 0 = one per core
  StageProbe on_stage = {};        ///< told of UpdateStreams and SendFrames
  /// Ticks between two looks at the observers of a session, for operators.
  std::uint32_t observers_noted_ticks = 1;
};

struct FrameSenderStats {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t waiting = 0;   ///< sessions without room in the last tick
  std::uint64_t degraded = 0;  ///< sessions that are not well, in the last tick
  std::uint64_t evicted = 0;
  std::uint64_t outboxes_bytes = 0;       ///< that waited in the last tick, as far as was looked
  std::uint64_t outbox_peak_bytes = 0;    ///< most that waited for one session
  std::uint64_t outboxes_peak_bytes = 0;  ///< and for all sessions together
};

class FrameSender {
 public:
  using Clock = std::chrono::steady_clock;

  FrameSender(const FrameSenderSettings& settings, SessionRegistry& sessions);

  /// Sends, or lets wait, what all sessions are told of this tick. Takes the sessions of `output`.
  /// `begin`: moment of the tick.
  void send(const Simulation& simulation, TickOutput& output, std::uint64_t server_time_us,
            Clock::time_point begin, Shedding shedding);
  /// Before the first send(), for a world that goes on: its sessions and what they see are to be
  /// told from the beginning to whoever takes them up.
  void begin_with(const Simulation& simulation, const std::vector<SessionOutput>& sessions,
                  std::uint64_t server_time_us);
  const FrameSenderStats& stats() const { return stats_; }
  /// Between two calls of send(). See Streams::told().
  const Streams& streams() const { return streams_; }

 private:
  /// A session, and whether its connection takes a frame now.
  struct Job {
    SessionStream* stream = nullptr;
    std::shared_ptr<net::Connection> connection;
    bool has_room = false;
    std::size_t frame_bytes = 0;
    std::size_t sent_bytes = 0;
    std::size_t outbox_bytes = 0;  ///< in the end with the frame
    std::shared_ptr<Session> session = nullptr;
  };
  struct WorkerBuffers {
    SelectScratch scratch;
    FrameSelection selection;
  };

  void begin_stage(TickStage stage) const {
    if (settings_.on_stage) settings_.on_stage(stage);
  }
  void configure(SessionStream& stream) const;
  void collect(const Interest& interest, Tick tick, std::uint64_t now_us);
  Job look_at(const Interest& interest, Tick tick, std::uint64_t now_us, SessionStream& stream,
              const std::shared_ptr<Session>& session);
  void sort_by_slot();
  std::uint32_t slot_of(SessionId session) const;
  bool take_resume(SessionStream& stream, Session& session);
  void divide_egress();
  void count_outbox(std::size_t bytes);
  void run(const Simulation& simulation, const TickOutput& output, std::uint64_t server_time_us,
           Clock::time_point begin, Shedding shedding, Job& job);
  Clock::time_point due(SessionId session, Clock::time_point begin) const;
  void evict(net::Connection& connection, std::string text);

  const FrameSenderSettings settings_;
  SessionRegistry& sessions_;
  Workers workers_;
  Streams streams_;
  std::vector<WorkerBuffers> buffers_;  ///< by worker
  std::vector<Job> jobs_;
  Clock::time_point encoded_from_;  ///< when the frames of this tick could be encoded
  double egress_tokens_ = 0;
  std::uint64_t outboxes_bytes_ = 0;  ///< of all sessions, as far as they were looked at
  std::atomic<std::uint64_t> evicted_{0};
  FrameSenderStats stats_;
};

}  // namespace vicinity::app
