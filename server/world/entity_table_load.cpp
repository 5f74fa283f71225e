// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A table from bytes (entity_table_archive.cpp), none of which is trusted. What is wrong with an
// entity alone quarantines it; what is wrong with the whole, which no writer of this program can
// have written, fails.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "world/checker.h"
#include "world/entity_table.h"
#include "world/entity_table_record.h"
#include "world/restored_entities.h"

namespace vicinity {
namespace {

/// Far beyond what any world reaches, and far from where sums of ticks overflow.
constexpr Tick tick_max = Tick{1} << 62;
/// How far a box may reach out of the world, as a part of it, that rounding made larger when its
/// entity was turned for the first time.
constexpr double edge_part = 1e-9;
/// The same of the length of a rotation, over products of many.
constexpr double length_part = 1e-6;
constexpr double rotation_vector_max_rad = 1e6;

bool has_length_one(const Quat& q) {
  return is_finite(q) &&
         std::abs(std::sqrt(length_squared(q.vector()) + q.w * q.w) - 1) <= length_part;
}

/// Finite, ordered, and within so many metres of the origin.
bool is_box_within(const Aabb& box, double metres) {
  bool is_good = true;
  for (int axis = 0; axis < 3; ++axis)
    is_good = is_good && box.min[axis] <= box.max[axis] && box.min[axis] >= -metres &&
              box.max[axis] <= metres;
  return is_good;
}

/// Whether these can be the ticks of changes of an entity that lives in tick `now`.
bool are_good(const EntityVersions& versions, Tick now) {
  const Tick since = versions.spawned;
  const auto is_good = [&](Tick tick) { return tick >= since && tick <= now; };
  return since >= 1 && since <= now && is_good(versions.pose) && is_good(versions.shape) &&
         is_good(versions.filter) && is_good(versions.enabled) && is_good(versions.user_data) &&
         is_good(versions.relevance) && (versions.teleported == 0 || is_good(versions.teleported));
}

}  // namespace

class EntityTableLoading {
 public:
  EntityTableLoading(EntityTable& table, ArchiveReader& in) : table_(table), in_(in) {}

  bool run(std::vector<QuarantinedEntity>& quarantined) {
    in_(table_.tick_), in_(table_.generation_floor_);
    in_.require(table_.tick_ <= tick_max &&
                table_.generation_floor_ <= table_.settings_.generation_max);
    read_slots();
    read_compounds();
    read_free_slots();
    if (!in_.ok()) return false;
    link_owners();
    for (std::uint32_t slot = 0; slot < flags_.size(); ++slot) judge(slot, quarantined);
    read_links();
    read_exclusions();
    if (!in_.ok()) return false;
    for (const QuarantinedEntity& bad : quarantined) remove(bad.id.index());
    finish();
    return true;
  }

 private:
  using FreeSlot = EntityTable::FreeSlot;
  static constexpr std::uint32_t no_slot = EntityTable::no_slot;

  void read_slots();
  void read_slot();
  void read_compounds();
  void read_free_slots();
  void link_owners();
  void judge(std::uint32_t slot, std::vector<QuarantinedEntity>& quarantined);
  std::string fault_of(std::uint32_t slot);
  std::string fault_of_path(std::uint32_t slot) const;
  void read_links();
  void read_link();
  bool may_hang(std::uint32_t slot, std::uint32_t parent) const;
  void read_exclusions();
  void remove(std::uint32_t slot);
  void finish();
  void place_attached();

  bool is_there(std::uint32_t slot) const {
    return slot < flags_.size() && table_.slots_[slot].alive;
  }

  EntityTable& table_;
  ArchiveReader& in_;
  std::vector<std::uint16_t> flags_;    ///< by slot
  std::vector<std::uint8_t> is_bad_;    ///< by slot
  std::uint32_t last_child_ = no_slot;  ///< of the links
};

// --- Slots -------------------------------------------------------------------------------------

void EntityTableLoading::read_slots() {
  const std::uint64_t count = in_.count(sizeof(std::uint16_t) + sizeof(std::uint32_t));
  in_.require(count <= table_.slot_count_max() && (count == 0 || table_.tick_ > 0));
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) read_slot();
  is_bad_.resize(flags_.size());
  if (!table_.turns_.empty()) table_.turns_.resize(flags_.size());
  if (!table_.relevances_.empty()) table_.relevances_.resize(flags_.size());
  in_.require(table_.entity_count_ <= table_.settings_.entity_count_max);
}

void EntityTableLoading::read_slot() {
  EntityTable::Entity& entity = table_.slots_.emplace_back();
  EntityTable::Details& details = table_.details_.emplace_back();
  const std::size_t count = table_.slots_.size();
  std::uint16_t flags = 0;
  in_(flags), in_(entity.generation);
  flags_.push_back(flags);
  const auto has = [flags](RecordFlag flag) { return (flags & flag) != 0; };
  in_.require(entity.generation <= table_.settings_.generation_max);
  if (flags == 0 || !in_.ok()) return;
  in_.require(has(record_alive) && flags < record_flags_end && entity.generation > 0 &&
              !(has(record_path) && has(record_continuous_path)) &&
              (has(record_turned) || !has(record_turning)));
  Turn turn;
  Relevance relevance;
  EntityTable::archive_record(in_, flags, entity, details, turn, relevance);
  in_.require(details.skipped <= table_.settings_.generation_max - entity.generation);
  entity.alive = true;
  ++table_.entity_count_;
  if (!has(record_start_position)) entity.path_start_position = entity.position;
  entity.motion = has(record_path)              ? Motion::Path
                  : has(record_continuous_path) ? Motion::Continuous
                                                : Motion::None;
  entity.is_static = details.filter.is_static;
  entity.is_continuous = details.filter.continuous;
  entity.is_turned = has(record_turned);
  if (has(record_turned)) {
    if (!has(record_turning)) turn.start_rotation = turn.rotation;
    table_.turns_.resize(count);
    table_.turns_.back() = turn;
  }
  if (has(record_relevance)) {
    table_.relevances_.resize(count);
    table_.relevances_.back() = relevance;
  }
}

void EntityTableLoading::read_compounds() {
  const std::uint64_t count = in_.count(1);
  std::vector<Shape> shapes;
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) archive_parts(in_, shapes.emplace_back());
  std::vector<std::uint32_t> number_of_slot;
  in_(number_of_slot);
  if (!in_.ok()) return;
  auto number = number_of_slot.begin();
  for (std::size_t slot = 0; slot < flags_.size(); ++slot) {
    if ((flags_[slot] & record_compound) == 0) continue;
    if (number == number_of_slot.end() || *number >= shapes.size()) return in_.fail();
    table_.details_[slot].shape = shapes[*number++];
  }
  in_.require(number == number_of_slot.end());
}

/// Every dead slot waits here, but for those that have no generation left.
void EntityTableLoading::read_free_slots() {
  const std::uint64_t count = in_.count(sizeof(std::uint32_t) + sizeof(Tick));
  std::vector<FreeSlot> slots;
  std::vector<std::uint8_t> is_listed(flags_.size());
  Tick before = 0;
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
    FreeSlot& next = slots.emplace_back();
    in_(next.slot), in_(next.reusable_from);
    if (next.slot >= flags_.size() || flags_[next.slot] != 0 || is_listed[next.slot] != 0 ||
        next.reusable_from < before ||
        next.reusable_from > table_.tick_ + table_.settings_.reuse_delay_ticks)
      return in_.fail();
    is_listed[next.slot] = 1;
    before = next.reusable_from;
  }
  for (std::size_t slot = 0; slot < flags_.size() && in_.ok(); ++slot) {
    const bool is_left = table_.slots_[slot].generation < table_.settings_.generation_max;
    in_.require(flags_[slot] != 0 || is_left == (is_listed[slot] != 0));
  }
  table_.free_slots_.replace(std::move(slots));
}

/// The lists by owner, each in one piece.
void EntityTableLoading::link_owners() {
  auto& details = table_.details_;
  for (std::uint32_t slot = 0; slot < flags_.size(); ++slot) {
    const std::uint32_t next = details[slot].owner_next;
    if (!is_there(slot) || next == no_slot) continue;
    if (!is_there(next) || next == slot || details[next].owner != details[slot].owner ||
        details[next].owner_previous != no_slot)
      return in_.fail();
    details[next].owner_previous = slot;
  }
  std::uint32_t listed = 0;
  for (std::uint32_t slot = 0; slot < flags_.size(); ++slot) {
    if (!is_there(slot) || details[slot].owner_previous != no_slot) continue;
    EntityTable::OwnerList& list = table_.owners_[details[slot].owner];
    if (list.first != no_slot) return in_.fail();
    list.first = slot;
    // No slot is in two lists, and what begins without a previous one has an end.
    for (std::uint32_t at = slot; at != no_slot; at = details[at].owner_next) ++list.count;
    listed += list.count;
  }
  in_.require(listed == table_.entity_count_);
}

// --- Entities that cannot be -------------------------------------------------------------------

void EntityTableLoading::judge(std::uint32_t slot, std::vector<QuarantinedEntity>& quarantined) {
  if (!is_there(slot)) return;
  std::string fault = fault_of(slot);
  if (fault.empty()) return;
  is_bad_[slot] = 1;
  const EntityTable::Entity& entity = table_.slots_[slot];
  quarantined.push_back({EntityId(slot, entity.generation), entity.position, std::move(fault)});
}

/// Empty when the entity can be; then it has its boxes.
std::string EntityTableLoading::fault_of(std::uint32_t slot) {
  EntityTable::Entity& entity = table_.slots_[slot];
  const EntityTable::Details& details = table_.details_[slot];
  const double half_m = table_.settings_.world_half_size_m;
  Checker checker(half_m);
  if (!checker.position("position", entity.position) || !checker.velocity(entity.velocity) ||
      !checker.shape(details.shape) || !checker.relevance(table_.relevance_of(slot)))
    return checker.take().text;
  Quat rotation;
  if (entity.is_turned) {
    const Turn& turn = table_.turns_[slot];
    if (!checker.angular_velocity(turn.angular_velocity)) return checker.take().text;
    if (!has_length_one(turn.rotation)) return "rotation is none; allowed: length 1";
    rotation = turn.rotation;
  }
  const bool moves = entity.velocity != Vec3{} || table_.spins(slot);
  if (entity.is_static && moves) return "a velocity of a static entity; allowed: 0";
  if (!are_good(entity.changed, table_.tick_))
    return "a tick of a change is none; allowed: from its spawn to the tick of the world";
  table_.fit_box(slot);
  if (!is_box_within(EntityTable::box_of(entity), half_m * (1 + edge_part))) {
    const bool is_inside = checker.inside_world(details.shape, {entity.position, rotation});
    return is_inside ? "the box reaches out of the world" : checker.take().text;
  }
  return fault_of_path(slot);
}

std::string EntityTableLoading::fault_of_path(std::uint32_t slot) const {
  EntityTable::Entity& entity = table_.slots_[slot];
  // A shape that was given on the way may reach out of the world where the way begins.
  const double reach_m = 4 * limits::world_half_size_m;
  const Vec3 start = entity.path_start_position;
  if (!is_box_within({start, start}, reach_m)) return "the start of its path is out of the world";
  if ((flags_[slot] & record_start_box) == 0)
    entity.path_start = EntityTable::settled_start(entity);
  if (!is_box_within(entity.path_start, reach_m)) return "the start box of its path is none";
  if (!entity.is_turned) return {};
  const Turn& turn = table_.turns_[slot];
  if (!has_length_one(turn.start_rotation)) return "the start rotation of its path is none";
  return length(turn.rotation_vector) <= rotation_vector_max_rad ? "" : "its path turns too far";
}

/// As if it had ended, but that nobody is told.
void EntityTableLoading::remove(std::uint32_t slot) {
  EntityTable::Entity& entity = table_.slots_[slot];
  table_.unlink_owner(slot);
  entity.alive = false;
  entity.motion = Motion::None;
  --table_.entity_count_;
  entity.generation += table_.details_[slot].skipped;
  table_.details_[slot] = {};
  if (entity.generation < table_.settings_.generation_max)
    table_.free_slots_.push({slot, table_.tick_ + table_.settings_.reuse_delay_ticks});
}

// --- Pairs -------------------------------------------------------------------------------------

void EntityTableLoading::read_links() {
  const std::uint64_t count = in_.count(2 * sizeof(std::uint32_t) + sizeof(Pose));
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) read_link();
}

void EntityTableLoading::read_link() {
  std::uint32_t slot = 0;
  std::uint32_t parent = 0;
  Pose relative;
  OnParentEnd on_parent_end = OnParentEnd::Detach;
  bool follows_visibility = false;
  in_(slot), in_(parent), in_(relative);
  archive_enum(in_, on_parent_end, OnParentEnd::Despawn);
  in_(follows_visibility);
  const double reach_m = 4 * limits::world_half_size_m;
  in_.require(is_there(slot) && is_there(parent) &&
              (last_child_ == no_slot || slot > last_child_) &&
              is_box_within({relative.position, relative.position}, reach_m) &&
              has_length_one(relative.rotation));
  last_child_ = slot;
  if (!in_.ok() || is_bad_[slot] != 0 || is_bad_[parent] != 0) return;
  if (!may_hang(slot, parent)) return in_.fail();
  table_.link(slot, parent, relative, on_parent_end);
  table_.links_[slot].follows_visibility = follows_visibility;
}

/// What attach() asks for, and what it leaves behind.
bool EntityTableLoading::may_hang(std::uint32_t slot, std::uint32_t parent) const {
  const EntityTable::Entity& entity = table_.slots_[slot];
  const bool stands = entity.is_turned && !entity.is_static && entity.velocity == Vec3{} &&
                      !table_.spins(slot) && !entity.is_attached;
  if (!stands || table_.hangs_on(parent, slot)) return false;
  const auto above = table_.links_.find(parent);
  const std::uint32_t depth = above == table_.links_.end() ? 1 : above->second.depth + 1;
  return depth + table_.height(slot) <= limits::attachment_depth_max &&
         (above == table_.links_.end() ||
          above->second.children.size() < limits::attached_per_entity_max);
}

void EntityTableLoading::read_exclusions() {
  const std::uint64_t count = in_.count(2 * sizeof(std::uint32_t));
  ExcludedPairs::Pair before{0, 0};
  for (std::uint64_t i = 0; i < count && in_.ok(); ++i) {
    ExcludedPairs::Pair pair;
    in_(pair.first), in_(pair.second);
    in_.require(is_there(pair.first) && is_there(pair.second) && pair.first < pair.second &&
                before < pair);
    before = pair;
    if (!in_.ok() || is_bad_[pair.first] != 0 || is_bad_[pair.second] != 0) continue;
    in_.require(table_.exclusions_.add(pair.first, pair.second) == ErrorCode::None);
  }
}

// --- What follows ------------------------------------------------------------------------------

void EntityTableLoading::finish() {
  const auto slots = static_cast<std::uint32_t>(flags_.size());
  table_.due_.grow(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const EntityTable::Entity& entity = table_.slots_[slot];
    const bool moves =
        entity.velocity != Vec3{} || entity.motion != Motion::None || table_.spins(slot);
    if (entity.alive && !entity.is_attached && moves) table_.due_.add(slot);
  }
  place_attached();
  table_.list_followers();
  table_.excluded_ = table_.exclusions_.freeze();
  // Snapshots of before are not those of this table: all of them are copied whole.
  table_.last_change_.assign(slots, 0);
  EntityTable::Changes& changes = table_.changes_[table_.changes_count_++];
  changes.tick = changes.last_tick = table_.tick_;
  table_.keep_all_as_changed(changes);
  table_.is_restored_ = true;
}

/// As follow() left them.
void EntityTableLoading::place_attached() {
  table_.order_attached();
  for (const std::uint32_t slot : table_.attached_) {
    EntityTable::Link& link = table_.links_.at(slot);
    const EntityTable::Link& above = table_.links_.at(link.parent);
    const bool hangs_deeper = table_.slots_[link.parent].is_attached;
    link.in_root = hangs_deeper ? compose(above.in_root, link.relative) : link.relative;
    link.root_slot = hangs_deeper ? above.root_slot : link.parent;
    link.root_path = hangs_deeper ? above.root_path : table_.path_of(link.parent);
    link.swings = table_.slots_[slot].motion != Motion::None;
    if (link.swings) table_.followed_.push_back(slot);
  }
}

bool EntityTable::load(ArchiveReader& in, std::vector<QuarantinedEntity>& quarantined) {
  CHECK(tick_ == 0 && slots_.empty());
  return EntityTableLoading(*this, in).run(quarantined);
}

}  // namespace vicinity
