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

MotionRow row_of(const Snapshot& snapshot, std::uint32_t slot, double resolution_m) {
  MotionRow row;
  row.id = snapshot.id[slot];
  if (!row.id) return row;
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

}  // namespace

void MotionTable::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                         Workers& workers) {
  rows_.resize(snapshot.slot_count());
  workers.parallel_blocks(changed.size(), slots_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i)
                              rows_[changed[i]] = row_of(snapshot, changed[i], resolution_m_);
                          });
}

}  // namespace vicinity
