// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/logging.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace vicinity::app {
namespace {

using namespace std::chrono_literals;

std::string text_line(Log::Fields fields) {
  return format_log_line(LogFormat::Text, "T", LogLevel::Info, "m", fields);
}

TEST(LogLine, TextIsTimeLevelMessageAndFields) {
  EXPECT_EQ(format_log_line(LogFormat::Text, "T", LogLevel::Warning, "slow tick",
                            {{"tick", std::uint64_t{7}}, {"peer", std::string_view("::1")}}),
            "T warning slow tick tick=7 peer=::1");
}

TEST(LogLine, TextQuotesWhatWouldBreakTheLine) {
  EXPECT_EQ(text_line({{"k", std::string_view("a b")}}), "T info m k=\"a b\"");
  EXPECT_EQ(text_line({{"k", std::string_view("")}}), "T info m k=\"\"");
  EXPECT_EQ(text_line({{"k", std::string_view("x\ny=1")}}), "T info m k=\"x\\ny=1\"");
  EXPECT_EQ(text_line({{"k", std::string_view("\x1b[31m")}}), "T info m k=\"\\u001b[31m\"");
}

TEST(LogLine, JsonHoldsAnyBytesOnOneLine) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const std::string line = format_log_line(LogFormat::Json, "T", LogLevel::Error, "a \"b\"\n",
                                           {{"all", std::string_view(all)},
                                            {"count", std::uint64_t{18446744073709551615u}},
                                            {"ratio", 0.5}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object.at("time"), "T");
  EXPECT_EQ(object.at("level"), "error");
  EXPECT_EQ(object.at("message"), "a \"b\"\n");
  EXPECT_EQ(object.at("count"), 18446744073709551615u);
  EXPECT_EQ(object.at("ratio"), 0.5);
  EXPECT_EQ(object.at("all").get<std::string>().substr(0, 128), all.substr(0, 128));
}

TEST(LogNames, AreThoseOfTheSettings) {
  EXPECT_EQ(log_level_of("debug"), LogLevel::Debug);
  EXPECT_EQ(log_level_of("info"), LogLevel::Info);
  EXPECT_EQ(log_level_of("warning"), LogLevel::Warning);
  EXPECT_EQ(log_level_of("error"), LogLevel::Error);
  EXPECT_EQ(log_format_of("text"), LogFormat::Text);
  EXPECT_EQ(log_format_of("json"), LogFormat::Json);
}

TEST(RateLimit, LetsOneEventPerIntervalThroughAndCountsTheOthers) {
  RateLimit limit(1s);
  const RateLimit::Clock::time_point start(100s);
  EXPECT_TRUE(limit.pass(start).allowed);
  for (int i = 1; i <= 9; ++i) EXPECT_FALSE(limit.pass(start + i * 100ms).allowed);
  const auto next = limit.pass(start + 1s);
  EXPECT_TRUE(next.allowed);
  EXPECT_EQ(next.suppressed, 9u);
  EXPECT_FALSE(limit.pass(start + 1s).allowed);
  EXPECT_EQ(limit.pass(start + 5s).suppressed, 1u);
}

}  // namespace
}  // namespace vicinity::app
