// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity_bench: `index` measures the index and its peers on generated and recorded scenes. Every
// tick of every implementation is compared with an oracle outside the measured time; a wrong one
// ends the program with status 1. `narrow` measures the exact tests of shapes (narrow_command.h),
// `interest` what observers see (interest_command.h), `stream` what it costs to tell them
// (stream_command.h).

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/interest_command.h"
#include "bench/measure.h"
#include "bench/narrow_command.h"
#include "bench/progress.h"
#include "bench/report.h"
#include "bench/stream_command.h"

namespace vicinity::bench {
namespace {

struct Options {
  std::vector<std::string> scenes;
  std::vector<std::uint32_t> counts;  ///< empty: each scene's own
  std::vector<int> threads = {1, 2};
  std::vector<std::string> implementations;  ///< empty: all
  std::vector<std::string> kernels = {"auto"};
  std::vector<std::string> indexes = {"auto"};
  std::uint32_t rounds = 3;
  std::uint32_t ticks = 0;          ///< 0: by the number of entities
  std::int32_t warm_up_ticks = -1;  ///< -1: by the number of entities
  double budget_s = 10;
  std::uint64_t seed = 1;
  bool json = false;
  bool smoke = false;
};

constexpr IndexKind kinds[] = {IndexKind::Auto, IndexKind::Rows, IndexKind::Sweep,
                               IndexKind::BruteForce};
constexpr IndexKernel kernels[] = {IndexKernel::Auto, IndexKernel::Scalar, IndexKernel::Avx2,
                                   IndexKernel::Avx512};

/// The enumerator of that name; the name is known to be right.
template <class Enum, std::size_t count>
Enum named(const Enum (&all)[count], const std::string& name) {
  return *std::ranges::find_if(all, [&](Enum value) { return to_string(value) == name; });
}
template <class Enum, std::size_t count>
std::vector<std::string> names(const Enum (&all)[count]) {
  std::vector<std::string> out;
  for (const Enum value : all) out.emplace_back(to_string(value));
  return out;
}

std::vector<std::string> scene_names() {
  std::vector<std::string> out;
  for (const SceneInfo& info : scene_infos()) out.emplace_back(info.name);
  return out;
}

std::vector<std::string> implementation_names() {
  std::vector<std::string> out = {"vicinity"};
  for (const ImplementationInfo& info : peers()) out.push_back(info.name);
  return out;
}

/// Ours with every index and kernel that was asked for, then the peers.
std::vector<ImplementationInfo> choose_implementations(const Options& options) {
  const auto is_wanted = [&](const std::string& name) {
    return options.implementations.empty() ||
           std::ranges::find(options.implementations, name) != options.implementations.end();
  };
  std::vector<ImplementationInfo> chosen;
  for (const std::string& index : options.indexes) {
    for (const std::string& kernel : options.kernels) {
      IndexSettings settings;
      settings.kind = named(kinds, index);
      settings.kernel = named(kernels, kernel);
      // In a smoke run the kernels take turns with one kind of index only.
      const bool is_extra = options.smoke && index != "auto" && kernel != "auto";
      if (is_wanted("vicinity") && !is_extra && is_supported(settings.kernel))
        chosen.push_back(make_vicinity(settings));
    }
  }
  for (ImplementationInfo& peer : peers())
    if (is_wanted(peer.name)) chosen.push_back(std::move(peer));
  return chosen;
}

std::vector<std::uint32_t> counts_of(const SceneInfo& scene, const Options& options) {
  std::vector<std::uint32_t> counts = options.counts;
  if (counts.empty() && scene.count_default > 0) counts = {scene.count_default};
  if (counts.empty()) counts = {10'000, 100'000};
  // As many pairs as elsewhere.
  if (options.smoke && scene.name == "one_point") counts = {100};
  if (scene.count_max > 0)
    for (std::uint32_t& count : counts) count = std::min(count, scene.count_max);
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// Enough to warm up for whatever comes to rest to do so.
MeasureOptions ticks_of(std::uint32_t count, const Options& options) {
  MeasureOptions out;
  out.rounds = options.rounds;
  out.budget_s = options.budget_s;
  out.seed = options.seed;
  out.warm_up_ticks = count <= 10'000 ? 30 : count <= 100'000 ? 20 : 12;
  out.ticks = count <= 10'000 ? 60 : count <= 100'000 ? 30 : 8;
  if (options.ticks > 0) out.ticks = options.ticks;
  if (options.warm_up_ticks >= 0)
    out.warm_up_ticks = static_cast<std::uint32_t>(options.warm_up_ticks);
  return out;
}

/// False when a tick was wrong.
bool run_scene(const SceneInfo& scene, std::uint32_t count,
               const std::vector<ImplementationInfo>& implementations, const Options& options,
               std::vector<Result>& all) {
  const std::string name(scene.name);
  const std::string context = name + ", n = " + std::to_string(count);
  set_progress_context(context);
  MeasureOptions how = ticks_of(count, options);
  const std::optional<SceneTruth> truth =
      find_truth(name, count, how.seed, how.warm_up_ticks + how.ticks);
  if (!truth) {
    std::fprintf(stderr, "%s: skipped, no recordings in %s; set SHARED_DATA_DIR\n", name.c_str(),
                 recordings_folder().c_str());
    return true;
  }
  bool is_right = true;
  for (const int threads : options.threads) {
    how.threads = threads;
    set_progress_context(context + ", " + std::to_string(threads) + " threads");
    const std::vector<Result> results = measure(name, count, *truth, implementations, how);
    options.json ? print_json(results) : print_table(results);
    for (const Result& result : results) {
      all.push_back(result);
      if (result.mismatch.empty()) continue;
      is_right = false;
      std::fprintf(stderr, "WRONG: %s on %s, %d threads: %s\n", result.implementation.c_str(),
                   context.c_str(), threads, result.mismatch.c_str());
    }
  }
  return is_right;
}

int run_index(Options& options) {
  if (options.smoke) {
    options.counts = {1'000};
    options.rounds = 1;
    options.warm_up_ticks = 2;
    options.ticks = 12;  // whatever rests comes to rest meanwhile
    options.budget_s = 1;
    options.indexes = names(kinds);
    options.kernels = names(kernels);
  }
  const std::vector<ImplementationInfo> implementations = choose_implementations(options);
  if (implementations.empty()) {
    std::fprintf(stderr, "this processor can run none of the kernels\n");
    return 1;
  }
  if (options.scenes.empty()) options.scenes = scene_names();
  bool is_right = true;
  std::vector<Result> all;
  for (const std::string& name : options.scenes) {
    const SceneInfo& scene = scene_info(name);
    for (const std::uint32_t count : counts_of(scene, options))
      is_right = run_scene(scene, count, implementations, options, all) && is_right;
  }
  print_static_ratios(all, options.json);
  if (!options.json && is_right) std::printf("\nEvery tick of every result was verified.\n");
  return is_right ? 0 : 1;
}

void add_index_options(CLI::App& app, Options& options) {
  app.add_option("--scene", options.scenes, "Scenes; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(scene_names()));
  app.add_option("--n", options.counts, "Entities; 10000,100000 by default, or the scene's own")
      ->delimiter(',')
      ->check(CLI::Range(1u, 4'000'000u));
  app.add_option("--threads", options.threads, "Threads (1,2)")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--impl", options.implementations, "Implementations; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember(implementation_names()));
  app.add_option("--index", options.indexes, "Kinds of our index (auto)")
      ->delimiter(',')
      ->check(CLI::IsMember(names(kinds)));
  app.add_option("--kernel", options.kernels, "Kernels of our index (auto)")
      ->delimiter(',')
      ->check(CLI::IsMember(names(kernels)));
  app.add_option("--rounds", options.rounds, "Rounds (3)")->check(CLI::Range(1u, 1'000u));
  app.add_option("--ticks", options.ticks, "Measured ticks; by size: 60, 30, 8")
      ->check(CLI::Range(1u, 100'000u));
  app.add_option("--warm-up", options.warm_up_ticks, "Ticks before those; by size: 30, 20, 12")
      ->check(CLI::Range(0, 100'000));
  app.add_option("--budget", options.budget_s, "Measured seconds per round and implementation (10)")
      ->check(CLI::Range(0.01, 1e6));
  app.add_option("--seed", options.seed, "Seed of the scenes (1)");
  app.add_flag("--json", options.json, "One JSON object per line instead of tables");
  app.add_flag("--smoke", options.smoke,
               "All scenes, small; all indexes and kernels: for what is right, not how fast");
}

void print_overview(const CLI::App& app) {
  std::printf("%s\nScenes:\n", app.help().c_str());
  for (const SceneInfo& info : scene_infos())
    std::printf("  %-16s %s\n", std::string(info.name).c_str(), std::string(info.what).c_str());
  std::printf("\nImplementations in this build:\n ");
  for (const std::string& name : implementation_names()) std::printf(" %s", name.c_str());
  std::printf("\n");
}

}  // namespace
}  // namespace vicinity::bench

int main(int argc, char** argv) {
  using namespace vicinity::bench;
  Options options;
  CLI::App app("Benchmarks of Vicinity. Every result is verified.");
  CLI::App& index = *app.add_subcommand(
      "index", "moved boxes to sorted begins and ends, against other libraries");
  add_index_options(index, options);
  NarrowCommand narrow_command;
  CLI::App& narrow = *app.add_subcommand(
      "narrow", "exact tests of shapes, against other libraries; whole ticks with exact shapes");
  add_narrow_options(narrow, narrow_command);
  InterestCommand interest_command;
  CLI::App& interest = *app.add_subcommand(
      "interest", "what observers see and what is new for them, against other libraries");
  add_interest_options(interest, interest_command);
  StreamCommand stream_command;
  CLI::App& stream = *app.add_subcommand("stream", "choosing, encoding and decoding of what moved");
  add_stream_options(stream, stream_command);
  CLI11_PARSE(app, argc, argv);
  if (index.parsed()) return run_index(options);
  if (interest.parsed()) return run_interest(interest_command);
  if (stream.parsed()) return run_stream(stream_command);
  if (narrow.parsed()) return run_narrow(narrow_command);
  print_overview(app);
  return 0;
}
