// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The second half of a tick: advance() and freeze().

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "world/entity_table.h"
#include "world/placed_box.h"

namespace vicinity {
namespace {

/// Slots per block of a parallel loop: some tens of microseconds of work.
constexpr std::size_t slots_per_block = 2048;

bool names(const EntityVersions& changed, Tick tick) {
  return changed.pose == tick || changed.spawned == tick || changed.teleported == tick ||
         changed.shape == tick || changed.filter == tick || changed.enabled == tick ||
         changed.user_data == tick || changed.relevance == tick;
}

void resize(Snapshot& out, std::size_t slots) {
  out.id.resize(slots);
  out.position.resize(slots);
  out.velocity.resize(slots);
  out.tight_box.resize(slots);
  out.start_box.resize(slots);
  out.start_position.resize(slots);
  out.form.resize(slots);
  out.motion.resize(slots);
  out.shape.resize(slots);
  out.filter.resize(slots);
  out.user_data.resize(slots);
  out.owner.resize(slots);
  out.changed.resize(slots);
}

}  // namespace

// --- End of the tick ---------------------------------------------------------------------------

/// Blocks look at entities alone. What concerns all of them, ends above all, comes afterwards and
/// in order.
void EntityTable::advance(double dt_s, Workers& workers) {
  CHECK(!advanced_);
  advanced_ = true;
  order_attached();
  following_ = attached_;
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
  follow_all(dt_s);
  list_followers();
  excluded_ = exclusions_.freeze();
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
    const Entity& entity = slots_[slot];
    if (entity.is_attached) continue;  // follow_all() sees to it when its parent is done
    const bool stays = finish_entity_tick(slot, dt_s);
    if (!stays) out.left_world.push_back(slot);
    if (!stays || has_changed(entity)) {
      out.changed.push_back(slot);
      last_change_[slot] = tick_;
    }
    const bool moves = entity.velocity != Vec3{} || entity.motion != Motion::None || spins(slot);
    if (stays && entity.alive && moves) out.due.push_back(slot);
  }
}

bool EntityTable::finish_entity_tick(std::uint32_t slot, double dt_s) {
  Entity& entity = slots_[slot];
  if (entity.touched != tick_) begin_entity_tick(slot);
  if (!entity.alive) return true;
  switch (entity.move) {
    case Move::Velocity: return step_velocity(slot, dt_s);
    case Move::Spawn:
    case Move::Teleport: begin_path(slot); break;
    case Move::Path:
    case Move::ContinuousPath: settle_path(slot); break;
  }
  return true;
}

bool EntityTable::step_velocity(std::uint32_t slot, double dt_s) {
  Entity& entity = slots_[slot];
  // It moves, or stands, as it is now: a change of its shape alone is no path.
  begin_path(slot);
  const Vec3 target = entity.position + entity.velocity * dt_s;
  const bool is_spinning = spins(slot);
  if (target == entity.position && !is_spinning) return true;
  if (is_spinning) {
    Turn& turn = turns_[slot];
    const Path path = path_of_velocity({entity.position, turn.rotation}, entity.velocity,
                                       turn.angular_velocity, dt_s);
    turn.rotation = path.end.rotation;
    turn.rotation_vector = path.rotation_vector;
    fit_box(slot);
    entity.changed.pose = tick_;
  }
  if (!in_world(entity.local, target)) return false;
  place(entity, target);
  if (is_spinning || box_of(entity) != entity.path_start) entity.motion = motion_of(entity);
  return true;
}

/// A path that a command named.
void EntityTable::settle_path(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  bool turns = false;
  if (entity.is_turned) {
    Turn& turn = turns_[slot];
    turn.rotation_vector =
        path_move_to({{}, turn.start_rotation}, {{}, turn.rotation}).rotation_vector;
    turns = turn.rotation_vector != Vec3{};
  }
  if (entity.changed.shape == tick_ && entity.form != Form::Box) {  // the new shape all along
    const Aabb local = entity.is_turned
                           ? turned_box(details_[slot].shape, turns_[slot].start_rotation)
                           : entity.local;
    entity.path_start = placed_around(local, entity.path_start_position);
  }
  if (entity.move == Move::ContinuousPath) {
    entity.motion = Motion::Continuous;
  } else if (turns || entity.path_start != box_of(entity)) {
    entity.motion = motion_of(entity);
  }
}

/// Of an entity on a path that nobody asked anything about.
Motion EntityTable::motion_of(const Entity& entity) {
  return entity.is_continuous ? Motion::Continuous : Motion::Path;
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
  DCHECK(
      std::ranges::none_of(followed_, [this](auto slot) { return last_change_[slot] == tick_; }));
  if (is_restored_) {
    for (const std::uint32_t slot : followed_) last_change_[slot] = tick_;
    keep_all_as_changed(changes);
    return;
  }
  changes.slots.reset(count + followed_.size());
  std::uint32_t* next = changes.slots.data();
  for (std::size_t i = 0; i < blocks; ++i) next = std::ranges::copy(blocks_[i].changed, next).out;
  for (const std::uint32_t slot : followed_) last_change_[slot] = tick_;
  next = std::ranges::copy(followed_, next).out;
  if (!followed_.empty()) std::sort(changes.slots.data(), next);
  count += followed_.size();
  ++changes_kept_;
  changes_kept_slots_ += count;
  const std::size_t slots_max = limits::changes_kept_per_slot * slots_.size();
  while (changes_kept_ > 1 && changes_kept_slots_ > slots_max) forget_oldest_changes();
}

/// In the first tick of a restored world, for whoever has to learn of all entities; beside what did
/// change, which last_change_ knows already.
void EntityTable::keep_all_as_changed(Changes& changes) {
  is_restored_ = false;
  std::vector<std::uint32_t> all;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].alive) last_change_[slot] = tick_;
    if (last_change_[slot] == tick_) all.push_back(slot);
  }
  changes.slots.reset(all.size());
  std::ranges::copy(all, changes.slots.data());
  ++changes_kept_;
  changes_kept_slots_ += all.size();
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
  if (!turns_.empty()) out.turn.resize(slots_.size());
  if (!relevances_.empty()) out.relevance.resize(slots_.size());
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
  copy_attachments(out);
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
  if (!entity.alive) {
    out.shape[slot] = {};  // nothing keeps what it consisted of
    return;
  }
  const EntityVersions& changed = entity.changed;
  out.position[slot] = entity.position;
  out.velocity[slot] = entity.velocity;
  out.tight_box[slot] = box_of(entity);
  out.start_box[slot] = entity.path_start;
  out.start_position[slot] = entity.path_start_position;
  out.form[slot] = entity.form;
  if (!turns_.empty()) out.turn[slot] = entity.is_turned ? turns_[slot] : Turn{};
  out.motion[slot] = entity.motion;
  out.changed[slot] = changed;
  const Details& details = details_[slot];
  if (changed.shape > known) out.shape[slot] = details.shape;
  if (changed.filter > known || changed.enabled > known) out.filter[slot] = details.filter;
  if (changed.user_data > known) {
    out.user_data[slot] = details.user_data;
    out.owner[slot] = details.owner;
  }
  // As long as no entity had another one, all places of an earlier snapshot are the default too.
  if (!relevances_.empty() && changed.relevance > known) out.relevance[slot] = relevances_[slot];
}

}  // namespace vicinity
