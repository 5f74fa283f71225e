// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which pairs cool down after a tick and until when, frozen, so that a frame can say why a pair
// that touches is no contact. Written by the tick thread beside the table that decides
// (events/contact_timers.h); nothing in the tick reads it.
//
//      runs of a view     [ 900 pairs, sorted ][ 200 ][ 40 ]      a new one behind, per tick
//
// A run that is not less than half as long as the one before is merged with it, and so on: few runs
// to look into, each pair is copied a handful of times, and views share the runs. What is over
// falls out when its run is merged.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "events/pair_table.h"

namespace vicinity {

struct Cooldown {
  EntityPair pair;
  Tick until = 0;  ///< the first tick in which the pair may begin again
  Tick since = 0;  ///< the tick in which its contact ended
};

/// A small value; any thread may read.
class CooldownView {
 public:
  /// Of the pair; nothing when it does not cool down. `pair.a` has the smaller slot. O(log² size).
  std::optional<Cooldown> find(const EntityPair& pair) const;
  /// Pairs kept, those of which it is over included.
  std::size_t size() const;

 private:
  friend class CooldownList;
  using Run = std::vector<Cooldown>;

  Tick tick_ = 0;
  std::vector<std::shared_ptr<const Run>> runs_;  ///< sorted by pair; a later one overrules
};

/// Tick thread.
class CooldownList {
 public:
  void clear();
  /// For the view of the next publish(). Not of a pair that cools down already.
  void note(const Cooldown& cooldown) { noted_.push_back(cooldown); }
  /// After all notes of a tick, in which `count` pairs cool down. O(noted * log), and now and then
  /// a merge.
  void publish(Tick tick, std::size_t count);
  const CooldownView& view() const { return view_; }

 private:
  void merge_last_two();

  std::vector<Cooldown> noted_;
  CooldownView view_;
};

}  // namespace vicinity
