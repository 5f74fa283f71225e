// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The parts of an entity where they stand at the end of the tick, as exact searches look at them.
// Pure; any room. Nothing is allocated.

#include "geometry/primitive_bounds.h"
#include "world/snapshot.h"

namespace vicinity {

/// Valid during the call that it is given to.
struct PlacedPart {
  const Primitive& primitive;
  Pose pose;
  Aabb box;     ///< contains the part
  bool is_box;  ///< the part is exactly that: a box that is not turned
};

/// A box with these corners, up to roundings of its size (not of its place).
struct PlacedBox {
  Primitive primitive;
  Pose pose;
};
inline PlacedBox box_of_corners(const Aabb& box) {
  const Vec3 middle = centre(box);
  const Vec3 low = box.min - middle;
  const Vec3 high = box.max - middle;
  return {box_primitive((high - low) * 0.5, {(low + high) * 0.5, {}}), {middle, {}}};
}

inline bool is_upright_box(const Primitive& primitive, const Pose& pose) {
  return primitive.kind == PrimitiveKind::Box && is_identity(pose.rotation) &&
         is_identity(primitive.offset.rotation);
}

/// Calls use(const PlacedPart&) for the parts in their order, until it returns true.
template <class Use>
void for_parts_until(const Snapshot& snapshot, std::uint32_t slot, const Use& use) {
  const Aabb& tight_box = snapshot.tight_box[slot];
  if (snapshot.form[slot] == Form::Box) {
    const PlacedBox box = box_of_corners(tight_box);
    use(PlacedPart{box.primitive, box.pose, tight_box, true});
    return;
  }
  const Shape& shape = snapshot.shape[slot];
  const Pose pose = snapshot.pose(slot);
  const bool is_one = shape.is_plain() || shape.compound->parts.size() == 1;
  bool is_done = false;
  for_each_part(shape, [&](const Primitive& part) {
    if (is_done) return;
    const bool is_box = is_upright_box(part, pose);
    const Aabb box = is_one && !is_box ? tight_box : box_around(part, pose);
    is_done = use(PlacedPart{part, pose, box, is_box});
  });
}

}  // namespace vicinity
