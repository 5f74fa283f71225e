// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Interest areas and visible sets. The state lives in the tick room and is changed by area commands
// and by update(); events are plain values, one block per observer.
//
// One session can neither stall the tick nor fill the memory. What it may look at and what it may
// see is bounded; at a bound a documented part of the views is kept and counted as truncated:
//  - Each observer of a session holds at most an equal share of the session's visible entities.
//    Newcomers with the smallest slots enter, the others wait until there is room. What is in view
//    already stays, also when another observer makes the share smaller.
//  - Areas are searched by (observer, area) until the session's candidates are used up. The others
//    let nobody in during this tick (leaves are not late), and the next tick begins with them. A
//    candidate of an area is whatever is seen from afar, and every entity whose box, where it is at
//    the end of the tick, touches that of the area.
// Which part that is follows from the world and these rules alone. One bound beside them does not:
// where far more pass through areas within a tick than are in any, the search ends as well, for
// whoever came to it (is_out_of_looks()).

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "index/index.h"
#include "interest/area_search.h"
#include "interest/lane_kernels.h"
#include "interest/lane_order.h"
#include "interest/mask_view.h"
#include "interest/observer_events.h"
#include "interest/view.h"
#include "interest/view_world.h"
#include "world/command.h"
#include "world/restored_entities.h"
#include "world/snapshot.h"

namespace vicinity {

/// Bounds per session; tests lower them.
struct InterestSettings {
  std::uint64_t visible_max = limits::visible_per_session_max;
  std::uint64_t candidates_max = limits::area_candidates_per_session_max;
  IndexKernel kernel = IndexKernel::Auto;
  /// Tests only: false lets every observer go the long way.
  bool uses_masks = true;
  /// Those who measure only: called by the tick thread at the end of each step of update().
  std::function<void(std::string_view step)> on_step = {};
};

class Interest {
 public:
  explicit Interest(const InterestSettings& settings = {})
      : settings_(settings), judge_(lane_kernel(settings.kernel)) {}

  /// Tick thread, while commands are applied, in command order. Observers of a player see what the
  /// session owns, wherever it is. A session that was never opened is none of a player.
  void open_session(SessionId session, Role role);

  /// Tick thread, while commands are applied, in command order. `anchor` is the resolved entity of
  /// spec.anchor (EntityId{} when fixed); its liveness was checked by the caller. O(log areas) to
  /// find the area, and O(limits::areas_per_observer_max) to move its neighbours.
  ErrorCode add_area(SessionId session, const AddAreaCommand& command, EntityId anchor);
  ErrorCode change_area(SessionId session, const ChangeAreaCommand& command, EntityId anchor);
  ErrorCode remove_area(SessionId session, const RemoveAreaCommand& command);
  /// The same; `entity` is the resolved entity of the command, whose liveness was checked.
  /// UnknownObserver, LimitExceeded. O(limits::visibilities_per_observer_max).
  ErrorCode set_visibility(SessionId session, const SetVisibilityCommand& command, EntityId entity);
  /// Drops all areas and observers of the session, without events.
  void close_session(SessionId session);

  /// Tick thread. Brings every visible set to the snapshot; `out` gets one entry per observer that
  /// has something to tell, or was dropped, ordered by (session, observer). `changed`: all slots
  /// whose entity is another one, or in another state, than in the snapshot of the last update,
  /// ascending; more do no harm (EntityTable::changed()). Parallel over observers.
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
              const IndexView& index, Workers& workers, std::vector<ObserverEvents>& out);

  /// Tick thread, between two updates. The areas of an observer, placed where they are in the tick
  /// of the last update; empty for one that does not exist.
  std::span<const InterestArea> areas_of(SessionId session, ObserverId observer) const;
  /// The same in O(1) for who asks again: `seat` is where the observer was found last, 0 at first,
  /// and is kept right. Quickest when observers are asked for in their order.
  std::span<const InterestArea> areas_of(SessionId session, ObserverId observer,
                                         std::size_t& seat) const;

  /// Tick thread, between two updates. Every observer and all it sees, as if it entered in the last
  /// tick: for who has to tell a client from the beginning. `snapshot` of the last update. Ordered
  /// by (session, observer).
  std::vector<ObserverEvents> views(const Snapshot& snapshot) const;

  /// Tick thread, between two updates.
  void save(ArchiveWriter& out) const;
  /// Into one that is new; fails the reader when these are no bytes of save(). The next update
  /// tells what changed since, not what was in view before; `changed` has to name all entities in
  /// it. Quarantined entities are left out of the views, without a leave.
  void load(ArchiveReader& in, const RestoredEntities& entities, double world_half_size_m);

  /// Tick thread, between two updates. All areas of a session.
  std::set<AreaId> area_ids(SessionId session) const;
  /// Tick thread, between two updates. All observers of a session, ascending.
  std::vector<ObserverId> observer_ids(SessionId session) const;

  // For who explains a view (tick/explain_view.h). Tick thread, between two updates.
  /// Null when the session has no such observer. Valid until the next command or update.
  const Observer* find(SessionId session, ObserverId observer) const;
  /// All of a session, ascending; null when it has none. The same.
  const std::map<ObserverId, Observer>* observers_of(SessionId session) const;
  /// Living entities of a player's session, ascending; empty for others.
  std::span<const EntityId> owned_by(SessionId session) const;

  /// Sum of the sizes of all visible sets after the last update.
  std::uint64_t visible_count() const { return visible_count_; }
  /// Observers that were cut short by a bound in the last update.
  std::uint32_t views_truncated() const { return views_truncated_; }
  /// Some of them were by what only passes through areas.
  bool is_out_of_looks() const { return is_out_of_looks_; }

 private:
  /// Observers per block of those that go the long way. One costs microseconds, a task about one.
  static constexpr std::size_t observers_per_block = 16;

  /// Names an area in the order in which areas are searched.
  struct Place {
    ObserverId observer;
    AreaId area;
  };
  struct Session {
    std::map<ObserverId, Observer> observers;
    std::map<AreaId, ObserverId> observer_of_area;
    Place search_from;  ///< first area that an update did not come to
    bool is_player = false;
    std::set<ObserverId> dropped;  ///< since the last update
    std::vector<EntityId> owned;   ///< of a player, ascending; masks are not valid after a change
  };
  /// An observer, in the order in which events are told.
  struct Seat {
    SessionId session_id;
    ObserverId observer_id;
    Session* session = nullptr;
    Observer* observer = nullptr;
    std::uint64_t visible_max = 0;  ///< of this observer
    std::uint64_t lanes_max = 0;
  };
  /// One that goes the long way, during an update.
  struct Task {
    std::size_t seat = 0;
    ObserverId observer_id;
    Session* session = nullptr;
    Observer* observer = nullptr;
    std::vector<std::uint32_t> inside;  ///< slots, ascending
    std::uint64_t candidates = 0;
    bool complete = true;  ///< all areas were searched, and everybody entered
    bool ran_out_of_looks = false;
    bool was_quick = false;     ///< went the quick way before
    std::vector<Leave> leaves;  ///< that it told there, ascending
  };
  /// What a block of observers comes to.
  struct Told {
    std::size_t seat = 0;
    ObserverEvents events;
  };
  struct Block {
    std::vector<Told> told;
    std::vector<std::size_t> left_over;  ///< seats that go the long way
    std::uint64_t visible = 0;
  };

  void step(std::string_view name) const {
    if (settings_.on_step) settings_.on_step(name);
  }
  Observer* find_observer(SessionId session, AreaId area);
  // interest_archive.cpp
  void load_session(ArchiveReader& in, const RestoredEntities& entities, double world_half_size_m);
  static void load_observer(ArchiveReader& in, const RestoredEntities& entities,
                            double world_half_size_m, Observer& observer);
  void renew_seats();
  void update_quickly(const Snapshot& snapshot, Workers& workers);
  void update_quickly(const Snapshot& snapshot, std::size_t seat, MaskBuffers& buffers,
                      Block& block);
  void sort_visits();
  void fetch(const Snapshot& snapshot, std::size_t visit, std::size_t block_end) const;
  ViewInput view_input(const Snapshot& snapshot, const Seat& seat,
                       const std::vector<std::uint32_t>& inside) const;
  void own(Session& session, EntityId id);
  void tell(std::vector<ObserverEvents>& out);
  void note_owners(const Snapshot& snapshot, std::span<const std::uint32_t> changed);
  void update_block(const Snapshot& snapshot, std::span<Task> tasks, Block& out) const;
  void add_dropped(std::vector<ObserverEvents>& out);
  // interest_search.cpp
  Task task_of(std::size_t seat, bool was_quick) const;
  static void sort_by_seat(std::vector<Task>& tasks);
  std::vector<Task> make_tasks() const;
  /// What the observers of `tasks` are inside of, as long as no session goes beyond its candidates.
  /// Adds those that went the quick way, of sessions that might.
  void search(const Snapshot& snapshot, const IndexView& index, Workers& workers,
              std::vector<Task>& tasks) const;
  std::uint64_t candidates_per_block_max(const Session& session) const;
  void search_block(AreaSearch& search, std::span<Task> tasks) const;
  void search_blocks(const Snapshot& snapshot, const IndexView& index, Workers& workers,
                     std::vector<Task>& tasks) const;
  static std::vector<std::span<Task>> by_session(std::vector<Task>& tasks);
  bool suffices(std::span<const Task> tasks, std::uint64_t others) const;
  std::vector<Task> make_doubtful_tasks(std::vector<Task>& left_over) const;
  void search_in_turn(AreaSearch& search, std::span<Task> tasks) const;
  std::uint64_t take_back(std::vector<Task>& tasks);

  InterestSettings settings_;
  std::map<SessionId, Session> sessions_;
  std::size_t player_count_ = 0;  ///< sessions of players
  ViewWorld world_;
  LaneOrder order_;
  JudgeLanes judge_;
  bool is_any_dropped_ = false;
  bool seats_are_stale_ = true;
  std::vector<Seat> seats_;
  /// Seats in the order in which the quick way visits them: neighbours look at the same groups.
  std::vector<std::uint32_t> visits_;
  bool visits_are_stale_ = true;
  std::uint64_t visits_generation_ = 0;  ///< of the order, when they were sorted
  // Buffers, reused from tick to tick.
  std::vector<MaskBuffers> mask_buffers_;  ///< by worker
  std::vector<Block> quick_;
  std::vector<Block> slow_;
  std::uint64_t visible_count_ = 0;
  std::uint32_t views_truncated_ = 0;
  bool is_out_of_looks_ = false;
};

}  // namespace vicinity
