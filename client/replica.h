// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The visible world of one session, kept up to date from TickFrames. Checks the stream while it
// applies it: an enter of something already visible, or an update or leave of something that is
// not, is a violation (it never happens with a correct server).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "client/frame.h"

namespace vicinity::client {

class Replica {
 public:
  using View = std::map<EntityId, EntityView>;

  /// Applies one tick; ticks may be missing in between. Returns the violations found in it, as
  /// sentences; usually empty.
  std::vector<std::string> apply(const TickFrame& frame);

  /// Call when the last area of an observer was removed: the server sends no leaves then.
  void drop_observer(ObserverId observer);
  /// Forgets everything, suspended entities too: for Welcome.view_reset and for a new session.
  void clear();

  /// How many entities that left as suspended are kept as they were last seen, over all observers;
  /// beyond it the one that left first is forgotten. 0, as at the beginning: none.
  void keep_suspended(std::size_t count_max);
  /// The kept ones of an observer, by ascending id. One goes when it enters again, or with
  /// forget_suspended(): of what becomes of it meanwhile the server tells nothing.
  const View& suspended(ObserverId observer = {}) const;
  void forget_suspended(ObserverId observer, EntityId id);

  /// What this observer sees, by ascending id; empty for an unknown observer.
  const View& view(ObserverId observer = {}) const;
  /// Null when the observer does not see it. Valid until the next call that changes the replica.
  const EntityView* find(EntityId id, ObserverId observer = {}) const;
  Tick tick() const { return tick_; }
  std::uint64_t violation_count() const { return violation_count_; }

 private:
  void apply_leave(const EntityLeave& leave, View& view, View::iterator entity);
  void trim_suspended();

  std::map<ObserverId, View> views_;
  std::map<ObserverId, View> suspended_;
  /// In the order in which they left.
  std::deque<std::pair<ObserverId, EntityId>> suspended_order_;
  std::size_t suspended_count_ = 0;
  std::size_t suspended_count_max_ = 0;
  Tick tick_ = 0;
  std::uint64_t violation_count_ = 0;
};

}  // namespace vicinity::client
