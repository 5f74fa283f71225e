// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/live_words.h"

#include <algorithm>
#include <map>
#include <regex>

#include "cases/special_case.h"

namespace vicinity::cases {

const char* const dribble = "open, then send 1 byte of a valid hello every 5 s";
const char* const wrong_token = "full valid hello, wrong account token";
const char* const never_reads = "stall_read";

namespace {

struct MeasureWords {
  Measure measure;
  std::regex words;
};

const std::vector<MeasureWords>& measure_words() {
  static const std::vector<MeasureWords> all = {
      {Measure::AvatarsSeen, std::regex(R"(avatars of (\w+) seen by (\w+))")},
      {Measure::AvatarsSeenAtAnyTick, std::regex(R"(avatars of (\w+) seen by (\w+) at any tick)")},
      {Measure::AcceptedWithin, std::regex(R"((\w+) accepted within ms)")},
      {Measure::SessionsOf, std::regex(R"(sessions of (\w+))")},
      {Measure::KnownIds, std::regex(R"(ids known to (\w+)(?: after s)?)")},
      {Measure::KnownIds, std::regex(R"(entities known to (\w+) after join)")},
      {Measure::OldSocketsOpen,
       std::regex(R"((\w+)\* sockets still open that are older than (\d+) s)")},
      {Measure::MemoryPerSocket, std::regex("server memory per unauthenticated socket bytes")},
      {Measure::SlotsTaken, std::regex("player slots taken")},
      {Measure::TicksInTime, std::regex(R"(ticks in these (\d+) s)")},
      {Measure::IsConnected, std::regex(R"((\w+) still connected)")},
      {Measure::Disconnects, std::regex("disconnects")},
      {Measure::QueuedBytesOfOne, std::regex(R"(bytes queued for (\w+) in user space, max)")},
      {Measure::QueuedBytesOfOne, std::regex(R"(queued bytes for (\w+), max)")},
      {Measure::QueuedBytes, std::regex("total queued bytes")},
      {Measure::MemoryGrowth, std::regex(R"(RSS growth of the server in (\d+) s bytes)")},
      {Measure::ServerAlive, std::regex("server alive")},
      {Measure::IsClosed, std::regex(R"((\w+) closed)")},
      {Measure::UpdatesPerSecond, std::regex(R"(updates (\w+) receives per second at the end)")},
      {Measure::LargestMessage, std::regex("largest single message bytes")},
      {Measure::VerifyFailures, std::regex("client verify failures")},
  };
  return all;
}

bool has_only(const Json& object, const std::vector<std::string>& keys) {
  if (!object.is_object()) return false;
  for (const auto& [key, value] : object.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) return false;
  return true;
}

bool is_known_value(const Json& value) {
  return value.is_number() || value.is_boolean() || value == "10 s / tick, +-1" ||
         value == "tick rate of its rate class";
}

bool is_known_connect(const Json& fields) {
  return has_only(fields,
                  {"client", "account", "observer", "sees", "link", "update_bytes_per_tick"}) &&
         fields.contains("client") && (!fields.contains("sees") || fields["sees"] == "all") &&
         (!fields.contains("link") || parse_link(fields["link"].get<std::string>()));
}

}  // namespace

std::optional<MeasureOf> parse_measure(const std::string& metric) {
  for (const MeasureWords& each : measure_words()) {
    std::smatch match;
    if (!std::regex_match(metric, match, each.words)) continue;
    return MeasureOf{each.measure, {std::next(match.begin()), match.end()}};
  }
  return std::nullopt;
}

std::optional<LinkOptions> parse_link(const std::string& text) {
  std::smatch match;
  if (!std::regex_match(text, match, std::regex(R"(([\d.]+) Mbit/s, (\d+) ms RTT)")))
    return std::nullopt;
  LinkOptions link;
  link.bytes_per_s = std::stod(match[1]) * 1e6 / 8;
  link.delay = std::chrono::milliseconds(std::stol(match[2]));
  // What the system keeps for the reader is as if it had arrived.
  link.receive_buffer_bytes = 64 * 1024;
  return link;
}

std::optional<ErrorCode> close_code_of(const std::string& reason) {
  if (reason == "replaced") return ErrorCode::TakenOver;
  if (reason == "timeout") return ErrorCode::IdleTimeout;
  if (reason == "slow_consumer") return ErrorCode::SlowConsumer;
  return std::nullopt;
}

bool is_live_operation(const Operation& operation) {
  const Json& fields = operation.fields;
  if (operation.name == "param")
    return has_only(fields, {"tick_hz", "queue_limit_bytes", "sndbuf_bytes", "max_players",
                             "handshake_deadline_s"});
  if (operation.name == "connect") return is_known_connect(fields);
  if (operation.name == "connect_many")
    return has_just(fields, {"prefix", "count", "behaviour"}) &&
           (fields["behaviour"] == dribble || fields["behaviour"] == wrong_token ||
            fields["behaviour"] == never_reads);
  if (operation.name == "cut")
    return has_just(fields, {"client", "how"}) && fields["how"] == "silent";
  if (operation.name == "kick" || operation.name == "stall_read")
    return has_just(fields, {"client"});
  if (operation.name == "wait_ms") return has_just(fields, {"ms"});
  if (operation.name == "run_for_s" || operation.name == "wall_clock_jump_s")
    return has_just(fields, {"s"});
  if (operation.name == "spawn_many")
    return has_just(fields, {"prefix", "count", "min", "max", "step"});
  return operation.name == "despawn" && has_just(fields, {"id"});
}

bool is_live_expectation(const Expectation& expectation) {
  const Json& value = expectation.value;
  if (expectation.kind == "note") return true;
  if (expectation.kind == "deliver")
    return has_only(value, {"client", "type", "count", "full_state"}) &&
           value.value("type", "") == "enter";
  if (expectation.kind == "closed")
    return has_just(value, {"client", "reason", "within_ms"}) &&
           close_code_of(value["reason"].get<std::string>());
  return expectation.kind == "assert" && has_only(value, {"metric", "cmp", "value", "within_ms"}) &&
         parse_measure(value.value("metric", "")) && value.contains("cmp") &&
         is_known_value(value["value"]);
}

}  // namespace vicinity::cases
