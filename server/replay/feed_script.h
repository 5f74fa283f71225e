// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What one authority session has to command so that another server has the world of a journal:
//
//      world before the first tick ──► spawns, at rest ──► velocities, attachments, areas, ...
//      tick of the journal ──run here──► its commands, but with the ids of the other server,
//                                        and an end to what ended without a command
//
// The tick has been run here, so it is known which commands were refused (they are left out), which
// entity each spawn made, and whom the end of a session took along. Only what a session ordered in
// the very tick in which it ended is played whether or not it was refused: nobody is told of that.
// The ids of the other server come with its answers. One thread; no sockets.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "store/replay.h"
#include "tick/simulation.h"
#include "world/command.h"

namespace vicinity::replay {

struct FeedScriptSettings {
  /// The areas of all sessions become areas of the one that commands, as far as it may have any.
  bool with_areas = true;
  /// For a server whose ticks cannot be chosen: who is given a velocity is also moved to where it
  /// stood, so that a command that comes a tick late is no error that stays.
  bool corrects_positions = false;
};

class FeedScript {
 public:
  explicit FeedScript(const FeedScriptSettings& settings) : settings_(settings) {}

  using Commands = std::vector<CommandBody>;
  // The sequence that the first command will get is given to each of these.

  /// The living entities of the world from `slot` on, at rest, at most `count_max`; `slot` is left
  /// where the next call goes on. Nothing: there are no more.
  Commands spawns(const Simulation& world, std::uint32_t& slot, std::size_t count_max,
                  std::uint64_t first_sequence);
  /// What else there is to a world, for the tick behind its last one. No spawn may be unanswered.
  Commands state(const Simulation& world, const std::vector<SessionId>& sessions,
                 std::uint64_t first_sequence);
  /// One tick that was just run in `world`. No spawn of an earlier one may be unanswered.
  Commands tick(const store::ReplayedTick& tick, const Simulation& world,
                std::uint64_t first_sequence);

  /// The other server's answer to a command.
  void learn(std::uint64_t sequence, const Error& error, EntityId entity);
  bool has_unanswered_spawns() const { return !unanswered_.empty(); }
  /// False for one that may find nothing to do: an end that the other server came to by itself.
  bool counts_when_refused(std::uint64_t sequence) const { return !clean_ups_.contains(sequence); }
  /// Commands of the journal that one session cannot give: subscriptions, and areas beyond its
  /// limit.
  std::uint64_t left_out() const { return left_out_; }

 private:
  /// The entity of the other server that stands for one of the journal.
  struct Twin {
    EntityId id;                 ///< none: not yet known
    std::uint64_t sequence = 0;  ///< of its spawn
  };
  using OfSession = std::pair<SessionId, std::uint64_t>;
  struct Translate;
  friend struct Translate;

  void begin(std::uint64_t first_sequence);
  std::uint64_t push(CommandBody command);
  void spawn(EntityId journal_id, const SpawnCommand& command);
  void spawn_as_it_is(const Snapshot& snapshot, std::uint32_t slot, bool moves);
  std::optional<EntityRef> twin_of(EntityId journal_id) const;
  std::optional<EntityId> journal_id(const EntityRef& ref, SessionId session) const;
  std::optional<EntityRef> translated(const EntityRef& ref, SessionId session) const;
  bool translate(AreaSpec& spec, SessionId session) const;
  void add_area(SessionId session, const AddAreaCommand& command);
  void end_session(SessionId session);
  void add_ends(const Snapshot& snapshot);
  void add_corrections(const Simulation& world);
  void add_motion_and_ties(const Simulation& world);
  void add_areas(const Simulation& world, SessionId session);

  const FeedScriptSettings settings_;
  std::map<EntityId, Twin> twins_;                ///< by the id in the journal
  std::map<std::uint64_t, EntityId> unanswered_;  ///< sequence of a spawn -> id in the journal
  std::map<std::pair<SessionId, AreaId>, AreaId> areas_;
  std::map<std::pair<SessionId, ObserverId>, ObserverId> observers_;
  std::uint32_t last_area_ = 0;
  std::uint32_t last_observer_ = 0;
  std::set<std::uint64_t> clean_ups_;  ///< of the last batch
  std::uint64_t left_out_ = 0;

  // The batch that is being made.
  Commands commands_;
  std::uint64_t first_sequence_ = 0;
  std::map<OfSession, EntityId> spawned_;  ///< (session, its sequence) -> id in the journal
  std::set<EntityId> despawned_;           ///< by a command of the batch
  std::set<EntityId> with_velocity_;       ///< given one
  std::set<EntityId> moved_;               ///< and those that were told where to be
};

}  // namespace vicinity::replay
