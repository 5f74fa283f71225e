// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/net_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

TEST(Text, TimesHaveUnits) {
  EXPECT_EQ(parse_time_us("80ms"), 80'000);
  EXPECT_EQ(parse_time_us(" 1.5s "), 1'500'000);
  EXPECT_EQ(parse_time_us("7us"), 7);
  EXPECT_EQ(parse_time_us("2m"), 120'000'000);
  for (const char* wrong : {"", "80", "ms", "-1s", "1h", "1e3s", "2000000s", "1 2s"})
    EXPECT_EQ(parse_time_us(wrong), std::nullopt) << wrong;
}

TEST(Text, PartsAreTrimmed) {
  EXPECT_EQ(split(" a ,b,, ", ','), (std::vector<std::string_view>{"a", "b", "", ""}));
  EXPECT_EQ(parse_whole("12"), 12u);
  EXPECT_EQ(parse_whole("-1"), std::nullopt);
  EXPECT_EQ(parse_number("inf"), std::nullopt);
}

TEST(NetConditions, SettingsAreRead) {
  const auto read = parse_net_conditions("delay=80ms, jitter=20ms,bandwidth=256kbit,cut-every=30s");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), (NetConditions{80'000, 20'000, 256'000, 30'000'000}));
  EXPECT_EQ(parse_net_conditions(to_string(read.value())).value(), read.value());
}

TEST(NetConditions, MistakesAreNamed) {
  EXPECT_THAT(parse_net_conditions("delay").error(), HasSubstr("'delay'"));
  EXPECT_THAT(parse_net_conditions("loss=5").error(), HasSubstr("unknown setting 'loss'"));
  EXPECT_THAT(parse_net_conditions("delay=80").error(), HasSubstr("delay '80'"));
  EXPECT_THAT(parse_net_conditions("bandwidth=9").error(), HasSubstr("bandwidth '9'"));
  EXPECT_THAT(parse_net_conditions("bandwidth=0kbit").error(), HasSubstr("bandwidth"));
  EXPECT_THAT(parse_net_conditions("delay=1ms,jitter=2ms").error(), HasSubstr("jitter"));
  EXPECT_THAT(parse_net_conditions("delay=1ms,delay=2ms").error(), HasSubstr("twice"));
}

TEST(LinkShaper, DelayAndBandwidthAddUp) {
  LinkShaper shaper({50'000, 0, 80'000, 0}, 1);  // 10 bytes per ms
  EXPECT_EQ(shaper.arrival_us(0, 100), 60'000);
  EXPECT_EQ(shaper.arrival_us(0, 100), 70'000);         // behind the first
  EXPECT_EQ(shaper.arrival_us(500'000, 100), 560'000);  // nothing is saved up
}

TEST(LinkShaper, NothingOvertakes) {
  LinkShaper shaper({50'000, 50'000, 0, 0}, 3);
  std::int64_t last = 0;
  bool varies = false;
  for (std::int64_t sent = 0; sent < 1'000'000; sent += 1'000) {
    const std::int64_t arrival = shaper.arrival_us(sent, 10);
    EXPECT_GE(arrival, last);
    EXPECT_GE(arrival, sent);
    EXPECT_LE(arrival - sent, 100'000);
    varies = varies || arrival - last > 2'000;
    last = arrival;
  }
  EXPECT_TRUE(varies);
}

TEST(LinkShaper, TheSeedDecides) {
  const NetConditions conditions{50'000, 20'000, 1'000'000, 0};
  const auto times = [&](std::uint64_t seed) {
    LinkShaper shaper(conditions, seed);
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < 50; ++i) out.push_back(shaper.arrival_us(i * 50'000, 100));
    return out;
  };
  EXPECT_EQ(times(7), times(7));
  EXPECT_NE(times(7), times(8));
}

TEST(LinkShaper, TheWindowHoldsWhatIsUnderWay) {
  EXPECT_EQ(LinkShaper({0, 0, 8'000'000, 0}, 1).window_bytes(), 100'000u);  // 0.1 s at 1 MB/s
  EXPECT_LE(LinkShaper({10'000'000, 0, 1'000'000'000, 0}, 1).window_bytes(), 1u << 20);
  EXPECT_GE(LinkShaper({0, 0, 8, 0}, 1).window_bytes(), 1u);
}

TEST(CutSchedule, LivesAreSpreadAroundTheMean) {
  CutSchedule cuts(1'000'000, 4);
  CutSchedule same(1'000'000, 4);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t life = cuts.next_life_us();
    EXPECT_EQ(life, same.next_life_us());
    EXPECT_GE(life, 500'000);
    EXPECT_LE(life, 1'500'000);
    sum += static_cast<double>(life);
  }
  EXPECT_NEAR(sum / 1000, 1e6, 5e4);
  EXPECT_EQ(CutSchedule(0, 4).next_life_us(), 0);
}

}  // namespace
}  // namespace vicinity::sim
