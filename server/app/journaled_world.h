// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The world that a server begins with: an empty one, or, with a journal, the one that the last run
// left. Start-up; the thread that starts the server.

#include <functional>
#include <memory>
#include <vector>

#include "app/config.h"
#include "app/logging.h"
#include "base/result.h"
#include "store/journal.h"
#include "store/journal_folder.h"
#include "tick/simulation.h"

namespace vicinity::app {

/// In the order in which the parts need one another.
struct JournaledWorld {
  std::unique_ptr<store::JournalFolder> folder;  ///< null: no journal, and the same for it
  std::unique_ptr<store::Journal> journal;
  std::unique_ptr<Simulation> simulation;
  Tick snapshot_tick = 0;
  Tick lost_ticks_max = 0;                     ///< see store::ticks_per_restart()
  std::uint32_t restarts = 0;                  ///< see store::Recovered
  std::vector<store::SessionRecord> sessions;  ///< open in the world
  std::uint64_t last_session_id = 0;
};

/// Says in the log what was found, and how far it has come when that takes more than a second.
/// `on_failure` is called when the journal cannot be written and on_journal_error says stop.
Result<JournaledWorld, Error> open_world(const Config& config, const SimulationSettings& settings,
                                         Log& log, std::function<void()> on_failure);

}  // namespace vicinity::app
