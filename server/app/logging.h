// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Log lines on standard error, as text or as one JSON object per line. Any thread of the net room
// and the thread that drives the tick; never from within a tick.
//
//      2026-01-31T12:00:00.000Z info session open session=3 role=player peer=127.0.0.1:40312
//      {"time":"2026-01-31T12:00:00.000Z","level":"info","message":"session open","session":3,...}
//
// Text from clients is escaped in both forms: a line is always one line.
//
// Lines go through spdlog's queue to a thread that writes them, so that whoever reads standard
// error and stalls holds up nobody: neither a tick, nor a client, nor the end of the server. When
// the queue is full its oldest lines are dropped, and their number is logged with the next line.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace vicinity::app {

enum class LogLevel : std::uint8_t { Debug = 0, Info = 1, Warning = 2, Error = 3 };
enum class LogFormat : std::uint8_t { Text = 0, Json = 1 };

/// Of the texts that the settings allow.
LogLevel log_level_of(std::string_view name);
std::string_view to_string(LogLevel level);
LogFormat log_format_of(std::string_view name);

struct LogField {
  std::string_view key;
  std::variant<std::uint64_t, double, std::string_view> value;
};

class Log {
 public:
  Log(LogLevel level, LogFormat format);
  /// Writes what waits, for as long as somebody reads it, and at most limits::log_flush_ms.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Any thread. Lines below it are dropped from now on.
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
  LogLevel level() const { return level_.load(std::memory_order_relaxed); }

  using Fields = std::initializer_list<LogField>;
  void debug(std::string_view message, Fields fields = {}) {
    write(LogLevel::Debug, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) {
    write(LogLevel::Info, message, fields);
  }
  void warning(std::string_view message, Fields fields = {}) {
    write(LogLevel::Warning, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) {
    write(LogLevel::Error, message, fields);
  }
  void write(LogLevel level, std::string_view message, Fields fields);

 private:
  struct Pipeline;

  std::atomic<LogLevel> level_;
  const LogFormat format_;
  std::unique_ptr<Pipeline> pipeline_;
};

/// The line without its end, for Log and its tests. `time` as it is to be printed.
std::string format_log_line(LogFormat format, std::string_view time, LogLevel level,
                            std::string_view message, Log::Fields fields);

/// Lets one event per interval through, and up to `burst` at once after a quiet time, and counts
/// the others, so that a flood cannot fill the log. Any thread.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RateLimit(Clock::duration interval, std::uint32_t burst = 1)
      : interval_(interval), advance_(interval * (burst - 1)) {}

  struct Verdict {
    bool allowed = false;
    std::uint64_t suppressed = 0;  ///< events since the last one that was let through
  };
  Verdict pass(Clock::time_point now);

 private:
  const Clock::duration interval_;
  const Clock::duration advance_;  ///< how far events may run ahead of one per interval
  /// When the next event is due at one per interval.
  std::atomic<Clock::rep> due_{Clock::time_point::min().time_since_epoch().count()};
  std::atomic<std::uint64_t> suppressed_{0};
};

}  // namespace vicinity::app
