// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/tick_journal.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace vicinity::app {

TickJournal::TickJournal(store::Journal& journal, const store::SnapshotSchedule& schedule,
                         std::uint32_t restarts, Tick lost_ticks_max, SessionRegistry& sessions,
                         Log& log)
    : journal_(journal),
      schedule_(schedule),
      restarts_(restarts),
      lost_ticks_max_(lost_ticks_max),
      sessions_(sessions),
      log_(log),
      logged_snapshot_(journal.status().snapshot_tick) {
  sessions_.keep_welcomed();
}

store::Journal::Commands TickJournal::begin(Tick tick, std::vector<Command> drained) {
  if (restarts_ > 0) {
    drained.insert(drained.begin(), std::exchange(restarts_, 0),
                   Command{SessionId{}, 0, RestartCommand{}});
  }
  auto commands = std::make_shared<const std::vector<Command>>(std::move(drained));
  journal_.begin_tick(tick, commands, sessions_.take_welcomed(*commands));
  return commands;
}

void TickJournal::end(const TickReport& report) {
  journal_.end_tick(report.tick, store::TickHash::of(report));
  if (!journal_.wait_until_durable(report.tick) && journal_.stops_on_failure())
    throw std::runtime_error("its commands cannot be written to the journal");
  const std::uint64_t lag_ticks = journal_.status().lag_ticks;
  if (lag_ticks > lost_ticks_max_) {
    throw std::runtime_error("with it " + std::to_string(lag_ticks) +
                             " ticks are not in the journal, which has not been writable for too "
                             "long: a restart could give ids a second time");
  }
}

void TickJournal::settle(const Simulation& simulation, const TickReport& report) {
  log_changes(report.tick);
  const bool is_due = schedule_.is_due(report.tick);
  if ((is_due && journal_.takes_snapshot()) || journal_.needs_snapshot()) {
    journal_.snapshot(report.tick, store::TickHash::of(report),
                      [&](ArchiveWriter& out) { simulation.save(out); });
    if (is_due) schedule_.taken(report.tick);
  }
}

void TickJournal::close(const Simulation& simulation, bool is_clean) {
  const Tick tick = simulation.frame()->tick;
  if (is_clean && journal_.needs_last_snapshot()) {
    log_.info("ticks are missing in the journal; a last snapshot takes their place",
              {{"tick", tick}, {"dropped_ticks", journal_.status().dropped_ticks}});
    journal_.snapshot(tick, {simulation.last_hash(), simulation.entity_hash()},
                      [&](ArchiveWriter& out) { simulation.save(out); });
  }
  journal_.close(is_clean);
  const store::JournalStatus status = journal_.status();
  if (status.writable) return;
  log_.error("the journal ends before the world: what came behind it is lost",
             {{"tick", tick},
              {"journal_tick", std::max(status.durable_tick, status.snapshot_tick)},
              {"reason", std::string_view(status.last_error)}});
}

void TickJournal::log_changes(Tick tick) {
  const store::JournalStatus status = journal_.status();
  if (status.snapshot_tick != logged_snapshot_) {
    logged_snapshot_ = status.snapshot_tick;
    log_.info("snapshot written", {{"tick", tick},
                                   {"snapshot_tick", status.snapshot_tick},
                                   {"journal_bytes", status.size_bytes}});
  }
  if (status.snapshots_given_up != logged_given_up_) {
    logged_given_up_ = status.snapshots_given_up;
    schedule_.given_up(tick);
    log_.warning("a snapshot cannot be written and was given up; what is in the journal stays",
                 {{"tick", tick},
                  {"snapshot_tick", status.snapshot_tick},
                  {"snapshots_given_up", status.snapshots_given_up},
                  {"reason", std::string_view(status.last_error)}});
  }
  if (status.writable == was_writable_) return;
  was_writable_ = status.writable;
  if (status.writable) {
    log_.info("the journal is whole again", {{"tick", tick},
                                             {"durable_tick", status.durable_tick},
                                             {"dropped_ticks", status.dropped_ticks}});
  } else {
    log_.error("the journal cannot be written: what is told from now on may be lost",
               {{"tick", tick},
                {"durable_tick", status.durable_tick},
                {"dropped_ticks", status.dropped_ticks},
                {"reason", std::string_view(status.last_error)}});
  }
}

}  // namespace vicinity::app
