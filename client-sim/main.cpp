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
#include <iterator>
#include <optional>
#include <string>

#include "client-sim/command_line.h"
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
      the report for a machine; --report html is a page with plots
  vicinity-bots merge a.json b.json --report html --out run.html
      adds up the reports of two processes
  vicinity-bots --bots 200 --behaviours 'normal:90,slow-reader:5,malformed:5' \
      --net 'delay=80ms,jitter=20ms' --net-share 0.2 --baseline run.json
      some clients are slow, some are hostile, a fifth of them far away
  vicinity-bots --bots 2000 --entities 50000 --check-share 0.05 --schedule open
      load; the views of every twentieth bot are compared with the truth
  vicinity-bots --replay walk.csv --columns t,id,x,y --half-size 0.3 --observe every:10 \
      --enter 5 --leave 6 --events events.csv
      feeds recorded movement to a server in manual tick mode

Tokens, where the server asks for them (token_keys): every session takes a line of --token-file,
each with a subject of its own. The first one is the witness's and must be an authority's, the
second one too with --entities; the bots take the others, of players or better. So 100 bots need
101 lines, or 102:
  vicinity-token mint --key keys/dev.hs256 --kid dev --subject bot --role authority --count 102

Exit codes: 0 all requirements held; 1 a requirement failed, or the run broke (server unreachable,
connection lost, views that could not be checked); 2 wrong usage.)";

/// The command line as written.
struct Arguments {
  std::string connect = "127.0.0.1:7420";
  client::AccessOptions access;
  SwarmArguments swarm;
  OutputArguments output;
  ReplayOptions replay;
  std::vector<std::string> merge_files;
};

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

std::optional<RunReport> read_report(const std::string& file, const char* option) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) {
    usage_error(fmt::format("{}: cannot read '{}'", option, file));
    return std::nullopt;
  }
  auto report = report_from_json(text);
  if (report) return std::move(report.value());
  usage_error(
      fmt::format("{}: '{}' is no report of this program: {}", option, file, report.error()));
  return std::nullopt;
}

/// What was asked of the report, read before the run: a mistake must not cost half an hour first.
struct Output {
  ReportForm form = ReportForm::Text;
  std::vector<Requirement> requirements;
  std::optional<RunReport> baseline;
  std::ofstream file;

  /// False when it was told what is wrong.
  bool open(const OutputArguments& arguments);
  /// Returns the exit code.
  int write(const RunReport& report);
};

bool Output::open(const OutputArguments& arguments) {
  form = report_form_of(arguments.report);
  if (arguments.require) {
    auto parsed = parse_requirements(*arguments.require);
    if (!parsed) {
      usage_error("--require: " + parsed.error());
      return false;
    }
    requirements = std::move(parsed.value());
  }
  if (arguments.baseline_file) {
    baseline = read_report(*arguments.baseline_file, "--baseline");
    if (!baseline) return false;
  }
  if (arguments.out_file.empty()) return true;
  file.open(arguments.out_file);
  if (!file) usage_error(fmt::format("--out: cannot write '{}'", arguments.out_file));
  return file.is_open();
}

int Output::write(const RunReport& report) {
  Judgement judgement{judge(requirements, report), {}};
  if (baseline) judgement.comparison = compare_reports(*baseline, report);
  const std::string text = form == ReportForm::Text   ? to_text(report, judgement)
                           : form == ReportForm::Json ? to_json(report, judgement)
                                                      : to_html(report, judgement);
  std::ostream& out = file.is_open() ? file : std::cout;
  out << text << std::flush;
  if (!out) {
    fmt::print(stderr, "vicinity-bots: the report could not be written\n");
    return 1;
  }
  // A text report on the terminal says all this itself.
  const bool told = form == ReportForm::Text && !file.is_open();
  for (const std::string& failure : report.failures)
    if (!told) fmt::print(stderr, "vicinity-bots: {}\n", failure);
  for (const Verdict& verdict : judgement.verdicts)
    if (!told && !verdict.held)
      fmt::print(stderr, "vicinity-bots: requirement failed: {} (is {})\n", verdict.requirement,
                 verdict.actual);
  return exit_code_of(report, judgement.verdicts);
}

int run_bots(Arguments& arguments) {
  if (const auto error = read_swarm_arguments(arguments.swarm)) return usage_error(*error);
  const SwarmOptions& swarm = arguments.swarm.options;
  if (const auto error = token_fault(swarm.access.token_count(), swarm)) return usage_error(*error);
  Output output;
  if (!output.open(arguments.output)) return exit_usage;
  raise_descriptor_limit();
  RunReport report;
  {
    ProgressPrinter printer(stderr);
    report = run_swarm(arguments.swarm.options, [&](const Progress& p) { printer.print(p); });
  }
  return output.write(report);
}

int run_merge(const Arguments& arguments) {
  std::optional<RunReport> merged;
  for (const std::string& file : arguments.merge_files) {
    auto report = read_report(file, "merge");
    if (!report) return exit_usage;
    if (merged)
      merge_report(*merged, *report);
    else
      merged = std::move(report);
  }
  Output output;
  if (!output.open(arguments.output)) return exit_usage;
  return output.write(*merged);
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "Load test for a Vicinity server: bots that move, look around and check every view "
      "they get against the truth; or a replay of recorded movement."};
  app.footer(examples);
  app.set_version_flag("--version", "vicinity-bots " VICINITY_FULL_VERSION);
  app.add_option("--connect", arguments.connect, "Server, host:port")->capture_default_str();
  arguments.access.add_to(app);
  bool lists_metrics = false;
  app.add_flag("--list-metrics", lists_metrics, "Names and meanings of all metrics, nothing else");
  const CLI::Option* replay = app.add_option("--replay", arguments.replay.movement_file,
                                             "Recorded movement (CSV) to feed instead of bots");
  add_swarm_options(app, bots_group, arguments.swarm);
  add_output_options(app, bots_group, arguments.output);
  add_replay_options(app, arguments);
  CLI::App* merge = app.add_subcommand(
      "merge", "Adds up the reports of several processes that ran at the same time");
  merge->add_option("FILE", arguments.merge_files, "Reports in JSON")->required();
  add_output_options(*merge, "Options", arguments.output);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  }
  if (lists_metrics) {
    fmt::print("{}", describe_metrics());
    return 0;
  }
  if (merge->parsed()) return run_merge(arguments);
  const auto endpoint = client::parse_endpoint(arguments.connect);
  if (!endpoint) return usage_error("--connect: " + endpoint.error());
  arguments.swarm.options.host = arguments.replay.host = endpoint.value().host;
  arguments.swarm.options.port = arguments.replay.port = endpoint.value().port;
  if (const auto fault = arguments.access.read()) return usage_error(*fault);
  arguments.swarm.options.access = arguments.replay.access = arguments.access;
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
