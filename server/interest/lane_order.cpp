// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/lane_order.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t groups_per_block = 64;  // a word of SlotBits
constexpr std::size_t slots_per_block = 1024;
constexpr std::size_t slots_ahead = 16;  // to be fetched
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

Aabb32 merged(const Aabb32& a, const Aabb32& b) {
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
//
//   changed slots, ascending    3   4   7   8 ...     read in a stream
//                               |    \\ /    |
//   records, by lane       ..[3].[7][4]....[8]..      written anywhere, 32 bytes each
//                          |----16----|----16----|
//   groups                 xxxx yyyy zzzz ...         turned, a group at a time

void LaneOrder::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                       Workers& workers) {
  if (seats_.size() < snapshot.slot_count()) seats_.resize(snapshot.slot_count());
  if (!is_known_) return;
  note_changes(snapshot, changed, workers);
  changed_.fill(groups_.size(), false);
  if (!changed.empty()) refresh_fresh(workers);
}

void LaneOrder::renew_if_due(const Snapshot& snapshot, Workers& workers) {
  if (is_known_ && !is_rebuild_due(snapshot.tick)) return;
  rebuild(snapshot, workers);
  is_known_ = true;
}

/// The slots are read in a stream, their lanes lie anywhere.
inline void LaneOrder::fetch(std::uint32_t slot) const {
  const std::uint32_t lane = seats_[slot].lane;
  if (lane == no_lane) return;
  __builtin_prefetch(&records_[lane], 1);
  __builtin_prefetch(&heads_[lane / lane_count]);
  asm volatile("");  // a function that only fetches may be left out
}

void LaneOrder::note_changes(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                             Workers& workers) {
  strangers_.reset(block_count(changed.size(), slots_per_block));
  workers.parallel_blocks(changed.size(), slots_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                              fetch(changed[std::min(i + slots_ahead, end - 1)]);
                              const std::uint32_t slot = changed[i];
                              const Seat& seat = seats_[slot];
                              if (seat.lane != no_lane && seat.id == snapshot.id[slot]) {
                                record(snapshot, slot, seat.lane);
                              } else {
                                strangers_.at(block).push_back(slot);
                              }
                            }
                          });
  for (std::size_t block = 0; block < strangers_.count(); ++block)
    for (const std::uint32_t slot : strangers_.at(block)) note_stranger(snapshot, slot);
}

/// A slot whose entity ended, or appeared; the latter gets a lane in a group of such.
void LaneOrder::note_stranger(const Snapshot& snapshot, std::uint32_t slot) {
  Seat& seat = seats_[slot];
  if (seat.lane != no_lane) {
    records_[seat.lane].flags &= ~LaneRecord::is_alive;
    fresh_[seat.lane] = 1;
    seat = {};
  }
  if (!snapshot.is_alive(slot)) return;
  if (open_group_ == no_lane || heads_[open_group_].used == 0xFFFF) {
    open_group_ = begin_group(snapshot, slot, centre(snapshot.tight_box[slot]));
    boxes_[open_group_] = round_outward(snapshot.tight_box[slot]);
    make_unruly(open_group_);
  }
  LaneHead& head = heads_[open_group_];
  const auto k = static_cast<std::uint32_t>(__builtin_popcount(head.used));
  head.used |= static_cast<std::uint16_t>(1u << k);
  seat = {snapshot.id[slot], open_group_ * static_cast<std::uint32_t>(lane_count) + k};
  entities_[seat.lane] = seat.id;
  record(snapshot, slot, seat.lane);
}

std::uint32_t LaneOrder::begin_group(const Snapshot& snapshot, std::uint32_t slot, Vec3 origin) {
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.emplace_back();
  LaneHead& head = heads_.emplace_back();
  head.origin = origin;
  head.category = snapshot.filter[slot].category;
  head.instance = snapshot.filter[slot].instance;
  boxes_.emplace_back();
  entities_.resize(entities_.size() + lane_count);
  records_.resize(records_.size() + lane_count);
  fresh_.resize(fresh_.size() + lane_count);
  return group;
}

void LaneOrder::make_unruly(std::uint32_t group) {
  heads_[group].is_unruly = true;
  unruly_.push_back(group);
}

/// One worker per lane; reads nothing of its group but what never changes.
void LaneOrder::record(const Snapshot& snapshot, std::uint32_t slot, std::uint32_t lane) {
  const LaneHead& head = heads_[lane / lane_count];
  LaneRecord& out = records_[lane];
  const Form form = snapshot.form[slot];
  const LaneBox box = lane_box(snapshot.tight_box[slot], form);
  for (int axis = 0; axis < 3; ++axis) {
    out.low[axis] = static_cast<float>(box.low[axis] - head.origin[axis]);
    out.high[axis] = static_cast<float>(box.high[axis] - head.origin[axis]);
  }
  out.radius = static_cast<float>(box.radius_m);
  const Filter& filter = snapshot.filter[slot];
  const bool differs = filter.category != head.category || filter.instance != head.instance;
  out.flags = (filter.enabled ? LaneRecord::is_alive : 0) |
              (form == Form::Other ? LaneRecord::is_loose : 0) |
              (differs ? LaneRecord::differs : 0);
  fresh_[lane] = 1;
}

/// Brings a group to its records. One worker per group. False: some strayed.
bool LaneOrder::refresh(std::uint32_t group) {
  LaneHead& head = heads_[group];
  const LaneSum sum = turn_lanes(records_.data() + group * lane_count, groups_[group]);
  head.alive = sum.alive;
  head.loose = sum.loose;
  head.is_alike = head.is_alike && sum.differs == 0;
  const Vec3 o = head.origin;
  head.extent_m = sum.radius;
  for (int axis = 0; axis < 3; ++axis)
    head.extent_m = std::max({head.extent_m, std::abs(sum.low[axis]), std::abs(sum.high[axis])});
  const double extent_m = static_cast<double>(head.extent_m);
  const double far_m = std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)});
  head.slack_m = static_cast<float>((far_m + extent_m) * 0x1p-47);
  const double error_m = extent_m * 0x1p-21 + static_cast<double>(head.slack_m);
  Aabb32 at;
  for (int axis = 0; axis < 3; ++axis) {
    at.min[axis] = round_down(o[axis] + static_cast<double>(sum.low[axis]) - error_m);
    at.max[axis] = round_up(o[axis] + static_cast<double>(sum.high[axis]) + error_m);
  }
  Aabb32& box = boxes_[group];
  if (contains(box, at)) return true;
  box = merged(box, at);
  return false;
}

/// All groups of which a record is fresh.
void LaneOrder::refresh_fresh(Workers& workers) {
  const std::size_t count = groups_.size();
  strayed_.reset(block_count(count, groups_per_block));
  workers.parallel_blocks(
      count, groups_per_block, [&](std::size_t block, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          std::uint8_t* const fresh = fresh_.data() + i * lane_count;
          if (std::all_of(fresh, fresh + lane_count, [](std::uint8_t f) { return f == 0; }))
            continue;
          std::fill_n(fresh, lane_count, std::uint8_t{0});
          const auto group = static_cast<std::uint32_t>(i);
          changed_.set(group, true);  // of a word that is this block's alone
          if (!refresh(group) && !heads_[group].is_unruly) strayed_.at(block).push_back(group);
        }
      });
  for (std::size_t block = 0; block < strayed_.count(); ++block)
    for (const std::uint32_t group : strayed_.at(block)) make_unruly(group);
}

void LaneOrder::mark(std::uint32_t slot, std::uint16_t LaneHead::*bits) {
  const std::uint32_t lane = lane_of(slot);
  if (lane == no_lane) return;
  const auto group = static_cast<std::uint32_t>(lane / lane_count);
  LaneHead& head = heads_[group];
  if ((head.special | head.followed) == 0) special_groups_.push_back(group);
  head.*bits |= static_cast<std::uint16_t>(1u << (lane % lane_count));
}

void LaneOrder::note_specials(const ViewWorld& world) {
  if (is_any_special_changed_ || !special_groups_.empty())
    special_changed_.fill(groups_.size(), false);
  special_changed_.resize(groups_.size());
  const std::vector<std::uint32_t> before = std::move(special_groups_);
  special_groups_.clear();
  for (const std::uint32_t group : before) {
    LaneHead& head = heads_[group];
    head.special_before = head.special;
    head.special = head.followed = 0;
  }
  for (const std::uint32_t slot : world.seen_from_afar()) mark(slot, &LaneHead::special);
  for (const Follower& follower : world.followers()) {
    mark(follower.slot, &LaneHead::special);
    mark(follower.parent, &LaneHead::followed);
  }
  is_any_special_changed_ = false;
  const auto compare = [this](std::uint32_t group) {
    if (heads_[group].special == heads_[group].special_before) return;
    special_changed_.set(group, true);
    is_any_special_changed_ = true;
  };
  std::for_each(before.begin(), before.end(), compare);
  std::for_each(special_groups_.begin(), special_groups_.end(), compare);
  for (const std::uint32_t group : before) heads_[group].special_before = 0;
}

std::uint16_t LaneOrder::accepted_one_by_one(const Snapshot& snapshot, std::uint32_t group,
                                             const SearchFilter& filter) const {
  const LaneHead& head = heads_[group];
  std::uint32_t out = 0;
  for (std::uint32_t left = head.alive & ~head.special; left != 0; left &= left - 1) {
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
  entities_.assign(count * lane_count, {});
  records_.assign(count * lane_count, {});
  fresh_.assign(count * lane_count, 0);
  std::fill(seats_.begin(), seats_.end(), Seat{});
  unruly_.clear();
  special_groups_.clear();
  open_group_ = no_lane;
  sorted_groups_ = static_cast<std::uint32_t>(count);
  changed_.fill(count, true);
  workers.parallel_blocks(count, groups_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i)
                              fill_group(snapshot, static_cast<std::uint32_t>(i));
                          });
}

void LaneOrder::fill_group(const Snapshot& snapshot, std::uint32_t group) {
  const std::size_t begin = group * lane_count;
  const std::size_t end = std::min(begin + lane_count, keys_.size());
  const std::uint32_t first = keys_[begin].slot;
  Aabb around = snapshot.tight_box[first];
  for (std::size_t lane = begin; lane < end; ++lane)
    around = merge(around, snapshot.tight_box[keys_[lane].slot]);
  LaneHead& head = heads_[group];
  head.origin = centre(around);
  head.category = snapshot.filter[first].category;
  head.instance = snapshot.filter[first].instance;
  head.used = static_cast<std::uint16_t>((1u << (end - begin)) - 1);
  boxes_[group] = grown(round_outward(around), stray_part);
  for (std::size_t lane = begin; lane < end; ++lane) {
    const std::uint32_t slot = keys_[lane].slot;
    entities_[lane] = snapshot.id[slot];
    seats_[slot] = {snapshot.id[slot], static_cast<std::uint32_t>(lane)};
    record(snapshot, slot, static_cast<std::uint32_t>(lane));
    fresh_[lane] = 0;
  }
  refresh(group);
}

void LaneOrder::build_tree() {
  tree_.clear();
  tree_.emplace_back(boxes_.begin(), boxes_.begin() + sorted_groups_);
  while (tree_.back().size() > tree_width) {
    const std::vector<Aabb32>& below = tree_.back();
    std::vector<Aabb32> level;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (i % tree_width == 0) level.push_back(below[i]);
      level.back() = merged(level.back(), below[i]);
    }
    tree_.push_back(std::move(level));
  }
}

}  // namespace vicinity
