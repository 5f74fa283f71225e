// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/interest_command.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "bench/interest_rival.h"
#include "bench/statistics.h"

namespace vicinity::bench {
namespace {

using Json = nlohmann::ordered_json;

struct InterestResult {
  std::string scene;
  std::uint32_t entities = 0;
  std::uint32_t observers = 0;
  int threads = 0;
  std::string implementation;
  std::size_t ticks = 0;
  double visible = 0;       ///< per observer
  double build_p50_us = 0;  ///< ours builds within look()
  double look_ns_p50 = 0;   ///< per observer and visible entity
  double look_ns_p99 = 0;
  double total_ns = 0;     ///< mean of build and look, the same unit
  std::uint64_t hash = 0;  ///< of the news of the first ticks, which all have measured
  std::string mismatch;
  struct Step {
    std::string name;
    double p50_us = 0;
    double mean_us = 0;
  };
  std::vector<Step> steps;  ///< of ours, in their order
};

std::vector<InterestRivalInfo> all_rivals() {
  std::vector<InterestRivalInfo> out = {make_vicinity_interest(), make_brute_interest(),
                                        make_boost_interest()};
#if defined(VICINITY_BENCH_EMBREE)
  out.push_back(make_embree_interest());
#endif
  return out;
}

std::vector<std::string> rival_names() {
  std::vector<std::string> out;
  for (const InterestRivalInfo& info : all_rivals()) out.push_back(info.name);
  return out;
}

std::uint64_t hash_of(const std::vector<News>& news) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0xBF58476D1CE4E5B9ull;
    hash ^= hash >> 29;
  };
  for (const News& of_one : news) {
    add(of_one.enters.size());
    for (const std::uint32_t slot : of_one.enters) add(slot);
    add(of_one.leaves.size());
    for (const std::uint32_t slot : of_one.leaves) add(slot);
  }
  return hash;
}

/// Hashes of the news of every tick, by the plainest rule: everybody against everybody.
class Truth {
 public:
  Truth(const InterestResult& what, std::uint64_t seed)
      : scene_(what.scene, what.entities, what.observers, seed),
        brute_(make_brute_interest().make(scene_, 2)) {}
  /// Ticks are counted from 0.
  std::uint64_t of(std::size_t tick) {
    while (hashes_.size() <= tick) {
      scene_.step();
      brute_->build(scene_);
      brute_->look(scene_);
      hashes_.push_back(hash_of(brute_->news()));
    }
    return hashes_[tick];
  }

 private:
  WalkScene scene_;
  std::unique_ptr<InterestRival> brute_;
  std::vector<std::uint64_t> hashes_;
};

/// `by_tick`: the same steps in every tick.
std::vector<InterestResult::Step> sum_up(const std::vector<std::vector<InterestStep>>& by_tick) {
  std::vector<InterestResult::Step> out;
  for (std::size_t i = 0; i < by_tick.front().size(); ++i) {
    std::vector<double> took_us;
    double sum_us = 0;
    for (const auto& steps : by_tick) {
      took_us.push_back(steps[i].took_us);
      sum_us += steps[i].took_us;
    }
    const auto count = static_cast<double>(by_tick.size());
    out.push_back({by_tick.front()[i].name, percentile(took_us, 0.5), sum_us / count});
  }
  return out;
}

InterestResult measure(const InterestRivalInfo& info, InterestResult result,
                       const InterestCommand& command, Truth& truth) {
  WalkScene scene(result.scene, result.entities, result.observers, command.seed);
  const auto rival = info.make(scene, result.threads);
  std::vector<double> build_us, look_ns;
  std::vector<std::vector<InterestStep>> steps;
  double spent_us = 0;
  double total_us = 0, looked = 0;
  for (std::size_t tick = 0; tick < command.warm_up_ticks + command.ticks; ++tick) {
    scene.step();
    const double begin_us = interest_now_us(result.threads);
    rival->build(scene);
    const double middle_us = interest_now_us(result.threads);
    rival->look(scene);
    const double end_us = interest_now_us(result.threads);
    if (command.verifies) {
      if (hash_of(rival->news()) != truth.of(tick) && result.mismatch.empty())
        result.mismatch = "other news than by brute force in tick " + std::to_string(tick + 1);
      result.hash = tick == 0 ? truth.of(0) : result.hash;
    }
    spent_us += end_us - begin_us;
    if (tick < command.warm_up_ticks) continue;
    const double built_us = middle_us - begin_us;
    const double look_us = end_us - middle_us;
    const auto visible = static_cast<double>(rival->visible_count());
    build_us.push_back(built_us);
    steps.push_back(rival->steps());
    look_ns.push_back(look_us * 1e3 / visible);
    total_us += built_us + look_us;
    looked += visible;
    result.visible = visible / result.observers;
    if (spent_us > command.budget_s * 1e6 && look_ns.size() >= 3) break;
  }
  result.implementation = info.name;
  result.ticks = look_ns.size();
  result.steps = sum_up(steps);
  result.build_p50_us = percentile(build_us, 0.5);
  result.look_ns_p50 = percentile(look_ns, 0.5);
  result.look_ns_p99 = percentile(look_ns, 0.99);
  result.total_ns = total_us * 1e3 / looked;
  return result;
}

void print(const InterestResult& result, double ours_ns, const InterestCommand& command) {
  const bool verifies = command.verifies;
  const double ratio = result.total_ns / ours_ns;
  if (command.json) {
    Json line = {{"scene", result.scene},
                 {"n", result.entities},
                 {"observers", result.observers},
                 {"threads", result.threads},
                 {"impl", result.implementation},
                 {"ticks", result.ticks},
                 {"visible", result.visible},
                 {"build_p50_us", result.build_p50_us},
                 {"look_p50_ns", result.look_ns_p50},
                 {"look_p99_ns", result.look_ns_p99},
                 {"total_ns", result.total_ns},
                 {"times_ours", ratio},
                 {"hash", result.hash},
                 {"verified", verifies && result.mismatch.empty()}};
    for (const InterestResult::Step& step : result.steps)
      line["steps"][step.name] = {{"p50_us", step.p50_us}, {"mean_us", step.mean_us}};
    std::printf("%s\n", line.dump().c_str());
  } else {
    std::printf("  %-5s %7u %6u %2d  %-9s %6.1f %10.0f %9.2f %9.2f %9.2f %8.1f  %016llx %s\n",
                result.scene.c_str(), result.entities, result.observers, result.threads,
                result.implementation.c_str(), result.visible, result.build_p50_us,
                result.look_ns_p50, result.look_ns_p99, result.total_ns, ratio,
                static_cast<unsigned long long>(result.hash),
                !verifies                 ? "-"
                : result.mismatch.empty() ? "verified"
                                          : result.mismatch.c_str());
    for (const InterestResult::Step& step : result.steps)
      std::printf("    %-8s p50 %8.1f us  mean %8.1f us\n", step.name.c_str(), step.p50_us,
                  step.mean_us);
  }
  std::fflush(stdout);
}

bool run_all(const InterestResult& what, const InterestCommand& command) {
  Truth truth(what, command.seed);
  bool is_right = true;
  double ours_ns = 0;
  for (const InterestRivalInfo& info : all_rivals()) {
    const bool is_wanted = command.implementations.empty() ||
                           std::ranges::count(command.implementations, info.name) > 0;
    if (!is_wanted) continue;
    const InterestResult result = measure(info, what, command, truth);
    if (ours_ns == 0) ours_ns = result.total_ns;
    print(result, ours_ns, command);
    is_right = is_right && result.mismatch.empty();
  }
  return is_right;
}

}  // namespace

double interest_now_us(int threads) {
  timespec now = {};
  CHECK(clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

void add_interest_options(CLI::App& app, InterestCommand& command) {
  app.add_option("--scene", command.scenes, "Scenes (walk,hot,rest)")
      ->delimiter(',')
      ->check(CLI::IsMember({"walk", "hot", "rest"}));
  app.add_option("--n", command.counts, "Entities (50000,100000)")
      ->delimiter(',')
      ->check(CLI::Range(1u, 4'000'000u));
  app.add_option("--observers", command.observers, "Observers (1000,10000)")
      ->delimiter(',')
      ->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--threads", command.threads, "Threads (1,2)")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--impl", command.implementations, "Implementations; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(rival_names()));
  app.add_option("--ticks", command.ticks, "Measured ticks (120)")->check(CLI::Range(1u, 100'000u));
  app.add_option("--warm-up", command.warm_up_ticks, "Ticks before those (15)");
  app.add_option("--budget", command.budget_s, "Seconds per implementation (4)")
      ->check(CLI::Range(0.01, 1e6));
  app.add_option("--seed", command.seed, "Seed of the scenes (1)");
  app.add_flag("--json", command.json, "One JSON object per line instead of a table");
  app.add_flag("!--unverified", command.verifies, "Do not compare with brute force");
  app.add_flag("--smoke", command.smoke, "Small: for what is right, not how fast");
}

int run_interest(InterestCommand& command) {
  if (command.smoke) {
    command.counts = {2'000};
    command.observers = {50};
    command.ticks = 60;
    command.budget_s = 1;
  }
  if (!command.json)
    std::printf("  %-5s %7s %6s %2s  %-9s %6s %10s %9s %9s %9s %8s  %s\n", "scene", "n", "obs", "t",
                "", "seen", "build us", "look ns", "p99 ns", "total ns", "x ours",
                "(ns per observer and entity in view)");
  bool is_right = true;
  for (const std::string& scene : command.scenes)
    for (const std::uint32_t count : command.counts)
      for (const std::uint32_t observers : command.observers)
        for (const int threads : command.threads) {
          InterestResult what;
          what.scene = scene;
          what.entities = count;
          what.observers = std::min(observers, count);
          what.threads = threads;
          is_right = run_all(what, command) && is_right;
        }
  if (!is_right) std::fprintf(stderr, "WRONG: not all told the same news\n");
  return is_right ? 0 : 1;
}

}  // namespace vicinity::bench
