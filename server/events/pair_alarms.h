// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Pairs of entities, each with a tick in which something about it is due. Costs what is set and
// what is due; nothing while nothing is. Tick room; readers only between changes.
//
//      calendar    tick 7: 1-2 3-4 | tick 9: 1-5 1-2 | ...     in the order in which they were set
//      alarms      1-2: 9    3-4: 7    1-5: 9                  what counts: 1-2 is due in tick 9
//
// An alarm that was set to another tick or cancelled leaves its entry in the calendar behind. When
// those become more than the others, the calendar is written anew.
//
// With 45 000 alarms, 4 700 set, 4 700 cancelled and 2 300 due take 0.5 ms (busy 2-core cloud
// machine, 2026-11-30); with the standard hash table instead of PairTable 1.2.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "events/pair_table.h"

namespace vicinity {

struct PairAlarm {
  EntityPair pair;
  Tick at = 0;
  Tick since = 0;       ///< what it is counted from
  bool sensor = false;  ///< of the contact, where there is one
};

class PairAlarms {
 public:
  std::size_t size() const { return alarms_.size(); }
  bool contains(const EntityPair& pair) const { return alarms_.contains(pair); }

  /// Entries of the calendar, those left behind included: never many more than twice size().
  std::size_t calendar_size() const { return calendar_size_; }

  /// All of them, sorted by pair. O(size log size).
  std::vector<PairAlarm> sorted() const;

  /// Replaces the alarm of the pair, if there is one.
  void set(const PairAlarm& alarm);
  void cancel(const EntityPair& pair);
  /// Appends those with at <= tick, sorted by pair, and forgets them.
  void take_due(Tick tick, std::vector<PairAlarm>& out);
  /// The same with all of them. O(size log size).
  void take_all(std::vector<PairAlarm>& out);

 private:
  void write_calendar_anew();
  void clean_up();

  struct Setting {
    Tick at = 0;
    Tick since = 0;
    bool sensor = false;
  };
  PairTable<Setting> alarms_;
  std::map<Tick, std::vector<EntityPair>> calendar_;
  std::size_t calendar_size_ = 0;
};

}  // namespace vicinity
