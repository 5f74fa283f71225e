// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/live_settings.h"

#include <algorithm>

#include "base/limits.h"
#include "cases/values.h"

namespace vicinity::cases {

namespace {

constexpr double times_as_fast = 10;
constexpr double default_tick_hz = 20;
constexpr int large_count = 100'000;
constexpr std::size_t outbox_bytes_least = 2 * limits::server_frame_bytes_max;
/// What is not scaled: a machine that stands still for a moment must not look like a dead client.
constexpr std::uint32_t idle_timeout_ms = 3'000;
constexpr std::uint32_t grace_ms = 3'000;
constexpr std::uint32_t slow_consumer_ms = 1'000;

Json params_of(const Case& script) {
  Json all = Json::object();
  for (const Step& step : script.script)
    for (const Operation& operation : step.operations)
      if (operation.name == "param") all.update(operation.fields);
  return all;
}

/// States a bandwidth, or is so large that this program itself needs its time.
bool runs_at_its_own_pace(const Case& script) {
  for (const Step& step : script.script)
    for (const Operation& operation : step.operations)
      if (operation.fields.contains("link") || operation.fields.value("count", 0) > large_count)
        return true;
  return false;
}

test::Arguments arguments_for(const Json& params, IndexKind kind, double speed, double tick_hz) {
  const IndexKind index = kind == IndexKind::BruteForce ? IndexKind::Auto : kind;
  const auto text = [](double value) { return std::to_string(static_cast<std::int64_t>(value)); };
  const auto queue =
      std::max(params.value("queue_limit_bytes", 0.0), static_cast<double>(outbox_bytes_least));
  test::Arguments arguments{
      "--index",    std::string(to_string(index)), "--budget-bytes-per-s", "0", "--tick-rate-hz",
      text(tick_hz)};
  const auto add = [&](const char* flag, double value) {
    arguments.insert(arguments.end(), {flag, text(value)});
  };
  if (params.contains("queue_limit_bytes")) add("--outbox-bytes-max", queue);
  if (params.contains("sndbuf_bytes")) add("--send-buffer-bytes", number(params["sndbuf_bytes"]));
  if (params.contains("max_players")) add("--session-count-max", number(params["max_players"]));
  if (params.contains("handshake_deadline_s"))
    add("--handshake-deadline-ms", number(params["handshake_deadline_s"]) * 1000 / speed);
  if (speed > 1) {
    add("--idle-timeout-ms", idle_timeout_ms);
    add("--grace-ms", grace_ms);
    add("--slow-consumer-ms", slow_consumer_ms);
  }
  return arguments;
}

}  // namespace

LiveSettings live_settings(const Case& script, IndexKind kind) {
  const Json params = params_of(script);
  LiveSettings settings;
  settings.speed = runs_at_its_own_pace(script) ? 1 : times_as_fast;
  settings.tick_hz = params.value("tick_hz", default_tick_hz);
  settings.places = params.value("max_players", 0);
  settings.arguments = arguments_for(params, kind, settings.speed, settings.tick_hz);
  // A world that is made in a moment is an overload, in which newcomers would be told to come
  // later.
  if (settings.speed == 1)
    settings.arguments.insert(settings.arguments.end(), {"--shed-load", "false"});
  return settings;
}

}  // namespace vicinity::cases
