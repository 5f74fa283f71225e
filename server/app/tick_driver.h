// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The thread that makes the world go on: drains door 1, runs one tick, publishes the frame and
// hands every session its part at door 2. By the clock in timer mode, by request in manual mode.
//
//      CommandQueue ─► Simulation::run_tick ─► FramePublisher ─► encode ─► Connection::send
//
// The frame is published before it is sent: who knows of tick N can query tick N.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "admin/tick_telemetry.h"
#include "app/frame_sender.h"
#include "app/logging.h"
#include "app/memory_guard.h"
#include "app/server_clock.h"
#include "app/session_registry.h"
#include "app/tick_journal.h"
#include "app/view_questions.h"
#include "base/error.h"
#include "base/ids.h"
#include "query/query.h"
#include "tick/load_governor.h"
#include "tick/simulation.h"
#include "wire/encode.h"
#include "world/command_queue.h"

namespace vicinity::app {

struct TickDriverSettings {
  wire::TickMode mode = wire::TickMode::Timer;
  std::uint32_t tick_rate_hz = 20;
  FrameSenderSettings sender;
  bool shed_load = true;  ///< leave things out when ticks take too long
};

/// Where the time of ticks went, on the clock.
struct TickTimes {
  std::uint64_t ticks = 0;
  std::uint64_t compute_us = 0;  ///< until the frame was published, all ticks together
  std::uint64_t send_us = 0;     ///< from there until all frames were encoded
  std::uint64_t skipped = 0;     ///< ticks that did not run
};

/// Everything the driver works with; all of it outlives the driver.
struct TickDriverParts {
  Simulation& simulation;
  CommandQueue& commands;
  FramePublisher& frames;
  SessionRegistry& sessions;
  const ServerClock& clock;
  Log& log;
  admin::TickTelemetry* telemetry = nullptr;  ///< null: nobody measures
  TickJournal* journal = nullptr;             ///< none
  MemoryGuard* memory = nullptr;              ///< null: memory is without end
};

class TickDriver {
 public:
  TickDriver(const TickDriverSettings& settings, const TickDriverParts& parts);
  ~TickDriver();
  TickDriver(const TickDriver&) = delete;
  TickDriver& operator=(const TickDriver&) = delete;

  /// `on_failure` is called from the tick thread when it ends by an exception (out of memory).
  void start(std::function<void()> on_failure);
  /// Before start(), for a world that goes on: sessions that are open in it, by ascending id.
  void begin_with(const std::vector<store::SessionRecord>& sessions);
  /// Finishes the tick that runs, sends it, and joins. By the clock and with a journal, a last tick
  /// takes what came since. Steps that did not run are answered with ServerStopping.
  void stop();

  /// Any thread; manual mode only. Runs `count` ticks after the requests that came before and
  /// answers StepDone. Otherwise nobody does: QueueFull when too many requests wait, ServerStopping
  /// after stop() was called.
  [[nodiscard]] ErrorCode request_step(SessionId session, std::uint64_t sequence,
                                       std::uint32_t count);

  /// Any thread. Answered on the tick thread: behind the next tick, in manual mode at once when no
  /// step runs. QueueFull: too many wait, nobody answers.
  [[nodiscard]] ErrorCode ask_view(ViewQuestion question);

  /// After stop(). What was sent, and what waited to be.
  const FrameSenderStats& sent() const { return sender_.stats(); }
  /// After stop().
  const TickTimes& times() const { return times_; }
  /// After stop(). Entities that the audit looked at, in all ticks.
  std::uint64_t audited_count() const { return audited_count_; }
  /// After stop(). Entities that it had no time for.
  std::uint64_t audit_skipped_count() const { return audit_skipped_count_; }

  /// After stop(). The last tick ended by an exception.
  bool has_failed() const { return has_failed_; }

  /// Any thread. What is left out at present.
  Shedding shedding() const { return shedding_.load(std::memory_order_relaxed); }

 private:
  struct StepRequest {
    SessionId session;
    std::uint64_t sequence = 0;
    std::uint32_t count = 0;
  };

  void run_by_clock();
  void run_by_request();
  void run_step(const StepRequest& request);
  TickOutput run_commands(std::vector<Command> drained);
  void run_one_tick(std::uint64_t skipped);
  void govern(std::int64_t busy_ns, std::uint64_t skipped);
  void answer_step(const StepRequest& request, const Error& error);
  void wait_for_readers();
  void measure(const TickReport& report, std::uint64_t skipped, std::uint64_t commands_waiting);
  void report(const TickReport& report, std::uint64_t duration_us);
  void report_plan(const TickReport& report);
  bool stopping() const;
  bool sleep_until(ServerClock::Clock::time_point moment);

  const TickDriverSettings settings_;
  const TickDriverParts parts_;
  std::thread thread_;

  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable wake_;
  std::deque<StepRequest> steps_;
  bool stopping_ = false;
  ViewQuestions view_questions_;  ///< guards itself

  // Tick thread only.
  Tick begun_tick_ = 0;
  Tick last_tick_ = 0;
  std::uint64_t last_hash_ = 0;
  FrameSender sender_;
  LoadGovernor governor_;
  RateLimit overrun_warnings_;
  RateLimit truncation_warnings_;
  RateLimit view_warnings_;
  RateLimit audit_warnings_;
  RateLimit shedding_warnings_;
  std::atomic<Shedding> shedding_{Shedding::None};
  bool has_failed_ = false;
  std::uint64_t plan_version_ = 0;  ///< the last one that was logged
  TickTimes times_;
  std::uint64_t audited_count_ = 0;
  std::uint64_t audit_skipped_count_ = 0;
  std::uint64_t slowest_tick_us_ = 0;  ///< since the last summary
  ServerClock::Clock::time_point next_summary_;
};

}  // namespace vicinity::app
