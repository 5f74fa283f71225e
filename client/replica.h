// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The visible world of one session, kept up to date from TickFrames. Checks the stream while it
// applies it: an enter of something already visible, or an update or leave of something that is
// not, is a violation (it never happens with a correct server).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "client/frame.h"

namespace vicinity::client {

class Replica {
 public:
  using View = std::map<EntityId, EntityView>;

  /// Applies one tick. Returns the violations found in it, as sentences; usually empty.
  std::vector<std::string> apply(const TickFrame& frame);

  /// Call when the last area of an observer was removed: the server sends no leaves then.
  void drop_observer(ObserverId observer);

  /// What this observer sees, by ascending id; empty for an unknown observer.
  const View& view(ObserverId observer = {}) const;
  Tick tick() const { return tick_; }
  std::uint64_t violation_count() const { return violation_count_; }

 private:
  std::map<ObserverId, View> views_;
  Tick tick_ = 0;
  std::uint64_t violation_count_ = 0;
};

}  // namespace vicinity::client
