// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/replica.h"

#include <algorithm>
#include <string_view>

namespace vicinity::client {
namespace {

std::string name_of(EntityId id) {
  return std::to_string(id.index()) + ":" + std::to_string(id.generation());
}

std::string sentence(Tick tick, ObserverId observer, EntityId id, std::string_view what) {
  return "tick " + std::to_string(tick) + ", observer " + std::to_string(observer.value) + ": " +
         std::string(what) + " of entity " + name_of(id);
}

}  // namespace

std::vector<std::string> Replica::apply(const TickFrame& frame) {
  std::vector<std::string> violations;
  const auto violate = [&](const auto& told, std::string_view what) {
    violations.push_back(sentence(frame.tick, told.observer, told.id, what));
  };

  if (tick_ != 0 && frame.tick <= tick_)
    violations.push_back("tick " + std::to_string(frame.tick) + " came after tick " +
                         std::to_string(tick_));
  tick_ = std::max(tick_, frame.tick);  // what is known never becomes older
  for (const EntityLeave& leave : frame.leaves) {
    const auto view = views_.find(leave.observer);
    const auto entry = view == views_.end() ? Slots::iterator() : view->second.find(leave.id);
    if (view == views_.end() || entry == view->second.end()) {
      violate(leave, "leave without enter");
      continue;
    }
    if (leave.suspended && suspended_count_max_ > 0) suspend(leave, entry->second);
    vacate(entry->second);
    view->second.erase(entry);
  }
  for (const EntityView& enter : frame.enters) {
    forget_suspended(enter.observer, enter.id);
    const auto view = views_.find(enter.observer);
    if (view != views_.end() && view->second.contains(enter.id)) {
      violate(enter, "second enter");
      vacate(view->second.at(enter.id));
    }
    occupy(enter);
  }
  for (const EntityView& change : frame.changed) {
    if (holds(change.slot, change.id)) {
      occupy(change);
    } else {
      violate(change, "change without enter");
    }
  }
  // The parts of what moved.
  const auto update_each = [&](const auto& list, auto update) {
    // As in ViewDecoder: first ask for the memory of all.
    for (const auto& told : list)
      if (told.slot < places_.size()) __builtin_prefetch(&places_[told.slot], 1);
    for (const auto& told : list) {
      if (!holds(told.slot, told.id)) {
        violate(told, "move without enter");
        continue;
      }
      Place& place = places_[told.slot];
      place.last_update = tick_;
      update(place, told);
    }
  };
  update_each(frame.moved,
              [](Place& place, const EntityMove& move) { place.position = move.position; });
  update_each(frame.turned, [&](Place&, const EntityTurn& turn) {
    entities_[turn.slot].rotation = turn.rotation;
  });
  update_each(frame.velocities, [&](Place&, const EntityVelocity& velocity) {
    entities_[velocity.slot].velocity = velocity.value;
  });
  update_each(frame.spins, [&](Place&, const EntityVelocity& spin) {
    entities_[spin.slot].angular_velocity = spin.value;
  });
  update_each(frame.jumped, [](Place&, const EntityJump&) {});
  violation_count_ += violations.size();
  return violations;
}

void Replica::occupy(const EntityView& entity) {
  if (entity.slot >= places_.size()) {
    places_.resize(entity.slot + std::size_t{1});
    entities_.resize(entity.slot + std::size_t{1});
  }
  Place& place = places_[entity.slot];
  // An observer without areas loses its slots without leaves, perhaps before it is dropped here.
  const EntityView& before = entities_[entity.slot];
  if (place.id != EntityId() && (before.id != entity.id || before.observer != entity.observer)) {
    const auto view = views_.find(before.observer);
    if (view != views_.end()) view->second.erase(before.id);
  }
  place = {entity.id, entity.position, tick_};
  entities_[entity.slot] = entity;
  views_[entity.observer].insert_or_assign(entity.id, entity.slot);
}

EntityView Replica::entity(std::uint32_t slot) const {
  EntityView out = entities_[slot];
  out.position = places_[slot].position;
  out.last_update = places_[slot].last_update;
  return out;
}

void Replica::suspend(const EntityLeave& leave, std::uint32_t slot) {
  suspended_[leave.observer].insert_or_assign(leave.id, entity(slot));
  suspended_order_.emplace_back(leave.observer, leave.id);
  ++suspended_count_;
  trim_suspended();
}

/// Invariant: suspended_order_ names exactly what is suspended.
void Replica::trim_suspended() {
  while (suspended_count_ > suspended_count_max_) {
    const auto [observer, id] = suspended_order_.front();
    forget_suspended(observer, id);
  }
}

void Replica::drop_observer(ObserverId observer) {
  if (const auto view = views_.find(observer); view != views_.end()) {
    for (const auto& [id, slot] : view->second) vacate(slot);
    views_.erase(view);
  }
  const auto kept = suspended_.find(observer);
  if (kept == suspended_.end()) return;
  suspended_count_ -= kept->second.size();
  suspended_.erase(kept);
  std::erase_if(suspended_order_, [&](const auto& entry) { return entry.first == observer; });
}

void Replica::clear() {
  places_.clear();
  entities_.clear();
  views_.clear();
  suspended_.clear();
  suspended_order_.clear();
  suspended_count_ = 0;
  tick_ = 0;
}

void Replica::keep_suspended(std::size_t count_max) {
  suspended_count_max_ = count_max;
  trim_suspended();
}

void Replica::forget_suspended(ObserverId observer, EntityId id) {
  const auto kept = suspended_.find(observer);
  if (kept == suspended_.end() || kept->second.erase(id) == 0) return;
  --suspended_count_;
  if (kept->second.empty()) suspended_.erase(kept);
  std::erase(suspended_order_, std::pair(observer, id));
}

const Replica::Suspended& Replica::suspended(ObserverId observer) const {
  static const Suspended empty;
  const auto found = suspended_.find(observer);
  return found == suspended_.end() ? empty : found->second;
}

Replica::View Replica::view(ObserverId observer) const {
  static const Slots empty;
  const auto found = views_.find(observer);
  return {*this, found == views_.end() ? empty : found->second};
}

std::optional<EntityView> Replica::find(EntityId id, ObserverId observer) const {
  const auto view = views_.find(observer);
  if (view == views_.end()) return std::nullopt;
  const auto entry = view->second.find(id);
  if (entry == view->second.end()) return std::nullopt;
  return entity(entry->second);
}

}  // namespace vicinity::client
