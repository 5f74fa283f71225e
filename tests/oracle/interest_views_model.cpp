// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/interest_views_model.h"

#include <algorithm>

namespace vicinity::oracle {

/// One observer in one tick.
struct ViewsModel::Look {
  const ViewsModel& model;
  const Name& name;
  const ModelObserver& observer;
  const Snapshot& snapshot;
  bool is_open = false;
  std::map<AreaId, std::set<EntityId>> nearest = {};

  const Seen* seen(std::uint32_t slot) const {
    const auto found = observer.view.find(snapshot.id[slot]);
    return found == observer.view.end() ? nullptr : &found->second;
  }
  Visibility visibility(EntityId id) const {
    const auto found = observer.visibilities.find(id);
    return found == observer.visibilities.end() ? Visibility::Default : found->second;
  }
  bool is_own(std::uint32_t slot) const {
    if (!model.players.contains(name.first) || snapshot.owner[slot] != name.first) return false;
    for (const auto& [id, area] : observer.areas)
      if (area.anchor == snapshot.id[slot] && !area.spec.include_anchor) return false;
    return true;
  }
  std::optional<std::uint32_t> parent(std::uint32_t slot) const {
    for (const Follower& follower : snapshot.followers)
      if (follower.slot == slot) return follower.parent;
    return std::nullopt;
  }
  bool is_yes(Answer answer) {
    is_open = is_open || answer == Answer::Open;
    return answer == Answer::Yes;
  }

  /// By geometry and dwell time alone.
  bool reached(const ModelArea& area, std::uint32_t slot) {
    if (!area.takes(snapshot, slot)) return false;
    const Seen* was = seen(slot);
    if (was != nullptr && snapshot.tick < was->entered + area.spec.min_dwell_ticks) return true;
    if (is_yes(area.inside(snapshot, slot, false))) return true;
    return was != nullptr && is_yes(area.inside(snapshot, slot, true));
  }

  void find_nearest() {
    for (const auto& [area_id, area] : observer.areas) {
      if (area.spec.nearest_max == 0) continue;
      std::vector<std::pair<double, EntityId>> found;
      for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
        if (!snapshot.id[slot] || parent(slot) || is_own(slot)) continue;
        if (visibility(snapshot.id[slot]) != Visibility::Default) continue;
        if (!snapshot.relevance.empty() && snapshot.relevance[slot].always) continue;
        if (!reached(area, slot)) continue;
        const auto distance = area.distance(snapshot, slot);
        is_open = is_open || !distance;
        found.emplace_back(distance.value_or(0), snapshot.id[slot]);
      }
      std::sort(found.begin(), found.end());
      for (std::size_t i = 0; i < found.size() && i < area.spec.nearest_max; ++i)
        nearest[area_id].insert(found[i].second);
    }
  }

  bool held(AreaId area_id, const ModelArea& area, std::uint32_t slot) {
    if (!reached(area, slot)) return false;
    const bool is_always = !snapshot.relevance.empty() && snapshot.relevance[slot].always;
    return area.spec.nearest_max == 0 || is_always || nearest[area_id].contains(snapshot.id[slot]);
  }

  bool in_view(std::uint32_t slot) {
    if (!snapshot.filter[slot].enabled) return false;
    const Visibility said = visibility(snapshot.id[slot]);
    if (said != Visibility::Default) return said == Visibility::Always;
    if (is_own(slot)) return true;
    for (const auto& [area_id, area] : observer.areas)
      if (held(area_id, area, slot)) return true;
    return false;
  }

  LeaveReason reason(EntityId id) {
    for (const Despawn& despawn : snapshot.despawned)
      if (despawn.id == id && despawn.reason == DespawnReason::LeftWorld)
        return LeaveReason::OutOfWorld;
    if (!snapshot.contains(id)) return LeaveReason::Despawned;
    const std::uint32_t slot = id.index();
    if (!snapshot.filter[slot].enabled) return LeaveReason::Disabled;
    bool is_reached = false;
    bool is_taken = false;
    bool is_in_leave = false;
    for (const auto& [area_id, area] : observer.areas) {
      is_reached = reached(area, slot) || is_reached;
      is_taken = is_taken || area.takes(snapshot, slot);
      is_in_leave = is_in_leave || (area.place && is_yes(area.inside(snapshot, slot, true)));
    }
    if (parent(slot)) {
      const bool is_forced = visibility(id) == Visibility::Always ||
                             (visibility(id) == Visibility::Default && is_own(slot));
      if (is_reached || is_forced) return LeaveReason::Hidden;
    } else {
      if (visibility(id) == Visibility::Never) return LeaveReason::Hidden;
      if (is_reached) return LeaveReason::Crowded;
    }
    if (observer.released.contains(id)) return LeaveReason::Hidden;
    for (const AreaId touched : observer.touched)
      if (observer.before.contains(touched) && reached(observer.before.at(touched), slot))
        return LeaveReason::AreaChanged;
    if (snapshot.changed[slot].filter != snapshot.tick) return LeaveReason::OutOfRange;
    return !is_taken || is_in_leave ? LeaveReason::FilterChanged : LeaveReason::OutOfRange;
  }

  void add(std::set<std::uint32_t>& now, std::uint32_t slot) const {
    now.insert(slot);
    for (const Follower& follower : snapshot.followers)
      if (follower.parent == slot && snapshot.filter[follower.slot].enabled)
        add(now, follower.slot);
  }

  std::set<std::uint32_t> find_view() {
    std::set<std::uint32_t> now;
    for (const bool old : {true, false}) {
      for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
        if (!snapshot.id[slot] || parent(slot) || (seen(slot) != nullptr) != old) continue;
        if (!in_view(slot)) continue;
        if (!old && now.size() >= share()) break;
        add(now, slot);
      }
    }
    return now;
  }
  std::uint64_t share() const {
    const auto of_session =
        std::count_if(model.observers.begin(), model.observers.end(),
                      [this](const auto& entry) { return entry.first.first == name.first; });
    return std::max<std::uint64_t>(model.visible_max / static_cast<std::uint64_t>(of_session), 1);
  }
};

ModelNews ViewsModel::look(const Name& name, const Snapshot& snapshot) {
  ModelObserver& observer = observers.at(name);
  for (auto* areas : {&observer.areas, &observer.before})
    for (auto& [id, area] : *areas) area.move(snapshot);
  std::erase_if(observer.visibilities,
                [&](const auto& entry) { return !snapshot.contains(entry.first); });
  Look look{*this, name, observer, snapshot};
  look.find_nearest();
  ModelNews news;
  const std::set<std::uint32_t> now = look.find_view();
  for (const std::uint32_t slot : now) {
    const EntityId id = snapshot.id[slot];
    const Seen* was = look.seen(slot);
    if (was == nullptr) news.enters.push_back(id);
    Seen seen = was != nullptr ? *was : Seen{snapshot.tick, false};
    std::optional<bool> held;
    for (const auto& [area_id, area] : observer.areas)
      if (look.held(area_id, area, slot)) held = held.value_or(true) && area.spec.suspend;
    if (held) seen.suspends = *held;
    news.view[id] = seen;
  }
  for (const auto& [id, was] : observer.view) {
    if (news.view.contains(id)) continue;
    const LeaveReason reason = look.reason(id);
    news.leaves[id] = {reason, reason == LeaveReason::OutOfRange ? was.suspends : false};
  }
  news.is_open = look.is_open;
  return news;
}

void ViewsModel::settle(const Name& name, std::map<EntityId, Seen> view) {
  ModelObserver& observer = observers.at(name);
  observer.view = std::move(view);
  observer.before = observer.areas;
  observer.touched.clear();
  observer.released.clear();
}

}  // namespace vicinity::oracle
