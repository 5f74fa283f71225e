// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Entities that hang on others, and pairs that ignore one another.

#include <algorithm>

#include "base/check.h"
#include "world/entity_table.h"
#include "world/placed_box.h"

namespace vicinity {

// --- The tree ----------------------------------------------------------------------------------

/// Whether `slot` is `other` or hangs on it, directly or not.
bool EntityTable::hangs_on(std::uint32_t slot, std::uint32_t other) const {
  for (; slot != other; slot = links_.at(slot).parent) {
    if (!slots_[slot].is_attached) return false;
  }
  return true;
}

/// Of what hangs on `slot`: 0 = nothing.
std::uint32_t EntityTable::height(std::uint32_t slot) const {
  const auto found = links_.find(slot);
  if (found == links_.end()) return 0;
  std::uint32_t below = 0;
  for (const std::uint32_t child : found->second.children) {
    below = std::max(below, 1 + height(child));
  }
  return below;
}

void EntityTable::set_depth(std::uint32_t slot, std::uint32_t depth) {
  Link& link = links_[slot];
  link.depth = depth;
  for (const std::uint32_t child : link.children) set_depth(child, depth + 1);
}

void EntityTable::link(std::uint32_t slot, std::uint32_t parent, const Pose& relative,
                       OnParentEnd on_end) {
  std::vector<std::uint32_t>& children = links_[parent].children;
  children.insert(std::upper_bound(children.begin(), children.end(), slot), slot);
  const std::uint32_t depth = links_[parent].depth + 1;
  Link& link = links_[slot];
  link.parent = parent;
  link.relative = relative;
  link.on_parent_end = on_end;
  slots_[slot].is_attached = true;
  attached_changed_ = true;
  followers_changed_ = true;
  set_depth(slot, depth);
}

void EntityTable::unlink(std::uint32_t slot) {
  const std::uint32_t parent = links_.at(slot).parent;
  Link& above = links_.at(parent);
  std::erase(above.children, slot);
  if (above.children.empty() && !slots_[parent].is_attached) links_.erase(parent);
  slots_[slot].is_attached = false;
  attached_changed_ = true;
  followers_changed_ = true;
  if (links_.at(slot).children.empty()) {
    links_.erase(slot);
    return;
  }
  Link& link = links_.at(slot);
  link.parent = no_slot;
  link.in_root = {};
  set_depth(slot, 0);
}

void EntityTable::end_parent(std::uint32_t slot, SessionId by) {
  const auto found = links_.find(slot);
  if (found == links_.end()) return;
  const std::vector<std::uint32_t> children = found->second.children;
  for (const std::uint32_t child : children) {
    const bool ends_too = links_.at(child).on_parent_end == OnParentEnd::Despawn;
    touch(child);
    unlink(child);
    if (ends_too) end(child, DespawnReason::ParentEnded, by);
  }
  DCHECK(links_.find(slot) == links_.end());
}

ErrorCode EntityTable::attach(EntityId id, EntityId parent, const std::optional<Pose>& relative,
                              OnParentEnd on_parent_end, double distance_max_m,
                              bool follow_visibility) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  if (const ErrorCode code = check_alive(parent); code != ErrorCode::None) return code;
  const std::uint32_t slot = id.index();
  const std::uint32_t above = parent.index();
  if (slots_[slot].is_static) return ErrorCode::StaticMotion;
  if (hangs_on(above, slot)) return ErrorCode::AttachmentCycle;
  const auto link_above = links_.find(above);
  const std::uint32_t depth = link_above == links_.end() ? 1 : link_above->second.depth + 1;
  if (depth + height(slot) > limits::attachment_depth_max) return ErrorCode::LimitExceeded;
  const bool is_sibling = slots_[slot].is_attached && links_.at(slot).parent == above;
  if (!is_sibling && link_above != links_.end() &&
      link_above->second.children.size() >= limits::attached_per_entity_max) {
    return ErrorCode::LimitExceeded;
  }
  // A path of this tick is given up: what counts is where the two were when it began, so that the
  // order of the commands of a tick does not matter.
  const Pose begin = begin_pose_of(slot);
  const Pose begin_above = begin_pose_of(above);
  const Pose place = relative ? compose(begin_above, *relative) : begin;
  if (length(place.position - begin_pose_of(root_of(above)).position) > distance_max_m) {
    return ErrorCode::LimitExceeded;
  }
  if (!in_world(turned_box(details_[slot].shape, place.rotation), place.position)) {
    return ErrorCode::OutOfWorld;
  }
  Entity& entity = touch(slot);
  if (entity.is_attached) unlink(slot);
  make_turned(slot).angular_velocity = {};
  entity.velocity = {};
  entity.move = Move::Velocity;
  entity.changed.pose = tick_;
  fit_box(slot);
  link(slot, above, relative ? *relative : compose(inverse(begin_above), begin), on_parent_end);
  links_[slot].follows_visibility = follow_visibility;
  links_[slot].is_new = true;
  links_[slot].jumps = relative.has_value() || entity.changed.spawned == tick_;
  return ErrorCode::None;
}

std::optional<Attachment> EntityTable::attachment_of(EntityId id) const {
  if (status(id) != EntityStatus::Alive || !slots_[id.index()].is_attached) return std::nullopt;
  const Link& link = links_.at(id.index());
  return Attachment{EntityId(link.parent, slots_[link.parent].generation), link.relative,
                    link.on_parent_end, link.follows_visibility};
}

/// Where a path of this tick begins, whatever moved the entity since.
Pose EntityTable::begin_pose_of(std::uint32_t slot) const {
  return slots_[slot].touched == tick_ ? path_of(slot).start : pose_of(slot);
}

std::uint32_t EntityTable::root_of(std::uint32_t slot) const {
  while (slots_[slot].is_attached) slot = links_.at(slot).parent;
  return slot;
}

ErrorCode EntityTable::detach(EntityId id) {
  if (const ErrorCode code = check_alive(id); code != ErrorCode::None) return code;
  if (!slots_[id.index()].is_attached) return ErrorCode::NotAttached;
  touch(id.index()).changed.pose = tick_;
  unlink(id.index());
  return ErrorCode::None;
}

ErrorCode EntityTable::exclude_pair(EntityId a, EntityId b, bool excluded) {
  if (const ErrorCode code = check_alive(a); code != ErrorCode::None) return code;
  if (const ErrorCode code = check_alive(b); code != ErrorCode::None) return code;
  if (a == b) return ErrorCode::InvalidFilter;
  if (exclusions_.contains(a.index(), b.index()) == excluded) return ErrorCode::None;
  if (excluded) {
    const ErrorCode code = exclusions_.add(a.index(), b.index());
    if (code != ErrorCode::None) return code;
  } else {
    exclusions_.remove(a.index(), b.index());
  }
  for (const EntityId id : {a, b}) touch(id.index()).changed.filter = tick_;
  return ErrorCode::None;
}

// --- The tick ----------------------------------------------------------------------------------

void EntityTable::order_attached() {
  if (!attached_changed_) return;
  attached_changed_ = false;
  attached_.clear();
  for (std::uint32_t depth = 1; depth <= limits::attachment_depth_max; ++depth) {
    const std::size_t before = attached_.size();
    for (const auto& [slot, link] : links_) {
      if (slots_[slot].is_attached && link.depth == depth) attached_.push_back(slot);
    }
    if (attached_.size() == before) return;
  }
}

/// When nothing of the tick can attach or detach any more.
void EntityTable::list_followers() {
  if (!followers_changed_) return;
  followers_changed_ = false;
  followers_.clear();
  for (const auto& [slot, link] : links_) {
    if (slots_[slot].is_attached && link.follows_visibility)
      followers_.push_back({slot, link.parent});
  }
}

void EntityTable::follow_all(double dt_s) {
  followed_.clear();
  for (const std::uint32_t slot : following_) {
    Entity& entity = slots_[slot];
    bool stays = true;
    if (entity.is_attached) {
      follow(slot);
      stays = in_world(entity.local, entity.position);
    } else if (entity.touched == tick_) {  // its parent left the world in this tick
      stays = finish_entity_tick(slot, dt_s);
    }
    if (!stays) end(slot, DespawnReason::LeftWorld, {});
    if (entity.touched != tick_ || !has_changed(entity)) continue;
    followed_.push_back(slot);
    if (entity.alive && entity.motion != Motion::None && !entity.is_attached) due_.add(slot);
  }
}

/// Puts an attached entity where its parent, which is done with this tick, has it.
void EntityTable::follow(std::uint32_t slot) {
  Entity& entity = slots_[slot];
  Link& link = links_.at(slot);
  const Entity& parent = slots_[link.parent];
  const auto above = links_.find(link.parent);
  CHECK(above != links_.end());
  const bool hangs_deeper = parent.is_attached;
  link.in_root = hangs_deeper ? compose(above->second.in_root, link.relative) : link.relative;
  link.root_slot = hangs_deeper ? above->second.root_slot : link.parent;
  link.root_path = hangs_deeper ? above->second.root_path : path_of(link.parent);
  const bool root_swings = hangs_deeper ? above->second.swings : parent.motion != Motion::None;
  const Pose before = pose_of(slot);
  const Pose after = compose(link.root_path.end, link.in_root);
  const bool was_swinging = entity.motion != Motion::None;
  const bool root_jumped = slots_[link.root_slot].changed.teleported == tick_;
  link.swings = root_swings && !link.jumps;
  const bool is_new = link.is_new;
  const bool jumps = link.jumps;
  link.is_new = link.jumps = false;
  if (after == before && !link.swings && !is_new && !was_swinging && entity.touched != tick_) {
    return;
  }
  if (entity.touched != tick_) touch(slot);
  if (after != before) entity.changed.pose = tick_;
  entity.position = after.position;
  turns_[slot].rotation = after.rotation;
  fit_box(slot);
  begin_path(slot);
  if (!link.swings) {  // it stands, or went there without a path
    if (after != before && (jumps || root_jumped || !is_new)) entity.changed.teleported = tick_;
    return;
  }
  const Pose start = compose(link.root_path.start, link.in_root);
  if (root_jumped) entity.changed.teleported = tick_;
  entity.path_start_position = start.position;
  turns_[slot].start_rotation = start.rotation;
  turns_[slot].rotation_vector = link.root_path.rotation_vector;
  entity.path_start =
      placed_around(turned_box(details_[slot].shape, start.rotation), start.position);
  entity.motion = entity.is_continuous ? Motion::Continuous : parent.motion;
}

void EntityTable::copy_attachments(Snapshot& out) const {
  out.excluded = excluded_;
  out.followers = followers_;
  out.swings.clear();
  for (const std::uint32_t slot : followed_) {
    if (!slots_[slot].is_attached || slots_[slot].motion == Motion::None) continue;
    const Link& link = links_.at(slot);
    out.turn[slot].swing = static_cast<std::uint32_t>(out.swings.size());
    out.swings.push_back({link.root_slot, link.root_path, link.in_root});
  }
}

}  // namespace vicinity
