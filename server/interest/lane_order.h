// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// All living entities in groups of sixteen that lie close together, so that one instruction tests a
// whole group and an observer remembers what it sees as one bit per entity. Tick room; brought up
// to date by the tick thread, then read by all workers.
//
//   generation g    groups  |0 ......... |1 ......... | ... |n: new ones ..|
//                   lanes    0 1 2 ... 15 16 ...
//
// An entity keeps its lane until it ends or a new generation sorts all of them anew; a lane is used
// once in a generation. So a bit never changes its meaning. A group whose entities strayed from
// where they were, or that was begun later, is *unruly*: it may lie anywhere, and everybody has to
// look at its box. When there are too many of these, or some for long, a new generation begins.

#include <cstdint>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "interest/lane_kernels.h"
#include "interest/lane_turn.h"
#include "interest/view_world.h"
#include "world/snapshot.h"

namespace vicinity {

/// What goes with a LaneGroup. One cache line.
struct alignas(64) LaneHead {
  Vec3 origin;
  float extent_m = 0;          ///< of all coordinates and radii in the group, at most
  float slack_m = 0;           ///< of them against f64, at most, beside the rounding to f32
  std::uint32_t category = 0;  ///< of the first lane; of all, when they are alike
  std::uint32_t instance = 0;
  std::uint16_t alive = 0;     ///< and enabled
  std::uint16_t loose = 0;     ///< shapes that are only somewhere inside of their box
  std::uint16_t used = 0;      ///< were ever given out
  std::uint16_t special = 0;   ///< seen from afar, or followers: no mask knows them
  std::uint16_t followed = 0;  ///< somebody follows them
  std::uint16_t special_before = 0;
  bool is_alike = true;
  bool is_unruly = false;
};

static_assert(sizeof(LaneHead) == 64);

class LaneOrder {
 public:
  static constexpr std::uint32_t no_lane = 0xFFFF'FFFFu;

  /// Brings all lanes to the snapshot; `changed` as in Interest::update(). O(changed + groups).
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed, Workers& workers);
  /// To be called after every update(); now and then begins a new generation, in O(slots).
  void renew_if_due(const Snapshot& snapshot, Workers& workers);

  /// To be called after renew_if_due(). O(followers + seen from afar).
  void note_specials(const ViewWorld& world);

  /// Nobody looks: the next renew_if_due() sorts everything anew, whatever it is told.
  void forget() { is_known_ = false; }

  /// Grows when all lanes are given out anew.
  std::uint64_t generation() const { return generation_; }
  const LaneGroup* groups() const { return groups_.data(); }
  std::size_t group_count() const { return groups_.size(); }
  const LaneHead& head(std::uint32_t group) const { return heads_[group]; }
  EntityId entity(std::uint32_t lane) const { return entities_[lane]; }
  EntityId entity(std::uint32_t group, std::uint32_t k) const {
    return entities_[group * lane_count + k];
  }
  /// no_lane for what is not alive.
  std::uint32_t lane_of(std::uint32_t slot) const {
    return slot < seats_.size() ? seats_[slot].lane : no_lane;
  }
  /// Whether any of its lanes is another than in the last tick.
  bool is_changed(std::uint32_t group) const { return changed_.test(group); }
  /// Whether others of its lanes are special than in the last tick.
  bool is_special_changed(std::uint32_t group) const { return special_changed_.test(group); }
  bool is_any_special_changed() const { return is_any_special_changed_; }
  bool is_special(std::uint32_t lane) const {
    return (heads_[lane / lane_count].special >> (lane % lane_count) & 1) != 0;
  }
  /// Where all entities of an unruly group are.
  const Aabb32& box_of(std::uint32_t group) const { return boxes_[group]; }
  std::span<const std::uint32_t> unruly() const { return unruly_; }
  /// Appends the groups that may have entities in `box` now, or in this generation as long as they
  /// are not unruly; unruly ones left out.
  void find_groups(const Aabb32& box, std::vector<std::uint32_t>& out) const;

  /// Lanes that a search with these bits looks for.
  std::uint16_t accepted(const Snapshot& snapshot, std::uint32_t group,
                         const SearchFilter& filter) const {
    const LaneHead& head = heads_[group];
    if (!head.is_alike) return accepted_one_by_one(snapshot, group, filter);
    const bool is_wanted =
        head.instance == filter.instance && (head.category & filter.category_mask) != 0;
    return is_wanted ? static_cast<std::uint16_t>(head.alive & ~head.special) : std::uint16_t{0};
  }

 private:
  std::uint16_t accepted_one_by_one(const Snapshot& snapshot, std::uint32_t group,
                                    const SearchFilter& filter) const;
  struct Seat {
    EntityId id;
    std::uint32_t lane = no_lane;
  };
  struct Key {
    std::uint64_t place = 0;
    std::uint32_t slot = 0;
  };

  void note_changes(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                    Workers& workers);
  void fetch(std::uint32_t slot) const;
  void note_stranger(const Snapshot& snapshot, std::uint32_t slot);
  std::uint32_t begin_group(const Snapshot& snapshot, std::uint32_t slot, Vec3 origin);
  void record(const Snapshot& snapshot, std::uint32_t slot, std::uint32_t lane);
  bool refresh(std::uint32_t group);
  void mark(std::uint32_t slot, std::uint16_t LaneHead::*bits);
  void make_unruly(std::uint32_t group);
  void refresh_fresh(Workers& workers);
  bool is_rebuild_due(Tick now) const;
  void rebuild(const Snapshot& snapshot, Workers& workers);
  void fill_groups(const Snapshot& snapshot, Workers& workers);
  void fill_group(const Snapshot& snapshot, std::uint32_t group);
  void build_tree();
  void make_keys(const Snapshot& snapshot, Workers& workers);
  void sort_keys();

  bool is_known_ = false;
  std::uint64_t generation_ = 0;
  Tick begun_ = 0;
  std::vector<LaneGroup> groups_;
  std::vector<LaneHead> heads_;
  std::vector<Aabb32> boxes_;        ///< by group: where it may reach; grows when it is unruly
  std::vector<EntityId> entities_;   ///< by lane
  std::vector<LaneRecord> records_;  ///< by lane
  std::vector<std::uint8_t> fresh_;  ///< by lane: 1 = its record is newer than its group
  std::vector<Seat> seats_;          ///< by slot
  SlotBits changed_;                 ///< by group
  BlockBuffers<std::uint32_t> strangers_;  ///< changed slots whose entity has no lane, or another
  BlockBuffers<std::uint32_t> strayed_;    ///< groups that have just become unruly
  std::vector<std::uint32_t> unruly_;
  std::vector<std::uint32_t> special_groups_;  ///< with special or followed lanes
  bool is_any_special_changed_ = false;
  SlotBits special_changed_;               ///< by group
  std::vector<std::vector<Aabb32>> tree_;  ///< boxes of 16 of the level below; [0]: of groups
  std::uint32_t sorted_groups_ = 0;        ///< the first ones, which the tree knows
  std::uint32_t open_group_ = no_lane;     ///< has room for new entities
  std::vector<Key> keys_;
  std::vector<Key> keys_buffer_;
};

}  // namespace vicinity
