// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/interest_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity::oracle {
namespace {

__extension__ using Wide = __int128;

constexpr double units_per_metre = 16;

const CommandResult* result_of(const TickOutput& output, SessionId session,
                               std::uint64_t sequence) {
  for (const SessionOutput& told : output.sessions) {
    if (told.session != session) continue;
    for (const CommandResult& result : told.results)
      if (result.sequence == sequence) return &result;
  }
  return nullptr;
}

}  // namespace

std::int64_t InterestModel::units(double metres) {
  const double value = metres * units_per_metre;
  CHECK(value == std::floor(value));  // the script keeps to the grid
  return static_cast<std::int64_t>(value);
}

InterestModel::Box InterestModel::box_of(const Snapshot& snapshot, std::uint32_t slot) {
  const Aabb& box = snapshot.tight_box[slot];
  return {{units(box.min.x), units(box.min.y), units(box.min.z)},
          {units(box.max.x), units(box.max.y), units(box.max.z)}};
}

InterestModel::Body InterestModel::body_of(const Snapshot& snapshot, std::uint32_t slot) {
  const Box tight = box_of(snapshot, slot);
  const Shape& shape = snapshot.shape[slot];
  if (shape.kind == ShapeKind::Box) return {tight, tight, 0};
  const Vec3 middle = snapshot.position[slot] + shape.offset;
  const std::int64_t half =
      shape.kind == ShapeKind::Capsule ? units(shape.half_height_m) : std::int64_t{0};
  const Point centre = {units(middle.x), units(middle.y), units(middle.z)};
  Box core{centre, centre};
  core.min[1] -= half;
  core.max[1] += half;
  return {tight, core, units(shape.radius_m)};
}

bool InterestModel::Area::takes(EntityId id, const Filter& filter) const {
  if (!place.has_value() || !filter.enabled || filter.instance != spec.filter.instance)
    return false;
  if ((filter.category & spec.filter.category_mask) == 0) return false;
  return !(id == anchor && !spec.include_anchor);
}

bool InterestModel::Area::reaches(const Body& body, double radius_m, Vec3 half_extent_m) const {
  const double half[3] = {half_extent_m.x, half_extent_m.y, half_extent_m.z};
  const bool is_centre = spec.reach == Reach::Centre;
  Wide sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Distances doubled, so that centres are whole numbers too.
    const Wide p = 2 * (*place)[axis];
    const Wide grown = spec.kind == AreaKind::Box ? Wide{2} * units(half[axis]) : Wide{0};
    Wide low = 2 * body.core.min[axis];
    Wide high = 2 * body.core.max[axis];
    if (is_centre) low = high = body.tight.min[axis] + body.tight.max[axis];
    const Wide gap = std::max<Wide>({low - p - grown, p - grown - high, 0});
    sum += gap * gap;
  }
  Wide reach = is_centre ? 0 : 2 * body.radius;
  if (spec.kind == AreaKind::Sphere) reach += 2 * units(radius_m);
  return sum <= reach * reach;
}

bool InterestModel::Area::enters(const Body& body) const {
  return reaches(body, spec.enter_radius_m, spec.enter_half_extent_m);
}
bool InterestModel::Area::keeps(const Body& body) const {
  return reaches(body, spec.leave_radius_m, spec.leave_half_extent_m);
}

bool InterestModel::Area::holds(const Snapshot& snapshot, std::uint32_t slot, Tick since) const {
  if (!takes(snapshot.id[slot], snapshot.filter[slot])) return false;
  return keeps(body_of(snapshot, slot)) || snapshot.tick < since + spec.min_dwell_ticks;
}

// --- Commands ----------------------------------------------------------------------------------

void InterestModel::apply(const Command& command, const TickOutput& output) {
  const SessionId session = command.session;
  if (std::holds_alternative<OpenSessionCommand>(command.body)) {
    open_.insert(session);
    if (std::get<OpenSessionCommand>(command.body).role == Role::Player) players_.insert(session);
    return;
  }
  if (std::holds_alternative<CloseSessionCommand>(command.body)) {
    open_.erase(session);
    std::erase_if(observers_, [&](const auto& entry) { return entry.first.first == session; });
    std::erase_if(dropped_, [&](const ObserverName& name) { return name.first == session; });
    return;
  }
  if (command.body.index() < CommandBody(AddAreaCommand{}).index()) return;
  if (!open_.contains(session)) return;
  const CommandResult* result = result_of(output, session, command.sequence);
  if (result == nullptr) {  // the session was closed later in this tick
    apply_area(command, output);
    return;
  }
  EXPECT_EQ(apply_area(command, output), result->code) << "sequence " << command.sequence;
}

/// The entity that the area hangs on (none: EntityId{}), or nothing when the anchor was refused.
std::optional<EntityId> InterestModel::anchor_of(const Command& command, const AreaSpec& spec,
                                                 const TickOutput& output) const {
  if (!spec.anchor.present()) return EntityId{};
  const CommandResult* result = result_of(output, command.session, command.sequence);
  if (result == nullptr || result->code == ErrorCode::StaleEntity ||
      result->code == ErrorCode::UnknownEntity) {
    // Refused only when it is not alive: who was alive before and is now was so in between.
    EXPECT_FALSE(result != nullptr && alive_before_.contains(spec.anchor.id) &&
                 output.frame->snapshot->contains(spec.anchor.id))
        << "a living anchor was refused";
    return std::nullopt;
  }
  if (spec.anchor.id) return spec.anchor.id;
  const CommandResult* spawn = result_of(output, command.session, spec.anchor.spawned_by);
  return spawn == nullptr ? std::nullopt : std::optional(spawn->entity);
}

InterestModel::Observer* InterestModel::find(SessionId session, AreaId area) {
  for (auto& [name, observer] : observers_)
    if (name.first == session && observer.areas.contains(area)) return &observer;
  return nullptr;
}

ErrorCode InterestModel::apply_area(const Command& command, const TickOutput& output) {
  const SessionId session = command.session;
  const auto refused_anchor = [&] {
    const CommandResult* result = result_of(output, session, command.sequence);
    return result == nullptr ? ErrorCode::Internal : result->code;
  };
  if (const auto* add = std::get_if<AddAreaCommand>(&command.body)) {
    const auto anchor = anchor_of(command, add->spec, output);
    if (!anchor) return refused_anchor();
    if (find(session, add->area) != nullptr) return ErrorCode::DuplicateArea;
    Observer& observer = observers_[{session, add->observer}];
    observer.areas[add->area] = {add->spec, *anchor, std::nullopt};
    return ErrorCode::None;
  }
  if (const auto* change = std::get_if<ChangeAreaCommand>(&command.body)) {
    const auto anchor = anchor_of(command, change->spec, output);
    if (!anchor) return refused_anchor();
    Observer* observer = find(session, change->area);
    if (observer == nullptr) return ErrorCode::UnknownArea;
    observer->areas.at(change->area).spec = change->spec;
    observer->areas.at(change->area).anchor = *anchor;
    observer->touched.insert(change->area);
    return ErrorCode::None;
  }
  const AreaId area = std::get<RemoveAreaCommand>(command.body).area;
  Observer* observer = find(session, area);
  if (observer == nullptr) return ErrorCode::UnknownArea;
  observer->areas.erase(area);
  observer->touched.insert(area);
  std::erase_if(observers_, [this](const auto& entry) {
    if (entry.second.areas.empty()) dropped_.insert(entry.first);
    return entry.second.areas.empty();
  });
  return ErrorCode::None;
}

// --- Views -------------------------------------------------------------------------------------

void InterestModel::place(std::map<AreaId, Area>& areas, const Snapshot& snapshot) {
  for (auto& [id, area] : areas) {
    const Vec3 c = area.spec.centre;
    if (!area.anchor) {
      area.place = Point{units(c.x), units(c.y), units(c.z)};
      continue;
    }
    if (!snapshot.contains(area.anchor)) continue;
    const Box box = box_of(snapshot, area.anchor.index());
    area.place = Point{(box.min[0] + box.max[0]) / 2 + units(c.x),
                       (box.min[1] + box.max[1]) / 2 + units(c.y),
                       (box.min[2] + box.max[2]) / 2 + units(c.z)};
  }
}

LeaveReason InterestModel::blame(const Observer& observer, const Snapshot& snapshot, EntityId id) {
  for (const Despawn& despawn : snapshot.despawned)
    if (despawn.id == id && despawn.reason == DespawnReason::LeftWorld)
      return LeaveReason::OutOfWorld;
  if (!snapshot.contains(id)) return LeaveReason::Despawned;
  const std::uint32_t slot = id.index();
  const Filter& filter = snapshot.filter[slot];
  if (!filter.enabled) return LeaveReason::Disabled;
  // AreaChanged: a command took away or changed an area that would still hold it.
  for (const AreaId name : observer.touched) {
    const auto before = observer.areas_before.find(name);
    if (before != observer.areas_before.end() &&
        before->second.holds(snapshot, slot, observer.view.at(id)))
      return LeaveReason::AreaChanged;
  }
  if (snapshot.changed[slot].filter != snapshot.tick) return LeaveReason::OutOfRange;
  const Body box = body_of(snapshot, slot);
  const auto& areas = observer.areas;
  const bool taken = std::any_of(areas.begin(), areas.end(),
                                 [&](const auto& a) { return a.second.takes(id, filter); });
  const bool reached = std::any_of(areas.begin(), areas.end(), [&](const auto& a) {
    return a.second.place && a.second.keeps(box);
  });
  return !taken || reached ? LeaveReason::FilterChanged : LeaveReason::OutOfRange;
}

bool InterestModel::is_shown_to_owner(SessionId session, const Observer& observer,
                                      const Snapshot& snapshot, std::uint32_t slot) const {
  if (!players_.contains(session) || snapshot.owner[slot] != session) return false;
  if (!snapshot.filter[slot].enabled) return false;
  for (const auto& [name, area] : observer.areas)
    if (area.anchor == snapshot.id[slot] && !area.spec.include_anchor) return false;
  return true;
}

ExpectedEvents InterestModel::look(SessionId session, Observer& observer,
                                   const Snapshot& snapshot) const {
  ExpectedEvents out;
  std::map<EntityId, Tick> view;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    const EntityId id = snapshot.id[slot];
    if (!id) continue;
    const Body box = body_of(snapshot, slot);
    const bool is_shown = is_shown_to_owner(session, observer, snapshot, slot);
    const auto seen = observer.view.find(id);
    if (seen == observer.view.end()) {
      bool enters = is_shown;
      for (const auto& [name, area] : observer.areas)
        enters = enters || (area.takes(id, snapshot.filter[slot]) && area.enters(box));
      if (!enters) continue;
      view[id] = snapshot.tick;
      out.enters.push_back(id);
      continue;
    }
    bool stays = is_shown;
    for (const auto& [name, area] : observer.areas)
      stays = stays || area.holds(snapshot, slot, seen->second);
    if (!stays) continue;
    view[id] = seen->second;
  }
  for (const auto& [id, since] : observer.view)
    if (!view.contains(id)) out.leaves[id] = blame(observer, snapshot, id);
  observer.view = std::move(view);
  observer.areas_before = observer.areas;
  observer.touched.clear();
  out.visible_count = static_cast<std::uint32_t>(observer.view.size());
  return out;
}

std::map<ObserverName, ExpectedEvents> InterestModel::run_tick(const std::vector<Command>& commands,
                                                               const TickOutput& output) {
  dropped_.clear();
  for (const Command& command : commands) apply(command, output);
  std::map<ObserverName, ExpectedEvents> expected;
  for (auto& [name, observer] : observers_) {
    place(observer.areas, *output.frame->snapshot);
    place(observer.areas_before, *output.frame->snapshot);
    expected[name] = look(name.first, observer, *output.frame->snapshot);
  }
  alive_before_.clear();
  for (const EntityId id : output.frame->snapshot->id)
    if (id) alive_before_.insert(id);
  return expected;
}

}  // namespace vicinity::oracle
