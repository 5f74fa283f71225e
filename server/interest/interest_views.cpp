// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <algorithm>
#include <utility>

#include "interest/interest.h"

namespace vicinity {

std::vector<ObserverEvents> Interest::views(const Snapshot& snapshot) const {
  std::vector<ObserverEvents> out;
  for (const auto& [session_id, session] : sessions_) {
    for (const auto& [observer_id, observer] : session.observers) {
      ObserverEvents events;
      events.session = session_id;
      events.observer = observer_id;
      for (const Visible& visible : observer.visible)  // ascending
        if (snapshot.id[visible.id.index()] == visible.id)
          events.enters.push_back(visible.id.index());
      events.visible_count = static_cast<std::uint32_t>(observer.visible.size());
      out.push_back(std::move(events));
    }
  }
  return out;
}

std::set<AreaId> Interest::area_ids(SessionId session) const {
  std::set<AreaId> ids;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return ids;
  for (const auto& [area, observer] : found->second.observer_of_area) ids.insert(area);
  return ids;
}

std::vector<ObserverId> Interest::observer_ids(SessionId session) const {
  std::vector<ObserverId> ids;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return ids;
  for (const auto& [id, observer] : found->second.observers) ids.push_back(id);
  return ids;
}

std::span<const InterestArea> Interest::areas_of(SessionId session, ObserverId observer) const {
  const Observer* found = find(session, observer);
  if (found == nullptr) return {};
  return found->areas;
}

const Observer* Interest::find(SessionId session, ObserverId observer) const {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return nullptr;
  const auto found = entry->second.observers.find(observer);
  return found == entry->second.observers.end() ? nullptr : &found->second;
}

const std::map<ObserverId, Observer>* Interest::observers_of(SessionId session) const {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end() || entry->second.observers.empty()) return nullptr;
  return &entry->second.observers;
}

std::span<const EntityId> Interest::owned_by(SessionId session) const {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return {};
  return entry->second.owned;
}

std::span<const InterestArea> Interest::areas_of(SessionId session, ObserverId observer,
                                                 std::size_t& seat) const {
  if (seats_are_stale_) return areas_of(session, observer);
  const std::pair key(session, observer);
  const auto name_of = [](const Seat& s) { return std::pair(s.session_id, s.observer_id); };
  if (seat >= seats_.size() || name_of(seats_[seat]) != key) {
    const auto place =
        std::lower_bound(seats_.begin(), seats_.end(), key,
                         [&](const Seat& s, const auto& wanted) { return name_of(s) < wanted; });
    if (place == seats_.end() || name_of(*place) != key) return {};
    seat = static_cast<std::size_t>(place - seats_.begin());
  }
  // Observers lie anywhere in memory: what is likely to be asked for soon is fetched.
  if (seat + 6 < seats_.size()) __builtin_prefetch(&seats_[seat + 6].observer->areas);
  if (seat + 3 < seats_.size()) {
    const InterestArea* const next = seats_[seat + 3].observer->areas.data();
    __builtin_prefetch(&next->spec.rings);
    __builtin_prefetch(&next->position);
    __builtin_prefetch(&next->placed);
  }
  return seats_[seat].observer->areas;
}

}  // namespace vicinity
