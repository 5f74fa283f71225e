// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

RunReport sample_report() {
  RunReport report;
  report.scenario = "walk";
  report.bots = 4;
  report.seed = 9;
  report.server_version = "1.2.3";
  report.tick_rate_hz = 20;
  report.duration_s = 2;
  report.ticks = 40;
  report.check.checked_views = 160;
  report.check.late = 3;
  report.totals.update_age.add(2'000);
  report.bytes_in = 8'000;
  report.evictions["SlowConsumer"] = 2;
  report.totals.command_errors["OutOfWorld"] = 5;
  return report;
}

/// Scripts and --require depend on these names: adding is fine, renaming is not.
TEST(Report, JsonHasEveryStableField) {
  const auto json = nlohmann::json::parse(to_json(sample_report(), Judgement{}));
  for (const char* name : {"bots",
                           "scenario",
                           "duration_s",
                           "seed",
                           "ticks",
                           "tick_rate_hz",
                           "entities",
                           "wrong_views",
                           "missing",
                           "extra",
                           "late",
                           "double_enters",
                           "leaves_without_enter",
                           "updates_without_enter",
                           "wrong_positions",
                           "checked_views",
                           "unchecked_views",
                           "enters",
                           "leaves",
                           "updates",
                           "contact_begins",
                           "contact_ends",
                           "contact_errors",
                           "wrong_contacts",
                           "update_age_p50_ms",
                           "update_age_p99_ms",
                           "enter_latency_p50_ms",
                           "enter_latency_p99_ms",
                           "query_latency_p50_ms",
                           "query_latency_p99_ms",
                           "bytes_in_per_s",
                           "kbit_per_s_per_client",
                           "disconnects",
                           "command_errors",
                           "evictions",
                           "evictions_by_code",
                           "failures",
                           "requirements",
                           "ok"})
    EXPECT_TRUE(json.contains(name)) << name;
}

TEST(Report, JsonCarriesTheValues) {
  const auto json = nlohmann::json::parse(to_json(sample_report(), Judgement{}));
  EXPECT_EQ(json["scenario"], "walk");
  EXPECT_EQ(json["seed"], 9);
  EXPECT_EQ(json["checked_views"], 160);
  EXPECT_EQ(json["late"], 3);
  EXPECT_EQ(json["tick_rate_measured_hz"], 20.0);
  EXPECT_EQ(json["bytes_in_per_s"], 4'000.0);
  EXPECT_EQ(json["kbit_per_s_per_client"], 8.0);  // 8000 bytes * 8 / 1000 / 2 s / 4 bots
  EXPECT_NEAR(json["update_age_p99_ms"].get<double>(), 2.0, 0.04);
  EXPECT_EQ(json["evictions"], 2);
  EXPECT_EQ(json["evictions_by_code"]["SlowConsumer"], 2);
  EXPECT_EQ(json["command_errors_by_code"]["OutOfWorld"], 5);
  EXPECT_TRUE(json["ok"]);
}

TEST(Report, AMetricWithoutSampleIsNull) {
  const auto json = nlohmann::json::parse(to_json(sample_report(), Judgement{}));
  EXPECT_TRUE(json["query_latency_p99_ms"].is_null());
}

TEST(Report, AFailedRequirementAndAFailureBothFailTheRun) {
  RunReport report = sample_report();
  const Verdict held{"late==3", "3", true};
  const Verdict failed{"late==0", "3", false};
  EXPECT_EQ(exit_code_of(report, {held}), 0);
  EXPECT_EQ(exit_code_of(report, {held, failed}), 1);
  report.failures.push_back("bot 1 was lost");
  EXPECT_EQ(exit_code_of(report, {held}), 1);
  const auto json = nlohmann::json::parse(to_json(report, {{held, failed}, {}}));
  EXPECT_FALSE(json["ok"]);
  EXPECT_EQ(json["requirements"][1]["requirement"], "late==0");
  EXPECT_FALSE(json["requirements"][1]["held"]);
}

TEST(Report, TextNamesWhatWentWrong) {
  RunReport report = sample_report();
  report.failures.push_back("bot 1 was lost");
  report.wrong_examples.push_back("tick 3: bot 1 misses entity 4:1");
  const std::string text = to_text(report, {{{"late==0", "3", false}}, {}});
  EXPECT_THAT(text, HasSubstr("FAILED late==0 (is 3)"));
  EXPECT_THAT(text, HasSubstr("bot 1 was lost"));
  EXPECT_THAT(text, HasSubstr("misses entity 4:1"));
  EXPECT_THAT(text, HasSubstr("SlowConsumer 2"));
  EXPECT_THAT(text, HasSubstr("result: FAILED"));
}

TEST(Report, ForeignTextThatIsNotUtf8DoesNotBreakTheJson) {
  RunReport report = sample_report();
  report.server_version = "\xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(to_json(report, Judgement{})));
}

}  // namespace
}  // namespace vicinity::sim
