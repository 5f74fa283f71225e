// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "base/limits.h"
#include "cases/world.h"
#include "client/blocking.h"
#include "support/server_process.h"

/// stop() of the server has failed the case; this tells the rest.
void vicinity::test::report_defects(const std::string& text) { std::cerr << text; }

namespace vicinity::cases {

namespace {

constexpr std::uint32_t answer_deadline_ms = 60'000;
/// Frames of one request that wait for us at once.
constexpr std::uint32_t ticks_per_step = 1000;
/// Longest that the server allows: no slot is used twice within a case.
constexpr std::uint32_t reuse_delay_ticks = limits::reuse_delay_ticks_max;

std::string describe(const Error& error) {
  return fmt::format("{}: {}", to_string(error.code), error.text);
}

std::vector<std::string> server_arguments(IndexKind kind, const WorldOptions& options) {
  return {"--tick-mode",
          "manual",
          "--index",
          std::string(to_string(kind)),
          "--row-size-m",
          fmt::format("{}", options.row_size_m),
          "--reuse-delay-ticks",
          std::to_string(reuse_delay_ticks),
          "--workers",
          "2",
          "--log-level",
          "warning"};
}

/// A server process and one authority session with it.
class TcpWorld final : public World {
 public:
  explicit TcpWorld(std::unique_ptr<test::ServerProcess> server) : server_(std::move(server)) {}

  std::string connect() {
    client::ConnectOptions options;
    options.port = server_->port();
    options.client_name = "vicinity-cases";
    options.role = Role::Authority;
    options.contacts = ContactScope::All;
    client_.set_timeout_ms(answer_deadline_ms);
    const auto welcome = client_.connect(options);
    return welcome.ok() ? std::string() : describe(welcome.error());
  }

  std::uint64_t next_sequence() const override { return client_.next_sequence(); }

  Result<TickSeen, std::string> run_tick(const std::vector<CommandBody>& commands) override {
    const std::uint64_t first_sequence = client_.next_sequence();
    const double started_ms = server_->process().cpu_ms();
    if (!commands.empty()) client_.send(commands);
    const auto step = client_.step(1);
    if (!step) return describe(step.error());
    TickSeen seen;
    seen.cpu_ms = server_->process().cpu_ms() - started_ms;
    seen.replies.resize(commands.size());
    if (std::string fault = read_outcomes(first_sequence, seen); !fault.empty()) return fault;
    const std::vector<client::TickFrame> frames = client_.take_frames();
    if (frames.size() != 1 || frames.front().tick != step.value().tick)
      return fmt::format("{} frames for one tick", frames.size());
    read_frame(frames.front(), seen);
    return seen;
  }

  std::string run_idle_ticks(std::uint32_t count,
                             const std::function<void(const TickSeen&)>& take) override {
    while (count > 0) {
      const std::uint32_t ticks = std::min(count, ticks_per_step);
      count -= ticks;
      const auto step = client_.step(ticks);
      if (!step) return describe(step.error());
      const std::vector<client::TickFrame> frames = client_.take_frames();
      if (frames.size() != ticks)
        return fmt::format("{} frames for {} ticks", frames.size(), ticks);
      for (const client::TickFrame& frame : frames) {
        TickSeen seen;
        read_frame(frame, seen);
        take(seen);
      }
    }
    return {};
  }

  Result<QuerySeen, std::string> ask(const Query& query) override {
    QuerySeen seen;
    const double started_ms = server_->process().cpu_ms();
    auto answer = client_.query(query);
    seen.cpu_ms = server_->process().cpu_ms() - started_ms;
    if (answer.ok()) {
      seen.answer = std::move(answer.value());
    } else if (answer.error().code != ErrorCode::None && client_.is_open()) {
      seen.code = answer.error().code;
    } else {
      return describe(answer.error());
    }
    return seen;
  }

  std::string stop() override {
    client_.close();
    return server_->stop();
  }

 private:
  /// Every command has exactly one outcome.
  std::string read_outcomes(std::uint64_t first_sequence, TickSeen& seen) {
    const std::vector<client::CommandOutcome> outcomes = client_.take_outcomes();
    if (outcomes.size() != seen.replies.size())
      return fmt::format("{} outcomes of {} commands", outcomes.size(), seen.replies.size());
    std::vector<bool> answered(outcomes.size(), false);
    for (const client::CommandOutcome& outcome : outcomes) {
      const std::uint64_t position = outcome.sequence - first_sequence;
      if (position >= seen.replies.size() || answered[position])
        return fmt::format("a surplus outcome of command {}", outcome.sequence);
      answered[position] = true;
      seen.replies[position] = {outcome.error.code, outcome.entity};
    }
    return {};
  }

  static void read_frame(const client::TickFrame& frame, TickSeen& seen) {
    seen.tick = frame.tick;
    for (const auto& end : frame.contact_ends) seen.ends.push_back({end.a, end.b});
    for (const auto& begin : frame.contact_begins)
      seen.begins.push_back({begin.a, begin.b, begin.toi});
    for (const auto& end : frame.contact_passed) seen.passed.push_back({end.a, end.b});
    for (const auto& leave : frame.leaves) seen.leaves.push_back({leave.observer, leave.id});
    for (const auto& enter : frame.enters) seen.enters.push_back({enter.observer, enter.id});
    for (const auto& change : frame.changed) seen.updates.push_back({change.observer, change.id});
    std::set<std::pair<ObserverId, EntityId>> moved;  // each once, however many parts of it
    const auto note = [&](const auto& list) {
      for (const auto& told : list) moved.insert({told.observer, told.id});
    };
    note(frame.moved);
    note(frame.turned);
    note(frame.velocities);
    note(frame.spins);
    note(frame.jumped);
    for (const auto& [observer, id] : moved) seen.updates.push_back({observer, id});
  }

  std::unique_ptr<test::ServerProcess> server_;
  client::BlockingClient client_;
};

}  // namespace

WorldFactory tcp_worlds(IndexKind kind, std::string server_path) {
  return [kind, server_path = std::move(server_path)](
             const WorldOptions& options) -> Result<std::unique_ptr<World>, std::string> {
    if (options.reuse_slots_at_once)
      return std::string("a server waits at least one tick before it uses a slot again");
    auto server = std::make_unique<test::ServerProcess>(server_arguments(kind, options),
                                                        test::Variables{}, server_path);
    if (server->port() == 0) return "the server did not start: " + server->standard_error();
    auto world = std::make_unique<TcpWorld>(std::move(server));
    if (std::string fault = world->connect(); !fault.empty()) return fault;
    return std::unique_ptr<World>(std::move(world));
  };
}

}  // namespace vicinity::cases
