// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What is in a journal, and how far it can be used. Reads everything once and believes no byte
// without its checksum. Start-up; one thread.
//
//      header │ state │ snapshot of tick 100 │ 101 102 103 104 105 ✗ 107 108
//                       base                   usable ......... last_tick  │ beyond

#include <optional>
#include <string>
#include <vector>

#include "store/record.h"
#include "store/record_store.h"

namespace vicinity::store {

/// The first tick that cannot be used.
struct Damage {
  Tick tick = 0;
  std::string text;
  /// Nothing that could be used follows: what was written last did not get there whole.
  bool is_tail = true;
};

struct Contents {
  bool is_new = false;  ///< nothing in it at all
  WorldSettings settings;
  RunState state;
  bool is_state_lost = false;              ///< there is none that could be read
  std::optional<SnapshotEnd> snapshot;     ///< the newest that is whole
  std::vector<std::string> bad_snapshots;  ///< complete once, but not whole: what is wrong
  std::vector<SnapshotEnd> old_snapshots;  ///< other ones that are complete
  Tick first_tick = 1;                     ///< the first in the store
  Tick last_tick = 0;                      ///< the last that can be used
  std::optional<std::uint64_t> last_hash;  ///< of last_tick, when it is there
  std::optional<Damage> damage;
  std::vector<EntryKey> beyond;  ///< entries behind last_tick, and a hash of it that is damaged

  Tick base_tick() const { return snapshot ? snapshot->tick : 0; }
};

/// An error when nothing can be done with it: no header, a newer format, no start for the ticks
/// that there are.
Result<Contents, Error> read_contents(RecordStore& store);

/// All parts of a snapshot, one behind the other; an error names what is wrong.
Result<Bytes, Error> read_snapshot(RecordStore& store, const SnapshotEnd& end);

}  // namespace vicinity::store
