// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/narrow_command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/progress.h"

namespace vicinity::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> pair_names() {
  std::vector<std::string> names;
  for (const PairKinds kinds : all_pair_kinds()) names.push_back(name_of(kinds));
  return names;
}

double to_three_places(double value) { return std::round(value * 1e3) / 1e3; }

void print_json(const NarrowResult& result) {
  const Json line = {
      {"pair", result.pair},
      {"impl", result.tester},
      {"pairs", result.pairs},
      {"overlapping", to_three_places(result.overlapping_part)},
      {"pairs_per_s", std::llround(result.pairs_per_s)},
      {"ratio_to_best_peer",
       result.ratio_to_best_peer ? Json(to_three_places(*result.ratio_to_best_peer)) : Json()},
      {"band_m", result.band_m},
      {"verified", result.verified},
      {"disagreements", result.disagreements}};
  std::printf("%s\n", line.dump().c_str());
}

void print_json(const TickResult& result) {
  const Json line = {{"scene", result.scene},
                     {"n", result.count},
                     {"threads", result.threads},
                     {"boxes_p50_ms", to_three_places(result.boxes_p50_ms)},
                     {"shapes_p50_ms", to_three_places(result.shapes_p50_ms)},
                     {"ratio", to_three_places(result.shapes_p50_ms / result.boxes_p50_ms)},
                     {"boxes_contacts", std::llround(result.boxes_contacts)},
                     {"shapes_contacts", std::llround(result.shapes_contacts)},
                     {"boxes_begins", std::llround(result.boxes_begins)},
                     {"shapes_begins", std::llround(result.shapes_begins)},
                     {"verified", result.mismatch.empty()}};
  std::printf("%s\n", line.dump().c_str());
}

void print_table(const std::vector<NarrowResult>& results) {
  const NarrowResult& first = results.front();
  std::printf("\n%s, %u pairs, %.0f %% overlap\n", first.pair.c_str(), first.pairs,
              100 * first.overlapping_part);
  std::printf("  %-12s %14s %10s %8s %8s %9s %14s\n", "", "pairs per s", "ns each", "x best",
              "band mm", "compared", "disagreements");
  for (const NarrowResult& result : results) {
    std::printf("  %-12s %14.0f %10.1f ", result.tester.c_str(), result.pairs_per_s,
                1e9 / result.pairs_per_s);
    if (result.ratio_to_best_peer) {
      std::printf("%8.2f ", *result.ratio_to_best_peer);
    } else {
      std::printf("%8s ", "-");
    }
    std::printf("%8g %9u %14u\n", result.band_m * 1e3, result.verified, result.disagreements);
  }
}

void print_table(const std::vector<TickResult>& results) {
  std::printf("\nwhole tick of %s, %u entities\n", results.front().scene.c_str(),
              results.front().count);
  std::printf("  %-8s %13s %14s %7s %15s %15s %13s %13s\n", "threads", "boxes p50 ms",
              "shapes p50 ms", "ratio", "boxes contacts", "shapes contacts", "boxes begins",
              "shapes begins");
  for (const TickResult& result : results) {
    std::printf("  %-8d %13.3f %14.3f %7.2f %15.0f %15.0f %13.0f %13.0f\n", result.threads,
                result.boxes_p50_ms, result.shapes_p50_ms,
                result.shapes_p50_ms / result.boxes_p50_ms, result.boxes_contacts,
                result.shapes_contacts, result.boxes_begins, result.shapes_begins);
  }
}

bool run_pairs(const NarrowCommand& command, const NarrowOptions& options) {
  const std::vector<OverlapTesterInfo> testers = overlap_testers();
  bool is_right = true;
  for (const PairKinds kinds : all_pair_kinds()) {
    const std::string name = name_of(kinds);
    const bool is_wanted = command.pairs.empty() || std::ranges::count(command.pairs, name) > 0;
    if (!is_wanted) continue;
    set_progress_context(name);
    const std::vector<NarrowResult> results = measure_pairs(kinds, testers, options);
    if (!command.json) print_table(results);
    for (const NarrowResult& result : results) {
      if (command.json) print_json(result);
      if (result.is_right) continue;
      is_right = false;
      std::fprintf(stderr, "WRONG: vicinity and %s disagree on %u of %u pairs of %s\n",
                   result.tester.c_str(), result.disagreements, result.verified, name.c_str());
    }
    std::fflush(stdout);
  }
  return is_right;
}

bool run_scenes(const NarrowCommand& command, const TickOptions& options) {
  bool is_right = true;
  for (const std::string& scene : command.scenes.empty() ? tick_scenes() : command.scenes) {
    set_progress_context("whole tick of " + scene);
    const std::vector<TickResult> results = measure_ticks(scene, options);
    if (!command.json) print_table(results);
    for (const TickResult& result : results) {
      if (command.json) print_json(result);
      if (result.mismatch.empty()) continue;
      is_right = false;
      std::fprintf(stderr, "WRONG: whole tick of %s, %d threads: %s\n", scene.c_str(),
                   result.threads, result.mismatch.c_str());
    }
    std::fflush(stdout);
  }
  return is_right;
}

}  // namespace

void add_narrow_options(CLI::App& app, NarrowCommand& command) {
  app.add_option("--pair", command.pairs, "Combinations like sphere-box; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(pair_names()));
  app.add_option("--count", command.pair_options.pairs, "Pairs of a round (8192)")
      ->check(CLI::Range(16u, 1'000'000u));
  app.add_option("--scene", command.scenes, "Scenes of whole ticks; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(tick_scenes()));
  app.add_option("--n", command.tick_options.count, "Entities of a scene (100000)")
      ->check(CLI::Range(100u, 1'000'000u));
  app.add_option("--threads", command.tick_options.threads, "Workers of a tick (1,2)")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--rounds", command.rounds, "Rounds (5 for pairs, 3 for scenes)")
      ->check(CLI::Range(1u, 1'000u));
  app.add_option("--seed", command.pair_options.seed, "Seed of pairs and scenes (1)");
  app.add_flag("--json", command.json, "One JSON object per line instead of tables");
  app.add_flag("--smoke", command.smoke, "Everything, small: for what is right, not how fast");
}

int run_narrow(const NarrowCommand& command) {
  NarrowOptions of_pairs = command.pair_options;
  TickOptions of_ticks = command.tick_options;
  of_ticks.seed = of_pairs.seed;
  if (command.rounds > 0) of_pairs.rounds = of_ticks.rounds = command.rounds;
  if (command.smoke) {
    of_pairs.pairs = 500;
    of_pairs.round_ms = 1;
    of_pairs.rounds = of_ticks.rounds = 1;
    of_ticks.count = 1'000;
    of_ticks.warm_up_ticks = 2;
    of_ticks.ticks = 30;  // until bullets have left the world and come back
    of_ticks.audit = true;
  }
  bool is_right = true;
  const bool everything = command.pairs.empty() && command.scenes.empty();
  if (everything || !command.pairs.empty()) is_right = run_pairs(command, of_pairs);
  if (everything || !command.scenes.empty()) is_right = run_scenes(command, of_ticks) && is_right;
  if (!command.json && is_right) std::printf("\nEvery result was verified.\n");
  return is_right ? 0 : 1;
}

}  // namespace vicinity::bench
