// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "replay/feed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace vicinity::replay {
namespace {

/// Entities that are made in one tick: what door 1 takes from a session, with room to spare.
constexpr std::size_t spawns_per_tick = 16'384;
/// The server answers within a tick; one that takes so long is not there.
constexpr auto patience = std::chrono::seconds(20);

bool failed(const Error& error) { return error.code != ErrorCode::None || !error.text.empty(); }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

std::uint64_t FeedCounts::refused_count() const {
  std::uint64_t sum = 0;
  for (const auto& [code, count] : refused) sum += count;
  return sum;
}

Feed::Feed(client::BlockingClient& session, const client::Welcome& welcome,
           const FeedOptions& options, double dt_s)
    : session_(session),
      welcome_(welcome),
      options_(options),
      dt_s_(dt_s),
      script_({options.with_areas, !welcome.manual_ticks}) {}

std::string Feed::objection() const {
  // Velocities are told once, so that other ticks would carry entities elsewhere.
  if (std::abs(dt_s_ * welcome_.tick_rate_hz - 1) > 1e-6) {
    return "the journal has " + number(1 / dt_s_) + " ticks per second and the server " +
           std::to_string(welcome_.tick_rate_hz) +
           "; start it with the tick_rate_hz of the journal";
  }
  if (!welcome_.manual_ticks && options_.speed != 1) {
    return "the server has ticks of its own time, so that nothing can be faster or slower; start "
           "it with --tick-mode manual for another speed";
  }
  return {};
}

Error Feed::lost() const {
  const auto& closed = session_.closed();
  if (closed) return {closed->code, "the server ended the session: " + closed->text};
  return {ErrorCode::Internal, "the server does not answer"};
}

Error Feed::collect() {
  session_.take_frames();  // what the areas see is told to nobody
  for (const client::CommandOutcome& outcome : session_.take_outcomes()) {
    --unanswered_;
    if (outcome.error.code != ErrorCode::None && script_.counts_when_refused(outcome.sequence))
      ++counts_.refused[outcome.error.code];
    script_.learn(outcome.sequence, outcome.error, outcome.entity);
  }
  return session_.is_open() ? Error{} : lost();
}

Error Feed::wait_for_answers() {
  const auto end = Clock::now() + patience;
  while (unanswered_ > 0) {
    if (Clock::now() >= end) return lost();
    session_.run_for(1);
    if (Error error = collect(); failed(error)) return error;
  }
  return {};
}

void Feed::send(const FeedScript::Commands& commands) {
  counts_.left_out = script_.left_out();
  if (commands.empty()) return;
  session_.send(commands);
  counts_.commands += commands.size();
  unanswered_ += commands.size();
}

/// The server's next tick: the one that it is asked for, or the time that one takes.
Error Feed::pass_tick() {
  const auto now = Clock::now();
  if (!due_) due_ = now;
  if (options_.speed > 0) {
    *due_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(dt_s_ / options_.speed));
  }
  if (welcome_.manual_ticks) {
    const auto step = session_.step();
    if (!step.ok()) return session_.is_open() ? step.error() : lost();
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - Clock::now());
  session_.run_for(static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 0)));
  return collect();
}

Error Feed::begin(const Simulation& world, const std::vector<SessionId>& sessions) {
  std::uint32_t slot = 0;
  for (;;) {
    const auto commands = script_.spawns(world, slot, spawns_per_tick, session_.next_sequence());
    if (commands.empty()) break;
    send(commands);
    if (welcome_.manual_ticks) {
      if (const auto step = session_.step(); !step.ok())
        return session_.is_open() ? step.error() : lost();
    }
    if (Error error = wait_for_answers(); failed(error)) return error;
  }
  // With the first tick, whose motion begins with it.
  first_ = script_.state(world, sessions, session_.next_sequence());
  return {};
}

Error Feed::take(const store::ReplayedTick& tick, const Simulation& world) {
  // Whom its commands name is known by the answers only.
  if (script_.has_unanswered_spawns()) {
    if (Error error = wait_for_answers(); failed(error)) return error;
  }
  FeedScript::Commands commands = std::exchange(first_, {});
  auto more = script_.tick(tick, world, session_.next_sequence() + commands.size());
  commands.insert(commands.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  send(commands);
  ++counts_.ticks;
  return pass_tick();
}

Error Feed::finish() {
  if (!first_.empty()) {  // no tick came
    send(std::exchange(first_, {}));
    if (Error error = pass_tick(); failed(error)) return error;
  }
  return wait_for_answers();
}

}  // namespace vicinity::replay
