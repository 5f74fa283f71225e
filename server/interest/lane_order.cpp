// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/lane_order.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t groups_per_block = 64;
/// A new generation for the sake of a single stray only after so many ticks.
constexpr Tick ticks_per_generation_min = 10;
/// Where an entity may go before its group is unruly, as a part of the group's size.
constexpr double stray_part = 0.125;
constexpr std::uint32_t tree_width = 16;

/// An entity as a lane sees it.
struct LaneBox {
  Vec3 low;
  Vec3 high;
  double radius_m = 0;
};
LaneBox lane_box(const Aabb& tight, Form form) {
  if (form != Form::Round) return {tight.min, tight.max, 0};
  const double r = 0.5 * (tight.max.x - tight.min.x);
  const Vec3 inwards{r, r, r};
  return {tight.min + inwards, tight.max - inwards, r};
}

Aabb32 merge(const Aabb32& a, const Aabb32& b) {
  Aabb32 out;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = std::min(a.min[axis], b.min[axis]);
    out.max[axis] = std::max(a.max[axis], b.max[axis]);
  }
  return out;
}
bool contains(const Aabb32& outer, const Aabb32& inner) {
  bool is_in = true;
  for (int axis = 0; axis < 3; ++axis)
    is_in = is_in && outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis];
  return is_in;
}
/// Larger by a part of its longest side, up to the range of f32.
Aabb32 grown(const Aabb32& box, double part) {
  constexpr double range = 1e30;
  double side = 0;
  for (int axis = 0; axis < 3; ++axis)
    side = std::max(side, static_cast<double>(box.max[axis]) - static_cast<double>(box.min[axis]));
  Aabb32 out;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = round_down(std::max(static_cast<double>(box.min[axis]) - side * part, -range));
    out.max[axis] = round_up(std::min(static_cast<double>(box.max[axis]) + side * part, range));
  }
  return out;
}

}  // namespace

// --- Every tick --------------------------------------------------------------------------------

void LaneOrder::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                       Workers& workers) {
  if (lane_of_.size() < snapshot.slot_count()) lane_of_.resize(snapshot.slot_count(), no_lane);
  if (!is_known_) {
    rebuild(snapshot, workers);
    is_known_ = true;
    return;
  }
  note_changes(snapshot, changed);
  refresh_dirty(snapshot, workers);
  if (is_rebuild_due(snapshot.tick)) rebuild(snapshot, workers);
}

void LaneOrder::note_changes(const Snapshot& snapshot, std::span<const std::uint32_t> changed) {
  dirty_groups_.clear();
  changed_.fill(groups_.size(), false);
  for (const std::uint32_t slot : changed) {
    std::uint32_t lane = lane_of_[slot];
    if (lane != no_lane && entities_[lane] != snapshot.id[slot]) {
      const auto group = static_cast<std::uint32_t>(lane / lane_count);
      heads_[group].alive &= static_cast<std::uint16_t>(~(1u << (lane % lane_count)));
      changed_.set(group, true);
      lane_of_[slot] = lane = no_lane;
    }
    if (lane == no_lane) {
      if (!snapshot.is_alive(slot)) continue;
      append(snapshot, slot);
      lane = lane_of_[slot];
    }
    const auto group = static_cast<std::uint32_t>(lane / lane_count);
    if (dirty_[group] == 0) dirty_groups_.push_back(group);
    dirty_[group] |= static_cast<std::uint16_t>(1u << (lane % lane_count));
  }
}

std::uint32_t LaneOrder::begin_group(Vec3 origin) {
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.emplace_back();
  heads_.emplace_back().origin = origin;
  boxes_.emplace_back();
  dirty_.push_back(0);
  entities_.resize(entities_.size() + lane_count);
  return group;
}

/// A lane for what appeared, in a group of such; its box is found when it is refreshed.
void LaneOrder::append(const Snapshot& snapshot, std::uint32_t slot) {
  if (open_group_ == no_lane || heads_[open_group_].used == 0xFFFF) {
    open_group_ = begin_group(centre(snapshot.tight_box[slot]));
    boxes_[open_group_] = round_outward(snapshot.tight_box[slot]);
    make_unruly(open_group_);
  }
  LaneHead& head = heads_[open_group_];
  const auto k = static_cast<std::uint32_t>(__builtin_popcount(head.used));
  head.used |= static_cast<std::uint16_t>(1u << k);
  const std::uint32_t lane = open_group_ * static_cast<std::uint32_t>(lane_count) + k;
  entities_[lane] = snapshot.id[slot];
  lane_of_[slot] = lane;
}

void LaneOrder::make_unruly(std::uint32_t group) {
  heads_[group].is_unruly = true;
  unruly_.push_back(group);
}

void LaneOrder::refresh_lane(const Snapshot& snapshot, std::uint32_t group, std::uint32_t k) {
  LaneHead& head = heads_[group];
  LaneGroup& lanes = groups_[group];
  const std::uint32_t slot = entities_[group * lane_count + k].index();
  const Form form = snapshot.form[slot];
  const LaneBox box = lane_box(snapshot.tight_box[slot], form);
  float extent = head.extent_m;
  for (int axis = 0; axis < 3; ++axis) {
    const auto low = static_cast<float>(box.low[axis] - head.origin[axis]);
    const auto high = static_cast<float>(box.high[axis] - head.origin[axis]);
    lanes.low[axis][k] = low;
    lanes.high[axis][k] = high;
    extent = std::max({extent, std::abs(low), std::abs(high)});
  }
  lanes.radius[k] = static_cast<float>(box.radius_m);
  head.extent_m = std::max(extent, lanes.radius[k]);
  const auto bit = static_cast<std::uint16_t>(1u << k);
  const Filter& filter = snapshot.filter[slot];
  if (head.alive == 0 && head.is_alike) {
    head.category = filter.category;
    head.instance = filter.instance;
  }
  head.is_alike =
      head.is_alike && filter.category == head.category && filter.instance == head.instance;
  head.alive = static_cast<std::uint16_t>(filter.enabled ? head.alive | bit : head.alive & ~bit);
  head.loose =
      static_cast<std::uint16_t>(form == Form::Other ? head.loose | bit : head.loose & ~bit);
}

/// One worker per group.
void LaneOrder::refresh(const Snapshot& snapshot, std::uint32_t group) {
  LaneHead& head = heads_[group];
  for (std::uint32_t left = dirty_[group]; left != 0; left &= left - 1)
    refresh_lane(snapshot, group, static_cast<std::uint32_t>(__builtin_ctz(left)));
  const Vec3 o = head.origin;
  const double far_m = std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)});
  head.slack_m = static_cast<float>((far_m + static_cast<double>(head.extent_m)) * 0x1p-47);
}

/// The lanes of a group lie close together, their slots anywhere: all are fetched at once, before
/// the group's turn comes.
void LaneOrder::fetch(const Snapshot& snapshot, std::uint32_t group) const {
  for (std::uint32_t left = dirty_[group]; left != 0; left &= left - 1) {
    const std::uint32_t slot =
        entity(group, static_cast<std::uint32_t>(__builtin_ctz(left))).index();
    __builtin_prefetch(&snapshot.tight_box[slot].min);
    __builtin_prefetch(&snapshot.tight_box[slot].max.z);
    __builtin_prefetch(&snapshot.filter[slot].category);
    __builtin_prefetch(&snapshot.filter[slot].enabled);
    __builtin_prefetch(&snapshot.form[slot]);
  }
}

void LaneOrder::refresh_dirty(const Snapshot& snapshot, Workers& workers) {
  const std::size_t count = dirty_groups_.size();
  std::vector<std::uint8_t> strayed(count, 0);
  workers.parallel_blocks(
      count, groups_per_block, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t group = dirty_groups_[i];
          if (i + 1 < end) fetch(snapshot, dirty_groups_[i + 1]);
          refresh(snapshot, group);
          Aabb32& box = boxes_[group];
          for (std::uint32_t left = dirty_[group]; left != 0; left &= left - 1) {
            const std::size_t lane =
                group * lane_count + static_cast<std::size_t>(__builtin_ctz(left));
            const Aabb32 at = round_outward(snapshot.tight_box[entities_[lane].index()]);
            if (contains(box, at)) continue;
            box = merge(box, at);
            strayed[i] = 1;
          }
          dirty_[group] = 0;
        }
      });
  changed_.resize(groups_.size());
  for (const std::uint32_t group : dirty_groups_) changed_.set(group, true);
  for (std::size_t i = 0; i < count; ++i)
    if (strayed[i] != 0 && !heads_[dirty_groups_[i]].is_unruly) make_unruly(dirty_groups_[i]);
}

std::uint16_t LaneOrder::accepted(const Snapshot& snapshot, std::uint32_t group,
                                  const SearchFilter& filter) const {
  const LaneHead& head = heads_[group];
  if (head.is_alike) {
    const bool is_wanted =
        head.instance == filter.instance && (head.category & filter.category_mask) != 0;
    return is_wanted ? head.alive : std::uint16_t{0};
  }
  std::uint32_t out = 0;
  for (std::uint32_t left = head.alive; left != 0; left &= left - 1) {
    const auto k = static_cast<std::uint32_t>(__builtin_ctz(left));
    if (finds(filter, snapshot.filter[entities_[group * lane_count + k].index()])) out |= 1u << k;
  }
  return static_cast<std::uint16_t>(out);
}

void LaneOrder::find_groups(const Aabb32& box, std::vector<std::uint32_t>& out) const {
  if (sorted_groups_ == 0) return;
  const auto visit = [&](const auto& self, std::size_t level, std::uint32_t begin,
                         std::uint32_t end) -> void {
    const std::vector<Aabb32>& boxes = tree_[level];
    end = std::min(end, static_cast<std::uint32_t>(boxes.size()));
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!touches(boxes[i], box)) continue;
      if (level > 0) {
        self(self, level - 1, i * tree_width, (i + 1) * tree_width);
      } else if (!heads_[i].is_unruly) {
        out.push_back(i);
      }
    }
  };
  visit(visit, tree_.size() - 1, 0, static_cast<std::uint32_t>(tree_.back().size()));
}

// --- A new generation --------------------------------------------------------------------------

bool LaneOrder::is_rebuild_due(Tick now) const {
  if (unruly_.empty()) return false;
  if (unruly_.size() > 8 + groups_.size() / 32) return true;
  return now - begun_ >= ticks_per_generation_min;
}

void LaneOrder::rebuild(const Snapshot& snapshot, Workers& workers) {
  ++generation_;
  begun_ = snapshot.tick;
  make_keys(snapshot, workers);
  fill_groups(snapshot, workers);
  build_tree();
}

void LaneOrder::fill_groups(const Snapshot& snapshot, Workers& workers) {
  const std::size_t count = block_count(keys_.size(), lane_count);
  groups_.resize(count);
  heads_.assign(count, {});
  boxes_.resize(count);
  dirty_.assign(count, 0);
  entities_.assign(count * lane_count, {});
  std::fill(lane_of_.begin(), lane_of_.end(), no_lane);
  unruly_.clear();
  open_group_ = no_lane;
  sorted_groups_ = static_cast<std::uint32_t>(count);
  changed_.fill(count, true);
  workers.parallel_blocks(count, groups_per_block,
                          [&](std::size_t, std::size_t from, std::size_t to) {
                            for (std::size_t group = from; group < to; ++group) {
                              const std::size_t begin = group * lane_count;
                              const std::size_t end = std::min(begin + lane_count, keys_.size());
                              Aabb around = snapshot.tight_box[keys_[begin].slot];
                              for (std::size_t lane = begin; lane < end; ++lane) {
                                const std::uint32_t slot = keys_[lane].slot;
                                around = vicinity::merge(around, snapshot.tight_box[slot]);
                                entities_[lane] = snapshot.id[slot];
                                lane_of_[slot] = static_cast<std::uint32_t>(lane);
                              }
                              heads_[group].origin = centre(around);
                              heads_[group].used = dirty_[group] =
                                  static_cast<std::uint16_t>((1u << (end - begin)) - 1);
                              refresh(snapshot, static_cast<std::uint32_t>(group));
                              dirty_[group] = 0;
                              boxes_[group] = grown(round_outward(around), stray_part);
                            }
                          });
}

void LaneOrder::build_tree() {
  tree_.clear();
  tree_.emplace_back(boxes_.begin(), boxes_.begin() + sorted_groups_);
  while (tree_.back().size() > tree_width) {
    const std::vector<Aabb32>& below = tree_.back();
    std::vector<Aabb32> level;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (i % tree_width == 0) level.push_back(below[i]);
      level.back() = merge(level.back(), below[i]);
    }
    tree_.push_back(std::move(level));
  }
}

}  // namespace vicinity
