// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a client knows of one observer's view, and what it does not know yet. No queue: per entity
// one record that says when the client was told last, so that whatever waits costs the same memory.
// Tick thread; different sessions may be worked on at the same time.
//
//      enters ──► record, not announced ──select──► announced ──select──► updates, when due
//      leaves ──► announced: the record becomes a leave that waits; else it is dropped: the client
//                 never hears of an entity that came and went between two frames
//      enters again while its leave waits: the leave is dropped, the record stays and is stale
//
// Invariant: records ascend by slot, one per slot; an alias names at most one record or leave.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "interest/observer_events.h"
#include "query/explain_types.h"
#include "stream/alias_pool.h"
#include "stream/frame_selection.h"
#include "stream/motion_table.h"
#include "stream/ring_rule.h"
#include "stream/stream_record.h"
#include "stream/view_lists.h"
#include "world/snapshot.h"

namespace vicinity {

/// Everything that is the same for all views while one frame of a session is selected.
struct SelectContext {
  const Snapshot& snapshot;
  const MotionTable& motions;
  SessionId session;
  double resolution_m = 0;            ///< of the session
  std::uint32_t slow_down = 1;        ///< factor of all intervals
  std::uint32_t outer_slow_down = 1;  ///< and of those longer than a tick
  Tick max_age_ticks = 0;             ///< what waits longer goes first
};

/// An update that is due, with what speaks for it.
struct UpdateCandidate {
  float priority = 0;
  std::uint32_t record = 0;
  std::uint32_t view = 0;
};

class ViewStream {
 public:
  explicit ViewStream(ObserverId observer) : observer_(observer) {}

  ObserverId observer() const { return observer_; }
  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty() && leaves_.empty(); }
  /// Where interest found its areas last.
  std::size_t& seat() { return seat_; }
  std::uint32_t enters_waiting() const { return enters_waiting_; }
  /// Announced entities that only a full state makes right. O(records).
  std::size_t states_due(const MotionTable& motions) const;

  /// What interest said in this tick. O(changes), and O(records) where there are any.
  void absorb(const ObserverEvents& events, const Snapshot& snapshot, AliasPool& aliases);

  /// The leaves of this tick and of earlier ones that wait.
  void select_leaves(Tick until, AliasPool& aliases, FrameSelection& out);
  /// Enters that wait, the nearest to `centre` first, at most `count_max`.
  void select_enters(const SelectContext& context, Vec3 centre, std::size_t count_max,
                     FrameSelection& out);
  /// Updates of everything that is due, by slot. `buffer` is kept for its memory.
  void select_updates(const SelectContext& context, const RingRule& rings, ViewLists& lists,
                      std::vector<NearMove>& buffer, FrameSelection& out);
  /// Appends the updates that are due, `view` with each, and lets their priorities grow.
  void list_updates(const SelectContext& context, const RingRule& rings, std::uint32_t view,
                    std::vector<UpdateCandidate>& out);
  /// One that was listed. Returns the bytes it takes.
  std::size_t select_update(const SelectContext& context, ViewLists& lists, std::uint32_t record,
                            FrameSelection& out);
  bool owned(const SelectContext& context, std::uint32_t record) const {
    return context.snapshot.owner[records_[record].slot] == context.session;
  }

  /// What the client knows of the entity, and what waits. O(log records + leaves that wait).
  ToldState told(EntityId id, const MotionTable& motions) const;

  // Resume: the client never got the frames after `tick`. What they told is undone one by one, the
  // newest first, O(log leaves) each; `leaves` comes from index_leaves() and is kept true.
  using LeaveIndex = std::map<EntityId, std::uint32_t>;
  LeaveIndex index_leaves() const;
  void forget_enter(EntityId id, LeaveIndex& leaves, AliasPool& aliases);
  void restore_leave(const Leave& leave, Tick tick, LeaveIndex& leaves);
  /// After the last one.
  void drop_void_leaves();
  void forget_updates_after(Tick tick);
  /// The client knows nothing any more.
  void forget_all(AliasPool& aliases);
  void give_back_aliases(AliasPool& aliases) const;

  // Steps of fetch_ahead().
  void fetch_records() const;
  void fetch_motions(const MotionTable& motions) const;

  /// Records and leaves gone over so far, beside those that select updates: what changes cost.
  std::uint64_t looked_at() const { return looked_at_; }
  std::size_t size_bytes() const {
    return records_.capacity() * sizeof(StreamRecord) + leaves_.capacity() * sizeof(WaitingLeave);
  }

 private:
  struct WaitingLeave {
    Leave leave;
    Tick tick = 0;
    std::uint32_t alias = 0;
    bool has_alias = false;  ///< a restored one has none of its own
    bool is_void = false;    ///< not to be told; about to be dropped
  };

  StreamRecord* find(EntityId id);
  void absorb_leaves(const ObserverEvents& events, Tick tick, AliasPool& aliases);
  void absorb_enters(const ObserverEvents& events, const Snapshot& snapshot, AliasPool& aliases);
  StreamRecord make_record(EntityId id, std::span<const std::uint32_t> leaves_by_id,
                           AliasPool& aliases);
  std::vector<std::uint32_t> leaves_by_id() const;
  bool is_turn(const SelectContext& context, const RingRule& rings, StreamRecord& record) const;
  bool is_due(const SelectContext& context, const RingRule& rings, const MotionRow& row,
              StreamRecord& record) const;
  void emit(const SelectContext& context, const MotionRow& row, ViewLists& lists,
            StreamRecord& record, FrameSelection& out) const;
  void announce(const SelectContext& context, StreamRecord& record, FrameSelection& out);

  ObserverId observer_;
  std::vector<StreamRecord> records_;
  std::vector<WaitingLeave> leaves_;
  std::uint32_t enters_waiting_ = 0;
  std::size_t seat_ = 0;
  mutable std::uint64_t looked_at_ = 0;
};

}  // namespace vicinity
