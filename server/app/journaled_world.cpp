// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/journaled_world.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "store/recovery.h"

namespace vicinity::app {
namespace {

store::Sync sync_of(const std::string& name) {
  if (name == "tick") return store::Sync::Tick;
  return name == "none" ? store::Sync::None : store::Sync::Interval;
}

store::JournalSettings journal_settings(const Config& config) {
  store::JournalSettings settings;
  settings.sync = sync_of(config.sync);
  settings.sync_interval_ms = static_cast<std::uint32_t>(config.sync_interval_ms);
  settings.queue_bytes_max = config.journal_queue_bytes_max;
  settings.stops_on_failure = config.on_journal_error == "stop";
  return settings;
}

/// A line a second, from the second second on.
class Progress {
 public:
  explicit Progress(Log& log) : log_(log) {
    static_cast<void>(limit_.pass(RateLimit::Clock::now()));
  }
  void note(Tick done, Tick count) {
    if (!limit_.pass(RateLimit::Clock::now()).allowed) return;
    log_.info("the journal is replayed", {{"ticks", done}, {"of", count}});
  }

 private:
  Log& log_;
  RateLimit limit_{std::chrono::seconds(1)};
};

store::RecoverySettings recovery_settings(const Config& config, const SimulationSettings& settings,
                                          Log& log) {
  store::RecoverySettings out;
  out.simulation = settings;
  out.accept_loss = config.journal_accept_loss;
  const auto progress = std::make_shared<Progress>(log);
  out.on_progress = [progress](Tick done, Tick count) { progress->note(done, count); };
  out.on_warning = [&log](const std::string& text) {
    log.warning("journal", {{"reason", std::string_view(text)}});
  };
  return out;
}

}  // namespace

Result<JournaledWorld, Error> open_world(const Config& config, const SimulationSettings& settings,
                                         Log& log, std::function<void()> on_failure) {
  JournaledWorld world;
  if (config.journal_dir.empty()) {
    world.simulation = std::make_unique<Simulation>(settings);
    return world;
  }
  auto folder = store::JournalFolder::open({config.journal_dir, config.journal_bytes_max, false});
  if (!folder.ok()) return folder.error();
  world.folder = std::move(folder.value());
  auto recovered = store::recover(*world.folder, recovery_settings(config, settings, log));
  if (!recovered.ok()) return recovered.error();
  store::Recovered& found = recovered.value();
  world.simulation = std::move(found.base.simulation);
  world.restarts = found.restarts;
  world.lost_ticks_max = store::ticks_per_restart(settings);
  world.snapshot_tick = found.start.snapshot_tick;
  world.sessions = found.base.sessions.open_sessions();
  world.last_session_id = found.last_session_id;
  char hash[24];  // as vicinity-replay prints it
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(found.hash));
  log.info(found.is_new ? "journal begun" : "world restored from the journal",
           {{"folder", std::string_view(config.journal_dir)},
            {"tick", found.tick},
            {"hash", std::string_view(hash)},
            {"snapshot_tick", found.start.snapshot_tick},
            {"replayed", found.replayed},
            {"sessions", world.sessions.size()},
            {"end", std::string_view(found.is_new      ? "none"
                                     : found.was_clean ? "clean"
                                                       : "unclean")},
            {"sync", std::string_view(config.sync)}});
  const bool stops = config.on_journal_error == "stop";
  world.journal = std::make_unique<store::Journal>(
      journal_settings(config), world.folder->take_store(), std::move(found.start),
      [&log, stops, failed = std::move(on_failure)](const Error& error) {
        log.error(stops
                      ? "the journal cannot be written; the server stops, as on_journal_error says"
                      : "the journal cannot be written; the server goes on without it",
                  {{"reason", std::string_view(error.text)}});
        if (stops) failed();
      });
  return world;
}

}  // namespace vicinity::app
