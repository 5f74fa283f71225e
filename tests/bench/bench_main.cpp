// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity_bench: what a tick costs, stage by stage, from a frozen snapshot to sorted unique pairs.
// Every tick's pairs are compared with an oracle outside the measured time; a result that is wrong
// does not count and ends the program with status 1. One line per result, `key=value` words:
//
//   scene=uniform index=rows n=10000 workers=1 ticks=20 seed=1 bounds_p50_us=... total_p99_us=...
//   pairs=... registrations=... hash=... verified=yes

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "bench/pair_oracle.h"
#include "bench/scene.h"
#include "bounds/bounds.h"
#include "index/index.h"
#include "pairs/pairs.h"

namespace vicinity::bench {
namespace {

struct Options {
  std::vector<std::string> scenes = scene_names();
  std::vector<std::string> indexes = {"rows"};
  std::uint32_t count = 10'000;
  std::uint32_t ticks = 20;
  int workers = 1;
  std::uint64_t seed = 1;
};

/// Durations of one stage over all ticks.
class Stage {
 public:
  template <class Function>
  void measure(const Function& function) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    samples_us_.push_back(took.count());
  }
  void add(const Stage& other) {
    samples_us_.resize(std::max(samples_us_.size(), other.samples_us_.size()));
    for (std::size_t i = 0; i < other.samples_us_.size(); ++i)
      samples_us_[i] += other.samples_us_[i];
  }
  double quantile_us(double q) const {
    std::vector<double> sorted = samples_us_;
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  }

 private:
  std::vector<double> samples_us_;
};

struct Result {
  Stage bounds, build, find, unique;
  std::uint64_t pairs = 0;  ///< sum over all ticks
  IndexStats stats;         ///< of the last tick
  std::uint64_t hash = 0;   ///< of the pairs of all ticks
  bool verified = true;
};

Result run(const std::string& scene_name, IndexKind kind, const Options& options) {
  Scene scene(scene_name, options.count, options.seed);
  Workers workers(options.workers);
  IndexSettings settings;
  settings.kind = kind;
  Result result;
  ContentHash hash;
  CandidatePairs candidates;
  for (std::uint32_t tick = 1; tick <= options.ticks; ++tick) {
    const std::shared_ptr<const Snapshot> snapshot = scene.advance();
    auto bounds = std::make_shared<Bounds>();
    std::shared_ptr<const Index> index;
    PairList pairs;
    result.bounds.measure([&] { compute_bounds(*snapshot, workers, *bounds); });
    result.build.measure([&] { index = build_index(settings, tick, snapshot, bounds, workers); });
    result.find.measure([&] { index->find_pairs(workers, candidates); });
    result.unique.measure([&] { unique_pairs(candidates, workers, pairs); });
    if (candidates.truncated || pairs != expected_pairs(*snapshot, *bounds))
      result.verified = false;
    for (const RowPair& pair : pairs) {
      hash.add(pair.a);
      hash.add(pair.b);
    }
    result.pairs += pairs.size();
    result.stats = index->stats();
  }
  result.hash = hash.digest();
  return result;
}

void print(const std::string& scene, const std::string& index, const Options& options,
           const Result& result) {
  Stage total;
  std::printf("scene=%s index=%s n=%u workers=%d ticks=%u seed=%" PRIu64, scene.c_str(),
              index.c_str(), options.count, options.workers, options.ticks, options.seed);
  const std::pair<const char*, const Stage*> stages[] = {{"bounds", &result.bounds},
                                                         {"build", &result.build},
                                                         {"find", &result.find},
                                                         {"unique", &result.unique}};
  for (const auto& [name, stage] : stages) {
    std::printf(" %s_p50_us=%.1f %s_p99_us=%.1f", name, stage->quantile_us(0.5), name,
                stage->quantile_us(0.99));
    total.add(*stage);
  }
  std::printf(" total_p50_us=%.1f total_p99_us=%.1f pairs=%" PRIu64 " registrations=%" PRIu64
              " huge=%" PRIu64 " hash=%016" PRIx64 " verified=%s\n",
              total.quantile_us(0.5), total.quantile_us(0.99), result.pairs,
              result.stats.registrations, result.stats.huge_entities, result.hash,
              result.verified ? "yes" : "NO");
  std::fflush(stdout);
}

int run_all(const Options& options) {
  bool all_verified = true;
  for (const std::string& scene : options.scenes) {
    for (const std::string& index : options.indexes) {
      const IndexKind kind = index == "rows" ? IndexKind::Rows : IndexKind::BruteForce;
      const Result result = run(scene, kind, options);
      print(scene, index, options, result);
      all_verified = all_verified && result.verified;
    }
  }
  return all_verified ? 0 : 1;
}

}  // namespace
}  // namespace vicinity::bench

int main(int argc, char** argv) {
  using namespace vicinity::bench;
  Options options;
  CLI::App app("Measures bounds, index and pairs on generated scenes; checks every result.");
  app.add_option("--scene", options.scenes, "Scenes; all of them by default")
      ->check(CLI::IsMember(scene_names()));
  app.add_option("--index", options.indexes, "Indexes: rows (default), brute_force")
      ->check(CLI::IsMember({"rows", "brute_force"}));
  app.add_option("--count", options.count, "Entities")->check(CLI::Range(1u, 4'000'000u));
  app.add_option("--ticks", options.ticks, "Ticks")->check(CLI::Range(1u, 100'000u));
  app.add_option("--workers", options.workers, "Threads; 0 = one per core")
      ->check(CLI::Range(0, 256));
  app.add_option("--seed", options.seed, "Seed of the scenes");
  CLI11_PARSE(app, argc, argv);
  return run_all(options);
}
