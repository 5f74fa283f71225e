// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/simulation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/buffer_pool.h"
#include "base/check.h"
#include "base/limits.h"
#include "bounds/bounds.h"
#include "events/contact_policy.h"
#include "events/contact_tracker.h"
#include "narrow/contacts.h"
#include "pairs/pair_tracker.h"
#include "tick/apply_commands.h"
#include "tick/begin_details.h"
#include "tick/result_hash.h"
#include "tick/saved_settings.h"
#include "tick/session_archive.h"
#include "tick/session_outputs.h"
#include "tick/session_table.h"
#include "tick/wake_all.h"
#include "world/archive_values.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

/// Unused snapshots that are kept for coming ticks. More of them than this are left over only when
/// readers held many frames at a time.
constexpr std::size_t snapshots_kept = 2;

SimulationSettings with_defaults(SimulationSettings settings) {
  if (settings.world_half_size_m == 0) settings.world_half_size_m = limits::world_half_size_m;
  return settings;
}

EntityTableSettings table_settings(const SimulationSettings& settings) {
  EntityTableSettings out;
  out.world_half_size_m = settings.world_half_size_m;
  out.entity_count_max = settings.entity_count_max;
  out.reuse_delay_ticks = settings.reuse_delay_ticks;
  return out;
}

PlayerLimits player_limits(const SimulationSettings& settings) {
  return {settings.entities_per_player_max, settings.player_shape_extent_max_m};
}

}  // namespace

struct Simulation::Impl {
  explicit Impl(const SimulationSettings& s)
      : settings(with_defaults(s)),
        workers(settings.worker_count),
        table(table_settings(settings)),
        index(make_index(settings.index)),
        interest(settings.interest) {
    policy.replace(settings.policy, 0);
    freeze_policy();
    newest = make_frame(freeze_table());
  }

  void begin(TickStage stage) const {
    if (settings.on_stage) settings.on_stage(stage);
  }
  std::shared_ptr<const Snapshot> freeze_table();
  /// For frames; after every change of the table.
  void freeze_policy();
  /// Bounds, index and candidate pairs of a snapshot.
  void update_index(const Snapshot& snapshot);
  void find_contact_events(const Snapshot& snapshot, ContactEvents& out);
  /// The frame of the present tick.
  std::shared_ptr<const PublishedFrame> make_frame(std::shared_ptr<const Snapshot> snapshot) const;
  TickReport report(const PublishedFrame& frame, const ApplyStats& applied,
                    const ContactEvents& events) const;
  void save(ArchiveWriter& out);
  /// Into a world that is new. The text says what is wrong; empty: all of it is there.
  std::string load(ArchiveReader& in, std::vector<QuarantinedEntity>& quarantined);

  SimulationSettings settings;
  Workers workers;
  EntityTable table;
  std::unique_ptr<Index> index;
  ContactPolicy policy;
  std::shared_ptr<const ContactPolicy> frozen_policy;  ///< the same; null = no rules
  Bounds bounds;
  Interest interest;
  SessionTable sessions;
  std::shared_ptr<const PublishedFrame> newest;
  Tick tick = 0;
  std::uint64_t last_hash = 0;
  PairTracker pairs;
  ContactFinder contact_finder;
  ContactTracker contact_tracker;
  EntityHash entity_hash;
  Auditor auditor;
  // Buffers, reused from tick to tick.
  BufferPool<Snapshot> snapshots;
  BlockBuffers<std::uint32_t> bounds_blocks;
  std::vector<std::uint32_t> moved;
  CandidatePairs candidates;
  std::vector<ObserverEvents> observers;
};

/// Into a snapshot that was let go, if there is one: then only what changed since is copied.
std::shared_ptr<const Snapshot> Simulation::Impl::freeze_table() {
  const std::shared_ptr<Snapshot> snapshot = snapshots.take();
  snapshots.shrink(snapshots_kept);
  table.freeze(settings.dt_s, workers, *snapshot);
  return snapshot;
}

void Simulation::Impl::freeze_policy() {
  frozen_policy = policy.empty() ? nullptr : std::make_shared<const ContactPolicy>(policy);
}

void Simulation::Impl::update_index(const Snapshot& snapshot) {
  begin(TickStage::ComputeBounds);
  const std::span<const std::uint32_t> changed = table.changed();
  entity_hash.update(snapshot, changed, workers);
  compute_bounds(snapshot, changed, workers, bounds, bounds_blocks, moved);
  // What rests was decided by the old rules, and the index would not report it again.
  if (policy.changed_in(tick)) wake_all(tick, bounds, moved);
  IndexInput input{tick, bounds, snapshot.filter, moved, pairs.pair_count()};
  begin(TickStage::UpdateIndex);
  index->update(input, workers);
  begin(TickStage::FindPairs);
  input.resting_pair_count = pairs.resting_count(*index, workers);
  index->find_pairs(input, workers, candidates);
}

void Simulation::Impl::find_contact_events(const Snapshot& snapshot, ContactEvents& out) {
  begin(TickStage::TrackPairs);
  pairs.update(candidates, *index, workers);
  begin(TickStage::FindContacts);
  const ContactList contacts = contact_finder.find(snapshot, pairs.active(), workers);
  begin(TickStage::MergeEvents);
  contact_tracker.update(
      {*newest->snapshot, snapshot, contacts, *index, candidates.truncated, &policy}, workers, out);
}

std::shared_ptr<const PublishedFrame> Simulation::Impl::make_frame(
    std::shared_ptr<const Snapshot> snapshot) const {
  auto frame = std::make_shared<PublishedFrame>();
  frame->tick = tick;
  frame->index = index->view();
  frame->index_version = frame->index->version();
  frame->snapshot = std::move(snapshot);
  frame->contacts = contact_tracker.open();
  frame->policy = frozen_policy;
  frame->cooldowns = contact_tracker.cooldowns();
  frame->pairs_truncated = candidates.truncated;
  CHECK(frame->snapshot->tick == tick && frame->index_version == tick);  // one index per tick
  return frame;
}

TickReport Simulation::Impl::report(const PublishedFrame& frame, const ApplyStats& applied,
                                    const ContactEvents& events) const {
  TickReport report;
  report.tick = frame.tick;
  report.index_version = frame.index_version;
  report.entities = frame.snapshot->entity_count;
  report.slots_reusable = table.reusable_slot_count();
  report.sessions = static_cast<std::uint32_t>(sessions.size());
  report.commands = applied.commands;
  report.commands_refused = applied.refused;
  report.candidate_pairs = pairs.pair_count();
  report.contacts = frame.contacts.size();
  report.begins = events.begins.size();
  report.ends = events.ends.size() + events.passed.size();
  report.stays = events.stays.size();
  report.impacts_capped = static_cast<std::uint64_t>(
      std::count_if(events.begins.begin(), events.begins.end(),
                    [](const ContactBegin& begin) { return begin.capped; }));
  report.visible = interest.visible_count();
  report.views_truncated = interest.views_truncated();
  report.looks_truncated = interest.is_out_of_looks();
  report.pairs_truncated = candidates.truncated;
  report.cooldowns_truncated = contact_tracker.cooldowns_truncated();
  report.index_kind = frame.index->kind();
  report.index = frame.index->stats();
  return report;
}

void Simulation::Impl::save(ArchiveWriter& out) {
  save_settings(settings, out);
  out(last_hash);
  table.save(out, workers);
  out(std::vector<PolicyRule>(policy.rules().begin(), policy.rules().end()));
  contact_tracker.save(out, workers);
  save_sessions(sessions, out);
  interest.save(out);
  out(saved_world_end);
}

std::string Simulation::Impl::load(ArchiveReader& in, std::vector<QuarantinedEntity>& quarantined) {
  static const std::string no_world = "these bytes are not a whole world as it was saved";
  if (std::string fault = fault_of_saved_settings(settings, in); !fault.empty()) return fault;
  in(last_hash);
  if (!table.load(in, quarantined)) return no_world;
  const std::shared_ptr<const Snapshot> snapshot = freeze_table();
  tick = snapshot->tick;
  const RestoredEntities entities(*snapshot, quarantined);
  std::vector<PolicyRule> rules;
  in(rules);
  if (!in.ok() || !are_within_limits(rules)) return no_world;
  policy.replace(rules, 0);
  freeze_policy();
  contact_tracker.load(in, entities, policy);
  load_sessions(in, entities, contact_tracker.open(), sessions);
  interest.load(in, entities, settings.world_half_size_m);
  std::uint32_t end = 0;
  in(end);
  if (!in.ok() || end != saved_world_end) return no_world;
  if (tick == 0) return {};
  // All entities are new to the index, so that it reports every pair in the next tick.
  update_index(*snapshot);
  pairs.update(candidates, *index, workers);
  newest = make_frame(snapshot);
  return {};
}

Simulation::Simulation(const SimulationSettings& settings)
    : impl_(std::make_unique<Impl>(settings)) {}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Simulation::~Simulation() = default;

TickOutput Simulation::run_tick(const std::vector<Command>& commands) {
  Impl& world = *impl_;
  world.begin(TickStage::ApplyCommands);
  ++world.tick;
  world.table.begin_tick(world.tick);
  const ApplyStats applied = apply_commands(
      commands, world.tick, player_limits(world.settings),
      {world.table, world.interest, world.policy, world.sessions, world.contact_tracker});
  if (world.policy.changed_in(world.tick)) world.freeze_policy();
  world.begin(TickStage::Advance);
  world.table.advance(world.settings.dt_s, world.workers);
  world.begin(TickStage::Freeze);
  // From here on everything reads the frozen frame and nothing else.
  const std::shared_ptr<const Snapshot> snapshot = world.freeze_table();
  world.update_index(*snapshot);
  TickOutput out;
  world.find_contact_events(*snapshot, out.contacts);
  const auto frame = world.make_frame(snapshot);
  world.begin(TickStage::UpdateInterest);
  world.interest.update(*snapshot, world.table.changed(), *frame->index, world.workers,
                        world.observers);
  world.newest = frame;
  out.frame = frame;
  out.report = world.report(*frame, applied, out.contacts);
  world.begin(TickStage::AuditSample);
  out.report.audit = world.auditor.run(
      {*snapshot, world.bounds, *world.index, *frame->index, world.pairs.active(), frame->contacts,
       world.candidates.truncated, &world.policy, &world.contact_tracker},
      world.settings.audit_rate, world.settings.audit_pace, world.workers);
  world.begin(TickStage::HashResults);
  out.report.hash = result_hash(*snapshot, world.entity_hash, frame->contacts, out.contacts,
                                world.observers, world.sessions);
  out.report.entity_hash = world.entity_hash.digest();
  world.last_hash = out.report.hash;
  world.begin(TickStage::MakeOutputs);
  out.sessions = make_session_outputs(*snapshot, frame->contacts, out.contacts,
                                      std::move(world.observers), world.sessions);
  add_begin_details(*snapshot, out.contacts, world.sessions, world.workers, out.sessions);
  return out;
}

void Simulation::save(ArchiveWriter& out) const { impl_->save(out); }

Result<Simulation::Restored, Error> Simulation::restore(const SimulationSettings& settings,
                                                        ArchiveReader& in) {
  auto impl = std::make_unique<Impl>(settings);
  Restored out;
  if (std::string fault = impl->load(in, out.quarantined); !fault.empty())
    return Error{ErrorCode::BadFrame, std::move(fault)};
  out.simulation.reset(new Simulation(std::move(impl)));
  return out;
}

std::uint64_t Simulation::last_hash() const { return impl_->last_hash; }
std::uint64_t Simulation::entity_hash() const { return impl_->entity_hash.digest(); }
std::uint32_t Simulation::restart_count() const {
  return impl_->table.skipped_generations() / limits::restart_generations;
}

std::shared_ptr<const PublishedFrame> Simulation::frame() const { return impl_->newest; }

std::span<const std::uint32_t> Simulation::changed() const { return impl_->table.changed(); }

const Interest& Simulation::interest() const { return impl_->interest; }

std::optional<Attachment> Simulation::attachment_of(EntityId id) const {
  return impl_->table.attachment_of(id);
}

const SimulationSettings& Simulation::settings() const { return impl_->settings; }

}  // namespace vicinity
