// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// How a journal does: a value that any thread may ask for, for readiness, metrics and the log.

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace vicinity::store {

struct JournalStatus {
  /// False from the first failed write, or the first tick that found no room in the hand-over,
  /// until the journal is whole again. A server that is not writable keeps no promise.
  bool writable = true;
  Tick durable_tick = 0;        ///< the last whose commands are in the store (journal.h: Sync)
  std::uint64_t lag_ticks = 0;  ///< handed over and not yet there
  std::uint64_t lag_bytes = 0;  ///< about, in the hand-over
  Tick snapshot_tick = 0;       ///< of the newest complete snapshot; 0 = none
  bool snapshot_running = false;
  std::uint64_t size_bytes = 0;     ///< of the store on the disk, when it was written last
  std::uint64_t commits = 0;        ///< since the start
  std::uint64_t written_bytes = 0;  ///< since the start
  std::uint64_t write_errors = 0;   ///< since the start; a retry that fails counts again
  std::uint64_t dropped_ticks = 0;  ///< since the start: not in the journal, and never will be
  /// Since the start: for want of room or of a disk; the snapshot before stays.
  std::uint64_t snapshots_given_up = 0;
  std::uint64_t slowest_write_us = 0;  ///< since the start
  std::string last_error;              ///< empty: none so far
};

}  // namespace vicinity::store
