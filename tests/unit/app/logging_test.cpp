// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/logging.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/check.h"

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

TEST(RateLimit, LetsABurstThroughAndThenOnePerInterval) {
  RateLimit limit(1s, 10);
  const RateLimit::Clock::time_point start(100s);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.pass(start).allowed) << i;
  EXPECT_FALSE(limit.pass(start).allowed);
  EXPECT_FALSE(limit.pass(start + 999ms).allowed);
  const auto next = limit.pass(start + 1s);
  EXPECT_TRUE(next.allowed);
  EXPECT_EQ(next.suppressed, 2u);
  EXPECT_FALSE(limit.pass(start + 1s).allowed);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.pass(start + 60s).allowed) << i;
  EXPECT_FALSE(limit.pass(start + 60s).allowed) << "quiet time saves up one burst only";
}

/// Standard error as a pipe that the test reads when it likes.
class PipeAsStandardError {
 public:
  PipeAsStandardError() : before_(dup(STDERR_FILENO)) {
    int ends[2] = {-1, -1};
    CHECK(pipe(ends) == 0);
    read_end_ = ends[0];
    dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
  }
  ~PipeAsStandardError() {
    restore();
    ::close(read_end_);
  }
  PipeAsStandardError(const PipeAsStandardError&) = delete;
  PipeAsStandardError& operator=(const PipeAsStandardError&) = delete;

  void restore() {
    if (before_ < 0) return;
    dup2(before_, STDERR_FILENO);
    ::close(std::exchange(before_, -1));
  }
  /// The next line without its end; empty at the end of the stream or after ten seconds.
  std::string read_line() {
    for (;;) {
      const auto end = text_.find('\n');
      if (end != std::string::npos) {
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      pollfd entry{read_end_, POLLIN, 0};
      char buffer[4096];
      const auto size = poll(&entry, 1, 10'000) > 0 ? ::read(read_end_, buffer, sizeof buffer) : 0;
      if (size <= 0) return {};
      text_.append(buffer, static_cast<std::size_t>(size));
    }
  }

 private:
  int before_;
  int read_end_ = -1;
  std::string text_;
};

TEST(Log, WritesEveryLineInOrderBeforeItEnds) {
  PipeAsStandardError pipe;
  {
    Log log(LogLevel::Info, LogFormat::Text);
    log.debug("not this one");
    for (std::uint64_t i = 0; i < 100; ++i) log.info("line", {{"number", i}});
  }
  pipe.restore();  // the last writer: what was written ends here
  for (int i = 0; i < 100; ++i) {
    const std::string line = pipe.read_line();
    EXPECT_TRUE(line.ends_with(" info line number=" + std::to_string(i))) << line;
  }
  EXPECT_EQ(pipe.read_line(), "");
}

TEST(Log, HoldsUpNobodyWhenItsReaderStallsAndCountsWhatWasLost) {
  PipeAsStandardError pipe;
  Log log(LogLevel::Info, LogFormat::Text);
  // Far more than pipe and queue hold; a log that waited for its reader would never get through.
  const std::string long_text(200, 'x');
  constexpr std::uint64_t lines = 20'000;
  for (std::uint64_t i = 0; i < lines; ++i) log.info(long_text, {{"number", i}});
  // Every line is either written or counted; the counts come when there is room again.
  const std::string marker = "log lines were dropped: standard error was not read count=";
  std::uint64_t written = 0;
  std::uint64_t counted = 0;
  while (written + counted < lines) {
    const std::string line = pipe.read_line();
    ASSERT_FALSE(line.empty()) << written << " written, " << counted << " counted";
    const auto found = line.find(marker);
    if (found == std::string::npos) {
      ++written;
    } else {
      counted += std::stoull(line.substr(found + marker.size()));
    }
  }
  EXPECT_EQ(written + counted, lines);
  EXPECT_GT(counted, 0u);
}

TEST(Log, EndsSoonThoughNobodyReads) {
  PipeAsStandardError pipe;
  const auto begin = std::chrono::steady_clock::now();
  {
    Log log(LogLevel::Info, LogFormat::Text);
    for (int i = 0; i < 4000; ++i) log.info("a line that fills the pipe with many others like it");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

}  // namespace
}  // namespace vicinity::app
