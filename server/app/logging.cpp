// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/logging.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/limits.h"

namespace vicinity::app {
namespace {

std::string quoted(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '=';
  });
}

std::string value_text(const LogField& field, bool always_quote) {
  if (const auto* text = std::get_if<std::string_view>(&field.value))
    return always_quote || !is_plain(*text) ? quoted(*text) : std::string(*text);
  if (const auto* whole = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*whole);
  return fmt::format("{:.3f}", std::get<double>(field.value));
}

std::string time_text() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms.count() % 1000);
}

/// Writes what standard error takes without blocking: a pipe that poll() calls writable has room
/// for PIPE_BUF bytes. False when nobody reads within `limit_ms`; `text` keeps the rest.
bool write_within(std::string_view& text, int limit_ms) {
  while (!text.empty()) {
    pollfd entry{STDERR_FILENO, POLLOUT, 0};
    if (poll(&entry, 1, limit_ms) <= 0) return false;
    const auto size =
        ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) {  // closed, or a full disk: there is nowhere to say so
      text = {};
    } else {
      text.remove_prefix(static_cast<std::size_t>(size));
    }
  }
  return true;
}

/// Where spdlog's thread writes to. While the server runs it waits for whoever reads standard
/// error; once the log ends it waits limits::log_flush_ms in all.
class PatientStderr final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit PatientStderr(LogFormat format) : format_(format) {}

  /// Before the first line: `pool` owns the queue and outlives its last call of this sink.
  void watch(spdlog::details::thread_pool* pool) { pool_ = pool; }
  void end() { ending_ = true; }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::uint64_t dropped = pool_->overrun_counter();
    if (dropped > said_dropped_) {
      write(format_log_line(format_, time_text(), LogLevel::Warning,
                            "log lines were dropped: standard error was not read",
                            {{"count", dropped - std::exchange(said_dropped_, dropped)}}));
    }
    write(std::string(message.payload.data(), message.payload.size()));
  }
  void flush_() override {}  // nothing is held back

  void write(std::string line) {
    constexpr int poll_ms = 20;
    line += '\n';
    std::string_view rest = line;
    while (patience_ms_ > 0 && !write_within(rest, poll_ms)) {
      if (ending_) patience_ms_ -= poll_ms;
    }
  }

  const LogFormat format_;
  spdlog::details::thread_pool* pool_ = nullptr;
  std::uint64_t said_dropped_ = 0;
  int patience_ms_ = limits::log_flush_ms;
  std::atomic<bool> ending_{false};
};

}  // namespace

struct Log::Pipeline {
  explicit Pipeline(LogFormat format)
      : sink(std::make_shared<PatientStderr>(format)),
        pool(std::make_shared<spdlog::details::thread_pool>(limits::log_lines_waiting_max, 1)),
        logger(std::make_shared<spdlog::async_logger>(
            "vicinity", sink, pool, spdlog::async_overflow_policy::overrun_oldest)) {
    sink->watch(pool.get());
    logger->set_level(spdlog::level::trace);  // the Log itself decides
  }
  std::shared_ptr<PatientStderr> sink;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
};

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
  }
  return "error";
}

LogLevel log_level_of(std::string_view name) {
  for (const auto level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning})
    if (to_string(level) == name) return level;
  return LogLevel::Error;
}

LogFormat log_format_of(std::string_view name) {
  return name == "json" ? LogFormat::Json : LogFormat::Text;
}

Log::Log(LogLevel level, LogFormat format)
    : level_(level), format_(format), pipeline_(std::make_unique<Pipeline>(format)) {}

Log::~Log() {
  pipeline_->sink->end();
  pipeline_->logger.reset();
  pipeline_->pool.reset();  // writes what waits and joins
}

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  if (level < this->level()) return;
  const std::string line = format_log_line(format_, time_text(), level, message, fields);
  pipeline_->logger->info(spdlog::string_view_t(line.data(), line.size()));
}

std::string format_log_line(LogFormat format, std::string_view time, LogLevel level,
                            std::string_view message, Log::Fields fields) {
  if (format == LogFormat::Text) {
    std::string line = fmt::format("{} {} {}", time, to_string(level), message);
    for (const auto& field : fields)
      line += fmt::format(" {}={}", field.key, value_text(field, false));
    return line;
  }
  std::string line = fmt::format(R"({{"time":{},"level":{},"message":{})", quoted(time),
                                 quoted(to_string(level)), quoted(message));
  for (const auto& field : fields)
    line += fmt::format(",{}:{}", quoted(field.key), value_text(field, true));
  return line + "}";
}

RateLimit::Verdict RateLimit::pass(Clock::time_point now) {
  auto due = due_.load();
  for (;;) {
    const auto from = std::max(due, now.time_since_epoch().count());
    if (from - now.time_since_epoch().count() > advance_.count()) {
      ++suppressed_;
      return {};
    }
    if (due_.compare_exchange_weak(due, from + interval_.count()))
      return {true, suppressed_.exchange(0)};
  }
}

}  // namespace vicinity::app
