// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/replica.h"

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
  const auto find = [&](ObserverId observer, EntityId id) -> EntityView* {
    const auto view = views_.find(observer);
    if (view == views_.end()) return nullptr;
    const auto entity = view->second.find(id);
    return entity == view->second.end() ? nullptr : &entity->second;
  };

  if (tick_ != 0 && frame.tick <= tick_)
    violations.push_back("tick " + std::to_string(frame.tick) + " came after tick " +
                         std::to_string(tick_));
  tick_ = frame.tick;
  for (const EntityLeave& leave : frame.leaves) {
    const auto view = views_.find(leave.observer);
    if (view == views_.end() || view->second.erase(leave.id) == 0)
      violate(leave.observer, leave.id, "leave without enter");
  }
  for (const EntityView& enter : frame.enters) {
    if (!views_[enter.observer].insert_or_assign(enter.id, enter).second)
      violate(enter.observer, enter.id, "second enter");
  }
  for (const EntityView& change : frame.changed) {
    EntityView* entity = find(change.observer, change.id);
    if (entity == nullptr) {
      violate(change.observer, change.id, "change without enter");
    } else {
      *entity = change;
    }
  }
  for (const EntityMove& move : frame.moved) {
    EntityView* entity = find(move.observer, move.id);
    if (entity == nullptr) {
      violate(move.observer, move.id, "move without enter");
    } else {
      entity->position = move.position;
      entity->velocity = move.velocity;
      entity->rotation = move.rotation;
      entity->angular_velocity = move.angular_velocity;
    }
  }
  violation_count_ += violations.size();
  return violations;
}

void Replica::drop_observer(ObserverId observer) { views_.erase(observer); }

const Replica::View& Replica::view(ObserverId observer) const {
  static const View empty;
  const auto found = views_.find(observer);
  return found == views_.end() ? empty : found->second;
}

}  // namespace vicinity::client
