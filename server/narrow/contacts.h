// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Exact tests on all candidate pairs of a tick. Tick room; pure.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "base/raw_buffer.h"
#include "index/index.h"
#include "narrow/entity_tests.h"
#include "world/snapshot.h"

namespace vicinity {

/// One pair that touches in this tick.
struct Contact {
  EntityId a;  ///< smaller slot
  EntityId b;
  /// Of those that pass through. When those that touch met first is asked only if their contact
  /// begins (narrow/entity_tests.h, impact()).
  Impact impact;
  bool sensor = false;   ///< one of the two is a sensor: trigger events
  bool touching = true;  ///< overlap at the end of the tick; false = passed through only
};

/// Sorted by (a, b).
using ContactList = std::span<const Contact>;

/// First fraction of the tick at which box a (moving straight from a0 to a1) strictly overlaps box
/// b (b0 to b1); nothing when they never do. Corners move linearly. Whether they do is decided
/// exactly (see narrow/exact_fraction.h); the moment is rounded.
std::optional<double> first_overlap(const Aabb& a0, const Aabb& a1, const Aabb& b0, const Aabb& b1);

class ContactFinder {
 public:
  /// All pairs that touch at the end of the tick, and those that pass through one another: overlap
  /// during the tick but at neither end (passing()). `pairs` are sorted, and so is the answer,
  /// which is valid until the next call. Parallel.
  ContactList find(const Snapshot& snapshot, std::span<const SlotPair> pairs, Workers& workers);

  /// Memory of the answer.
  std::size_t size_bytes() const { return contacts_.size_bytes(); }

 private:
  BlockBuffers<Contact> blocks_;
  std::vector<std::size_t> places_;  ///< of the blocks in contacts_
  RawBuffer<Contact> contacts_;
};

}  // namespace vicinity
