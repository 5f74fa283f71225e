// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/tick_driver.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "base/thread_name.h"
#include "tick/tick_clock.h"

namespace vicinity::app {
namespace {

using namespace std::chrono_literals;

constexpr auto warning_interval = 1s;
constexpr auto summary_interval = 60s;
constexpr std::chrono::milliseconds reader_patience(limits::reader_patience_ms);
constexpr auto reader_poll = 1ms;

std::uint64_t microseconds(ServerClock::Clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count()) / 1000;
}

}  // namespace

TickDriver::TickDriver(const TickDriverSettings& settings, const TickDriverParts& parts)
    : settings_(settings),
      parts_(parts),
      sender_(settings.sender, parts.sessions),
      governor_(settings.tick_rate_hz),
      overrun_warnings_(warning_interval),
      truncation_warnings_(warning_interval),
      view_warnings_(warning_interval),
      audit_warnings_(warning_interval),
      shedding_warnings_(warning_interval),
      next_summary_(ServerClock::Clock::now() + summary_interval) {
  last_tick_ = parts_.simulation.frame()->tick;
}

TickDriver::~TickDriver() { stop(); }

void TickDriver::start(std::function<void()> on_failure) {
  CHECK(!thread_.joinable());
  thread_ = std::thread([this, failed = std::move(on_failure)] {
    name_thread("tick");
    try {
      settings_.mode == wire::TickMode::Timer ? run_by_clock() : run_by_request();
    } catch (const std::exception& error) {
      has_failed_ = true;
      parts_.log.error("the tick failed",
                       {{"tick", begun_tick_}, {"reason", std::string_view(error.what())}});
      failed();
    }
  });
}

void TickDriver::begin_with(const std::vector<store::SessionRecord>& sessions) {
  CHECK(!thread_.joinable());
  std::vector<SessionOutput> parts;
  for (const store::SessionRecord& session : sessions) {
    SessionOutput part;
    part.session = session.id;
    part.view_number = session.view_number;
    parts.push_back(std::move(part));
  }
  sender_.begin_with(parts_.simulation, parts, parts_.clock.now_us());
}

void TickDriver::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

ErrorCode TickDriver::request_step(SessionId session, std::uint64_t sequence, std::uint32_t count) {
  CHECK(settings_.mode == wire::TickMode::Manual);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return ErrorCode::ServerStopping;
    if (steps_.size() >= limits::waiting_steps_max) return ErrorCode::QueueFull;
    steps_.push_back({session, sequence, count});
  }
  wake_.notify_all();
  return ErrorCode::None;
}

ErrorCode TickDriver::ask_view(ViewQuestion question) {
  {
    const std::lock_guard lock(mutex_);  // so that no wait in between misses it
    const ErrorCode code = view_questions_.push(std::move(question));
    if (code != ErrorCode::None) return code;
  }
  if (settings_.mode == wire::TickMode::Manual) wake_.notify_all();
  return ErrorCode::None;
}

bool TickDriver::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

/// False when the server stops.
bool TickDriver::sleep_until(ServerClock::Clock::time_point moment) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_until(lock, moment, [this] { return stopping_; });
}

void TickDriver::run_by_clock() {
  TickClock schedule(parts_.clock.now_ns(), settings_.tick_rate_hz);
  while (sleep_until(parts_.clock.moment(schedule.next_deadline_ns()))) {
    const TickDecision decision = schedule.take(parts_.clock.now_ns());
    if (decision.skipped > 0) {
      times_.skipped += decision.skipped;
      const auto verdict = overrun_warnings_.pass(ServerClock::Clock::now());
      if (verdict.allowed) {
        parts_.log.warning("ticks were skipped: they take too long, or the machine is busy",
                           {{"tick", last_tick_},
                            {"skipped", decision.skipped},
                            {"skipped_total", times_.skipped},
                            {"slowest_tick_us", slowest_tick_us_}});
      }
    }
    if (decision.run) run_one_tick(decision.skipped);
  }
  // What has come since, ends of sessions above all, may have been told.
  if (parts_.journal != nullptr && parts_.commands.size() > 0) run_one_tick(0);
}

void TickDriver::run_by_request() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stopping_ || !steps_.empty() || !view_questions_.empty(); });
    if (steps_.empty()) {
      if (stopping_) return;
      lock.unlock();
      view_questions_.answer(parts_.simulation, sender_.streams());
      continue;
    }
    const StepRequest request = steps_.front();
    steps_.pop_front();
    lock.unlock();
    run_step(request);
  }
}

void TickDriver::run_step(const StepRequest& request) {
  for (std::uint32_t i = 0; i < request.count; ++i) {
    const auto session = parts_.sessions.find(request.session);
    if (!session || !session->connection()) return;  // nobody waits for the rest
    if (stopping()) {
      return answer_step(request,
                         {ErrorCode::ServerStopping, "the server stops; not all ticks ran"});
    }
    wait_for_readers();
    run_one_tick(0);
  }
  answer_step(request, {});
}

void TickDriver::answer_step(const StepRequest& request, const Error& error) {
  const auto session = parts_.sessions.find(request.session);
  const auto connection = session ? session->connection() : nullptr;
  if (!connection) return;
  std::vector<std::uint8_t> answer;
  wire::encode_step_done(request.sequence, last_tick_, last_hash_, error, answer);
  connection->send(answer);
}

/// Without a clock nothing but the readers themselves says how fast ticks may follow each other:
/// stepping at full speed would drown every client, however fast. So the next tick waits until all
/// have room; who does not read at all is closed and holds up nobody again.
void TickDriver::wait_for_readers() {
  const auto patience_ends = ServerClock::Clock::now() + reader_patience;
  const auto has_room = [](const net::Connection& connection) {
    return connection.closing() || connection.wants_frame();
  };
  for (const auto& session : parts_.sessions.all()) {
    const auto connection = session->connection();
    if (!connection) continue;
    while (!has_room(*connection) && ServerClock::Clock::now() < patience_ends) {
      if (!sleep_until(ServerClock::Clock::now() + reader_poll)) return;
    }
    if (has_room(*connection)) continue;
    connection->close(
        {ErrorCode::SlowConsumer, std::string(wire::describe(ErrorCode::SlowConsumer))});
  }
}

/// Nobody hears of the tick before the journal has it, as far as the settings promise that.
TickOutput TickDriver::run_commands(std::vector<Command> drained) {
  if (parts_.journal == nullptr) return parts_.simulation.run_tick(drained);
  const auto commands = parts_.journal->begin(last_tick_ + 1, std::move(drained));
  TickOutput output = parts_.simulation.run_tick(*commands);
  parts_.journal->end(output.report);
  return output;
}

void TickDriver::run_one_tick(std::uint64_t skipped) {
  begun_tick_ = last_tick_ + 1;
  const ServerClock::Clock::time_point begin = ServerClock::Clock::now();
  const std::uint64_t begin_us = parts_.clock.now_us();
  const std::uint64_t commands_waiting = parts_.telemetry ? parts_.commands.size() : 0;
  if (parts_.telemetry) parts_.telemetry->begin_tick(last_tick_ + 1);
  parts_.sessions.sweep(SessionRegistry::Clock::now());
  TickOutput output = run_commands(parts_.commands.drain());
  last_tick_ = output.report.tick;
  last_hash_ = output.report.hash;
  if (parts_.memory != nullptr) parts_.memory->note_tick(output.report.slots_reusable);
  if (settings_.sender.on_stage) settings_.sender.on_stage(TickStage::PublishFrame);
  parts_.frames.publish(output.frame);
  const auto computed = ServerClock::Clock::now();
  sender_.send(parts_.simulation, output, begin_us, begin, shedding());
  view_questions_.answer(parts_.simulation, sender_.streams());
  if (parts_.journal != nullptr) parts_.journal->settle(parts_.simulation, output.report);
  const auto end = ServerClock::Clock::now();
  const auto busy = end - begin;
  ++times_.ticks;
  times_.compute_us += microseconds(computed - begin);
  times_.send_us += microseconds(end - computed);
  govern(std::chrono::nanoseconds(busy).count(), skipped);
  measure(output.report, skipped, commands_waiting);
  report(output.report, microseconds(busy));
}

void TickDriver::measure(const TickReport& report, std::uint64_t skipped,
                         std::uint64_t commands_waiting) {
  if (parts_.telemetry == nullptr) return;
  const FrameSenderStats& sent = sender_.stats();
  admin::TickFacts facts;
  facts.skipped = skipped;
  facts.commands_waiting = commands_waiting;
  facts.shedding = shedding();
  facts.sessions_waiting = sent.waiting;
  facts.sessions_not_well = sent.degraded;
  facts.outboxes_bytes = sent.outboxes_bytes;
  facts.frames = sent.frames;
  facts.frame_bytes = sent.bytes;
  facts.evicted = sent.evicted;
  parts_.telemetry->end_tick(report, facts);
}

/// What is left out from the next tick on.
void TickDriver::govern(std::int64_t busy_ns, std::uint64_t skipped) {
  if (!settings_.shed_load || settings_.mode != wire::TickMode::Timer) return;
  const Shedding before = shedding();
  const Shedding now = governor_.note(busy_ns, skipped);
  if (now == before) return;
  shedding_.store(now, std::memory_order_relaxed);
  const auto verdict = shedding_warnings_.pass(ServerClock::Clock::now());
  if (!verdict.allowed) return;
  parts_.log.warning(now > before ? "overload: more is left out" : "overload: less is left out",
                     {{"tick", last_tick_}, {"shedding", to_string(now)}});
}

void TickDriver::report(const TickReport& report, std::uint64_t duration_us) {
  slowest_tick_us_ = std::max(slowest_tick_us_, duration_us);
  audited_count_ += report.audit.entities;
  audit_skipped_count_ += report.audit.skipped;
  const auto now = ServerClock::Clock::now();
  if (report.pairs_truncated) {
    const auto verdict = truncation_warnings_.pass(now);
    if (verdict.allowed) {
      parts_.log.warning("more candidate pairs than the budget; a fixed subset is kept",
                         {{"tick", report.tick}, {"candidate_pairs", report.candidate_pairs}});
    }
  }
  if (report.views_truncated > 0 && view_warnings_.pass(now).allowed) {
    parts_.log.warning("views were cut short: a session looks at more than its budget",
                       {{"tick", report.tick}, {"views", std::uint64_t{report.views_truncated}}});
  }
  if (report.audit.first && audit_warnings_.pass(now).allowed) {
    const AuditMiss& miss = *report.audit.first;
    parts_.log.error("the audit found what the index missed", {{"tick", report.tick},
                                                               {"misses", report.audit.misses},
                                                               {"a", miss.a.raw()},
                                                               {"b", miss.b.raw()},
                                                               {"cause", to_string(miss.cause)}});
  }
  report_plan(report);
  if (now < next_summary_) return;
  next_summary_ = now + summary_interval;
  parts_.log.info("summary", {{"tick", report.tick},
                              {"sessions", report.sessions},
                              {"entities", report.entities},
                              {"contacts", report.contacts},
                              {"visible", report.visible},
                              {"frames", sender_.stats().frames},
                              {"frame_bytes", sender_.stats().bytes},
                              {"sessions_waiting", sender_.stats().waiting},
                              {"sessions_not_well", sender_.stats().degraded},
                              {"evicted", sender_.stats().evicted},
                              {"shedding", to_string(shedding())},
                              {"slowest_tick_us", slowest_tick_us_},
                              {"skipped_total", times_.skipped}});
  slowest_tick_us_ = 0;
}

/// What the index chose, whenever it chooses anew, and why.
void TickDriver::report_plan(const TickReport& report) {
  if (report.index.plan_version == plan_version_) return;
  plan_version_ = report.index.plan_version;
  parts_.log.info("index planned",
                  {{"tick", report.tick},
                   {"chosen", to_string(report.index.chosen)},
                   {"reason", to_string(report.index.reason)},
                   {"levels", report.index.levels},
                   {"row_size_m", report.index.row_size_m},
                   {"along_axis", std::string_view("xyz").substr(
                                      static_cast<std::size_t>(report.index.along_axis), 1)},
                   {"rows_ns", report.index.expected_rows_ns},
                   {"sweep_ns", report.index.expected_sweep_ns},
                   {"clumping", report.index.clumping}});
}

}  // namespace vicinity::app
