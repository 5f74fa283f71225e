// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-replay: runs the journal of a server again, with any number of workers, index and
// kernel, and names the first tick that comes to another result. Plays it to another server, if
// asked to. Reads the journal; changes nothing in it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "client/access_options.h"
#include "client/arguments.h"
#include "client/blocking.h"
#include "replay/feed.h"
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
  std::string feed;  ///< host:port; empty: to nobody
  FeedOptions feeding;
  client::AccessOptions access;
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
  std::uint64_t other_pairs = 0;  ///< ticks that differ where the pair budget lets them
  Tick first_other_pairs = 0;
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

std::string verdict_of(const store::ReplayedTick& tick) {
  if (!tick.journaled) return "  (none in the journal)";
  if (tick.differs()) return "  DIFFERS, journal " + hex(tick.journaled->hash);
  if (tick.keeps_other_pairs()) return "  other pairs kept, journal " + hex(tick.journaled->hash);
  return "";
}

std::string line_of(const store::ReplayedTick& tick) {
  const TickReport& report = tick.output.report;
  return "tick " + std::to_string(report.tick) + "  commands " +
         std::to_string(tick.record.commands.size()) + "  entities " +
         std::to_string(report.entities) + "  contacts " + std::to_string(report.contacts) +
         "  hash " + hex(report.hash) + verdict_of(tick);
}

nlohmann::json record_of(const store::ReplayedTick& tick) {
  nlohmann::json commands = nlohmann::json::array();
  for (const Command& command : tick.record.commands) commands.push_back(to_json(command));
  nlohmann::json line = {{"tick", tick.record.tick},
                         {"hash", hex(tick.output.report.hash)},
                         {"entities", tick.output.report.entities},
                         {"contacts", tick.output.report.contacts},
                         {"commands", commands}};
  if (tick.journaled) line["journal_hash"] = hex(tick.journaled->hash);
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
    last_ = std::min(contents.value().last_tick, options_.to_tick);
    if (!options_.feed.empty()) {
      if (const int code = feed(store, base.value()); code != exit_same) return code;
    } else {
      run(store, base.value(), outcome_.base_tick + 1, last_,
          [this](const store::ReplayedTick& tick) { return take(tick); });
    }
    if (lines_.is_open() && !lines_.flush())
      return fail(options_.export_file + ": cannot be written");
    options_.json ? report_as_json() : report();
    if (outcome_.differs || !target_fault_.empty()) return exit_differs;
    return outcome_.fault.empty() ? exit_same : exit_unreadable;
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

  void run(store::RecordStore& store, store::Base& base, Tick first, Tick last,
           const std::function<bool(const store::ReplayedTick&)>& on_tick) {
    if (last < first) return;
    const Error error = store::replay(store, first, last, base, on_tick);
    if (error.code != ErrorCode::None) outcome_.fault = error.text;
  }

  /// To the server of --feed: the world before the first tick that was asked for, then the ticks.
  int feed(store::RecordStore& store, store::Base& base) {
    const auto endpoint = client::parse_endpoint(options_.feed);
    if (!endpoint.ok()) return fail("--feed: " + endpoint.error());
    client::ConnectOptions connect;
    connect.host = endpoint.value().host;
    connect.port = endpoint.value().port;
    connect.client_name = "vicinity-replay";
    connect.role = Role::Authority;
    options_.access.apply(connect);
    client::BlockingClient session;
    const auto welcome = session.connect(connect);
    if (!welcome.ok()) return fail(options_.feed + ": " + welcome.error().text);
    feed_.emplace(session, welcome.value(), options_.feeding, base.simulation->settings().dt_s);
    if (const std::string text = feed_->objection(); !text.empty())
      return fail(options_.feed + ": " + text);
    const Tick first = std::max(options_.from_tick, outcome_.base_tick + 1);
    run(store, base, outcome_.base_tick + 1, first - 1, [&](const store::ReplayedTick& tick) {
      session.run_for(0);  // pings: a server ends who is silent for long
      return take(tick);
    });
    if (outcome_.differs || !outcome_.fault.empty()) return exit_same;  // is reported
    std::vector<SessionId> sessions;
    for (const store::SessionRecord& each : base.sessions.open_sessions())
      sessions.push_back(each.id);
    Error error = feed_->begin(*base.simulation, sessions);
    const auto play = [&](const store::ReplayedTick& tick) {
      if (!take(tick)) return false;
      error = feed_->take(tick, *base.simulation);
      show_progress();
      return error.code == ErrorCode::None && error.text.empty();
    };
    if (error.text.empty()) run(store, base, first, last_, play);
    if (error.text.empty()) error = feed_->finish();
    if (!error.text.empty()) target_fault_ = options_.feed + ": " + error.text;
    session.close();
    return exit_same;
  }

  /// A line a second.
  void show_progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < std::chrono::seconds(1)) return;
    last_progress_ = now;
    std::fprintf(stderr, "vicinity-replay: tick %llu of %llu, %llu commands, %llu refused\n",
                 static_cast<unsigned long long>(outcome_.last),
                 static_cast<unsigned long long>(last_),
                 static_cast<unsigned long long>(feed_->counts().commands),
                 static_cast<unsigned long long>(feed_->counts().refused_count()));
  }

  static int fail(const std::string& text) {
    std::fprintf(stderr, "vicinity-replay: %s\n", text.c_str());
    return exit_unreadable;
  }

  bool take(const store::ReplayedTick& tick) {
    if (tick.keeps_other_pairs()) {
      if (outcome_.other_pairs++ == 0) outcome_.first_other_pairs = tick.record.tick;
    } else if (tick.differs() && !outcome_.differs) {
      outcome_.differs = tick.record.tick;
      outcome_.hash_there = tick.journaled->hash;
      outcome_.hash_here = tick.output.report.hash;
    }
    if (tick.record.tick < options_.from_tick && !outcome_.differs) return true;
    if (outcome_.first == 0) outcome_.first = tick.record.tick;
    outcome_.last = tick.record.tick;
    outcome_.last_hash = tick.output.report.hash;
    outcome_.commands += tick.record.commands.size();
    ++(tick.journaled ? outcome_.compared : outcome_.without_hash);
    if (options_.print) std::printf("%s\n", line_of(tick).c_str());
    if (lines_.is_open()) lines_ << record_of(tick).dump() << '\n';
    return !outcome_.differs;
  }

  void report_as_json() const {
    nlohmann::json out = {{"base_tick", outcome_.base_tick},
                          {"first_tick", outcome_.first},
                          {"last_tick", outcome_.last},
                          {"compared", outcome_.compared},
                          {"without_hash", outcome_.without_hash},
                          {"commands", outcome_.commands},
                          {"hash", hex(outcome_.last_hash)},
                          {"differs_at", nullptr},
                          {"other_pairs", outcome_.other_pairs},
                          {"fault", outcome_.fault}};
    if (outcome_.differs) out["differs_at"] = *outcome_.differs;
    if (feed_) {
      nlohmann::json refused = nlohmann::json::object();
      for (const auto& [code, count] : feed_->counts().refused)
        refused[std::string(to_string(code))] = count;
      out["fed"] = {{"ticks", feed_->counts().ticks},
                    {"commands", feed_->counts().commands},
                    {"refused", refused},
                    {"left_out", feed_->counts().left_out},
                    {"fault", target_fault_}};
    }
    std::printf("%s\n", out.dump().c_str());
  }

  void report() const {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    if (outcome_.differs) {
      std::printf("tick %llu differs: %s in the journal, %s here\n", number(*outcome_.differs),
                  hex(outcome_.hash_there).c_str(), hex(outcome_.hash_here).c_str());
    } else if (outcome_.first == 0 && outcome_.last > 0) {
      std::printf("tick %llu, as it was begun with: no tick behind it was compared; hash %s\n",
                  number(outcome_.last), hex(outcome_.last_hash).c_str());
    } else {
      std::printf("ticks %llu to %llu: %llu compared, %s; hash %s\n", number(outcome_.first),
                  number(outcome_.last), number(outcome_.compared),
                  outcome_.other_pairs == 0 ? "all the same" : "the same as far as they can be",
                  hex(outcome_.last_hash).c_str());
    }
    if (outcome_.other_pairs > 0) {
      std::printf(
          "other contacts or views in %llu ticks, from tick %llu on: there were more candidate "
          "pairs than candidate_pairs_max, or far more passed through the areas of a session than "
          "it may look at, and what is kept then depends on index and rest\n",
          number(outcome_.other_pairs), number(outcome_.first_other_pairs));
    }
    if (feed_) report_feed(feed_->counts());
    for (const std::string& fault : {outcome_.fault, target_fault_})
      if (!fault.empty()) std::fprintf(stderr, "vicinity-replay: %s\n", fault.c_str());
  }

  static void report_feed(const FeedCounts& counts) {
    std::string refused;
    for (const auto& [code, count] : counts.refused)
      refused += (refused.empty() ? ": " : ", ") + std::string(to_string(code)) + " " +
                 std::to_string(count);
    std::printf("fed: %llu ticks, %llu commands, %llu refused%s, %llu left out\n",
                static_cast<unsigned long long>(counts.ticks),
                static_cast<unsigned long long>(counts.commands),
                static_cast<unsigned long long>(counts.refused_count()), refused.c_str(),
                static_cast<unsigned long long>(counts.left_out));
  }

  const Options& options_;
  Outcome outcome_;
  Tick last_ = 0;  ///< that is to be run
  std::ofstream lines_;
  std::optional<Feed> feed_;
  std::string target_fault_;  ///< why the server of --feed did not get all; empty: it did
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
};

void add_feed_options(CLI::App& app, Options& options) {
  const std::string group = "Feed";
  auto* feed = app.add_option("--feed", options.feed,
                              "host:port of a server that gets the world before the first tick, "
                              "and the commands of every tick, from an authority.");
  feed->group(group);
  app.add_option("--speed", options.feeding.speed,
                 "How many times as fast as it was; 0: as fast as the server goes. For a server in "
                 "manual tick mode.")
      ->check(CLI::Range(0.0, 1000.0))
      ->needs(feed)
      ->group(group);
  app.add_flag("!--no-areas", options.feeding.with_areas, "Leave the areas of the sessions out.")
      ->needs(feed)
      ->group(group);
  options.access.add_to(app);
}

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
  app.set_version_flag("--version", "vicinity-replay " VICINITY_FULL_VERSION);
  app.add_flag("--print", options.print, "A line for every tick.");
  app.add_option("--export", options.export_file, "File that gets every tick as a line of JSON.");
  app.add_flag("--json", options.json, "The outcome as JSON.")->excludes("--print");
  add_feed_options(app, options);
  app.footer(
      "Exit code: 0 all ticks came to the same results, 1 one did not, or the server of --feed was "
      "lost, 2 wrong usage, a journal that cannot be read or a server that cannot be fed.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_same : exit_unreadable;
  }
  if (const auto fault = options.access.read()) {
    std::fprintf(stderr, "vicinity-replay: %s\n", fault->c_str());
    return exit_unreadable;
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
