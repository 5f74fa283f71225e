// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/tick_telemetry.h"

#include <algorithm>

#include "admin/steady_now.h"

namespace vicinity::admin {
namespace {

constexpr std::array<double, 14> tick_bounds_s = {0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015,
                                                  0.025,  0.035, 0.05,   0.075, 0.1,    0.25, 1};
constexpr std::array<double, 12> stage_bounds_s = {
    0.00001, 0.000025, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.25};

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

void add(TickTotals& totals, const TickReport& report, const TickFacts& facts) {
  ++totals.ticks;
  totals.skipped += facts.skipped;
  totals.commands += report.commands;
  totals.commands_refused += report.commands_refused;
  totals.begins += report.begins;
  totals.ends += report.ends;
  totals.stays += report.stays;
  totals.impacts_capped += report.impacts_capped;
  totals.views_truncated += report.views_truncated;
  totals.pairs_truncated_ticks += report.pairs_truncated ? 1 : 0;
  totals.audited += report.audit.entities;
  totals.audit_skipped += report.audit.skipped;
  totals.audit_misses += report.audit.misses;
}

}  // namespace

TickTelemetry::TickTelemetry() : duration_s_(tick_bounds_s), last_end_ns_(steady_now_ns()) {
  for (std::size_t i = 0; i < tick_stage_count; ++i)
    stages_s_.push_back(std::make_unique<Histogram>(stage_bounds_s));
}

void TickTelemetry::begin_tick(Tick tick) {
  begin_ns_ = steady_now_ns();
  busy_since_ns_.store(begin_ns_, std::memory_order_relaxed);
  tick_ = tick;
  stage_ns_.fill(0);
  current_.reset();
  traces_.tick_begins(begin_ns_);
}

void TickTelemetry::stage(TickStage stage) {
  const std::int64_t now_ns = steady_now_ns();
  end_stage(now_ns);
  current_ = stage;
  stage_begin_ns_ = now_ns;
}

void TickTelemetry::end_stage(std::int64_t now_ns) {
  if (!current_) return;
  const auto stage = static_cast<std::size_t>(*current_);
  stage_ns_[stage] += static_cast<std::uint64_t>(now_ns - stage_begin_ns_);
  traces_.note(tick_stage_names[stage], stage_begin_ns_, now_ns, tick_);
}

void TickTelemetry::end_tick(const TickReport& report, const TickFacts& facts) {
  const std::int64_t now_ns = steady_now_ns();
  end_stage(now_ns);
  current_.reset();
  traces_.note("tick", begin_ns_, now_ns, tick_);
  traces_.tick_ends();

  add(totals_, report, facts);
  const std::int64_t busy_ns = now_ns - begin_ns_;
  duration_s_.observe(seconds(static_cast<std::uint64_t>(busy_ns)));
  for (std::size_t i = 0; i < tick_stage_count; ++i) stages_s_[i]->observe(seconds(stage_ns_[i]));
  records_.push({report, facts, totals_, begin_ns_, busy_ns, stage_ns_});
  last_end_ns_.store(now_ns, std::memory_order_relaxed);
  busy_since_ns_.store(0, std::memory_order_release);
}

std::vector<TickRecord> TickTelemetry::last(std::size_t count) const {
  std::vector<TickRecord> records;
  const std::uint64_t pushed = records_.count();
  const std::uint64_t kept = std::min<std::uint64_t>({count, pushed, records_.size()});
  for (std::uint64_t number = pushed - kept; number < pushed; ++number)
    if (const auto record = records_.read(number)) records.push_back(*record);
  return records;
}

HistogramReading TickTelemetry::stage_s(TickStage stage) const {
  return stages_s_[static_cast<std::size_t>(stage)]->read();
}

TickPulse TickTelemetry::pulse() const {
  TickPulse pulse;
  pulse.busy_since_ns = busy_since_ns_.load(std::memory_order_acquire);
  pulse.last_end_ns = last_end_ns_.load(std::memory_order_relaxed);
  pulse.now_ns = steady_now_ns();
  return pulse;
}

}  // namespace vicinity::admin
