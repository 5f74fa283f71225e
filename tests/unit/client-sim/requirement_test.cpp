// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

Requirement one(std::string_view text) {
  const auto parsed = parse_requirements(text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error());
  if (!parsed.ok() || parsed.value().size() != 1) return {};
  return parsed.value()[0];
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_requirements(text);
  EXPECT_FALSE(parsed.ok()) << text;
  return parsed.ok() ? "" : parsed.error();
}

RunReport report_with(std::uint64_t checked, std::uint64_t wrong) {
  RunReport report;
  report.check.checked_views = checked;
  report.check.wrong_views = wrong;
  return report;
}

bool holds(std::string_view text, const RunReport& report) {
  return judge({one(text)}, report)[0].held;
}

TEST(Requirement, ReadsEveryOperator) {
  EXPECT_EQ(one("enters==1").comparison, Comparison::Equal);
  EXPECT_EQ(one("enters!=1").comparison, Comparison::NotEqual);
  EXPECT_EQ(one("enters<1").comparison, Comparison::Less);
  EXPECT_EQ(one("enters<=1").comparison, Comparison::LessEqual);
  EXPECT_EQ(one("enters>1").comparison, Comparison::Greater);
  EXPECT_EQ(one("enters>=1").comparison, Comparison::GreaterEqual);
}

TEST(Requirement, ComparesAsWritten) {
  const RunReport report = report_with(5, 0);
  EXPECT_TRUE(holds("checked_views==5", report));
  EXPECT_FALSE(holds("checked_views!=5", report));
  EXPECT_FALSE(holds("checked_views<5", report));
  EXPECT_TRUE(holds("checked_views<=5", report));
  EXPECT_FALSE(holds("checked_views>5", report));
  EXPECT_TRUE(holds("checked_views>=5", report));
}

TEST(Requirement, TheUnitAtTheEndOfANameMayBeLeftOut) {
  EXPECT_EQ(one("update_age_p99<150ms").metric, "update_age_p99_ms");
  EXPECT_EQ(one("update_age_p99_ms<150").metric, "update_age_p99_ms");
  EXPECT_EQ(one("duration>=1").metric, "duration_s");
}

TEST(Requirement, UnitsAreConvertedToThoseOfTheMetric) {
  EXPECT_DOUBLE_EQ(one("update_age_p99<150").limit, 150);
  EXPECT_DOUBLE_EQ(one("update_age_p99<0.15s").limit, 150);
  EXPECT_DOUBLE_EQ(one("update_age_p99<1500us").limit, 1.5);
  EXPECT_DOUBLE_EQ(one("duration_s>500ms").limit, 0.5);
  EXPECT_DOUBLE_EQ(one("kbit_per_s_per_client<64kbit").limit, 64);
}

TEST(Requirement, SpacesAndSeveralRequirementsAreAllowed) {
  const auto parsed = parse_requirements(" wrong_views == 0 , update_age_p99 < 150 ms");
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed.value().size(), 2u);
  EXPECT_EQ(parsed.value()[0].metric, "wrong_views");
  EXPECT_EQ(parsed.value()[1].text, "update_age_p99 < 150 ms");
  EXPECT_DOUBLE_EQ(parsed.value()[1].limit, 150);
}

TEST(Requirement, AnUnknownMetricNamesTheKnownOnes) {
  const std::string error = error_of("wrong_view==0");
  EXPECT_THAT(error, HasSubstr("'wrong_view'"));
  EXPECT_THAT(error, HasSubstr(" wrong_views"));
  EXPECT_THAT(error, HasSubstr(" kbit_per_s_per_client"));
}

TEST(Requirement, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(error_of(""), HasSubstr("comparison"));
  EXPECT_THAT(error_of("enters"), HasSubstr("comparison"));
  EXPECT_THAT(error_of("enters=1"), HasSubstr("comparison"));
  EXPECT_THAT(error_of("enters<"), HasSubstr("number"));
  EXPECT_THAT(error_of("enters<nan"), HasSubstr("number"));
  EXPECT_THAT(error_of("enters<1,"), HasSubstr("comparison"));
  EXPECT_THAT(error_of("enters<1ms"), HasSubstr("unit 'ms' does not fit"));
  EXPECT_THAT(error_of("update_age_p99<1kbit"), HasSubstr("unit 'kbit' does not fit"));
  EXPECT_THAT(error_of("update_age_p99<1 parsec"), HasSubstr("unit 'parsec'"));
}

TEST(Requirement, NoCheckedViewProvesNothing) {
  EXPECT_TRUE(holds("wrong_views==0", report_with(1, 0)));
  EXPECT_FALSE(holds("wrong_views==0", report_with(1, 1)));
  EXPECT_FALSE(holds("wrong_views==0", report_with(0, 0)));
  EXPECT_FALSE(holds("missing==0", report_with(0, 0)));
}

TEST(Requirement, AMetricWithoutSampleHoldsNothing) {
  RunReport report;
  EXPECT_FALSE(holds("query_latency_p99<1s", report));
  report.totals.query_latency.add(2'000);
  EXPECT_TRUE(holds("query_latency_p99<1s", report));
  EXPECT_FALSE(holds("query_latency_p99<1ms", report));
}

}  // namespace
}  // namespace vicinity::sim
