// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What one observer has been shown, built from its frames by rules of its own: an enter only of
// what is not visible, leaves and updates only of what is. Sorted arrays, so that applying a frame
// costs no allocation once they have grown. Pure; not thread-safe.

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "client/frame.h"

namespace vicinity::sim {

/// One visible entity.
struct Seen {
  client::EntityView entity;  ///< as it was told last
  Tick entered_tick = 0;
  Tick updated_tick = 0;      ///< of the last frame that told something of it
  Tick fresh_tick = 0;        ///< kept by the truth check: when it was as in truth last
  std::int64_t fresh_us = 0;  ///< the same, start of that tick, server's clock
  std::uint32_t fresh_interval_ticks = 1;  ///< the same, of the ring that it was in then
};

/// What a frame said that cannot be.
struct ViewFaults {
  std::uint64_t duplicate_enters = 0;
  std::uint64_t ghost_leaves = 0;
  std::uint64_t ghost_updates = 0;
  std::vector<std::string> sentences;  ///< the first few
  std::uint64_t count() const { return duplicate_enters + ghost_leaves + ghost_updates; }
};

class View {
 public:
  /// Of this observer. What comes for another one is a fault, unless the session has others.
  explicit View(ObserverId observer = {}, bool has_others = false)
      : observer_(observer), has_others_(has_others) {}

  ViewFaults apply(const client::TickFrame& frame);
  void clear() { seen_.clear(); }

  /// Ascending by id.
  std::vector<Seen>& seen() { return seen_; }
  const std::vector<Seen>& seen() const { return seen_; }
  /// Null when it is not visible.
  Seen* find(EntityId id);
  const Seen* find(EntityId id) const;

 private:
  void apply_leaves(const client::TickFrame& frame, ViewFaults& faults);
  void apply_enters(const client::TickFrame& frame, ViewFaults& faults);
  void apply_updates(const client::TickFrame& frame, ViewFaults& faults);

  bool is_others(ObserverId observer) const { return has_others_ && observer != observer_; }

  ObserverId observer_;
  bool has_others_ = false;
  std::vector<Seen> seen_;
  std::vector<EntityId> gone_;  ///< scratch
  std::vector<Seen> entered_;   ///< scratch
};

}  // namespace vicinity::sim
