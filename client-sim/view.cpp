// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/view.h"

#include <algorithm>
#include <string_view>

namespace vicinity::sim {
namespace {

constexpr std::size_t sentences_max = 4;

bool is_before(const Seen& a, const Seen& b) { return a.entity.id < b.entity.id; }

void note(ViewFaults& faults, std::string_view what, EntityId id) {
  if (faults.sentences.size() >= sentences_max) return;
  faults.sentences.push_back(std::string(what) + " of entity " + std::to_string(id.index()) + ":" +
                             std::to_string(id.generation()));
}

}  // namespace

const Seen* View::find(EntityId id) const {
  const auto found =
      std::lower_bound(seen_.begin(), seen_.end(), id,
                       [](const Seen& seen, EntityId wanted) { return seen.entity.id < wanted; });
  return found == seen_.end() || found->entity.id != id ? nullptr : &*found;
}

Seen* View::find(EntityId id) {
  return const_cast<Seen*>(static_cast<const View*>(this)->find(id));
}

/// Leaves come before enters, so an entity may leave and enter again within one frame.
ViewFaults View::apply(const client::TickFrame& frame) {
  ViewFaults faults;
  apply_leaves(frame, faults);
  apply_enters(frame, faults);
  apply_updates(frame, faults);
  return faults;
}

void View::apply_leaves(const client::TickFrame& frame, ViewFaults& faults) {
  if (frame.leaves.empty()) return;
  gone_.clear();
  for (const client::EntityLeave& leave : frame.leaves) {
    if (is_others(leave.observer)) continue;
    const bool is_known = leave.observer == observer_ && find(leave.id) != nullptr;
    if (is_known && std::find(gone_.begin(), gone_.end(), leave.id) == gone_.end()) {
      gone_.push_back(leave.id);
      continue;
    }
    ++faults.ghost_leaves;
    note(faults, "leave without enter", leave.id);
  }
  std::sort(gone_.begin(), gone_.end());
  std::erase_if(seen_, [this](const Seen& seen) {
    return std::binary_search(gone_.begin(), gone_.end(), seen.entity.id);
  });
}

void View::apply_enters(const client::TickFrame& frame, ViewFaults& faults) {
  if (frame.enters.empty()) return;
  entered_.clear();
  for (const client::EntityView& enter : frame.enters) {
    if (is_others(enter.observer)) continue;
    if (enter.observer != observer_) {
      ++faults.ghost_updates;
      note(faults, "enter for another observer", enter.id);
      continue;
    }
    entered_.push_back({enter, frame.tick, frame.tick, frame.tick, 0, 1});
  }
  std::stable_sort(entered_.begin(), entered_.end(), is_before);
  const auto before_enters = static_cast<std::ptrdiff_t>(seen_.size());
  for (std::size_t i = 0; i < entered_.size(); ++i) {
    const bool twice = i > 0 && entered_[i - 1].entity.id == entered_[i].entity.id;
    const auto end = seen_.begin() + before_enters;
    const auto known = std::lower_bound(seen_.begin(), end, entered_[i], is_before);
    const bool visible = known != end && known->entity.id == entered_[i].entity.id;
    if (!twice && !visible) {
      seen_.push_back(entered_[i]);
      continue;
    }
    ++faults.duplicate_enters;
    note(faults, "second enter", entered_[i].entity.id);
    if (visible) known->entity = entered_[i].entity;
  }
  std::inplace_merge(seen_.begin(), seen_.begin() + before_enters, seen_.end(), is_before);
}

void View::apply_updates(const client::TickFrame& frame, ViewFaults& faults) {
  const auto target = [&](ObserverId observer, EntityId id) -> Seen* {
    if (is_others(observer)) return nullptr;
    Seen* const seen = observer == observer_ ? find(id) : nullptr;
    if (seen == nullptr) {
      ++faults.ghost_updates;
      note(faults, "update without enter", id);
    } else {
      seen->updated_tick = frame.tick;
    }
    return seen;
  };
  for (const client::EntityView& change : frame.changed)
    if (Seen* const seen = target(change.observer, change.id)) seen->entity = change;
  for (const client::EntityMove& move : frame.moved)
    if (Seen* const seen = target(move.observer, move.id)) seen->entity.position = move.position;
  for (const client::EntityTurn& turn : frame.turned)
    if (Seen* const seen = target(turn.observer, turn.id)) seen->entity.rotation = turn.rotation;
  for (const client::EntityVelocity& told : frame.velocities)
    if (Seen* const seen = target(told.observer, told.id)) seen->entity.velocity = told.value;
  for (const client::EntityVelocity& told : frame.spins)
    if (Seen* const seen = target(told.observer, told.id))
      seen->entity.angular_velocity = told.value;
  for (const client::EntityJump& jump : frame.jumped) target(jump.observer, jump.id);
}

}  // namespace vicinity::sim
