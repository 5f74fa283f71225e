// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What every stream reads of every entity: its motion, quantised once per tick and shared by all
// observers, and since when it is as it is. So a stream need not remember what it told, only when.
// Written by the tick thread after a tick; read-only while streams select what to send.
//
//      heads()      32 bytes, two to a cache line: all that most updates need
//      row(slot)    96 bytes: the rest, for whom the head says that there is more
//
// A part that changed and changed back counts as changed.

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/parallel.h"
#include "stream/quantised.h"
#include "world/snapshot.h"

namespace vicinity {

struct alignas(32) MotionHead {
  std::int32_t position[3] = {0, 0, 0};  ///< as in the motion of the row
  std::uint32_t reserved = 0;
  Tick moved_tick = 0;  ///< last change of the motion, in any part
  /// Last change of anything but the position, and last tick in which the entity was far or fast:
  /// who was told later is right again once it has the new position.
  Tick other_tick = 0;
};
static_assert(sizeof(MotionHead) == 32);

struct MotionRow {
  QuantisedMotion motion;
  // Last change of each part of it.
  Tick position_tick = 0;
  Tick turn_tick = 0;
  Tick velocity_tick = 0;
  Tick spin_tick = 0;
  Tick fast_tick = 0;   ///< last tick in which it was too fast for binary16, or no longer was
  Tick state_tick = 0;  ///< last change of what only a full state tells: shape, filter, user data
  Tick jump_tick = 0;   ///< last move without a path
  /// By how much its updates come before those of others: size, speed and boost; > 0.
  float weight = 1;
};
static_assert(sizeof(MotionRow) == 96);

class MotionTable {
 public:
  explicit MotionTable(double resolution_m) : resolution_m_(resolution_m) {}

  /// Tick thread. Brings the rows of these slots (those that changed since the last update; each
  /// once) to the snapshot, whose tick is later than that of the last one. O(changed), in parallel.
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed, Workers& workers);

  std::span<const MotionHead> heads() const { return heads_; }  ///< by slot
  const MotionRow& row(std::uint32_t slot) const { return rows_[slot]; }
  double resolution_m() const { return resolution_m_; }

 private:
  void renew(const Snapshot& snapshot, std::uint32_t slot);

  double resolution_m_;
  std::vector<MotionHead> heads_;
  std::vector<MotionRow> rows_;
};

}  // namespace vicinity
