// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/logging.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vicinity::app {
namespace {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
  }
  return "error";
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

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

}  // namespace

struct Log::Sink {
  spdlog::logger logger{"vicinity", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

LogLevel log_level_of(std::string_view name) {
  for (const auto level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning})
    if (name_of(level) == name) return level;
  return LogLevel::Error;
}

LogFormat log_format_of(std::string_view name) {
  return name == "json" ? LogFormat::Json : LogFormat::Text;
}

Log::Log(LogLevel level, LogFormat format)
    : sink_(std::make_unique<Sink>()), level_(level), format_(format) {
  sink_->logger.set_level(spdlog::level::trace);
  sink_->logger.flush_on(spdlog::level::trace);
  sink_->logger.set_pattern("%v");
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  if (level < level_) return;
  const std::string line = format_log_line(format_, time_text(), level, message, fields);
  sink_->logger.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

std::string format_log_line(LogFormat format, std::string_view time, LogLevel level,
                            std::string_view message, Log::Fields fields) {
  if (format == LogFormat::Text) {
    std::string line = fmt::format("{} {} {}", time, name_of(level), message);
    for (const auto& field : fields)
      line += fmt::format(" {}={}", field.key, value_text(field, false));
    return line;
  }
  std::string line = fmt::format(R"({{"time":{},"level":{},"message":{})", quoted(time),
                                 quoted(name_of(level)), quoted(message));
  for (const auto& field : fields)
    line += fmt::format(",{}:{}", quoted(field.key), value_text(field, true));
  return line + "}";
}

RateLimit::Verdict RateLimit::pass(Clock::time_point now) {
  auto next = next_.load();
  if (now.time_since_epoch().count() < next ||
      !next_.compare_exchange_strong(next, (now + interval_).time_since_epoch().count())) {
    ++suppressed_;
    return {};
  }
  return {true, suppressed_.exchange(0)};
}

}  // namespace vicinity::app
