// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Areas and visible sets as bytes. Solids, masks and seats follow from the rest; what commands left
// behind for the next update is gone between two updates.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "interest/interest.h"
#include "world/archive_values.h"
#include "world/checker.h"

namespace vicinity {
namespace {

constexpr std::size_t area_bytes = 300;
constexpr double length_part = 1e-6;

bool has_length_one(const Quat& q) {
  return is_finite(q) &&
         std::abs(std::sqrt(length_squared(q.vector()) + q.w * q.w) - 1) <= length_part;
}

/// Ids that ascend, each of which can be.
template <class Item, class Of>
bool ascend(const std::vector<Item>& items, const Of& id_of) {
  return std::adjacent_find(items.begin(), items.end(), [&](const Item& a, const Item& b) {
           return !(id_of(a) < id_of(b));
         }) == items.end();
}

/// Whether an area can be of these values, as the door and make_area() leave it.
bool can_be(const InterestArea& area, double world_half_size_m) {
  Checker checker(world_half_size_m);
  return checker.area(area.spec) && area.spec.anchor.present() == static_cast<bool>(area.anchor) &&
         checker.vector("position", area.position,
                        signed_range(2 * limits::area_size_m, " m", ErrorCode::LimitExceeded)) &&
         has_length_one(area.rotation);
}

}  // namespace

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, InterestArea>& area) {
  a(area.id), a(area.spec), a(area.anchor), a(area.position), a(area.rotation), a(area.placed);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Visible>& visible) {
  a(visible.id), a(visible.entered), a(visible.suspends);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, VisibilityEntry>& entry) {
  a(entry.id);
  archive_enum(a, entry.visibility, Visibility::Never);
}

void Interest::save(ArchiveWriter& out) const {
  out(static_cast<std::uint64_t>(sessions_.size()));
  for (const auto& [session_id, session] : sessions_) {
    CHECK(session.dropped.empty());
    out(session_id), out(session.is_player);
    out(session.search_from.observer), out(session.search_from.area);
    out(session.owned);
    out(static_cast<std::uint64_t>(session.observers.size()));
    for (const auto& [observer_id, observer] : session.observers) {
      CHECK(observer.former.empty() && observer.released.empty());
      out(observer_id), out(observer.areas), out(observer.visible), out(observer.visibilities);
    }
  }
}

void Interest::load_observer(ArchiveReader& in, const RestoredEntities& entities,
                             double world_half_size_m, Observer& observer) {
  in(observer.areas), in(observer.visible), in(observer.visibilities);
  in.require(!observer.areas.empty() && observer.areas.size() <= limits::areas_per_observer_max &&
             observer.visibilities.size() <= limits::visibilities_per_observer_max &&
             ascend(observer.areas, [](const InterestArea& area) { return area.id; }) &&
             ascend(observer.visible, [](const Visible& visible) { return visible.id; }) &&
             ascend(observer.visibilities, [](const VisibilityEntry& entry) { return entry.id; }));
  if (!in.ok()) return;
  for (InterestArea& area : observer.areas) {
    in.require(can_be(area, world_half_size_m));
    if (!in.ok()) return;
    area.enter = enter_solid(area.spec);
    area.leave = leave_solid(area.spec);
    area.in_effect = true;
  }
  for (const Visible& visible : observer.visible)
    in.require(entities.is_known(visible.id) && visible.entered > 0 &&
               visible.entered <= entities.snapshot().tick);
  for (const VisibilityEntry& entry : observer.visibilities)
    in.require(entities.is_known(entry.id) && entry.visibility != Visibility::Default);
  const auto is_lost = [&](const auto& named) { return !entities.is_alive(named.id); };
  std::erase_if(observer.visible, is_lost);
  std::erase_if(observer.visibilities, is_lost);
}

void Interest::load_session(ArchiveReader& in, const RestoredEntities& entities,
                            double world_half_size_m) {
  SessionId session_id;
  in(session_id);
  in.require(sessions_.empty() || sessions_.rbegin()->first < session_id);
  if (!in.ok()) return;
  Session& session = sessions_[session_id];
  in(session.is_player), in(session.search_from.observer), in(session.search_from.area);
  in(session.owned);
  if (session.is_player) ++player_count_;
  const Snapshot& snapshot = entities.snapshot();
  in.require(ascend(session.owned, [](EntityId id) { return id; }));
  for (const EntityId id : session.owned)
    in.require(entities.is_known(id) &&
               (!entities.is_alive(id) || snapshot.owner[id.index()] == session_id));
  std::erase_if(session.owned, [&](EntityId id) { return !entities.is_alive(id); });
  const std::uint64_t count = in.count(area_bytes);
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    ObserverId observer_id;
    in(observer_id);
    in.require(session.observers.empty() || session.observers.rbegin()->first < observer_id);
    if (!in.ok()) return;
    Observer& observer = session.observers[observer_id];
    load_observer(in, entities, world_half_size_m, observer);
    for (const InterestArea& area : observer.areas)
      in.require(session.observer_of_area.emplace(area.id, observer_id).second);
    visible_count_ += observer.visible.size();
  }
  in.require(session.observer_of_area.size() <= limits::areas_per_session_max);
}

void Interest::load(ArchiveReader& in, const RestoredEntities& entities, double world_half_size_m) {
  CHECK(sessions_.empty());
  const std::uint64_t count = in.count(sizeof(SessionId));
  for (std::uint64_t i = 0; i < count && in.ok(); ++i)
    load_session(in, entities, world_half_size_m);
}

}  // namespace vicinity
