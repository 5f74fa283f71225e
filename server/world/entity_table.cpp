// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/entity_table.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace vicinity {
namespace {

/// Slots per block of a parallel loop: some tens of microseconds of work.
constexpr std::size_t slots_per_block = 2048;

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

/// tight_box of the shape whose local box it is, bit for bit.
Aabb moved_to(const Aabb& local, Vec3 position) {
  return {position + local.min, position + local.max};
}

bool names(const EntityVersions& changed, Tick tick) {
  return changed.pose == tick || changed.spawned == tick || changed.teleported == tick ||
         changed.shape == tick || changed.filter == tick || changed.enabled == tick ||
         changed.user_data == tick;
}

void resize(Snapshot& out, std::size_t slots) {
  out.id.resize(slots);
  out.position.resize(slots);
  out.velocity.resize(slots);
  out.tight_box.resize(slots);
  out.start_box.resize(slots);
  out.motion.resize(slots);
  out.shape.resize(slots);
  out.filter.resize(slots);
  out.user_data.resize(slots);
  out.owner.resize(slots);
  out.changed.resize(slots);
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

// --- Slots -------------------------------------------------------------------------------------

std::uint32_t EntityTable::FreeSlots::pop(Tick tick) {
  if (first_ == slots_.size() || slots_[first_].reusable_from > tick) return no_slot;
  const std::uint32_t slot = slots_[first_++].slot;
  if (2 * first_ > slots_.size()) {  // each slot is moved once at most, on average
    slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return slot;
}

std::size_t EntityTable::FreeSlots::reusable_count(Tick tick) const {
  const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto waiting = std::upper_bound(
      first, slots_.end(), tick,
      [](Tick now, const FreeSlot& free_slot) { return now < free_slot.reusable_from; });
  return static_cast<std::size_t>(waiting - first);
}

bool EntityTable::has_slot_for_player() const {
  const std::size_t left = slot_count_max() - slots_.size() + free_slots_.reusable_count(tick_);
  return left > slot_count_max() / limits::authority_slots_share;
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
  return details_[id.index()].owner;
}

std::uint32_t EntityTable::owned_count(SessionId owner) const {
  const auto found = owners_.find(owner);
  return found == owners_.end() ? 0 : found->second.count;
}

// Written so that a NaN, which no caller should pass, is outside the world.
bool EntityTable::in_world(const Aabb& local, Vec3 position) const {
  const Aabb box = moved_to(local, position);
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
  if (const std::uint32_t slot = free_slots_.pop(tick_); slot != no_slot) {
    DCHECK(!slots_[slot].alive && slots_[slot].generation < settings_.generation_max);
    return slot;
  }
  if (slots_.size() >= slot_count_max()) return no_slot;
  slots_.emplace_back();
  details_.emplace_back();
  last_change_.push_back(0);
  due_.grow(slots_.size());
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

void EntityTable::link_owner(std::uint32_t slot) {
  Details& details = details_[slot];
  OwnerList& list = owners_[details.owner];
  details.owner_previous = no_slot;
  details.owner_next = list.first;
  if (list.first != no_slot) details_[list.first].owner_previous = slot;
  list.first = slot;
  ++list.count;
}

void EntityTable::unlink_owner(std::uint32_t slot) {
  const Details& details = details_[slot];
  const auto found = owners_.find(details.owner);
  CHECK(found != owners_.end());
  OwnerList& list = found->second;
  if (details.owner_next != no_slot)
    details_[details.owner_next].owner_previous = details.owner_previous;
  if (details.owner_previous != no_slot) {
    details_[details.owner_previous].owner_next = details.owner_next;
  } else {
    list.first = details.owner_next;
  }
  if (--list.count == 0) owners_.erase(found);
}

// --- Changes -----------------------------------------------------------------------------------

void EntityTable::begin_tick(Tick tick) {
  CHECK(tick > tick_);
  CHECK(advanced_);
  last_tick_ = tick_;
  tick_ = tick;
  advanced_ = false;
  despawned_.clear();
}

EntityTable::Entity& EntityTable::touch(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  if (entity.touched == tick_) return entity;
  begin_entity_tick(entity);
  due_.add(slot);
  return entity;
}

void EntityTable::begin_entity_tick(Entity& entity) const {
  entity.touched = tick_;
  entity.was_alive = entity.alive;
  entity.was_on_path = entity.motion != Motion::None;
  entity.motion = Motion::None;
  entity.move = Move::Velocity;
  entity.path_start = moved_to(entity.local, entity.position);
}

Result<EntityId, ErrorCode> EntityTable::spawn(SessionId owner, const SpawnCommand& command) {
  const Aabb local = local_box(command.shape);
  if (command.filter.is_static && command.velocity != Vec3{}) return ErrorCode::StaticMotion;
  if (!in_world(local, command.position)) return ErrorCode::OutOfWorld;
  if (entity_count_ >= settings_.entity_count_max) return ErrorCode::EntityLimit;
  const std::uint32_t slot = take_slot();
  if (slot == no_slot) return ErrorCode::EntityLimit;

  Entity& entity = touch(slot);
  ++entity.generation;
  entity.alive = true;
  entity.is_static = command.filter.is_static;
  entity.move = Move::Spawn;
  entity.position = command.position;
  entity.velocity = command.velocity;
  entity.local = local;
  entity.path_start = moved_to(local, command.position);
  entity.changed = {tick_, tick_, 0, tick_, tick_, tick_, tick_};
  details_[slot] = {command.shape, command.filter, command.user_data, owner, no_slot, no_slot};
  link_owner(slot);
  ++entity_count_;
  return EntityId(slot, entity.generation);
}

void EntityTable::end(std::uint32_t slot, DespawnReason reason, SessionId by) {
  Entity& entity = touch(slot);
  CHECK(entity.alive);
  entity.alive = false;
  --entity_count_;
  unlink_owner(slot);
  if (entity.changed.spawned < tick_) {
    const Details& details = details_[slot];
    despawned_.push_back(
        {EntityId(slot, entity.generation), details.owner, reason, details.user_data, by});
  }
  if (entity.generation < settings_.generation_max) {
    free_slots_.push({slot, tick_ + settings_.reuse_delay_ticks});
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
  if (slots_[id.index()].is_static && velocity != Vec3{}) return ErrorCode::StaticMotion;
  if (slots_[id.index()].velocity == velocity) return ErrorCode::None;
  Entity& entity = touch(id.index());
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
  if (slots_[id.index()].is_static) return ErrorCode::StaticMotion;
  if (!in_world(slots_[id.index()].local, position)) return ErrorCode::OutOfWorld;
  Entity& entity = touch(id.index());
  place(entity, position);
  entity.move = continuous ? Move::ContinuousPath : Move::Path;
  return ErrorCode::None;
}

ErrorCode EntityTable::teleport(EntityId id, Vec3 position) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  if (!in_world(slots_[id.index()].local, position)) return ErrorCode::OutOfWorld;
  Entity& entity = touch(id.index());
  // A path of this tick is given up, even where it led to this very position.
  const bool had_path = entity.move == Move::Path || entity.move == Move::ContinuousPath;
  if (had_path || entity.position != position) entity.changed.teleported = tick_;
  place(entity, position);
  entity.move = Move::Teleport;
  entity.path_start = moved_to(entity.local, position);
  return ErrorCode::None;
}

ErrorCode EntityTable::set_shape(EntityId id, const Shape& shape) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  const Aabb local = local_box(shape);
  if (!in_world(local, slots_[id.index()].position)) return ErrorCode::OutOfWorld;
  Details& details = details_[id.index()];
  if (details.shape == shape) return ErrorCode::None;
  Entity& entity = touch(id.index());
  details.shape = shape;
  entity.local = local;
  entity.changed.shape = tick_;
  return ErrorCode::None;
}

ErrorCode EntityTable::set_filter(EntityId id, const FilterPatch& patch) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Details& details = details_[id.index()];
  const Filter filter = patched(patch, details.filter);
  if (filter == details.filter) return ErrorCode::None;
  Entity& entity = touch(id.index());
  if (filter.enabled != details.filter.enabled) entity.changed.enabled = tick_;
  if (!same_meeting_rules(filter, details.filter)) entity.changed.filter = tick_;
  details.filter = filter;
  entity.is_static = filter.is_static;
  if (filter.is_static && entity.velocity != Vec3{}) {
    entity.velocity = {};
    entity.changed.pose = tick_;
  }
  return ErrorCode::None;
}

ErrorCode EntityTable::set_user_data(EntityId id, std::uint64_t user_data) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Details& details = details_[id.index()];
  if (details.user_data == user_data) return ErrorCode::None;
  touch(id.index()).changed.user_data = tick_;
  details.user_data = user_data;
  return ErrorCode::None;
}

// --- End of the tick ---------------------------------------------------------------------------

/// Blocks look at entities alone. What concerns all of them, ends above all, comes afterwards and
/// in order.
void EntityTable::advance(double dt_s, Workers& workers) {
  CHECK(!advanced_);
  advanced_ = true;
  due_slots_.clear();
  due_.drain_into(due_slots_);
  const std::span<const std::uint32_t> due(due_slots_);
  const std::size_t blocks = block_count(due.size(), slots_per_block);
  if (blocks_.size() < blocks) blocks_.resize(blocks);
  const auto finish = [&](std::size_t block, std::size_t begin, std::size_t end) {
    finish_block(due.subspan(begin, end - begin), dt_s, blocks_[block]);
  };
  workers.parallel_blocks(due.size(), slots_per_block, std::ref(finish));

  for (const BlockChanges& block : std::span(blocks_).first(blocks)) {
    for (const std::uint32_t slot : block.left_world) end(slot, DespawnReason::LeftWorld, {});
    for (const std::uint32_t slot : block.due) due_.add(slot);
  }
  keep_changes(blocks);
  std::sort(despawned_.begin(), despawned_.end(),
            [](const Despawn& a, const Despawn& b) { return a.id < b.id; });
}

void EntityTable::finish_block(std::span<const std::uint32_t> slots, double dt_s,
                               BlockChanges& out) {
  out.changed.clear();
  out.due.clear();
  out.left_world.clear();
  for (const std::uint32_t slot : slots) {
    Entity& entity = slots_[slot];
    const bool stays = finish_entity_tick(entity, dt_s);
    if (!stays) out.left_world.push_back(slot);
    if (!stays || has_changed(entity)) {
      out.changed.push_back(slot);
      last_change_[slot] = tick_;
    }
    if (stays && entity.alive && (entity.velocity != Vec3{} || entity.motion != Motion::None))
      out.due.push_back(slot);
  }
}

bool EntityTable::finish_entity_tick(Entity& entity, double dt_s) {
  if (entity.touched != tick_) begin_entity_tick(entity);
  if (!entity.alive) return true;
  const Aabb box = moved_to(entity.local, entity.position);
  switch (entity.move) {
    case Move::Velocity: {
      // It moves, or stands, as it is now: a change of its shape alone is no path.
      entity.path_start = box;
      const Vec3 target = entity.position + entity.velocity * dt_s;
      if (target == entity.position) break;
      if (!in_world(entity.local, target)) return false;
      place(entity, target);
      if (moved_to(entity.local, target) != box) entity.motion = Motion::Path;
      break;
    }
    case Move::Spawn:
    case Move::Teleport: entity.path_start = box; break;
    case Move::Path:
      if (entity.path_start != box) entity.motion = Motion::Path;
      break;
    case Move::ContinuousPath: entity.motion = Motion::Continuous; break;
  }
  return true;
}

/// Whether the snapshot of this tick may say something else about the slot than the last.
bool EntityTable::has_changed(const Entity& entity) const {
  if (!entity.alive) return entity.was_alive;
  return names(entity.changed, tick_) || entity.was_on_path || entity.motion != Motion::None;
}

std::span<const std::uint32_t> EntityTable::changed() const {
  CHECK(advanced_);
  if (changes_count_ == 0) return {};
  const RawBuffer<std::uint32_t>& slots = changes_of(0).slots;
  return {slots.data(), slots.size()};
}

/// Of the tick that was `age` ticks ago.
const EntityTable::Changes& EntityTable::changes_of(std::size_t age) const {
  DCHECK(age < changes_kept_);
  return changes_[(changes_count_ - 1 - age) % changes_.size()];
}

void EntityTable::keep_changes(std::size_t blocks) {
  if (changes_kept_ == changes_.size()) forget_oldest_changes();
  std::size_t count = 0;
  for (std::size_t i = 0; i < blocks; ++i) count += blocks_[i].changed.size();
  Changes& changes = changes_[changes_count_++ % changes_.size()];
  changes.tick = tick_;
  changes.last_tick = last_tick_;
  changes.slots.reset(count);
  std::uint32_t* next = changes.slots.data();
  for (std::size_t i = 0; i < blocks; ++i) next = std::ranges::copy(blocks_[i].changed, next).out;
  ++changes_kept_;
  changes_kept_slots_ += count;
  const std::size_t slots_max = limits::changes_kept_per_slot * slots_.size();
  while (changes_kept_ > 1 && changes_kept_slots_ > slots_max) forget_oldest_changes();
}

void EntityTable::forget_oldest_changes() {
  changes_kept_slots_ -= changes_of(changes_kept_ - 1).slots.size();
  --changes_kept_;
}

// --- Snapshots ---------------------------------------------------------------------------------

void EntityTable::freeze(double dt_s, Workers& workers, Snapshot& out) const {
  CHECK(advanced_);
  CHECK(out.tick <= tick_ && out.slot_count() <= slots_.size());
  resize(out, slots_.size());
  const bool known = changes_kept_ == 0 || changes_of(changes_kept_ - 1).last_tick <= out.tick;
  if (known) {
    copy_changed(workers, out);
  } else {
    const auto copy = [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t slot = begin; slot < end; ++slot)
        copy_slot(static_cast<std::uint32_t>(slot), 0, out);
    };
    workers.parallel_blocks(slots_.size(), slots_per_block, std::ref(copy));
  }
  out.tick = tick_;
  out.dt_s = dt_s;
  out.entity_count = entity_count_;
  out.despawned = despawned_;
}

/// Newest changes first; a slot that changed again later was copied with those.
void EntityTable::copy_changed(Workers& workers, Snapshot& out) const {
  for (std::size_t age = 0; age < changes_kept_; ++age) {
    const Changes& changes = changes_of(age);
    if (changes.tick <= out.tick) return;
    const auto copy = [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t slot = changes.slots[i];
        if (last_change_[slot] == changes.tick) copy_slot(slot, out.tick, out);
      }
    };
    workers.parallel_blocks(changes.slots.size(), slots_per_block, std::ref(copy));
  }
}

/// What `out` has had since tick `known` is not copied again.
void EntityTable::copy_slot(std::uint32_t slot, Tick known, Snapshot& out) const {
  const Entity& entity = slots_[slot];
  out.id[slot] = entity.alive ? EntityId(slot, entity.generation) : EntityId();
  if (!entity.alive) return;
  const EntityVersions& changed = entity.changed;
  out.position[slot] = entity.position;
  out.velocity[slot] = entity.velocity;
  out.tight_box[slot] = moved_to(entity.local, entity.position);
  out.start_box[slot] = entity.path_start;
  out.motion[slot] = entity.motion;
  out.changed[slot] = changed;
  const Details& details = details_[slot];
  if (changed.shape > known) out.shape[slot] = details.shape;
  if (changed.filter > known || changed.enabled > known) out.filter[slot] = details.filter;
  if (changed.user_data > known) out.user_data[slot] = details.user_data;
  if (changed.spawned > known) out.owner[slot] = details.owner;
}

}  // namespace vicinity
