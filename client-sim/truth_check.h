// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Compares what every bot was told with the truth. The truth of a tick is what the witness, one
// session that sees the whole world, or at least all around the bots, saw in that tick. Each bot's
// view of the tick is recomputed from it by brute force, with formulas of its own, and compared
// with the view that the bot's frames have built:
//
//   witness frame N ──► TruthTick N ──┐
//                                     ├─► expected view of bot b at N  ==?  view of b after N
//   frame N of bot b ──► (waits) ─────┘
//
// A bot that reads slowly gets fewer frames; the expected view is followed through the ticks in
// between. Where positions are only known within a resolution, an entity near the edge of an area
// may be seen or not, and the view's word is taken. What must hold at the tick of every frame:
//
//   - nothing is visible that is not in the area (extra);
//   - everything in the area is visible (else missing), but for as many as the frame says wait for
//     room in the budget, and each of them no longer than the allowed delay (late when they come);
//   - what the frame tells of an entity is the truth of its tick (wrong_positions);
//   - what it does not tell has not changed for longer than the interval of the entity's ring, or
//     than the allowed delay while the stream is not well (stale_updates).
// A frame that tells of events only says nothing of the view, and only its contacts are compared.
//
// The witness's word is not taken for everything, or a server that shows nothing to anybody would
// pass: a bot knows on its own that its entity exists, and where it told it to be.
//
// Both arrive in any order; frames wait, and truth is kept, within bounds. Frames whose truth is
// gone count as unchecked, and the check goes on behind them. Pure: no sockets, no clock. Not
// thread-safe.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "client-sim/bot_area.h"
#include "client-sim/histogram.h"
#include "client-sim/solid.h"
#include "client-sim/truth.h"
#include "client-sim/view.h"
#include "client/frame.h"
#include "world/command.h"

namespace vicinity::sim {

/// What one bot must see: everything but its own entity that is in an area around the centre of its
/// own box.
struct ViewSpec {
  EntityId entity;
  ObserverId observer;
  AreaSpec area;
  Tick first_tick = 0;  ///< tick in which entity and area were made
};

struct CheckStats {
  std::uint64_t checked_views = 0;    ///< (bot, frame) pairs compared with the truth
  std::uint64_t unchecked_views = 0;  ///< begun, but never compared: must be 0 for a proof
  std::uint64_t wrong_views = 0;      ///< checked views with any difference
  // Per (bot, frame, entity).
  std::uint64_t missing =
      0;                    ///< should be visible and is not; or the bot's own is not in the truth
  std::uint64_t extra = 0;  ///< is visible and should not be
  /// Told, but not as the witness has it; or the bot's own is not where it was told to be.
  std::uint64_t wrong_positions = 0;
  std::uint64_t stale_updates = 0;  ///< not told for too long
  // Per event.
  std::uint64_t late = 0;  ///< became visible after the frame in which it should have
  std::uint64_t duplicate_enters = 0;
  std::uint64_t ghost_leaves = 0;
  std::uint64_t ghost_updates = 0;
  std::uint64_t version_regressions = 0;  ///< frames whose tick or index version went back
  std::uint64_t contact_errors = 0;       ///< begin while open, or end of what is not open
  /// Per (bot, frame, pair): open contacts that differ from truth.
  std::uint64_t wrong_contacts = 0;
  // What was received and checked.
  std::uint64_t enters = 0;
  std::uint64_t leaves = 0;
  std::uint64_t updates = 0;  ///< changed entities, and parts of motions
  std::uint64_t contact_begins = 0;
  std::uint64_t contact_ends = 0;
};

struct CheckSettings {
  std::size_t pending_ticks_max = 256;  ///< that truth is kept, and that frames of one bot may wait
  std::size_t truth_bytes_max = 512u << 20;  ///< of kept truth; at least four ticks are kept
  std::int64_t allowed_delay_us = 2'000'000;
  Precision precision;
  /// The truth holds what is around a bot only from the tick on that compare_from() names: until
  /// then its frames are applied and not judged. A bot of which that is never said is unchecked.
  bool is_told_where_from = false;
};

/// Rings that latencies are told apart by: up to four of an area, and beyond them.
inline constexpr std::size_t rings_told_apart = 5;

class TruthCheck {
 public:
  explicit TruthCheck(CheckSettings settings);

  /// Before the first truth and bot: how exactly the server tells.
  void set_precision(Precision precision) { settings_.precision = precision; }
  /// Where `is_told_where_from`; before the truth of that tick is added.
  void compare_from(std::uint32_t bot, Tick tick);

  /// Witness: one call per tick, ascending. After a gap the ticks before are of no use.
  void add_truth(TruthTick truth);
  /// Memory of a tick that is no longer needed, to fill again.
  TruthTick recycled();

  /// Before the frame of `spec.first_tick` is added.
  void add_bot(std::uint32_t bot, const ViewSpec& spec);
  /// The server acknowledged a move of the bot's entity to this pose in `tick`: there it must be at
  /// the end of that tick. The last of a tick counts. Before the frame of the tick is added.
  void add_move(std::uint32_t bot, Tick tick, Vec3 position, const Quat& rotation = {});
  /// The session was resumed, and what it sees begins anew: no views, contacts and ages of before.
  void reset_view(std::uint32_t bot);
  /// No more frames will come; those that wait are still compared. The number is free again.
  void end_bot(std::uint32_t bot);
  /// Every frame of the bot, in order. Frames before its first tick, and of bots that were not
  /// added, are ignored. `received_us`: time of receipt on the server's clock.
  void add_frame(std::uint32_t bot, const client::TickFrame& frame, std::int64_t received_us);

  /// Bots whose views up to and including `last` have not all been checked.
  std::size_t unfinished_bots(Tick last) const;
  /// Ends the check: what has not been checked up to `last` counts as unchecked.
  void finish(Tick last);

  const CheckStats& stats() const { return stats_; }
  /// From the start of the tick in which an entity came into range, or left it, to the receipt of
  /// its enter or leave.
  const Histogram& enter_latency() const { return enter_latency_; }
  const Histogram& leave_latency() const { return leave_latency_; }
  /// How old what was shown of an entity had become when its update came, by ring.
  const std::array<Histogram, rings_told_apart>& update_age() const { return update_age_; }
  /// The first differences, as sentences; a handful.
  const std::vector<std::string>& examples() const { return examples_; }

 private:
  struct WaitingFrame {
    client::TickFrame frame;
    std::int64_t received_us = 0;
    bool resets_view = false;
  };
  /// (smaller slot, larger slot, begin tick)
  using ContactName = std::tuple<EntityId, EntityId, Tick>;
  /// An entity that should be visible.
  struct Due {
    EntityId id;
    std::size_t row = 0;  ///< in the truth of the last tick that was followed
    bool is_sure = true;  ///< false: so near the edge that it may be visible or not
    bool is_seen = false;
    bool was_missed = false;    ///< in an earlier frame
    std::int64_t since_us = 0;  ///< start of the tick in which it came into range
  };
  struct Move {
    Tick tick = 0;
    Pose pose;
  };
  struct Watched {
    std::uint32_t number = 0;
    ViewSpec spec;
    Tick next_tick = 0;  ///< of the truth that is followed next
    Tick compared_from = 0;
    Tick frame_tick = 0;
    IndexVersion frame_version = 0;
    bool has_ended = false;
    bool resets_view = false;  ///< with the next frame
    /// What came before is not known: views may begin anywhere between the two edges.
    bool resyncs = false;
    std::deque<WaitingFrame> waiting;
    View view;
    bool has_entity = true;  ///< until the server says that it is lost
    Vec3 area_centre;
    double area_tolerance_m = 0;
    std::deque<Move> moves;  ///< acknowledged, of ticks that were not checked yet; ascending
    std::vector<Due> due;    ///< after the last followed tick, ascending
    std::vector<std::pair<EntityId, std::int64_t>> leaving;  ///< out of range since, not told yet
    std::int64_t unwell_until_us = 0;   ///< the stream has not been well lately
    std::vector<ContactName> contacts;  ///< open, ascending
  };

  void check_waiting(Watched& bot);
  const TruthTick* find_truth(Tick tick) const;
  void skip_frame(Watched& bot, const WaitingFrame& waiting);
  void pass_over(Watched& bot, const WaitingFrame& waiting);
  void check_view(Watched& bot, const WaitingFrame& waiting, const TruthTick& truth);
  bool is_regression(Watched& bot, const client::TickFrame& frame);
  void begin_anew(Watched& bot);
  std::uint64_t apply_frame(Watched& bot, const client::TickFrame& frame);
  void note_health(Watched& bot, const client::TickFrame& frame, const TruthTick& truth) const;

  // One tick further.
  void follow(Watched& bot, const TruthTick& truth);
  Standing standing_at(const Watched& bot, const TruthTick& truth, std::size_t row,
                       double tolerance_m);
  bool check_own_entity(Watched& bot, const TruthTick& truth);
  void follow_area(Watched& bot, const TruthTick& truth);

  // At the tick of a frame.
  bool compare_view(Watched& bot, const WaitingFrame& waiting, const TruthTick& truth);
  bool compare_missing(Watched& bot, const client::TickFrame& frame, const TruthTick& truth);
  bool compare_state(Watched& bot, Seen& seen, const WaitingFrame& waiting, const TruthTick& truth,
                     std::size_t row);
  void note_visible(Due& due, const Seen& seen, const WaitingFrame& waiting);
  void note_leaves(Watched& bot, const WaitingFrame& waiting);
  std::string describe(const Watched& bot, const TruthTick& truth, std::size_t row) const;

  // contact_check.cpp
  std::uint64_t apply_contacts(Watched& bot, const client::TickFrame& frame, Tick after);
  bool compare_contacts(Watched& bot, const TruthTick& truth);
  Meeting meeting_of(const TruthTick& truth, std::size_t a, std::size_t b);
  const Solid& solid_at(const TruthTick& truth, std::size_t row);

  void note(const Watched& bot, Tick tick, const std::string& what);

  CheckSettings settings_;
  std::deque<TruthTick> truth_;  ///< consecutive ticks
  std::size_t truth_bytes_ = 0;
  std::vector<TruthTick> recycled_;
  std::map<std::uint32_t, Watched> bots_;
  std::vector<Watched> ended_;  ///< of which frames still wait
  /// What was found out about the shapes of one tick, for the next bot that asks: by row, and by
  /// rows in ascending order.
  Tick met_tick_ = 0;
  std::map<std::size_t, Solid> solids_;
  std::map<std::pair<std::size_t, std::size_t>, Meeting> met_;
  std::vector<std::size_t> rows_;  ///< scratch
  std::vector<Due> due_;           ///< scratch
  CheckStats stats_;
  Histogram enter_latency_;
  Histogram leave_latency_;
  std::array<Histogram, rings_told_apart> update_age_;
  std::vector<std::string> examples_;
};

}  // namespace vicinity::sim
