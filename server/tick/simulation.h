// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The order of the stages. One Simulation is one world; run_tick() is one tick of it, from drained
// commands to events and the frame for queries. No sockets, files, wall clock or logging: the same
// commands give the same output, hash included, for any number of workers and, unless the pair
// budget bites, any kind of index.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/result.h"
#include "events/contact_events.h"
#include "index/index.h"
#include "interest/interest.h"
#include "narrow/entity_tests.h"
#include "query/query.h"
#include "tick/audit.h"
#include "tick/tick_stage.h"
#include "world/command.h"
#include "world/entity_table.h"
#include "world/restored_entities.h"
#include "world/snapshot.h"

namespace vicinity {

struct SimulationSettings {
  double dt_s = 0.05;
  double world_half_size_m = 0;  ///< 0 = limits::world_half_size_m
  std::uint32_t entity_count_max = 1u << 20;
  std::uint32_t entities_per_player_max = 16;
  double player_shape_extent_max_m = limits::player_shape_extent_default_m;
  std::uint32_t reuse_delay_ticks = limits::reuse_delay_ticks_default;
  int worker_count = 0;  ///< 0 = one per core
  IndexSettings index;
  InterestSettings interest = {};  ///< its bounds are for tests to lower; not in a saved world
  /// In force from the first tick on; at most limits::policy_rules_max.
  std::vector<PolicyRule> policy = {};
  /// Part of the entities that are compared with a search of everything in each tick, [0, 1].
  double audit_rate = 0;
  /// How much of that there is time for; outlives the simulation. Null: all of it.
  AuditPace* audit_pace = nullptr;
  StageProbe on_stage = {};  ///< told of every stage of every tick, up to MakeOutputs
};

/// Outcome of one command. `entity` is the id that the command named or made.
struct CommandResult {
  std::uint64_t sequence = 0;
  ErrorCode code = ErrorCode::None;
  EntityId entity;
};

/// Everything one session is told about one tick. References into the frame stay valid as long as
/// the TickOutput lives.
struct SessionOutput {
  SessionId session;
  /// How often its client began anew; contacts are told to the one of this number.
  std::uint32_t view_number = 0;
  std::vector<CommandResult> results;     ///< in command order
  std::vector<Despawn> lost;              ///< own entities that others or the server ended
  std::vector<ObserverEvents> observers;  ///< ascending observer id; only those with news
  std::vector<ContactEnd> contact_ends;   ///< by ContactScope and subscriptions of the session
  std::vector<ContactBegin>
      contact_begins;                      ///< the first tick of an All session lists all open ones
  std::vector<ContactEnd> contact_passed;  ///< ends of contacts that began in this very tick
  std::vector<ContactStay> contact_stays;  ///< where the policy asks for them
  std::vector<ImpactDetail> begin_details;  ///< of contact_begins, one each; empty if not asked for
};

struct TickReport {
  Tick tick = 0;
  IndexVersion index_version = 0;
  std::uint64_t hash = 0;         ///< of snapshot, events and outcomes; see result_hash
  std::uint64_t entity_hash = 0;  ///< of the entities alone; see EntityHash
  std::uint32_t entities = 0;
  std::uint32_t slots_reusable = 0;  ///< left by entities that ended; the next spawns take them
  std::uint32_t sessions = 0;
  std::uint64_t commands = 0;
  std::uint64_t commands_refused = 0;
  std::uint64_t candidate_pairs = 0;  ///< all that exist, those that persist at rest included
  std::uint64_t contacts = 0;         ///< open after the tick
  std::uint64_t begins = 0;
  std::uint64_t ends = 0;
  std::uint64_t stays = 0;
  std::uint64_t impacts_capped = 0;        ///< begins whose moment the advancement could not decide
  std::uint64_t visible = 0;               ///< sum over observers
  std::uint32_t views_truncated = 0;       ///< observers cut short by a bound of their session
  bool looks_truncated = false;            ///< some by what passed through areas; see Interest
  bool pairs_truncated = false;            ///< pair budget reached
  bool cooldowns_truncated = false;        ///< more pairs would cool down than may
  AuditReport audit;                       ///< of the sample of this tick
  IndexKind index_kind = IndexKind::Auto;  ///< as set; stats say what `auto` chose
  IndexStats index;
};

struct TickOutput {
  TickReport report;
  std::shared_ptr<const PublishedFrame> frame;
  /// One entry per open session, ascending, also for those without news (they still get the tick).
  std::vector<SessionOutput> sessions;
  ContactEvents contacts;  ///< of the whole world, unfiltered
};

class Simulation {
 public:
  explicit Simulation(const SimulationSettings& settings);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Tick thread. `commands` ordered by (session, sequence) as CommandQueue::drain gives them.
  TickOutput run_tick(const std::vector<Command>& commands);

  /// Tick thread. Frame of the last tick; before the first tick an empty frame of tick 0. Whoever
  /// runs the ticks hands it to other threads (FramePublisher).
  std::shared_ptr<const PublishedFrame> frame() const;

  /// Tick thread, between two ticks. Everything that decides what comes after: entities and slots,
  /// contacts and what the policy remembers of pairs, sessions, areas and views. Not: workers,
  /// index and the like, which decide how it is found. The same world has the same bytes, whatever
  /// those are. O(slots + contacts + visible), parallel; 1 million entities are some 150 MB.
  void save(ArchiveWriter& out) const;

  /// A world that was saved, and what of it could not be (see QuarantinedEntity).
  struct Restored {
    std::unique_ptr<Simulation> simulation;
    std::vector<QuarantinedEntity> quarantined;  ///< ascending by id
  };
  /// Tick thread. A world as it was saved, to go on as if it had never stopped: the same hash and
  /// the same outputs in every tick, for any workers, index, kernel and audit rate. The other
  /// settings must be those that it was saved under; the error names one that is not. The policy
  /// in force is the saved one. frame() can be asked at once; in the first tick changed() names all
  /// entities. The bytes are not trusted: what is not a whole world is refused as a whole.
  /// Exceptions, as for the hash: ticks whose report says pairs_truncated, and what goes on from
  /// them.
  static Result<Restored, Error> restore(const SimulationSettings& settings, ArchiveReader& in);

  /// Tick thread. Hash of the last tick, as in its report; 0 before the first one.
  std::uint64_t last_hash() const;
  /// Tick thread. Of the entities alone, as in the report of the last tick; restore() computes it
  /// anew from what it restored.
  std::uint64_t entity_hash() const;
  /// Tick thread. RestartCommands that the world has had.
  std::uint32_t restart_count() const;

  /// Tick thread, between two ticks. What changed in the last tick: slots whose entity moved,
  /// changed, appeared or ended; each once.
  std::span<const std::uint32_t> changed() const;
  /// Tick thread, between two ticks.
  const Interest& interest() const;
  /// Tick thread, between two ticks. What an entity hangs on; nothing for one that hangs on
  /// nothing.
  std::optional<Attachment> attachment_of(EntityId id) const;

  /// Any thread. As given, with defaults filled in.
  const SimulationSettings& settings() const;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace vicinity
