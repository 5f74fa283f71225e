// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "client-sim/bot_area.h"
#include "client/arguments.h"

namespace vicinity::sim {
namespace {

void add_crew_options(CLI::App& app, const std::string& group, SwarmArguments& arguments) {
  SwarmOptions& swarm = arguments.options;
  const auto add = [&](const char* name, auto& target, const std::string& text) {
    return app.add_option(name, target, text)->capture_default_str()->group(group);
  };
  add("--bots", swarm.bots, "Number of bots")->check(CLI::Range(1, 60'000));
  add("--entities", swarm.entities, "Entities that walk about besides the bots")
      ->check(CLI::Range(0, 1'000'000));
  add("--scenario", arguments.scenario, "Where they go: " + scenario_names());
  add("--behaviours", arguments.behaviours,
      "What kinds of clients they are, NAME:WEIGHT,...: " + behaviour_names());
  add("--duration", arguments.duration, "Time after the last bot has joined: 500ms, 30s, 2m");
  add("--seed", swarm.seed, "Seed of all movement, behaviour and network");
  add("--connect-rate", swarm.connects_per_s, "Bots that join per second")
      ->check(CLI::Range(1, 100'000));
  add("--schedule", arguments.schedule,
      "closed: bots act when a frame comes; open: at times of their own, from which latencies "
      "count")
      ->check(CLI::IsMember({"open", "closed"}));
  add("--query-interval", arguments.query_interval, "Time between the queries of a bot; 0s: none");
  add("--net", arguments.net,
      "What becomes of their network: delay=80ms,jitter=20ms,bandwidth=256kbit,cut-every=30s");
  add("--net-share", swarm.conditions_share, "Part of the bots that --net is for")
      ->check(CLI::Range(0.0, 1.0));
}

void add_view_options(CLI::App& app, const std::string& group, SwarmArguments& arguments) {
  SwarmOptions& swarm = arguments.options;
  const auto add = [&](const char* name, auto& target, const std::string& text) {
    return app.add_option(name, target, text)->capture_default_str()->group(group);
  };
  add("--area-kind", arguments.area_kind, "Form of their areas: " + area_kind_names());
  add("--area-radius", swarm.enter_radius_m,
      "Distance at which others come into view, m; of other forms the half size or the range")
      ->check(CLI::Range(0.0, 1e6));
  add("--leave-radius", arguments.leave_radius_m,
      "Distance beyond which they leave it, m [1.1 times the area radius]")
      ->check(CLI::Range(0.0, 1.1e6));
  add("--spectator-radius", swarm.spectator_radius_m, "The area radius of spectators, m")
      ->check(CLI::Range(0.0, 1e6));
  add("--rings", arguments.rings,
      "How often others are updated, DISTANCE:TICKS,...: 20:1,50:2,100:5");
  add("--check", arguments.check,
      "truth: compare views with what one session sees that sees all; none: do not")
      ->check(CLI::IsMember({"truth", "none"}));
  add("--check-share", swarm.check_share, "Part of the bots whose views are compared")
      ->check(CLI::Range(0.0, 1.0));
  add("--allowed-delay", arguments.allowed_delay,
      "How late an enter or update may be while the server says that the stream is not well");
}

std::optional<std::string> read_times(SwarmArguments& arguments) {
  const auto read = [](const char* name, const std::string& text,
                       std::uint32_t& out) -> std::optional<std::string> {
    const auto time = client::parse_duration_ms(text);
    if (!time) return std::string(name) + ": " + time.error();
    out = time.value();
    return std::nullopt;
  };
  SwarmOptions& swarm = arguments.options;
  if (auto error = read("--duration", arguments.duration, swarm.duration_ms)) return error;
  if (auto error = read("--query-interval", arguments.query_interval, swarm.query_interval_ms))
    return error;
  return read("--allowed-delay", arguments.allowed_delay, swarm.allowed_delay_ms);
}

std::optional<std::string> read_areas(SwarmArguments& arguments) {
  SwarmOptions& swarm = arguments.options;
  const auto kind = parse_area_kind(arguments.area_kind);
  if (!kind) return "--area-kind: " + kind.error();
  swarm.area_kind = kind.value();
  if (arguments.rings) {
    const auto rings = parse_rings(*arguments.rings);
    if (!rings) return "--rings: " + rings.error();
    swarm.rings = rings.value();
  }
  swarm.leave_radius_m = arguments.leave_radius_m.value_or(1.1 * swarm.enter_radius_m);
  if (swarm.leave_radius_m < swarm.enter_radius_m)
    return "--leave-radius: must not be below --area-radius";
  return std::nullopt;
}

}  // namespace

void add_swarm_options(CLI::App& app, const std::string& group, SwarmArguments& arguments) {
  add_crew_options(app, group, arguments);
  add_view_options(app, group, arguments);
}

void add_output_options(CLI::App& app, const std::string& group, OutputArguments& arguments) {
  const auto add = [&](const char* name, auto& target, const std::string& text) {
    return app.add_option(name, target, text)->capture_default_str()->group(group);
  };
  add("--require", arguments.require,
      "What must hold, separated by commas: METRIC OP NUMBER[us|ms|s|kbit]; --list-metrics names "
      "the metrics");
  add("--report", arguments.report, "Form of the report: text, json, html")
      ->check(CLI::IsMember({"text", "json", "html"}));
  add("--out", arguments.out_file, "File for the report [standard output]");
  add("--baseline", arguments.baseline_file, "A report in JSON that this one is compared with");
}

std::optional<std::string> read_swarm_arguments(SwarmArguments& arguments) {
  SwarmOptions& swarm = arguments.options;
  const auto scenario = parse_scenario(arguments.scenario);
  if (!scenario)
    return fmt::format("--scenario: unknown scenario '{}'; known are {}", arguments.scenario,
                       scenario_names());
  swarm.scenario = *scenario;
  const auto behaviours = parse_behaviours(arguments.behaviours);
  if (!behaviours) return "--behaviours: " + behaviours.error();
  swarm.behaviours = behaviours.value();
  if (arguments.net) {
    const auto conditions = parse_net_conditions(*arguments.net);
    if (!conditions) return "--net: " + conditions.error();
    swarm.conditions = conditions.value();
  }
  swarm.is_open_loop = arguments.schedule == "open";
  swarm.checks = arguments.check == "truth" && swarm.check_share > 0;
  if (auto error = read_times(arguments)) return error;
  return read_areas(arguments);
}

std::optional<std::string> token_fault(std::size_t token_count, const SwarmOptions& options) {
  const std::size_t needed = options.bots + authorities_of(options);
  if (token_count == 0 || token_count >= needed) return std::nullopt;
  return fmt::format(
      "{} tokens, but {} sessions: {} bots behind the witness{}, each of its own subject; "
      "--token-file takes as many lines (vicinity-token mint --count {})",
      token_count, needed, options.bots,
      options.entities > 0 ? " and the session of the other entities" : "", needed);
}

ReportForm report_form_of(const std::string& form) {
  if (form == "json") return ReportForm::Json;
  return form == "html" ? ReportForm::Html : ReportForm::Text;
}

}  // namespace vicinity::sim
