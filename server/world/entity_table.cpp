// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/entity_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "world/placed_box.h"

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
  filter.continuous = patch.continuous.value_or(filter.continuous);
  return filter;
}

/// Equal in everything but `enabled`, which has a version of its own.
bool same_meeting_rules(Filter a, const Filter& b) {
  a.enabled = b.enabled;
  return a == b;
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

std::uint32_t EntityTable::reusable_slot_count() const {
  return static_cast<std::uint32_t>(free_slots_.reusable_count(tick_));
}

bool EntityTable::has_slot_for_player() const {
  const bool may_be_new = generation_floor_ < settings_.generation_max;
  const std::size_t left =
      (may_be_new ? slot_count_max() - slots_.size() : 0) + free_slots_.reusable_count(tick_);
  return left > slot_count_max() / limits::authority_slots_share;
}

EntityStatus EntityTable::status(EntityId id) const {
  if (id.generation() == 0 || id.index() >= slot_count_max()) return EntityStatus::Unknown;
  if (id.index() >= slots_.size())
    return id.generation() <= generation_floor_ ? EntityStatus::Stale : EntityStatus::Unknown;
  const Entity& entity = slots_[id.index()];
  if (id.generation() == entity.generation && entity.alive) return EntityStatus::Alive;
  const std::uint32_t newest = entity.generation + details_[id.index()].skipped;
  return id.generation() <= newest ? EntityStatus::Stale : EntityStatus::Unknown;
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
  const Aabb box = placed_box(local, position);
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
  if (slots_.size() >= slot_count_max() || generation_floor_ >= settings_.generation_max) {
    return no_slot;
  }
  slots_.emplace_back().generation = generation_floor_;
  details_.emplace_back();
  if (!turns_.empty()) turns_.emplace_back();
  if (!relevances_.empty()) relevances_.emplace_back();
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
  begin_entity_tick(slot);
  due_.add(slot);
  return entity;
}

void EntityTable::begin_entity_tick(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  entity.touched = tick_;
  entity.was_alive = entity.alive;
  entity.was_on_path = entity.motion != Motion::None;
  entity.motion = Motion::None;
  entity.move = Move::Velocity;
  begin_path(slot);
}

/// A path of this tick begins where the entity is now.
void EntityTable::begin_path(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  entity.path_start = box_of(entity);
  entity.path_start_position = entity.position;
  if (!entity.is_turned) return;
  turns_[slot].start_rotation = turns_[slot].rotation;
  turns_[slot].rotation_vector = {};
}

Pose EntityTable::pose_of(std::uint32_t slot) const {
  return {slots_[slot].position, slots_[slot].is_turned ? turns_[slot].rotation : Quat{}};
}

Path EntityTable::path_of(std::uint32_t slot) const {
  const Entity& entity = slots_[slot];
  if (!entity.is_turned) return {{entity.path_start_position, {}}, {entity.position, {}}, {}};
  const Turn& turn = turns_[slot];
  return {{entity.path_start_position, turn.start_rotation},
          {entity.position, turn.rotation},
          turn.rotation_vector};
}

Aabb EntityTable::box_of(const Entity& entity) {
  return entity.form == Form::Box ? placed_box(entity.local, entity.position)
                                  : placed_around(entity.local, entity.position);
}

Turn& EntityTable::turn_of(std::uint32_t slot) {
  if (turns_.empty()) turns_.resize(slots_.size());
  return turns_[slot];
}

bool EntityTable::spins(std::uint32_t slot) const {
  return slots_[slot].is_turned && turns_[slot].angular_velocity != Vec3{};
}

Aabb EntityTable::local_with(std::uint32_t slot, const std::optional<Quat>& rotation) const {
  if (!rotation || (!slots_[slot].is_turned && is_identity(*rotation))) return slots_[slot].local;
  return turned_box(details_[slot].shape, *rotation);
}

void EntityTable::fit_box(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  const Shape& shape = details_[slot].shape;
  entity.form = entity.is_turned || !shape.is_plain() ? Form::Other
                : shape.kind == ShapeKind::Box        ? Form::Box
                                                      : Form::Round;
  entity.local = entity.is_turned ? turned_box(shape, turns_[slot].rotation) : local_box(shape);
}

/// From here on the entity may be turned in any way.
Turn& EntityTable::make_turned(std::uint32_t slot) {
  Turn& turn = turn_of(slot);
  if (!slots_[slot].is_turned) turn = {};
  slots_[slot].is_turned = true;
  return turn;
}

void EntityTable::set_rotation(std::uint32_t slot, const std::optional<Quat>& rotation) {
  Entity& entity = slots_[slot];
  if (!rotation || (!entity.is_turned && is_identity(*rotation))) return;
  Turn& turn = make_turned(slot);
  if (turn.rotation != *rotation) entity.changed.pose = tick_;
  turn.rotation = *rotation;
  fit_box(slot);
}

Result<EntityId, ErrorCode> EntityTable::spawn(SessionId owner, const SpawnCommand& command) {
  const bool is_turned = !is_identity(command.rotation) || command.angular_velocity != Vec3{};
  const Aabb local =
      is_turned ? turned_box(command.shape, command.rotation) : local_box(command.shape);
  const bool moves = command.velocity != Vec3{} || command.angular_velocity != Vec3{};
  if (command.filter.is_static && moves) return ErrorCode::StaticMotion;
  if (!in_world(local, command.position)) return ErrorCode::OutOfWorld;
  if (entity_count_ >= settings_.entity_count_max) return ErrorCode::EntityLimit;
  const std::uint32_t slot = take_slot();
  if (slot == no_slot) return ErrorCode::EntityLimit;

  Entity& entity = touch(slot);
  ++entity.generation;
  entity.alive = true;
  entity.is_attached = false;
  entity.is_static = command.filter.is_static;
  entity.is_continuous = command.filter.continuous;
  entity.move = Move::Spawn;
  entity.position = command.position;
  entity.velocity = command.velocity;
  entity.is_turned = false;
  entity.changed = {tick_, tick_, 0, tick_, tick_, tick_, tick_, tick_};
  details_[slot] = {command.shape, command.filter, 0, command.user_data, owner, no_slot, no_slot};
  if (is_turned)
    make_turned(slot) = {command.rotation, command.angular_velocity, command.rotation, {}};
  put_relevance(slot, command.relevance);
  fit_box(slot);
  begin_path(slot);
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
  details_[slot].shape = {};  // a compound may be large
  exclusions_.remove_all(slot);
  if (entity.is_attached) unlink(slot);
  if (entity.changed.spawned < tick_) {
    const Details& details = details_[slot];
    despawned_.push_back(
        {EntityId(slot, entity.generation), details.owner, reason, details.user_data, by});
  }
  entity.generation += std::exchange(details_[slot].skipped, 0);
  if (entity.generation < settings_.generation_max) {
    free_slots_.push({slot, tick_ + settings_.reuse_delay_ticks});
  }
  end_parent(slot, by);
}

void EntityTable::skip_generations(std::uint32_t count) {
  const auto left = [&](std::uint32_t generation) {
    return std::min(count, settings_.generation_max - generation);
  };
  generation_floor_ += left(generation_floor_);
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    Entity& entity = slots_[slot];
    std::uint32_t& skipped = details_[slot].skipped;
    if (entity.alive) {
      skipped += left(entity.generation + skipped);
    } else {
      entity.generation += left(entity.generation);
    }
  }
  std::vector<FreeSlot> usable;
  for (const FreeSlot& free_slot : free_slots_.all())
    if (slots_[free_slot.slot].generation < settings_.generation_max) usable.push_back(free_slot);
  free_slots_.replace(std::move(usable));
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

void EntityTable::release_owned_by(SessionId owner) {
  if (owner == SessionId{}) return;
  for (auto found = owners_.find(owner); found != owners_.end(); found = owners_.find(owner)) {
    const std::uint32_t slot = found->second.first;
    touch(slot).changed.user_data = tick_;  // of what comes with every event about it
    unlink_owner(slot);
    details_[slot].owner = {};
    link_owner(slot);
  }
}

ErrorCode EntityTable::set_velocity(EntityId id, Vec3 velocity,
                                    std::optional<Vec3> angular_velocity) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  const std::uint32_t slot = id.index();
  const Vec3 spin_now = slots_[slot].is_turned ? turns_[slot].angular_velocity : Vec3{};
  const Vec3 spin = angular_velocity.value_or(spin_now);
  if (slots_[slot].is_attached) return ErrorCode::Attached;
  if (slots_[slot].is_static && (velocity != Vec3{} || spin != Vec3{})) {
    return ErrorCode::StaticMotion;
  }
  if (slots_[slot].velocity == velocity && spin == spin_now) return ErrorCode::None;
  Entity& entity = touch(slot);
  entity.velocity = velocity;
  entity.changed.pose = tick_;
  if (spin == spin_now) return ErrorCode::None;
  make_turned(slot).angular_velocity = spin;
  fit_box(slot);
  return ErrorCode::None;
}

void EntityTable::place(Entity& entity, Vec3 position) {
  if (entity.position == position) return;
  entity.position = position;
  entity.changed.pose = tick_;
}

ErrorCode EntityTable::move_to(EntityId id, Vec3 position, bool continuous,
                               std::optional<Quat> rotation) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  if (slots_[id.index()].is_static) return ErrorCode::StaticMotion;
  if (slots_[id.index()].is_attached) return ErrorCode::Attached;
  if (!in_world(local_with(id.index(), rotation), position)) return ErrorCode::OutOfWorld;
  Entity& entity = touch(id.index());
  place(entity, position);
  set_rotation(id.index(), rotation);
  entity.move = continuous ? Move::ContinuousPath : Move::Path;
  return ErrorCode::None;
}

ErrorCode EntityTable::teleport(EntityId id, Vec3 position, std::optional<Quat> rotation) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  const std::uint32_t slot = id.index();
  if (slots_[slot].is_attached) return ErrorCode::Attached;
  if (!in_world(local_with(slot, rotation), position)) return ErrorCode::OutOfWorld;
  Entity& entity = touch(slot);
  // A path of this tick is given up, even where it led to this very pose.
  const bool had_path = entity.move == Move::Path || entity.move == Move::ContinuousPath;
  const Quat rotation_now = entity.is_turned ? turns_[slot].rotation : Quat{};
  if (had_path || entity.position != position || rotation.value_or(rotation_now) != rotation_now) {
    entity.changed.teleported = tick_;
  }
  place(entity, position);
  set_rotation(slot, rotation);
  entity.move = Move::Teleport;
  begin_path(slot);
  return ErrorCode::None;
}

ErrorCode EntityTable::set_shape(EntityId id, const Shape& shape) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  const std::uint32_t slot = id.index();
  const Aabb local =
      slots_[slot].is_turned ? turned_box(shape, turns_[slot].rotation) : local_box(shape);
  if (!in_world(local, slots_[slot].position)) return ErrorCode::OutOfWorld;
  Details& details = details_[slot];
  if (details.shape == shape) return ErrorCode::None;
  Entity& entity = touch(slot);
  details.shape = shape;
  fit_box(slot);
  entity.changed.shape = tick_;
  return ErrorCode::None;
}

ErrorCode EntityTable::set_filter(EntityId id, const FilterPatch& patch) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  Details& details = details_[id.index()];
  const Filter filter = patched(patch, details.filter);
  if (filter.is_static && slots_[id.index()].is_attached) return ErrorCode::StaticMotion;
  if (filter == details.filter) return ErrorCode::None;
  Entity& entity = touch(id.index());
  if (filter.enabled != details.filter.enabled) entity.changed.enabled = tick_;
  if (!same_meeting_rules(filter, details.filter)) entity.changed.filter = tick_;
  details.filter = filter;
  entity.is_static = filter.is_static;
  entity.is_continuous = filter.continuous;
  if (filter.is_static && (entity.velocity != Vec3{} || spins(id.index()))) {
    entity.velocity = {};
    if (entity.is_turned) turns_[id.index()].angular_velocity = {};
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

Relevance EntityTable::relevance_of(std::uint32_t slot) const {
  return relevances_.empty() ? Relevance{} : relevances_[slot];
}

void EntityTable::put_relevance(std::uint32_t slot, const Relevance& relevance) {
  if (relevances_.empty()) {
    if (relevance == Relevance{}) return;
    relevances_.resize(slots_.size());
  }
  relevances_[slot] = relevance;
}

ErrorCode EntityTable::set_relevance(EntityId id, const Relevance& relevance) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  if (relevance_of(id.index()) == relevance) return ErrorCode::None;
  touch(id.index()).changed.relevance = tick_;
  put_relevance(id.index(), relevance);
  return ErrorCode::None;
}

}  // namespace vicinity
