// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Compares what every bot was told with the truth. The truth of a tick is what the witness, one
// session with an area over the whole world, saw in that tick. Each bot's view of the tick is
// recomputed from it by brute force, with formulas of its own, and compared with the replica that
// the bot's frames have built:
//
//   witness frame N ──► TruthTick N ──┐
//                                     ├─► expected view of bot b at N  ==?  replica of b after N
//   frame N of bot b ──► (waits) ─────┘
//
// The witness's word is not taken for everything, or a server that shows nothing to anybody would
// pass: a bot knows on its own that its entity exists, and where it told it to be.
//
// Both arrive in any order; frames wait, and truth is kept, for a bounded number of ticks. A bot
// that falls further behind than that is given up, and its views count as unchecked. Pure: no
// sockets, no clock. Not thread-safe. Cost: one distance per (bot, entity, tick).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "client-sim/histogram.h"
#include "client-sim/solid.h"
#include "client/frame.h"
#include "client/replica.h"

namespace vicinity::sim {

/// The shape that an entity with this user data was made with; null when it is not known: then it
/// is what its box says. What is returned outlives the check.
using ShapeOf = std::function<const Shape*(std::uint64_t user_data)>;

/// All entities of one tick, ascending by id; `boxes[i]` is the tight box of `entities[i]`, and
/// `shapes[i]` the shape that it was made with, if that is known.
struct TruthTick {
  Tick tick = 0;
  std::uint64_t server_time_us = 0;  ///< when the tick began
  std::vector<client::EntityView> entities;
  std::vector<Aabb> boxes;
  std::vector<const Shape*> shapes;
};
TruthTick make_truth(Tick tick, std::uint64_t server_time_us, const client::Replica::View& view,
                     const ShapeOf& shape_of = {});

/// What one bot must see: everything but its own entity whose box reaches into a sphere around the
/// centre of its own box. Enter and leave distances are inclusive.
struct ViewSpec {
  EntityId entity;
  ObserverId observer;
  double enter_radius_m = 0;
  double leave_radius_m = 0;
  Tick first_tick = 0;  ///< tick in which entity and area were made
};

struct CheckStats {
  std::uint64_t checked_views = 0;    ///< (bot, tick) pairs compared with the truth
  std::uint64_t unchecked_views = 0;  ///< begun, but never compared: must be 0 for a proof
  std::uint64_t wrong_views = 0;      ///< checked views with any difference
  // Per (bot, tick, entity).
  std::uint64_t missing =
      0;                    ///< should be visible and is not; or the bot's own is not in the truth
  std::uint64_t extra = 0;  ///< is visible and should not be
  /// Visible, but its state is not the witness's; or the bot's own is not where it was told to be.
  std::uint64_t wrong_positions = 0;
  // Per event.
  std::uint64_t late = 0;  ///< a missing one that appeared in a later tick
  std::uint64_t double_enters = 0;
  std::uint64_t leaves_without_enter = 0;
  std::uint64_t updates_without_enter = 0;
  std::uint64_t contact_errors = 0;  ///< begin while open, or end of what is not open
  std::uint64_t wrong_contacts =
      0;  ///< per (bot, tick, pair): open contacts that differ from truth
  // What was received and checked.
  std::uint64_t enters = 0;
  std::uint64_t leaves = 0;
  std::uint64_t updates = 0;
  std::uint64_t contact_begins = 0;
  std::uint64_t contact_ends = 0;
};

class TruthCheck {
 public:
  /// Ticks that truth is kept, and that frames of one bot may wait.
  explicit TruthCheck(std::size_t pending_ticks_max);

  /// Witness: one call per tick, ascending without gaps (a gap gives up all bots within it).
  void add_truth(TruthTick truth);

  /// Before the frame of `spec.first_tick` is added.
  void add_bot(std::uint32_t bot, const ViewSpec& spec);
  /// The server acknowledged a move of the bot's entity to this pose in `tick`: there it must be at
  /// the end of that tick. The last of a tick counts. Before the frame of the tick is added.
  void add_move(std::uint32_t bot, Tick tick, Vec3 position, const Quat& rotation = {});
  /// The bot is gone; frames of it that still wait count as unchecked.
  void remove_bot(std::uint32_t bot);
  /// Every frame of the bot, in order. Frames before its first tick, and of bots that were not
  /// added, are ignored. `received_us`: time of receipt on the server's clock.
  void add_frame(std::uint32_t bot, const client::TickFrame& frame, std::int64_t received_us);

  /// Bots whose views up to and including `last` have not all been checked.
  std::size_t unfinished_bots(Tick last) const;
  /// Ends the check: what has not been checked up to `last` counts as unchecked.
  void finish(Tick last);

  const CheckStats& stats() const { return stats_; }
  /// From the start of the tick in which an entity came into range to the receipt of its enter.
  const Histogram& enter_latency() const { return enter_latency_; }
  /// The first differences, as sentences; a handful.
  const std::vector<std::string>& examples() const { return examples_; }

 private:
  struct WaitingFrame {
    client::TickFrame frame;
    std::int64_t received_us = 0;
  };
  /// (smaller slot, larger slot, begin tick)
  using ContactName = std::tuple<EntityId, EntityId, Tick>;
  struct Watched {
    ViewSpec spec;
    Tick next_tick = 0;  ///< of the next view to check
    bool given_up = false;
    std::deque<WaitingFrame> waiting;
    client::Replica replica;
    bool has_entity = true;  ///< until the server says that it is lost
    Vec3 area_centre;
    std::map<Tick, Pose> moves;      ///< acknowledged, of ticks that were not checked yet
    std::vector<EntityId> expected;  ///< after the last checked tick, ascending
    std::map<EntityId, std::uint64_t> missing_since_us;  ///< start of the tick when it was due
    std::set<ContactName> contacts;
  };

  void check_waiting(std::uint32_t number, Watched& bot);
  const TruthTick* find_truth(Tick tick) const;
  void give_up(std::uint32_t number, Watched& bot, const std::string& why);
  void check_view(std::uint32_t number, Watched& bot, const WaitingFrame& waiting,
                  const TruthTick& truth);
  bool check_own_entity(std::uint32_t number, Watched& bot, const client::TickFrame& frame,
                        const TruthTick& truth);
  void apply_frame(std::uint32_t number, Watched& bot, const client::TickFrame& frame);
  void apply_contacts(std::uint32_t number, Watched& bot, const client::TickFrame& frame);
  /// Rows of `truth` that the bot must see, ascending.
  std::vector<std::size_t> expected_rows(Watched& bot, const TruthTick& truth) const;
  bool compare_view(std::uint32_t number, Watched& bot, const WaitingFrame& waiting,
                    const TruthTick& truth, const std::vector<std::size_t>& rows);
  void note_visible(Watched& bot, EntityId id, bool was_expected, const WaitingFrame& waiting,
                    const TruthTick& truth);
  bool compare_contacts(std::uint32_t number, Watched& bot, const TruthTick& truth);
  Meeting meeting_of(const TruthTick& truth, std::size_t a, std::size_t b);
  const Solid& solid_at(const TruthTick& truth, std::size_t row);
  void note(std::uint32_t number, Tick tick, const std::string& what);

  std::size_t pending_ticks_max_;
  std::deque<TruthTick> truth_;  ///< consecutive ticks
  std::map<std::uint32_t, Watched> bots_;
  /// What was found out about the shapes of one tick, for the next bot that asks: by row, and by
  /// rows (smaller, larger).
  Tick met_tick_ = 0;
  std::vector<Solid> solids_;
  std::map<std::pair<std::size_t, std::size_t>, Meeting> met_;
  CheckStats stats_;
  Histogram enter_latency_;
  std::vector<std::string> examples_;
};

}  // namespace vicinity::sim
