// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-bots: reads the command line and runs either a swarm of bots or a replay.
// Exit codes: 0 all held, 1 a requirement failed or the run broke, 2 wrong usage.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "client-sim/progress.h"
#include "client-sim/replay.h"
#include "client-sim/report.h"
#include "client-sim/requirement.h"
#include "client-sim/swarm.h"
#include "client/arguments.h"

namespace {

using namespace vicinity;
using namespace vicinity::sim;

constexpr int exit_usage = 2;
constexpr const char* bots_group = "Bots";
constexpr const char* replay_group = "Replay of recorded movement";

constexpr const char* examples = R"(Examples:
  vicinity-bots
      100 bots of the crowd scenario for 30 s against a server on this machine
  vicinity-bots --connect 10.0.0.5:7420 --bots 500 --scenario flash-mob --duration 2m \
      --require 'wrong_views==0,update_age_p99<150ms'
      ends with 1 if a view was wrong or updates came late
  vicinity-bots --report json --out run.json
      the report for a machine
  vicinity-bots --replay walk.csv --columns t,id,x,y --half-size 0.3 --observe every:10 \
      --enter 5 --leave 6 --events events.csv
      feeds recorded movement to a server in manual tick mode

Exit codes: 0 all requirements held; 1 a requirement failed, or the run broke (server unreachable,
connection lost, views that could not be checked); 2 wrong usage.)";

/// The command line as written. Texts are read by read_swarm.
struct Arguments {
  std::string connect = "127.0.0.1:7420";
  SwarmOptions swarm;
  std::string scenario = "crowd";
  std::string duration = "30s";
  std::optional<double> leave_radius_m;
  std::string query_interval = "2s";
  std::string report = "text";
  std::string out_file;
  std::optional<std::string> require;
  ReplayOptions replay;
};

void add_swarm_options(CLI::App& app, Arguments& arguments) {
  SwarmOptions& swarm = arguments.swarm;
  const auto add = [&](const char* name, auto& target, const std::string& text) {
    return app.add_option(name, target, text)->capture_default_str()->group(bots_group);
  };
  add("--bots", swarm.bots, "Number of bots")->check(CLI::Range(1, 60'000));
  add("--scenario", arguments.scenario, "What they do: " + scenario_names());
  add("--duration", arguments.duration, "Time after the last bot has joined: 500ms, 30s, 2m");
  add("--seed", swarm.seed, "Seed of all movement");
  add("--area-radius", swarm.enter_radius_m, "Distance at which others come into view, m")
      ->check(CLI::Range(0.0, 1e6));
  add("--leave-radius", arguments.leave_radius_m,
      "Distance beyond which they leave it, m [1.1 times the area radius]")
      ->check(CLI::Range(0.0, 1.1e6));
  add("--query-interval", arguments.query_interval, "Time between the queries of a bot; 0s: none");
  add("--connect-rate", swarm.connects_per_s, "Bots that join per second")
      ->check(CLI::Range(1, 100'000));
  add("--require", arguments.require,
      "What must hold, separated by commas: METRIC OP NUMBER[us|ms|s|kbit]");
  add("--report", arguments.report, "Form of the report: text, json")
      ->check(CLI::IsMember({"text", "json"}));
  add("--out", arguments.out_file, "File for the report [standard output]");
}

void add_replay_options(CLI::App& app, Arguments& arguments) {
  ReplayOptions& replay = arguments.replay;
  const auto add = [&](const char* name, auto& target, const std::string& text) {
    return app.add_option(name, target, text)->capture_default_str()->group(replay_group);
  };
  add("--columns", replay.columns, "Names of the columns: time,id,x,y[,z]");
  add("--half-size", replay.half_size_m, "Half size of every entity, m");
  add("--observe", replay.observe, "Ids with an area: every:N, all, ids:0,7 or none");
  add("--enter", replay.enter_m, "Distance at which others come into view, m");
  add("--leave", replay.leave_m, "Distance beyond which they leave it, m");
  add("--steps", replay.steps, "gap: a step per smallest gap; distinct: a step per distinct time");
  add("--statics", replay.statics_file, "File of boxes that do not move: id,x,y[,z],half");
  add("--events", replay.events_file, "File that is written: tick,kind,a,b");
}

/// An option of the group that is on the command line. (CLI11's own needs() and excludes() would
/// repeat themselves in every line of the help.)
std::optional<std::string> option_given(const CLI::App& app, const std::string& group) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_group() == group && option->count() > 0) return option->get_name();
  return std::nullopt;
}

/// An error is a sentence for the user.
std::optional<std::string> read_swarm(Arguments& arguments) {
  SwarmOptions& swarm = arguments.swarm;
  const auto scenario = parse_scenario(arguments.scenario);
  if (!scenario)
    return fmt::format("--scenario: unknown scenario '{}'; known are {}", arguments.scenario,
                       scenario_names());
  swarm.scenario = *scenario;
  const auto duration = client::parse_duration_ms(arguments.duration);
  if (!duration) return "--duration: " + duration.error();
  swarm.duration_ms = duration.value();
  const auto interval = client::parse_duration_ms(arguments.query_interval);
  if (!interval) return "--query-interval: " + interval.error();
  swarm.query_interval_ms = interval.value();
  swarm.leave_radius_m = arguments.leave_radius_m.value_or(1.1 * swarm.enter_radius_m);
  if (swarm.leave_radius_m < swarm.enter_radius_m)
    return "--leave-radius: must not be below --area-radius";
  return std::nullopt;
}

int usage_error(const std::string& text) {
  fmt::print(stderr, "vicinity-bots: {}\nTry --help.\n", text);
  return exit_usage;
}

/// A thousand bots need a thousand sockets; the usual soft limit is 1024 descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int run_bots(Arguments& arguments) {
  if (const auto error = read_swarm(arguments)) return usage_error(*error);
  std::vector<Requirement> requirements;
  if (arguments.require) {
    auto parsed = parse_requirements(*arguments.require);
    if (!parsed) return usage_error("--require: " + parsed.error());
    requirements = std::move(parsed.value());
  }
  // Opened before the run: a report that cannot be written must not cost half an hour first.
  std::ofstream file;
  if (!arguments.out_file.empty()) {
    file.open(arguments.out_file);
    if (!file) return usage_error(fmt::format("--out: cannot write '{}'", arguments.out_file));
  }
  raise_descriptor_limit();

  RunReport report;
  {
    ProgressPrinter printer(stderr);
    report = run_swarm(arguments.swarm, [&](const Progress& p) { printer.print(p); });
  }
  const std::vector<Verdict> verdicts = judge(requirements, report);
  const bool as_text = arguments.report == "text";
  const std::string text = as_text ? to_text(report, verdicts) : to_json(report, verdicts);
  std::ostream& out = file.is_open() ? file : std::cout;
  out << text << std::flush;
  if (!out) {
    fmt::print(stderr, "vicinity-bots: the report could not be written\n");
    return 1;
  }
  // A text report on the terminal says all this itself.
  const bool told = as_text && !file.is_open();
  for (const std::string& failure : report.failures)
    if (!told) fmt::print(stderr, "vicinity-bots: {}\n", failure);
  for (const Verdict& verdict : verdicts)
    if (!told && !verdict.held)
      fmt::print(stderr, "vicinity-bots: requirement failed: {} (is {})\n", verdict.requirement,
                 verdict.actual);
  return exit_code_of(report, verdicts);
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "Load test for a Vicinity server: bots that move, look around and check every view "
      "they get against the truth; or a replay of recorded movement."};
  app.footer(examples);
  app.set_version_flag("--version", "vicinity-bots " VICINITY_VERSION);
  app.add_option("--connect", arguments.connect, "Server, host:port")->capture_default_str();
  const CLI::Option* replay = app.add_option("--replay", arguments.replay.movement_file,
                                             "Recorded movement (CSV) to feed instead of bots");
  add_swarm_options(app, arguments);
  add_replay_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  }
  const auto endpoint = client::parse_endpoint(arguments.connect);
  if (!endpoint) return usage_error("--connect: " + endpoint.error());
  arguments.swarm.host = arguments.replay.host = endpoint.value().host;
  arguments.swarm.port = arguments.replay.port = endpoint.value().port;
  const bool replays = replay->count() > 0;
  if (const auto name = option_given(app, replays ? bots_group : replay_group))
    return usage_error(*name + (replays ? " does not go with --replay" : " needs --replay"));
  return replays ? run_replay(arguments.replay) : run_bots(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vicinity-bots: {}\n", error.what());
    return 1;
  }
}
