// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// From what a journal holds to a world that goes on: the newest snapshot, and the ticks behind it
// run again, each compared with the hash that it had.
//
//      whole                                  goes on behind the last tick
//      tail damaged                           cut off, kept in a file, goes on before it
//      damaged before good ticks, or a tick   refused, unless loss is accepted: then as a damaged
//      comes to another result                tail from there on
//      newer format, other settings           refused
//
// The last tick may have commands and no hash: the run ended while it was computed, or before the
// hash was written. It is run again; when that ends the process as well, and so for the third time,
// it is left out, so that a tick that cannot be computed does not keep a server from ever starting.

#include <functional>
#include <string>

#include "store/journal.h"
#include "store/journal_folder.h"
#include "store/replay.h"

namespace vicinity::store {

struct RecoverySettings {
  SimulationSettings simulation;
  bool accept_loss = false;
  /// May be empty. After every tick: so many of so many were run.
  std::function<void(Tick done, Tick count)> on_progress;
  /// May be empty. Something that whoever runs the server should know, in a sentence.
  std::function<void(const std::string&)> on_warning;
};

struct Recovered {
  Base base;
  JournalStart start;
  Tick tick = 0;
  std::uint64_t hash = 0;  ///< of that tick
  bool is_new = false;
  bool was_clean = false;  ///< the last run ended as asked
  /// So many RestartCommands must be in the next tick: something may be lost that clients were
  /// told, and has not been made up for.
  std::uint32_t restarts = 0;
  std::uint64_t last_session_id = 0;  ///< none up to this one is given again
  Tick replayed = 0;                  ///< ticks
};

/// Lost ticks for which one RestartCommand makes up: in more, a slot could use up the generations
/// that it leaves out, or contacts the numbers of events.
Tick ticks_per_restart(const SimulationSettings& settings);

/// The folder is open for writing. What is noted in it says nothing of a run yet: see
/// Journal::begin_run().
Result<Recovered, Error> recover(JournalFolder& folder, const RecoverySettings& settings);

}  // namespace vicinity::store
