// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the tick driver does for the journal, in the order of a tick. Tick thread.
//
//      begin(drained) ─► the tick runs ─► end(report) ─► frames leave ─► settle(report)

#include <memory>
#include <vector>

#include "app/logging.h"
#include "app/session_registry.h"
#include "store/journal.h"
#include "store/snapshot_schedule.h"
#include "tick/simulation.h"

namespace vicinity::app {

class TickJournal {
 public:
  /// All outlive this. The first tick begins with `restarts` RestartCommands. When more than
  /// `lost_ticks_max` ticks are not in the journal, a restart could give their ids once more.
  TickJournal(store::Journal& journal, const store::SnapshotSchedule& schedule,
              std::uint32_t restarts, Tick lost_ticks_max, SessionRegistry& sessions, Log& log);

  /// The commands of the tick, as they are to be run; from here on they are in the journal.
  store::Journal::Commands begin(Tick tick, std::vector<Command> drained);
  /// The tick ran. With sync = tick returns when it is durable. Throws when it will not be, and the
  /// server is to stop for that, and when too many are lost: nobody must be told of the tick.
  void end(const TickReport& report);
  /// The frames have left. Takes a snapshot when one is due, and logs what changed.
  void settle(const Simulation& simulation, const TickReport& report);
  /// In place of ticks, when no more will run: writes what is still to be written, as long as the
  /// disk takes. `is_clean`: the last tick ran to its end; what was left out of the journal is then
  /// made good by a last snapshot, and the log says when that was not possible.
  void close(const Simulation& simulation, bool is_clean);

 private:
  void log_changes(Tick tick);

  store::Journal& journal_;
  store::SnapshotSchedule schedule_;
  std::uint32_t restarts_;  ///< still to be commanded
  const Tick lost_ticks_max_;
  SessionRegistry& sessions_;
  Log& log_;
  bool was_writable_ = true;
  Tick logged_snapshot_;
  std::uint64_t logged_given_up_ = 0;
};

}  // namespace vicinity::app
