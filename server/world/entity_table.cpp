// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/entity_table.h"

#include <algorithm>

#include "base/check.h"

namespace vicinity {
namespace {

Filter patched(const FilterPatch& patch, Filter filter) {
  filter.category = patch.category.value_or(filter.category);
  filter.mask = patch.mask.value_or(filter.mask);
  filter.group = patch.group.value_or(filter.group);
  filter.instance = patch.instance.value_or(filter.instance);
  filter.sensor = patch.sensor.value_or(filter.sensor);
  filter.is_static = patch.is_static.value_or(filter.is_static);
  filter.enabled = patch.enabled.value_or(filter.enabled);
  return filter;
}

/// Equal in everything but `enabled`, which has a version of its own.
bool same_meeting_rules(Filter a, const Filter& b) {
  a.enabled = b.enabled;
  return a == b;
}

void clear(Snapshot& out) {
  out.id.clear();
  out.position.clear();
  out.velocity.clear();
  out.tight_box.clear();
  out.start_box.clear();
  out.motion.clear();
  out.shape.clear();
  out.filter.clear();
  out.user_data.clear();
  out.owner.clear();
  out.changed.clear();
}

void reserve(Snapshot& out, std::size_t rows) {
  out.id.reserve(rows);
  out.position.reserve(rows);
  out.velocity.reserve(rows);
  out.tight_box.reserve(rows);
  out.start_box.reserve(rows);
  out.motion.reserve(rows);
  out.shape.reserve(rows);
  out.filter.reserve(rows);
  out.user_data.reserve(rows);
  out.owner.reserve(rows);
  out.changed.reserve(rows);
}

}  // namespace

EntityTable::EntityTable(const EntityTableSettings& settings) : settings_(settings) {
  CHECK(settings.world_half_size_m > 0);
  CHECK(settings.world_half_size_m <= limits::world_half_size_m);
  CHECK(settings.entity_count_max <= limits::entity_count_max);
  CHECK(settings.generation_max > 0);
}

std::uint32_t EntityTable::slot_count_max() const {
  const std::uint32_t spare = std::max(settings_.entity_count_max, limits::spare_slots_min);
  return std::min(limits::entity_count_max, settings_.entity_count_max + spare);
}

bool EntityTable::has_slot_for_player() const {
  const auto waiting = std::upper_bound(
      free_slots_.begin(), free_slots_.end(), tick_,
      [](Tick tick, const FreeSlot& free_slot) { return tick < free_slot.reusable_from; });
  const auto reusable = static_cast<std::size_t>(waiting - free_slots_.begin());
  const std::size_t left = slot_count_max() - slots_.size() + reusable;
  return left > slot_count_max() / limits::authority_slots_share;
}

void EntityTable::begin_tick(Tick tick) {
  CHECK(tick > tick_);
  tick_ = tick;
  despawned_.clear();
  for (Entity& entity : slots_) {
    if (!entity.alive) continue;
    entity.move = Move::Velocity;
    entity.path_start = tight_box(entity.shape, entity.position);
  }
}

EntityStatus EntityTable::status(EntityId id) const {
  if (id.generation() == 0 || id.index() >= slots_.size()) return EntityStatus::Unknown;
  const Entity& entity = slots_[id.index()];
  if (id.generation() > entity.generation) return EntityStatus::Unknown;
  if (id.generation() < entity.generation || !entity.alive) return EntityStatus::Stale;
  return EntityStatus::Alive;
}

SessionId EntityTable::owner_of(EntityId id) const {
  CHECK(status(id) == EntityStatus::Alive);
  return slots_[id.index()].owner;
}

std::uint32_t EntityTable::owned_count(SessionId owner) const {
  const auto found = owners_.find(owner);
  return found == owners_.end() ? 0 : found->second.count;
}

// Written so that a NaN, which no caller should pass, is outside the world.
bool EntityTable::in_world(const Shape& shape, Vec3 position) const {
  const Aabb box = tight_box(shape, position);
  const double half = settings_.world_half_size_m;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(position[axis] >= -half && position[axis] <= half)) return false;
    if (!(box.min[axis] >= -half && box.max[axis] <= half)) return false;
  }
  return true;
}

ErrorCode EntityTable::check_alive(EntityId id) const {
  switch (status(id)) {
    case EntityStatus::Alive: return ErrorCode::None;
    case EntityStatus::Stale: return ErrorCode::StaleEntity;
    case EntityStatus::Unknown: break;
  }
  return ErrorCode::UnknownEntity;
}

std::uint32_t EntityTable::take_slot() {
  if (!free_slots_.empty() && free_slots_.front().reusable_from <= tick_) {
    const std::uint32_t slot = free_slots_.front().slot;
    free_slots_.pop_front();
    DCHECK(!slots_[slot].alive && slots_[slot].generation < settings_.generation_max);
    return slot;
  }
  if (slots_.size() >= slot_count_max()) return no_slot;
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

void EntityTable::link_owner(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  OwnerList& list = owners_[entity.owner];
  entity.owner_previous = no_slot;
  entity.owner_next = list.first;
  if (list.first != no_slot) slots_[list.first].owner_previous = slot;
  list.first = slot;
  ++list.count;
}

void EntityTable::unlink_owner(std::uint32_t slot) {
  const Entity& entity = slots_[slot];
  const auto found = owners_.find(entity.owner);
  CHECK(found != owners_.end());
  OwnerList& list = found->second;
  if (entity.owner_next != no_slot)
    slots_[entity.owner_next].owner_previous = entity.owner_previous;
  if (entity.owner_previous != no_slot) {
    slots_[entity.owner_previous].owner_next = entity.owner_next;
  } else {
    list.first = entity.owner_next;
  }
  if (--list.count == 0) owners_.erase(found);
}

Result<EntityId, ErrorCode> EntityTable::spawn(SessionId owner, const SpawnCommand& command) {
  if (command.filter.is_static && command.velocity != Vec3{}) return ErrorCode::StaticMotion;
  if (!in_world(command.shape, command.position)) return ErrorCode::OutOfWorld;
  if (entity_count_ >= settings_.entity_count_max) return ErrorCode::EntityLimit;
  const std::uint32_t slot = take_slot();
  if (slot == no_slot) return ErrorCode::EntityLimit;

  Entity& entity = slots_[slot];
  ++entity.generation;
  entity.alive = true;
  entity.move = Move::Spawn;
  entity.position = command.position;
  entity.velocity = command.velocity;
  entity.shape = command.shape;
  entity.filter = command.filter;
  entity.user_data = command.user_data;
  entity.owner = owner;
  entity.changed = {tick_, tick_, 0, tick_, tick_, tick_, tick_};
  entity.path_start = tight_box(entity.shape, entity.position);
  link_owner(slot);
  ++entity_count_;
  return EntityId(slot, entity.generation);
}

void EntityTable::end(std::uint32_t slot, DespawnReason reason, SessionId by) {
  Entity& entity = slots_[slot];
  CHECK(entity.alive);
  entity.alive = false;
  --entity_count_;
  unlink_owner(slot);
  if (entity.changed.spawned < tick_) {
    despawned_.push_back(
        {EntityId(slot, entity.generation), entity.owner, reason, entity.user_data, by});
  }
  if (entity.generation < settings_.generation_max) {
    free_slots_.push_back({slot, tick_ + settings_.reuse_delay_ticks});
  }
}

ErrorCode EntityTable::despawn(EntityId id, DespawnReason reason, SessionId by) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  end(id.index(), reason, by);
  return ErrorCode::None;
}

void EntityTable::despawn_owned_by(SessionId owner) {
  for (auto found = owners_.find(owner); found != owners_.end(); found = owners_.find(owner)) {
    end(found->second.first, DespawnReason::SessionEnded, {});
  }
}

ErrorCode EntityTable::set_velocity(EntityId id, Vec3 velocity) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  if (entity.filter.is_static && velocity != Vec3{}) return ErrorCode::StaticMotion;
  if (entity.velocity == velocity) return ErrorCode::None;
  entity.velocity = velocity;
  entity.changed.pose = tick_;
  return ErrorCode::None;
}

void EntityTable::place(Entity& entity, Vec3 position) {
  if (entity.position == position) return;
  entity.position = position;
  entity.changed.pose = tick_;
}

ErrorCode EntityTable::move_to(EntityId id, Vec3 position, bool continuous) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  if (entity.filter.is_static) return ErrorCode::StaticMotion;
  if (!in_world(entity.shape, position)) return ErrorCode::OutOfWorld;
  place(entity, position);
  entity.move = continuous ? Move::ContinuousPath : Move::Path;
  return ErrorCode::None;
}

ErrorCode EntityTable::teleport(EntityId id, Vec3 position) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  if (!in_world(entity.shape, position)) return ErrorCode::OutOfWorld;
  // A path of this tick is given up, even where it led to this very position.
  const bool had_path = entity.move == Move::Path || entity.move == Move::ContinuousPath;
  if (had_path || entity.position != position) entity.changed.teleported = tick_;
  place(entity, position);
  entity.move = Move::Teleport;
  entity.path_start = tight_box(entity.shape, position);
  return ErrorCode::None;
}

ErrorCode EntityTable::set_shape(EntityId id, const Shape& shape) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  if (!in_world(shape, entity.position)) return ErrorCode::OutOfWorld;
  if (entity.shape == shape) return ErrorCode::None;
  entity.shape = shape;
  entity.changed.shape = tick_;
  return ErrorCode::None;
}

ErrorCode EntityTable::set_filter(EntityId id, const FilterPatch& patch) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  const Filter filter = patched(patch, entity.filter);
  if (filter.enabled != entity.filter.enabled) entity.changed.enabled = tick_;
  if (!same_meeting_rules(filter, entity.filter)) entity.changed.filter = tick_;
  entity.filter = filter;
  if (filter.is_static && entity.velocity != Vec3{}) {
    entity.velocity = {};
    entity.changed.pose = tick_;
  }
  return ErrorCode::None;
}

ErrorCode EntityTable::set_user_data(EntityId id, std::uint64_t user_data) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Entity& entity = slots_[id.index()];
  if (entity.user_data == user_data) return ErrorCode::None;
  entity.user_data = user_data;
  entity.changed.user_data = tick_;
  return ErrorCode::None;
}

void EntityTable::advance(double dt_s) {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    Entity& entity = slots_[slot];
    if (!entity.alive || entity.move != Move::Velocity) continue;
    const Vec3 target = entity.position + entity.velocity * dt_s;
    // It moves, or stands, as it is now: a change of its shape alone is no path.
    entity.path_start = tight_box(entity.shape, entity.position);
    if (target == entity.position) continue;
    if (in_world(entity.shape, target)) {
      place(entity, target);
    } else {
      end(slot, DespawnReason::LeftWorld, {});
    }
  }
}

void EntityTable::freeze(double dt_s, Snapshot& out) const {
  clear(out);
  reserve(out, entity_count_);
  out.tick = tick_;
  out.dt_s = dt_s;
  out.row_of_slot.assign(slots_.size(), Snapshot::no_row);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    const Entity& entity = slots_[slot];
    if (!entity.alive) continue;
    const Aabb box = tight_box(entity.shape, entity.position);
    const bool placed = entity.move == Move::Spawn || entity.move == Move::Teleport;
    const Aabb start = placed ? box : entity.path_start;
    const bool continuous = entity.move == Move::ContinuousPath;
    out.row_of_slot[slot] = out.row_count();
    out.id.emplace_back(slot, entity.generation);
    out.position.push_back(entity.position);
    out.velocity.push_back(entity.velocity);
    out.tight_box.push_back(box);
    out.start_box.push_back(start);
    out.motion.push_back(continuous     ? Motion::Continuous
                         : start != box ? Motion::Path
                                        : Motion::None);
    out.shape.push_back(entity.shape);
    out.filter.push_back(entity.filter);
    out.user_data.push_back(entity.user_data);
    out.owner.push_back(entity.owner);
    out.changed.push_back(entity.changed);
  }
  out.despawned = despawned_;
  std::sort(out.despawned.begin(), out.despawned.end(),
            [](const Despawn& a, const Despawn& b) { return a.id < b.id; });
}

}  // namespace vicinity
