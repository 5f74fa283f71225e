// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What every stream reads of every entity: its motion, quantised once per tick and shared by all
// observers, in one cache line per slot. Written by the tick thread after a tick; read-only while
// streams select what to send.

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/parallel.h"
#include "stream/quantised.h"
#include "world/snapshot.h"

namespace vicinity {

struct alignas(64) MotionRow {
  QuantisedMotion motion;
  Tick state_tick = 0;  ///< last change of what only a full state tells: shape, filter, user data
  Tick jump_tick = 0;   ///< last move without a path
  EntityId id;          ///< none: nobody lives in the slot
  /// By how much its updates come before those of others: size, speed and boost; > 0.
  float weight = 1;
};
static_assert(sizeof(MotionRow) == 64);

class MotionTable {
 public:
  explicit MotionTable(double resolution_m) : resolution_m_(resolution_m) {}

  /// Tick thread. Brings the rows of these slots (those that changed since the last update; each
  /// once) to the snapshot. O(changed), in parallel.
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed, Workers& workers);

  const MotionRow& row(std::uint32_t slot) const { return rows_[slot]; }
  double resolution_m() const { return resolution_m_; }

 private:
  double resolution_m_;
  std::vector<MotionRow> rows_;
};

}  // namespace vicinity
