// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a saved world is read against: the entities that it has again, and those that it lost. Tick
// thread; values.

#include <algorithm>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/vec.h"
#include "world/snapshot.h"

namespace vicinity {

/// An entity whose record could not be, and which is not in the restored world: its slot is free,
/// with this generation used up. What named it is without it, and nobody is told: its contacts have
/// no end and its leaves no event. What was attached to it stays where it is, at rest.
struct QuarantinedEntity {
  EntityId id;
  Vec3 position;       ///< as it was saved
  std::string reason;  ///< names the field and what is allowed
};

class RestoredEntities {
 public:
  /// Both outlive it. `quarantined` ascends by id.
  RestoredEntities(const Snapshot& snapshot, const std::vector<QuarantinedEntity>& quarantined)
      : snapshot_(snapshot), quarantined_(quarantined) {}

  const Snapshot& snapshot() const { return snapshot_; }
  bool is_alive(EntityId id) const { return snapshot_.contains(id); }
  bool is_quarantined(EntityId id) const {
    const auto at =
        std::lower_bound(quarantined_.begin(), quarantined_.end(), id,
                         [](const QuarantinedEntity& each, EntityId key) { return each.id < key; });
    return at != quarantined_.end() && at->id == id;
  }
  /// What a saved world may name as living.
  bool is_known(EntityId id) const { return is_alive(id) || is_quarantined(id); }

 private:
  const Snapshot& snapshot_;
  const std::vector<QuarantinedEntity>& quarantined_;
};

}  // namespace vicinity
