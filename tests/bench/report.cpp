// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace vicinity::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Four significant digits or so; a line of sixteen would only look exact.
double rounded(double value) {
  const double scale = value < 10 ? 1e4 : value < 1000 ? 1e2 : 1;
  return std::round(value * scale) / scale;
}

Json to_json(const Result& result) {
  Json line = {{"impl", result.implementation},
               {"scene", result.scene},
               {"n", result.entities},
               {"threads", result.threads}};
  if (!result.skipped.empty()) {
    line["skipped"] = result.skipped;
    return line;
  }
  line["rounds"] = result.rounds;
  line["ticks"] = result.ticks;
  line["p50_ms"] = rounded(result.p50_ms);
  line["p99_ms"] = rounded(result.p99_ms);
  line["mean_ms"] = rounded(result.mean_ms);
  for (const StageResult& stage : result.stages)
    line["stage_ms"][std::string(stage.name)] = rounded(stage.p50_ms);
  line["candidates"] = std::llround(result.candidates);
  line["pairs"] = std::llround(result.pairs);
  line["begins"] = result.gives_events ? Json(std::llround(result.begins)) : Json();
  line["ends"] = result.gives_events ? Json(std::llround(result.ends)) : Json();
  line["bytes_per_entity"] = std::llround(result.bytes_per_entity);
  line["verified"] = result.mismatch.empty();
  line["ratio_to_best_peer"] =
      result.ratio_to_best_peer ? Json(rounded(*result.ratio_to_best_peer)) : Json();
  return line;
}

void print_row(const Result& result) {
  if (!result.skipped.empty()) {
    std::printf("  %-20s skipped: %s\n", result.implementation.c_str(), result.skipped.c_str());
    return;
  }
  std::printf("  %-20s %9.3f %9.3f %9.3f ", result.implementation.c_str(), result.p50_ms,
              result.p99_ms, result.mean_ms);
  if (result.ratio_to_best_peer) {
    std::printf("%7.2f ", *result.ratio_to_best_peer);
  } else {
    std::printf("%7s ", "-");
  }
  std::printf("%11.0f ", result.candidates);
  if (result.gives_events) {
    std::printf("%9.0f %9.0f ", result.begins, result.ends);
  } else {
    std::printf("%9s %9s ", "-", "-");
  }
  std::printf("%9.0f %6u  ", result.bytes_per_entity, result.ticks);
  for (const StageResult& stage : result.stages)
    std::printf("%.*s %.3f  ", static_cast<int>(stage.name.size()), stage.name.data(),
                stage.p50_ms);
  std::printf("%s\n", result.mismatch.empty() ? "" : ("WRONG: " + result.mismatch).c_str());
}

}  // namespace

void print_table(const std::vector<Result>& results) {
  CHECK(!results.empty());
  const Result& first = results.front();
  std::printf("\n%s, %u entities, %.0f pairs, %d thread%s\n", first.scene.c_str(), first.entities,
              first.pairs, first.threads, first.threads == 1 ? "" : "s");
  std::printf("  %-20s %9s %9s %9s %7s %11s %9s %9s %9s %6s  %s\n", "", "p50 ms", "p99 ms",
              "mean ms", "x best", "candidates", "begins", "ends", "B/entity", "ticks",
              "stages, ms");
  for (const Result& result : results) print_row(result);
  std::fflush(stdout);
}

void print_json(const std::vector<Result>& results) {
  for (const Result& result : results) std::printf("%s\n", to_json(result).dump().c_str());
  std::fflush(stdout);
}

void print_static_ratios(const std::vector<Result>& results, bool as_json) {
  bool is_first = true;
  for (const Result& with : results) {
    if (with.scene != "static_1m" || !with.skipped.empty()) continue;
    const auto alone = std::ranges::find_if(results, [&](const Result& other) {
      return other.scene == "moving_1k_alone" && other.implementation == with.implementation &&
             other.threads == with.threads && other.world_count == with.world_count &&
             other.skipped.empty();
    });
    if (alone == results.end()) continue;
    const double ratio = with.p50_ms / alone->p50_ms;
    if (as_json) {
      const Json line = {{"impl", with.implementation},
                         {"scene", "static_1m / moving_1k_alone"},
                         {"n", with.entities},
                         {"threads", with.threads},
                         {"ratio", rounded(ratio)}};
      std::printf("%s\n", line.dump().c_str());
    } else {
      if (is_first) std::printf("\nstatic_1m / moving_1k_alone\n");
      std::printf("  %-20s %u entities, threads: %d, ratio: %.2f\n", with.implementation.c_str(),
                  with.entities, with.threads, ratio);
    }
    is_first = false;
  }
  std::fflush(stdout);
}

}  // namespace vicinity::bench
