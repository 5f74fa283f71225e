// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What is measured of the ticks: the tick thread writes, the admin thread reads, and neither waits
// for the other. Costs two dozen clock readings and a copy of about a kilobyte per tick.
//
//      begin_tick() ─ stage(ApplyCommands) ─ ... ─ stage(SendFrames) ─ end_tick(facts)
//                                                                  │
//                       histograms per stage, totals, ring of TickRecord, trace (TraceRecorder)

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "admin/histogram.h"
#include "admin/history_ring.h"
#include "admin/trace_recorder.h"
#include "tick/load_governor.h"
#include "tick/simulation.h"
#include "tick/tick_stage.h"

namespace vicinity::admin {

/// What the driver of the ticks knows beside the report.
struct TickFacts {
  std::uint64_t skipped = 0;           ///< ticks before this one
  std::uint64_t commands_waiting = 0;  ///< at door 1, when the tick began
  Shedding shedding = Shedding::None;
  std::uint64_t sessions_waiting = 0;  ///< without room for a frame
  std::uint64_t sessions_not_well = 0;
  std::uint64_t outboxes_bytes = 0;  ///< waiting, as far as was looked
  std::uint64_t frames = 0;          ///< since the start
  std::uint64_t frame_bytes = 0;     ///< since the start
  std::uint64_t evicted = 0;         ///< since the start
};

/// Sums over all ticks so far.
struct TickTotals {
  std::uint64_t ticks = 0;
  std::uint64_t skipped = 0;
  std::uint64_t commands = 0;
  std::uint64_t commands_refused = 0;
  std::uint64_t begins = 0;
  std::uint64_t ends = 0;
  std::uint64_t stays = 0;
  std::uint64_t impacts_capped = 0;
  std::uint64_t views_truncated = 0;
  std::uint64_t pairs_truncated_ticks = 0;
  std::uint64_t audited = 0;
  std::uint64_t audit_skipped = 0;
  std::uint64_t audit_misses = 0;
};

/// One tick, as it is remembered.
struct TickRecord {
  TickReport report;
  TickFacts facts;
  TickTotals totals;  ///< this tick included
  std::int64_t begin_ns = 0;
  std::int64_t busy_ns = 0;
  std::array<std::uint64_t, tick_stage_count> stage_ns{};
};

/// How the tick thread is doing, for health.h.
struct TickPulse {
  std::int64_t now_ns = 0;
  std::int64_t busy_since_ns = 0;  ///< 0 = between two ticks
  std::int64_t last_end_ns = 0;    ///< or the start
};

class TickTelemetry {
 public:
  /// Ticks that are remembered.
  static constexpr std::size_t records_kept = 512;

  TickTelemetry();

  // Tick thread.
  void begin_tick(Tick tick);
  void stage(TickStage stage);
  void end_tick(const TickReport& report, const TickFacts& facts);

  // Any thread.
  /// The newest `count` records that can be had, ascending.
  std::vector<TickRecord> last(std::size_t count) const;
  std::optional<TickRecord> newest() const { return records_.last(); }
  HistogramReading duration_s() const { return duration_s_.read(); }
  HistogramReading stage_s(TickStage stage) const;
  TickPulse pulse() const;
  TraceRecorder& traces() { return traces_; }

 private:
  void end_stage(std::int64_t now_ns);

  // Tick thread.
  TickTotals totals_;
  std::array<std::uint64_t, tick_stage_count> stage_ns_{};
  std::optional<TickStage> current_;
  Tick tick_ = 0;
  std::int64_t begin_ns_ = 0;
  std::int64_t stage_begin_ns_ = 0;

  HistoryRing<TickRecord> records_{records_kept};
  Histogram duration_s_;
  std::vector<std::unique_ptr<Histogram>> stages_s_;
  std::atomic<std::int64_t> busy_since_ns_{0};
  std::atomic<std::int64_t> last_end_ns_;
  TraceRecorder traces_;
};

}  // namespace vicinity::admin
