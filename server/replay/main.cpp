// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-replay: runs the journal of a server again, with any number of workers, index and
// kernel, and names the first tick that comes to another result. Reads; changes nothing.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "replay/json_values.h"
#include "store/journal_folder.h"
#include "store/replay.h"

namespace vicinity::replay {
namespace {

constexpr int exit_same = 0;
constexpr int exit_differs = 1;
constexpr int exit_unreadable = 2;

struct Options {
  std::string journal;
  int workers = 0;
  std::string index = "auto";
  std::string kernel = "auto";
  Tick from_tick = 0;
  Tick to_tick = std::numeric_limits<Tick>::max();
  bool print = false;
  bool json = false;
  std::string export_file;
};

/// What was found out.
struct Outcome {
  Tick base_tick = 0;
  Tick first = 0;  ///< ticks that were looked at; none: 0
  Tick last = 0;
  std::uint64_t compared = 0;
  std::uint64_t without_hash = 0;
  std::uint64_t commands = 0;
  std::uint64_t last_hash = 0;
  std::optional<Tick> differs;
  std::uint64_t hash_there = 0;
  std::uint64_t hash_here = 0;
  std::string fault;  ///< why it ends where it does; empty: it is whole
};

std::string hex(std::uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

template <class Kind>
std::optional<Kind> named(const std::string& name, std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds)
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

SimulationSettings simulation_settings(const Options& options) {
  SimulationSettings settings;
  settings.worker_count = options.workers;
  settings.index.kind = named(options.index, {IndexKind::BruteForce, IndexKind::Rows,
                                              IndexKind::Sweep, IndexKind::Auto})
                            .value();
  settings.index.kernel = named(options.kernel, {IndexKernel::Auto, IndexKernel::Scalar,
                                                 IndexKernel::Avx2, IndexKernel::Avx512})
                              .value();
  return settings;
}

std::string line_of(const store::ReplayedTick& tick) {
  const TickReport& report = tick.output.report;
  return "tick " + std::to_string(report.tick) + "  commands " +
         std::to_string(tick.record.commands.size()) + "  entities " +
         std::to_string(report.entities) + "  contacts " + std::to_string(report.contacts) +
         "  hash " + hex(report.hash) +
         (!tick.journaled_hash ? "  (none in the journal)"
          : tick.differs()     ? "  DIFFERS, journal " + hex(*tick.journaled_hash)
                               : "");
}

nlohmann::json record_of(const store::ReplayedTick& tick) {
  nlohmann::json commands = nlohmann::json::array();
  for (const Command& command : tick.record.commands) commands.push_back(to_json(command));
  nlohmann::json line = {{"tick", tick.record.tick},
                         {"hash", hex(tick.output.report.hash)},
                         {"entities", tick.output.report.entities},
                         {"contacts", tick.output.report.contacts},
                         {"commands", commands}};
  if (tick.journaled_hash) line["journal_hash"] = hex(*tick.journaled_hash);
  return line;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  int execute() {
    auto folder = store::JournalFolder::open({options_.journal, 0, true});
    if (!folder.ok()) return fail(folder.error().text);
    store::RecordStore& store = folder.value()->store();
    const auto contents = store::read_contents(store);
    if (!contents.ok()) return fail(options_.journal + ": " + contents.error().text);
    if (contents.value().is_new) return fail(options_.journal + ": nothing in it yet");
    if (const std::string fault = empty_range(contents.value()); !fault.empty())
      return fail(options_.journal + ": " + fault);
    auto base = store::restore_base(store, contents.value(), simulation_settings(options_));
    if (!base.ok()) return fail(options_.journal + ": " + base.error().text);
    if (!options_.export_file.empty()) {
      lines_.open(options_.export_file);
      if (!lines_) return fail(options_.export_file + ": cannot be written");
    }
    outcome_.base_tick = outcome_.last = contents.value().base_tick();
    outcome_.last_hash = base.value().simulation->last_hash();
    if (contents.value().damage) {
      outcome_.fault = "tick " + std::to_string(contents.value().damage->tick) + " is damaged (" +
                       contents.value().damage->text + ")";
    }
    const Tick last = std::min(contents.value().last_tick, options_.to_tick);
    if (last > outcome_.base_tick) {
      const Error error =
          store::replay(store, outcome_.base_tick + 1, last, base.value(),
                        [this](const store::ReplayedTick& tick) { return take(tick); });
      if (error.code != ErrorCode::None) outcome_.fault = error.text;
    }
    if (lines_.is_open() && !lines_.flush())
      return fail(options_.export_file + ": cannot be written");
    report();
    return outcome_.differs ? exit_differs : outcome_.fault.empty() ? exit_same : exit_unreadable;
  }

 private:
  /// Why nothing can be in the range that was asked for.
  std::string empty_range(const store::Contents& contents) const {
    const Tick last = contents.last_tick;
    const bool is_whole = options_.to_tick == std::numeric_limits<Tick>::max();
    const bool is_there = options_.from_tick <= std::min(options_.to_tick, last) &&
                          (is_whole || options_.to_tick >= std::max<Tick>(contents.base_tick(), 1));
    if (is_there) return {};
    return "no tick is in the range that was asked for; the journal has " +
           std::to_string(contents.base_tick() + 1) + " to " + std::to_string(last);
  }

  static int fail(const std::string& text) {
    std::fprintf(stderr, "vicinity-replay: %s\n", text.c_str());
    return exit_unreadable;
  }

  bool take(const store::ReplayedTick& tick) {
    if (tick.differs() && !outcome_.differs) {
      outcome_.differs = tick.record.tick;
      outcome_.hash_there = *tick.journaled_hash;
      outcome_.hash_here = tick.output.report.hash;
    }
    if (tick.record.tick < options_.from_tick && !outcome_.differs) return true;
    if (outcome_.first == 0) outcome_.first = tick.record.tick;
    outcome_.last = tick.record.tick;
    outcome_.last_hash = tick.output.report.hash;
    outcome_.commands += tick.record.commands.size();
    ++(tick.journaled_hash ? outcome_.compared : outcome_.without_hash);
    if (options_.print) std::printf("%s\n", line_of(tick).c_str());
    if (lines_.is_open()) lines_ << record_of(tick).dump() << '\n';
    return !outcome_.differs;
  }

  void report() const {
    if (options_.json) {
      nlohmann::json out = {{"base_tick", outcome_.base_tick},
                            {"first_tick", outcome_.first},
                            {"last_tick", outcome_.last},
                            {"compared", outcome_.compared},
                            {"without_hash", outcome_.without_hash},
                            {"commands", outcome_.commands},
                            {"hash", hex(outcome_.last_hash)},
                            {"differs_at", nullptr},
                            {"fault", outcome_.fault}};
      if (outcome_.differs) out["differs_at"] = *outcome_.differs;
      std::printf("%s\n", out.dump().c_str());
      return;
    }
    if (outcome_.differs) {
      std::printf("tick %llu differs: %s in the journal, %s here\n",
                  static_cast<unsigned long long>(*outcome_.differs),
                  hex(outcome_.hash_there).c_str(), hex(outcome_.hash_here).c_str());
    } else {
      std::printf("ticks %llu to %llu: %llu compared, all the same; hash %s\n",
                  static_cast<unsigned long long>(outcome_.first),
                  static_cast<unsigned long long>(outcome_.last),
                  static_cast<unsigned long long>(outcome_.compared),
                  hex(outcome_.last_hash).c_str());
    }
    if (!outcome_.fault.empty())
      std::fprintf(stderr, "vicinity-replay: %s\n", outcome_.fault.c_str());
  }

  const Options& options_;
  Outcome outcome_;
  std::ofstream lines_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Runs the journal of a server again and compares every tick.", "vicinity-replay");
  app.add_option("journal", options.journal, "Folder of the journal; no server may run on it.")
      ->required();
  app.add_option("--workers", options.workers, "Threads; 0: one per core.")
      ->check(CLI::Range(0, limits::workers_max));
  app.add_option("--index", options.index, "Spatial index.")
      ->check(CLI::IsMember({"auto", "rows", "sweep", "brute_force"}));
  app.add_option("--kernel", options.kernel, "Instructions of the box tests.")
      ->check(CLI::IsMember({"auto", "avx512", "avx2", "scalar"}));
  app.add_option("--from-tick", options.from_tick,
                 "Say nothing of the ticks before, but that one differs.");
  app.add_option("--to-tick", options.to_tick, "Stop behind this tick.");
  bool verify = true;
  app.add_flag("--verify", verify, "Compare; what it does in any case.");
  app.set_version_flag("--version", "vicinity-replay " VICINITY_VERSION);
  app.add_flag("--print", options.print, "A line for every tick.");
  app.add_option("--export", options.export_file, "File that gets every tick as a line of JSON.");
  app.add_flag("--json", options.json, "The outcome as JSON.")->excludes("--print");
  app.footer(
      "Exit code: 0 all ticks came to the same results, 1 one did not, 2 wrong usage or a "
      "journal that cannot be read.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_same : exit_unreadable;
  }
  const auto kernel = simulation_settings(options).index.kernel;
  if (kernel != IndexKernel::Auto && !is_supported(kernel)) {
    std::fprintf(stderr, "vicinity-replay: this processor does not have %s\n",
                 options.kernel.c_str());
    return exit_unreadable;
  }
  return Run(options).execute();
}

}  // namespace
}  // namespace vicinity::replay

int main(int argc, char** argv) {
  try {
    return vicinity::replay::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vicinity-replay: %s\n", error.what());
    return vicinity::replay::exit_unreadable;
  }
}
