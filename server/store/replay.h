// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Runs what is in a journal again. One thread, which becomes the tick thread of the world.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/contents.h"
#include "store/session_ledger.h"
#include "tick/simulation.h"

namespace vicinity::store {

/// A world at the tick of a snapshot, or before its first.
struct Base {
  std::unique_ptr<Simulation> simulation;
  SessionLedger sessions;
  /// Entities of the snapshot that could not be, in words; the world went on without them.
  std::vector<std::string> quarantined;
  bool is_beyond_budget = false;  ///< see ReplayedTick; since the base
};
/// `settings`: workers, index and kernel; what decides results is taken from the journal.
Result<Base, Error> restore_base(RecordStore& store, const Contents& contents,
                                 const SimulationSettings& settings);

/// One tick that was run again.
struct ReplayedTick {
  const TickRecord& record;
  const TickOutput& output;
  std::optional<TickHash> journaled;  ///< absent: the run ended before it was written
  /// This tick, or one since the base, had more pairs than the budget, here or when it ran. Which
  /// are kept depends on what rests and on the index: it may well come to other contacts.
  bool is_beyond_budget = false;

  /// It comes to what it must not come to: beyond the budget, to other entities.
  bool differs() const;
  /// It comes to the same entities, and to other contacts, as it may.
  bool keeps_other_pairs() const;
};

/// Runs the ticks from `first` to `last`, which must be there and the next ones of the world. Stops
/// after the tick for which `on_tick` says false. An error names a tick that cannot be read.
Error replay(RecordStore& store, Tick first, Tick last, Base& base,
             const std::function<bool(const ReplayedTick&)>& on_tick);

}  // namespace vicinity::store
