// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What is measured of ticks: the ring that nobody waits for, histograms, health, traces.

#include "admin/tick_telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "admin/health.h"
#include "admin/history_ring.h"

namespace vicinity::admin {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

struct Wide {
  std::array<std::uint64_t, 32> values{};
};

TEST(HistoryRing, KeepsTheLastValues) {
  HistoryRing<int> ring(3);
  EXPECT_FALSE(ring.last());
  for (int i = 0; i < 5; ++i) ring.push(i * 10);
  EXPECT_EQ(ring.count(), 5u);
  EXPECT_FALSE(ring.read(1)) << "overwritten";
  EXPECT_EQ(ring.read(2), 20);
  EXPECT_EQ(ring.last(), 40);
  EXPECT_FALSE(ring.read(5)) << "not there yet";
}

// The writer never waits, so values may be missed; what is read is always one value as a whole.
TEST(HistoryRing, GivesWholeValuesWhileItIsWritten) {
  HistoryRing<Wide> ring(2);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t n = 1; !stop.load(); ++n) {
      Wide value;
      value.values.fill(n);
      ring.push(value);
    }
  });
  int seen = 0;
  while (seen < 20'000) {
    const auto value = ring.last();
    if (!value) continue;
    ++seen;
    const std::set<std::uint64_t> different(value->values.begin(), value->values.end());
    EXPECT_EQ(different.size(), 1u);
    if (different.size() != 1) break;
  }
  stop = true;
  writer.join();
}

TEST(Histogram, CountsValuesUpToEachBound) {
  Histogram histogram(std::array{1.0, 2.0});
  for (const double value : {0.5, 1.0, 1.5, 7.0}) histogram.observe(value);
  const HistogramReading reading = histogram.read();
  ASSERT_EQ(reading.buckets.size(), 2u);
  EXPECT_EQ(reading.buckets[0].count, 2u);
  EXPECT_EQ(reading.buckets[1].count, 3u);
  EXPECT_EQ(reading.count, 4u);
  EXPECT_DOUBLE_EQ(reading.sum, 10.0);
}

// --- Ticks -----------------------------------------------------------------------------------

void run_tick(TickTelemetry& ticks, Tick tick, std::uint64_t misses = 0) {
  ticks.begin_tick(tick);
  ticks.stage(TickStage::ApplyCommands);
  ticks.stage(TickStage::FindPairs);
  TickReport report;
  report.tick = tick;
  report.commands = 3;
  report.audit.skipped = 4;
  report.audit.misses = misses;
  ticks.end_tick(report, {.skipped = 2});
}

TEST(TickTelemetry, SumsUpTicksAndRemembersThem) {
  TickTelemetry ticks;
  EXPECT_FALSE(ticks.newest());
  for (Tick tick = 1; tick <= 600; ++tick) run_tick(ticks, tick, tick == 7 ? 1 : 0);
  const auto newest = ticks.newest();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->report.tick, 600u);
  EXPECT_EQ(newest->totals.ticks, 600u);
  EXPECT_EQ(newest->totals.commands, 1800u);
  EXPECT_EQ(newest->totals.skipped, 1200u);
  EXPECT_EQ(newest->totals.audit_skipped, 2400u);
  EXPECT_EQ(newest->totals.audit_misses, 1u);
  EXPECT_EQ(ticks.duration_s().count, 600u);
  EXPECT_EQ(ticks.stage_s(TickStage::FindPairs).count, 600u);

  const auto last = ticks.last(3);
  ASSERT_EQ(last.size(), 3u);
  EXPECT_EQ(last.front().report.tick, 598u);
  EXPECT_EQ(ticks.last(10'000).size(), TickTelemetry::records_kept);
}

TEST(TickTelemetry, StagesLieWithinTheTick) {
  TickTelemetry ticks;
  run_tick(ticks, 1);
  const auto record = ticks.newest();
  ASSERT_TRUE(record);
  std::int64_t sum_ns = 0;
  for (const std::uint64_t ns : record->stage_ns) sum_ns += static_cast<std::int64_t>(ns);
  EXPECT_LE(sum_ns, record->busy_ns);
  EXPECT_EQ(record->stage_ns[static_cast<std::size_t>(TickStage::MergeEvents)], 0u);
}

TEST(TickTelemetry, PulseSaysWhetherATickRuns) {
  TickTelemetry ticks;
  EXPECT_EQ(ticks.pulse().busy_since_ns, 0);
  ticks.begin_tick(1);
  EXPECT_GT(ticks.pulse().busy_since_ns, 0);
  ticks.end_tick({}, {});
  EXPECT_EQ(ticks.pulse().busy_since_ns, 0);
}

// --- Health ----------------------------------------------------------------------------------

constexpr std::int64_t second_ns = 1'000'000'000;

TEST(Health, ATickThatDoesNotEndIsNoticed) {
  const TickPace pace{true, second_ns / 20};
  EXPECT_EQ(why_silent({20 * second_ns, 19 * second_ns, 0}, pace, 2 * second_ns), "");
  EXPECT_THAT(why_silent({20 * second_ns, 17 * second_ns, 0}, pace, 2 * second_ns),
              HasSubstr("3000 ms"));
  const TickPace manual{false, second_ns / 20};
  EXPECT_THAT(why_silent({20 * second_ns, 17 * second_ns, 0}, manual, 2 * second_ns),
              HasSubstr("running"));
}

TEST(Health, ATimerThatStartsNoTicksIsNoticed) {
  const TickPace slow{true, second_ns};
  EXPECT_EQ(why_silent({13 * second_ns, 0, 10 * second_ns}, slow, 2 * second_ns), "");
  EXPECT_THAT(why_silent({14 * second_ns, 0, 10 * second_ns}, slow, 2 * second_ns),
              HasSubstr("no tick"));
  const TickPace manual{false, second_ns};
  EXPECT_EQ(why_silent({99 * second_ns, 0, 10 * second_ns}, manual, 2 * second_ns), "")
      << "nobody asked for one";
}

// --- Traces ----------------------------------------------------------------------------------

std::multiset<std::string> names_of(const json& trace) {
  std::multiset<std::string> names;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") names.insert(event["name"].get<std::string>());
  return names;
}

TEST(TraceRecorder, RecordsTheTicksThatWereAskedFor) {
  TickTelemetry ticks;
  TraceRecorder& traces = ticks.traces();
  run_tick(ticks, 1);
  ASSERT_TRUE(traces.request(2));
  EXPECT_FALSE(traces.request(2)) << "one at a time";
  for (Tick tick = 2; tick <= 5; ++tick) {
    EXPECT_EQ(traces.done(), tick > 3);
    run_tick(ticks, tick);
    const Activity activity("between");
  }
  const json trace = json::parse(traces.take());
  const auto names = names_of(trace);
  EXPECT_EQ(names.count("tick"), 2u);
  EXPECT_EQ(names.count("commands"), 2u);
  EXPECT_EQ(names.count("search"), 2u);
  EXPECT_EQ(names.count("between"), 1u) << "after the second, nothing is recorded";
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] != "tick") continue;
    EXPECT_THAT(event["args"]["tick"].get<int>(), testing::AnyOf(2, 3));
  }
  EXPECT_EQ(trace["dropped"], 0);
  EXPECT_TRUE(traces.request(1)) << "and again";
}

TEST(TraceRecorder, TellsThreadsApart) {
  TickTelemetry ticks;
  ASSERT_TRUE(ticks.traces().request(1));
  ticks.begin_tick(1);
  std::thread other([] { const Activity activity("elsewhere"); });
  other.join();
  ticks.end_tick({}, {});
  const json trace = json::parse(ticks.traces().take());
  std::set<int> numbers;
  int named = 0;
  for (const auto& event : trace["traceEvents"]) {
    numbers.insert(event["tid"].get<int>());
    named += event["name"] == "thread_name" ? 1 : 0;
  }
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_EQ(named, 2);
}

TEST(TraceRecorder, DropsAndCountsWhatIsTooMuch) {
  TickTelemetry ticks;
  ASSERT_TRUE(ticks.traces().request(1));
  ticks.begin_tick(1);
  for (std::size_t i = 0; i < TraceRecorder::events_max + 10; ++i) const Activity activity("much");
  ticks.end_tick({}, {});
  const json trace = json::parse(ticks.traces().take());
  EXPECT_EQ(trace["dropped"], 11) << "ten, and the tick itself";
}

TEST(TraceRecorder, NothingIsMeasuredWhileNobodyAsks) {
  TickTelemetry ticks;
  run_tick(ticks, 1);
  EXPECT_EQ(activity_probe.load(), nullptr);
  ASSERT_TRUE(ticks.traces().request(1));
  run_tick(ticks, 2);
  EXPECT_EQ(activity_probe.load(), nullptr);
  // Given up before a tick came.
  ticks.traces().take();
  ASSERT_TRUE(ticks.traces().request(1));
  EXPECT_EQ(names_of(json::parse(ticks.traces().take())).size(), 0u);
  run_tick(ticks, 3);
  EXPECT_EQ(activity_probe.load(), nullptr);
}

}  // namespace
}  // namespace vicinity::admin
