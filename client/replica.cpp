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
  const auto violate = [&](ObserverId observer, EntityId id, std::string_view what) {
    violations.push_back(sentence(frame.tick, observer, id, what));
  };
  // Never creates the view: an observer that the server invents costs nothing here.
  const auto find_known = [&](ObserverId observer, EntityId id) -> EntityView* {
    const auto view = views_.find(observer);
    if (view == views_.end()) return nullptr;
    const auto entity = view->second.find(id);
    return entity == view->second.end() ? nullptr : &entity->second;
  };

  if (tick_ != 0 && frame.tick <= tick_)
    violations.push_back("tick " + std::to_string(frame.tick) + " came after tick " +
                         std::to_string(tick_));
  tick_ = std::max(tick_, frame.tick);  // what is known never becomes older
  for (const EntityLeave& leave : frame.leaves) {
    const auto view = views_.find(leave.observer);
    const bool has_view = view != views_.end();
    const auto entity = has_view ? view->second.find(leave.id) : View::iterator();
    if (has_view && entity != view->second.end()) {
      apply_leave(leave, view->second, entity);
    } else {
      violate(leave.observer, leave.id, "leave without enter");
    }
  }
  for (const EntityView& enter : frame.enters) {
    forget_suspended(enter.observer, enter.id);
    const auto [entity, is_new] = views_[enter.observer].insert_or_assign(enter.id, enter);
    entity->second.last_update = tick_;
    if (!is_new) violate(enter.observer, enter.id, "second enter");
  }
  for (const EntityView& change : frame.changed) {
    EntityView* entity = find_known(change.observer, change.id);
    if (entity == nullptr) {
      violate(change.observer, change.id, "change without enter");
    } else {
      *entity = change;
      entity->last_update = tick_;
    }
  }
  for (const EntityMove& move : frame.moved) {
    EntityView* entity = find_known(move.observer, move.id);
    if (entity == nullptr) {
      violate(move.observer, move.id, "move without enter");
    } else {
      entity->position = move.position;
      entity->velocity = move.velocity;
      entity->rotation = move.rotation;
      entity->angular_velocity = move.angular_velocity;
      entity->last_update = tick_;
    }
  }
  violation_count_ += violations.size();
  return violations;
}

void Replica::apply_leave(const EntityLeave& leave, View& view, View::iterator entity) {
  if (leave.suspended && suspended_count_max_ > 0) {
    suspended_[leave.observer].insert_or_assign(leave.id, entity->second);
    suspended_order_.emplace_back(leave.observer, leave.id);
    ++suspended_count_;
    trim_suspended();
  }
  view.erase(entity);
}

/// Invariant: suspended_order_ names exactly what is suspended.
void Replica::trim_suspended() {
  while (suspended_count_ > suspended_count_max_) {
    const auto [observer, id] = suspended_order_.front();
    forget_suspended(observer, id);
  }
}

void Replica::drop_observer(ObserverId observer) {
  views_.erase(observer);
  const auto kept = suspended_.find(observer);
  if (kept == suspended_.end()) return;
  suspended_count_ -= kept->second.size();
  suspended_.erase(kept);
  std::erase_if(suspended_order_, [&](const auto& entry) { return entry.first == observer; });
}

void Replica::clear() {
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

const Replica::View& Replica::suspended(ObserverId observer) const {
  static const View empty;
  const auto found = suspended_.find(observer);
  return found == suspended_.end() ? empty : found->second;
}

const EntityView* Replica::find(EntityId id, ObserverId observer) const {
  const View& seen = view(observer);
  const auto found = seen.find(id);
  return found == seen.end() ? nullptr : &found->second;
}

const Replica::View& Replica::view(ObserverId observer) const {
  static const View empty;
  const auto found = views_.find(observer);
  return found == views_.end() ? empty : found->second;
}

}  // namespace vicinity::client
