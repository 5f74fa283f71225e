// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/slow_reader_case.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>

#include "cases/values.h"
#include "e2e/wire_client.h"
#include "support/server_process.h"

namespace vicinity::cases {

namespace {

using test::WireClient;

const std::string tick_time = "p99 tick time";
const std::string latency = "p99 latency of g*";
const std::string tick_time_limit = "max(1.2*T0, T0+1 ms)";
const std::string latency_limit = "max(1.2*L0, L0+5 ms)";

/// The rate at which servers run by default.
constexpr std::size_t ticks_per_s = 20;
constexpr int attempts = 3;
constexpr int entity_count = 100;
constexpr double area_radius_m = 10'000;
constexpr int small_buffer_bytes = 4096;
constexpr std::size_t missed_part_max = 20;  ///< of the ticks of readers, on a machine that is busy

bool is_known(const Operation& operation) {
  const Json& fields = operation.fields;
  if (operation.name == "connect_many")
    return has_just(fields, {"prefix", "count", "behaviour"}) &&
           fields["behaviour"] == "read at once";
  if (operation.name == "run_for_s") return has_just(fields, {"s"});
  if (operation.name == "connect" || operation.name == "stall_read")
    return has_just(fields, {"client"});
  return operation.name == "fill_queue" && has_just(fields, {"client", "messages"});
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind == "note") return true;
  if (expectation.kind != "assert" || !has_just(expectation.value, {"metric", "cmp", "value"}))
    return false;
  const Json& value = expectation.value;
  return value["cmp"] == "<=" &&
         ((value["metric"] == tick_time && value["value"] == tick_time_limit) ||
          (value["metric"] == latency && value["value"] == latency_limit));
}

/// Milliseconds.
struct Measured {
  double tick = 0;
  double latency = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

class SlowReaderRun {
 public:
  explicit SlowReaderRun(test::ServerProcess& server) : server_(server) {}

  void run_step(const Step& step, CaseOutcome& outcome) {
    for (const Operation& operation : step.operations) run(operation);
    for (const Expectation& expectation : step.expectations)
      if (expectation.kind == "assert") check(expectation.value["metric"], outcome);
  }

 private:
  void run(const Operation& operation) {
    const Json& fields = operation.fields;
    if (operation.name == "connect_many") {
      spawn_entities();
      for (int i = fields["count"].get<int>(); i > 0; --i)
        connect(readers_.emplace_back(server_.port()));
    } else if (operation.name == "connect") {
      // Its buffers take little, so that the server's own queue has to.
      connect(stalled_.emplace_back(server_.port(), small_buffer_bytes));
    } else if (operation.name == "fill_queue") {
      for (std::uint64_t i = fields["messages"].get<std::uint64_t>(); i > 0; --i)
        if (!stalled_.back().send(test::ping_frame(i))) return;  // closed: that is allowed too
    } else if (operation.name == "run_for_s") {
      runs_.push_back(measure(static_cast<std::size_t>(number(fields["s"]) * ticks_per_s)));
    }
  }

  void connect(WireClient& client) {
    if (!client.join({proto::Role::Observer}) ||
        !client.send(test::commands_frame(1, {test::add_area(1, area_radius_m)})) ||
        !client.next_of<proto::CommandResults>())
      throw ScriptError("a client was not served");
  }

  /// They move all the time, so every tick has something to tell.
  void spawn_entities() {
    WireClient authority(server_.port());
    std::vector<test::MakeCommand> commands;
    for (int i = 0; i < entity_count; ++i) commands.push_back(test::spawn(i * 10.0, 0, 0, 1));
    if (!authority.join() || !authority.send(test::commands_frame(1, commands)) ||
        !authority.next_of<proto::CommandResults>())
      throw ScriptError("no entities");
  }

  // --- Measuring -------------------------------------------------------------------------------

  /// Reads the frame of the tick, all of its parts; says when the tick began. Nothing, and counted,
  /// when a later one came instead: a server that gets no processor leaves out ticks for some.
  std::optional<std::uint64_t> read_tick(WireClient& client, std::uint64_t tick) {
    std::uint64_t& told = told_[&client];
    while (told < tick) {
      const auto* frame = client.next_of<proto::Frame>();
      if (frame == nullptr) throw ScriptError("a reader was not served");
      if (!frame->last()) continue;
      told = frame->tick();
      if (told == tick) return frame->server_time_us();
    }
    ++missed_;
    return std::nullopt;
  }

  static std::uint64_t now_us() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

  /// Begins with a tick that nobody has been told of yet; everybody reads the same ticks.
  Measured measure(std::size_t ticks) {
    WireClient& asking = readers_.front();
    const auto* pong = asking.send(test::ping_frame(1)) ? asking.next_of<proto::Pong>() : nullptr;
    if (pong == nullptr) throw ScriptError("a reader was not served");
    const std::uint64_t begin = pong->tick() + 2;
    for (WireClient& reader : readers_) read_tick(reader, begin);
    missed_ = 0;
    std::vector<double> cpu_ms{server_.process().cpu_ms()};
    std::vector<double> latencies_ms;
    for (std::size_t i = 1; i <= ticks; ++i) {
      std::optional<std::uint64_t> began_us;
      for (WireClient& reader : readers_) began_us = read_tick(reader, begin + i);
      // The clocks differ by a constant.
      if (began_us) latencies_ms.push_back(static_cast<double>(now_us() - *began_us) * 1e-3);
      cpu_ms.push_back(server_.process().cpu_ms());
    }
    if (missed_ > ticks * readers_.size() / missed_part_max)
      throw ScriptError("readers were not told of " + std::to_string(missed_) + " ticks");
    std::vector<double> ticks_ms;
    for (std::size_t i = ticks_per_s; i < cpu_ms.size(); i += ticks_per_s)
      ticks_ms.push_back((cpu_ms[i] - cpu_ms[i - ticks_per_s]) / double{ticks_per_s});
    if (runs_.empty()) fastest_ms_ = *std::min_element(latencies_ms.begin(), latencies_ms.end());
    return {median(std::move(ticks_ms)), median(std::move(latencies_ms)) - fastest_ms_};
  }

  void check(const std::string& metric, CaseOutcome& outcome) {
    if (runs_.size() != 2) throw ScriptError("there are not two runs to compare");
    const bool ticks = metric == tick_time;
    const double before = ticks ? runs_[0].tick : runs_[0].latency;
    const double after = ticks ? runs_[1].tick : runs_[1].latency;
    const double limit = std::max(1.2 * before, before + (ticks ? 1.0 : 5.0));
    if (after > limit)
      outcome.differences.push_back(metric + ": expected <= " + std::to_string(limit) +
                                    " ms, got " + std::to_string(after));
  }

  test::ServerProcess& server_;
  std::deque<WireClient> readers_;
  std::deque<WireClient> stalled_;
  std::map<const WireClient*, std::uint64_t> told_;  ///< newest tick
  std::size_t missed_ = 0;                           ///< ticks of readers
  std::vector<Measured> runs_;
  double fastest_ms_ = 0;  ///< least of the first run: the difference of the clocks
};

CaseOutcome attempt(const Case& script, IndexKind kind, const std::string& server_path) {
  // Clients that never say anything stay longer than the case takes.
  test::ServerProcess server(
      {"--index", std::string(to_string(kind)), "--idle-timeout-ms", "600000"}, {}, server_path);
  if (server.port() == 0)
    return CaseOutcome{{"the server did not start: " + server.standard_error()}, {}};
  SlowReaderRun run(server);
  CaseOutcome outcome;
  try {
    outcome =
        run_steps(script, [&](const Step& step, CaseOutcome& added) { run.run_step(step, added); });
  } catch (const ScriptError& error) {  // a machine that stalls: it may do better in another run
    outcome.differences.emplace_back(error.what());
  }
  if (std::string fault = server.stop(); !fault.empty()) outcome.differences.push_back(fault);
  return outcome;
}

}  // namespace

SpecialRunner slow_reader_cases(IndexKind kind, std::string server_path) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "fill_queue") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [kind, server_path = std::move(server_path)](const Case& script) {
    CaseOutcome outcome = attempt(script, kind, server_path);
    for (int again = 1; again < attempts && !outcome.differences.empty(); ++again)
      outcome = attempt(script, kind, server_path);
    return outcome;
  };
  return runner;
}

}  // namespace vicinity::cases
