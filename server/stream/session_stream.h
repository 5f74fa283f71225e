// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Everything that one session has been told and is still owed: its views, and the reliable events
// (results, contacts, losses) that wait or may have to be told again. Encodes nothing and knows no
// connection: when there is room for a frame, select() says what goes into it.
//
//      absorb(tick)   every tick, whatever the connection does
//      observe(room)  every tick: how the connection does, hence the health
//      select(...)    when there is room: what to tell; it counts as told
//      resume(T)      the client never got what was told after tick T
//
// Memory: 32 bytes per entity in view; at most pending_events_max events, which wait or are kept
// until acknowledged; limits::told_log_entries_max enters and leaves. Beyond: what is kept is
// forgotten first (a resume then starts anew); what waits ends the session with SlowConsumer.
//
// Tick thread; different sessions may be worked on at the same time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "interest/interest.h"
#include "stream/frame_selection.h"
#include "stream/stream_settings.h"
#include "stream/told_log.h"
#include "stream/view_stream.h"
#include "tick/simulation.h"

namespace vicinity {

/// What one session is owed of one tick beside its views. Kept as values: contacts are readable
/// after their entities are gone.
struct ReliableTick {
  Tick tick = 0;
  IndexVersion index_version = 0;
  std::uint64_t result_hash = 0;
  std::uint64_t server_time_us = 0;
  SessionOutput events;  ///< without observers

  std::size_t count() const;
};

/// Buffers of one worker.
struct SelectScratch {
  std::vector<UpdateCandidate> candidates;
  RingRule rings;
  std::vector<ViewLists> lists;  ///< by view of the session
  std::vector<NearMove> near;

  /// Rings and lists for a view of the frame.
  ViewLists& begin_view(std::size_t view, std::span<const InterestArea> areas, ObserverId observer,
                        double resolution_m);
};

/// What one session may use in one frame.
struct FrameLimits {
  std::size_t bytes = 0;
  std::uint32_t outer_slow_down = 1;  ///< by the shedding of the server
};

class SessionStream {
 public:
  SessionStream(SessionId session, const StreamSettings& settings);

  SessionId session() const { return session_; }
  /// From the hello; before the first select().
  void configure(Role role, double resolution_m, std::uint64_t budget_bytes_per_s);
  double resolution_m() const { return resolution_m_; }

  /// Takes what the session is told of this tick. False when more waits than may: it must end.
  [[nodiscard]] bool absorb(SessionOutput&& output, const TickReport& report,
                            std::uint64_t server_time_us, const Snapshot& snapshot);
  /// How the connection does: whether it takes a frame now, and what waits in its outbox. False
  /// when it has taken nothing for slow_consumer_ms, by the clock of the server: ticks may come
  /// late. Between two looks no more than half of that passes: a process that was stopped finds
  /// unsent what clients would have read.
  [[nodiscard]] bool observe(bool has_room, std::size_t outbox_bytes, std::uint64_t now_us);
  /// Without a connection: nothing is told and nothing is held against it.
  void park() { blocked_ticks_ = 0; }

  /// Bytes that a frame of this tick may take, by budget and link.
  std::size_t frame_bytes() const;
  /// Chooses what goes out now, and takes it as told. Of what is reliable, reliable_to_send() goes
  /// with it.
  void select(const Snapshot& snapshot, const MotionTable& motions, const Interest& interest,
              const FrameLimits& limits, SelectScratch& scratch, FrameSelection& out);
  /// For a frame of an earlier tick with what waited of reliable events: what had left the views by
  /// then, and that they are behind. The rest comes with select(), in a frame right behind. Takes
  /// it as told; that frame must go out, or the session must end.
  void select_leaves(Tick tick, FrameSelection& out);
  /// What waits of reliable events, by ascending tick; valid until sent().
  std::vector<const ReliableTick*> reliable_to_send() const;
  /// The selection and the reliable events are on their way, in so many bytes.
  void sent(Tick tick, const FrameSelection& selection, const Snapshot& snapshot,
            std::size_t bytes);

  /// The client has everything up to this tick.
  void acknowledge(Tick tick);
  /// From which tick on a resume goes on; earlier ones start anew.
  Tick resumable_from() const { return log_.resumable_from(); }
  /// The client has everything up to `tick` and nothing after it.
  void resume(Tick tick);
  /// The client has nothing. Contacts are told from that output on which has this view number: it
  /// begins with all that are open.
  void reset(std::uint32_t view_number);
  /// What waits is more than may: of it only what resume() could not make good again is lost, and
  /// resumes from before `tick` begin anew.
  void forget_events(Tick tick);

  // Steps of fetch_ahead().
  void fetch_self() const;
  void fetch_view() const;
  void fetch_records() const;
  void fetch_motions(const MotionTable& motions) const;

  StreamHealth health() const { return health_; }
  /// What the client knows of an entity in the view of this observer.
  ToldState told(ObserverId observer, EntityId entity, const MotionTable& motions) const;
  std::size_t view_count() const { return views_.size(); }
  std::size_t record_count() const;  ///< entities in view, all views together
  std::size_t size_bytes() const;
  /// Records and leaves gone over so far, beside those that select updates, and entries of what was
  /// told: what changes and resumes cost.
  std::uint64_t looked_at() const;

 private:
  using Views = std::map<ObserverId, ViewStream>;

  void forget_dropped(std::span<const ObserverEvents> events);
  void refill();
  void select_enters(const SelectContext& context, const Interest& interest, std::size_t bytes,
                     FrameSelection& out);
  void select_best(const SelectContext& context, const Interest& interest, std::size_t bytes,
                   SelectScratch& scratch, FrameSelection& out);
  bool all_fits(const MotionTable& motions, std::size_t bytes) const;
  std::size_t waiting_count() const;
  void drop_acknowledged();
  void begin_connection();

  const SessionId session_;
  const StreamSettings& settings_;
  Role role_ = Role::Observer;
  double resolution_m_;
  std::uint64_t budget_bytes_per_s_ = 0;
  std::size_t frame_bytes_max_;

  Views views_;
  std::uint64_t looked_at_before_ = 0;  ///< by views that are gone
  AliasPool aliases_;
  ToldLog log_;
  /// Ascending ticks: first what was told and may have to be told again, then what waits.
  std::deque<ReliableTick> reliable_;
  std::size_t told_count_ = 0;  ///< of reliable_, from the front
  std::size_t events_waiting_ = 0;
  std::size_t events_kept_ = 0;
  Tick acknowledged_ = 0;
  std::uint32_t view_number_ = 0;

  StreamHealth health_ = StreamHealth::Ok;
  double tokens_ = 0;                ///< bytes that the budget allows now
  double link_bytes_ = 0;            ///< bytes that the link seems to take per frame
  std::uint32_t blocked_ticks_ = 0;  ///< without room, in a row
  std::uint64_t stuck_us_ = 0;       ///< of that, without any progress
  std::uint64_t looked_at_us_ = 0;
  std::uint32_t smooth_ticks_ = 0;  ///< with room, in a row
  std::size_t outbox_bytes_ = 0;    ///< when looked at last
};

/// Streams lie anywhere in memory. For who serves `count` of them in turn, before each: fetches
/// what those behind `next` need, step by step, as one step leads to the next. `stream_at` gives
/// the stream at a place. Changes nothing.
template <class StreamAt>
void fetch_ahead(std::size_t next, std::size_t count, const MotionTable& motions,
                 const StreamAt& stream_at) {
  if (next + 8 < count) stream_at(next + 8).fetch_self();
  if (next + 6 < count) stream_at(next + 6).fetch_view();
  if (next + 4 < count) stream_at(next + 4).fetch_records();
  if (next + 1 < count) stream_at(next + 1).fetch_motions(motions);
}

}  // namespace vicinity
