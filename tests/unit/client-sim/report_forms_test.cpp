// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client-sim/report.h"

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunReport sample(std::uint64_t scale) {
  RunReport report;
  report.scenario = "walk";
  report.behaviours = "normal 4";
  report.bots = 4;
  report.seed = 9;
  report.server_version = "1.2.3";
  report.tick_rate_hz = 20;
  report.duration_s = 2 * static_cast<double>(scale);
  report.ticks = 40 * scale;
  report.check.checked_views = 160 * scale;
  report.check.stale_updates = scale;
  report.check.duplicate_enters = 2 * scale;
  report.totals.health = {50 * scale, 2 * scale, 1 * scale};
  for (std::uint64_t i = 1; i <= 100 * scale; ++i)
    report.totals.update_age.add(static_cast<std::int64_t>(i * 100));
  report.ring_age[1].add(250'000);
  report.bytes_in = 8'000 * scale;
  report.frames_in = 80 * scale;
  report.evictions["SlowConsumer"] = scale;
  report.totals.hostile_evictions["BadFrame"] = 3 * scale;
  report.failures.push_back("bot 1 was lost");
  return report;
}

TEST(ReportJson, IsReadBackAsItWas) {
  const RunReport before = sample(1);
  const std::string text = to_json(before, {});
  const auto after = report_from_json(text);
  ASSERT_TRUE(after.ok()) << after.error();
  EXPECT_EQ(to_json(after.value(), {}), text);
  EXPECT_EQ(after.value().totals.update_age.percentile_us(0.99),
            before.totals.update_age.percentile_us(0.99));
}

TEST(ReportJson, NamesItsVersionAndEveryMetric) {
  const auto json = nlohmann::json::parse(to_json(sample(1), {}));
  EXPECT_EQ(json["schema_version"], report_schema_version);
  for (const Metric& metric : metrics_of(RunReport{}))
    EXPECT_TRUE(json.contains(metric.name)) << metric.name;
  for (const char* name :
       {"wrong_views", "missing", "extra", "late", "duplicate_enters", "ghost_leaves",
        "ghost_updates", "version_regressions", "stale_updates", "connect_p50_ms",
        "first_view_p90_ms", "leave_latency_p95_ms", "contact_latency_p999_ms",
        "command_echo_max_ms", "ring2_age_p99_ms", "skipped_ticks", "hostile_evictions"})
    EXPECT_TRUE(json.contains(name)) << name;
  EXPECT_EQ(json["double_enters"], json["duplicate_enters"]);
  EXPECT_EQ(json["hostile_evictions_by_code"]["BadFrame"], 3);
}

TEST(ReportJson, WhatIsBrokenIsNamed) {
  const std::string good = to_json(sample(1), {});
  const auto error_of = [&](const char* field, const nlohmann::json& value) {
    auto json = nlohmann::json::parse(good);
    if (value.is_discarded())
      json.erase(field);
    else
      json[field] = value;
    const auto read = report_from_json(json.dump());
    return read.ok() ? std::string("read") : read.error();
  };
  const nlohmann::json absent(nlohmann::json::value_t::discarded);
  EXPECT_FALSE(report_from_json("no json").ok());
  EXPECT_FALSE(report_from_json("[]").ok());
  EXPECT_THAT(error_of("schema_version", 1), HasSubstr("schema_version is 1"));
  EXPECT_THAT(error_of("bots", "many"), HasSubstr("'bots'"));
  EXPECT_THAT(error_of("late", -1), HasSubstr("'late'"));
  EXPECT_THAT(error_of("late", absent), HasSubstr("'late' is missing"));
  EXPECT_THAT(error_of("failures", {1}), HasSubstr("'failures'"));
  EXPECT_THAT(error_of("evictions_by_code", {{"X", "y"}}), HasSubstr("'evictions_by_code'"));
  EXPECT_THAT(error_of("histograms", absent), HasSubstr("'histograms'"));
  for (const char* buckets : {"1", "1:", ":1", "1:1:1", "99999999:1", "0:x", "0:1  0:1"})
    EXPECT_THAT(error_of("histograms",
                         {{"connect",
                           {{"digits", 2}, {"max_us", 0}, {"sum_us", 0}, {"buckets", buckets}}}}),
                HasSubstr("'connect' is no histogram"))
        << buckets;
}

TEST(ReportMerge, AddsCountsAndSamples) {
  RunReport merged = sample(1);
  merge_report(merged, sample(2));
  EXPECT_EQ(merged.bots, 8u);
  EXPECT_EQ(merged.processes, 2u);
  EXPECT_EQ(merged.duration_s, 4);
  EXPECT_EQ(merged.ticks, 80u);
  EXPECT_EQ(merged.check.checked_views, 480u);
  EXPECT_EQ(merged.check.duplicate_enters, 6u);  // once, whatever its names
  EXPECT_EQ(merged.totals.health[0], 150u);
  EXPECT_EQ(merged.totals.update_age.count(), 300u);
  EXPECT_EQ(merged.totals.update_age.max_us(), 20'000u);
  EXPECT_EQ(merged.bytes_in, 24'000u);
  EXPECT_EQ(merged.evictions["SlowConsumer"], 3u);
  EXPECT_EQ(merged.failures.size(), 2u);
}

TEST(ReportComparison, HasOldNewAndRatio) {
  RunReport old = sample(1);
  old.check.late = 0;
  const auto changes = compare_reports(old, sample(2));
  const auto find = [&](const std::string& name) {
    for (const MetricChange& change : changes)
      if (change.name == name) return change;
    return MetricChange{};
  };
  EXPECT_EQ(find("ticks").before, 40);
  EXPECT_EQ(find("ticks").now, 80);
  EXPECT_EQ(find("ticks").ratio, 2);
  EXPECT_EQ(find("late").ratio, std::nullopt);       // from nothing
  EXPECT_EQ(find("query_latency_p99_ms").name, "");  // neither has a sample
  EXPECT_THAT(to_text(sample(2), {{}, changes}), HasSubstr("against the baseline"));
  const auto json = nlohmann::json::parse(to_json(sample(2), {{}, changes}));
  EXPECT_EQ(json["comparison"]["ticks"]["ratio"], 2.0);
}

TEST(ReportHtml, IsOnePageWithoutForeignParts) {
  RunReport report = sample(1);
  report.server_version = "<script>alert('x')</script>";
  report.wrong_examples.push_back("a < b & \"c\"");
  const std::string html = to_html(report, {{{"late==0", "3", false}}, {}});
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("<polyline"));
  EXPECT_THAT(html, HasSubstr("update_age"));
  EXPECT_THAT(html, HasSubstr("SlowConsumer"));
  EXPECT_THAT(html, HasSubstr("FAILED"));
  EXPECT_THAT(html, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  for (const char* foreign : {"<script", "http://", "https://", "src=", "@import"})
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
}

TEST(Metrics, AreDescribedOneByOne) {
  const std::string text = describe_metrics();
  for (const Metric& metric : metrics_of(RunReport{})) {
    EXPECT_THAT(text, HasSubstr(metric.name));
    EXPECT_NE(metric.meaning, "") << metric.name;
  }
}

}  // namespace
}  // namespace vicinity::sim
