// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/motion_table.h"

#include <algorithm>
#include <cmath>

#include "geometry/vec_math.h"

namespace vicinity {
namespace {

constexpr std::size_t slots_per_block = 2048;

bool fits_half(Vec3 v) {
  return vicinity::fits_half(v.x) && vicinity::fits_half(v.y) && vicinity::fits_half(v.z);
}

void to_half(Vec3 v, std::uint16_t (&out)[3]) {
  for (int axis = 0; axis < 3; ++axis) out[axis] = v[axis] == 0 ? 0 : vicinity::to_half(v[axis]);
}

/// Large, fast and boosted things first: from a half to some tens.
float weight_of(const Snapshot& snapshot, std::uint32_t slot) {
  const double size_m =
      largest_component(snapshot.tight_box[slot].max - snapshot.tight_box[slot].min);
  const double speed_m_per_s = largest_component(snapshot.velocity[slot]);
  const unsigned boost = snapshot.relevance.empty() ? 0u : snapshot.relevance[slot].boost;
  return static_cast<float>(std::clamp(size_m / 2, 0.5, 4.0) *
                            (1 + std::min(speed_m_per_s, 20.0) / 10) * (1 + boost / 16.0));
}

/// The ticks of its parts are not known yet.
MotionRow row_of(const Snapshot& snapshot, std::uint32_t slot, double resolution_m) {
  MotionRow row;
  const QuantisedPosition position = quantise_position(snapshot.position[slot], resolution_m);
  const std::int64_t axes[3] = {position.x, position.y, position.z};
  for (int axis = 0; axis < 3; ++axis) {
    row.motion.position[axis] = static_cast<std::int32_t>(axes[axis]);
    row.motion.far = row.motion.far || axes[axis] != row.motion.position[axis];
  }
  const Vec3 spin = snapshot.angular_velocity(slot);
  row.motion.rotation = quantise_rotation(snapshot.pose(slot).rotation);
  row.motion.fast = !fits_half(snapshot.velocity[slot]) || !fits_half(spin);
  to_half(snapshot.velocity[slot], row.motion.velocity);
  to_half(spin, row.motion.spin);
  const EntityVersions& versions = snapshot.changed[slot];
  row.state_tick = std::max(
      {versions.spawned, versions.shape, versions.filter, versions.enabled, versions.user_data});
  row.jump_tick = versions.teleported;
  row.weight = weight_of(snapshot, slot);
  return row;
}

template <class Part>
bool differ(const Part (&a)[3], const Part (&b)[3]) {
  return a[0] != b[0] || a[1] != b[1] || a[2] != b[2];
}

/// Invariant: a part is as it was in tick T if its tick is not after T.
void note_changes(const MotionRow& before, Tick tick, MotionRow& row) {
  const QuantisedMotion& old = before.motion;
  const QuantisedMotion& now = row.motion;
  // Of a far position only the low bits are here; it is told with whatever else changed.
  const bool moved = differ(old.position, now.position) || old.far || now.far;
  row.position_tick = moved ? tick : before.position_tick;
  row.turn_tick = old.rotation != now.rotation ? tick : before.turn_tick;
  row.velocity_tick = differ(old.velocity, now.velocity) ? tick : before.velocity_tick;
  row.spin_tick = differ(old.spin, now.spin) ? tick : before.spin_tick;
  row.fast_tick = old.fast || now.fast ? tick : before.fast_tick;
}

}  // namespace

void MotionTable::renew(const Snapshot& snapshot, std::uint32_t slot) {
  MotionRow& row = rows_[slot];
  MotionHead& head = heads_[slot];
  if (!snapshot.id[slot]) {
    row = {};
    head = {};
    return;
  }
  const MotionRow before = row;
  row = row_of(snapshot, slot, resolution_m_);
  note_changes(before, snapshot.tick, row);
  std::copy(std::begin(row.motion.position), std::end(row.motion.position), head.position);
  if (!(before.motion == row.motion)) head.moved_tick = snapshot.tick;
  head.other_tick = std::max({row.turn_tick, row.velocity_tick, row.spin_tick, row.fast_tick,
                              row.state_tick, row.jump_tick});
  // A far one is never told by its head alone.
  if (row.motion.far || before.motion.far) head.other_tick = snapshot.tick;
}

void MotionTable::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                         Workers& workers) {
  rows_.resize(snapshot.slot_count());
  heads_.resize(snapshot.slot_count());
  workers.parallel_blocks(changed.size(), slots_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) renew(snapshot, changed[i]);
                          });
}

}  // namespace vicinity
