// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/simulation.h"

#include <utility>

#include "base/limits.h"
#include "bounds/bounds.h"
#include "narrow/contacts.h"
#include "pairs/pairs.h"
#include "tick/apply_commands.h"
#include "tick/result_hash.h"
#include "tick/session_outputs.h"
#include "tick/session_table.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

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
        table(table_settings(settings)) {
    keep(freeze_world());
  }

  /// The frame of the present tick, still without contacts.
  std::shared_ptr<PublishedFrame> freeze_world();
  void find_contact_events(const PublishedFrame& frame, ContactEvents& out);
  /// Completes the frame with the open contacts and makes it the newest.
  void keep(std::shared_ptr<PublishedFrame> frame);
  TickReport report(const PublishedFrame& frame, const ApplyStats& applied,
                    const ContactEvents& events) const;

  SimulationSettings settings;
  Workers workers;
  EntityTable table;
  Interest interest;
  SessionTable sessions;
  std::shared_ptr<const PublishedFrame> newest;
  Tick tick = 0;
  std::vector<OpenContact> open;  ///< contacts after the last tick, sorted by pair
  // Buffers, reused from tick to tick.
  CandidatePairs candidates;
  PairList pairs;
  ContactList contacts;
  std::vector<ObserverEvents> observers;
};

std::shared_ptr<PublishedFrame> Simulation::Impl::freeze_world() {
  auto snapshot = std::make_shared<Snapshot>();
  table.freeze(settings.dt_s, *snapshot);
  auto bounds = std::make_shared<Bounds>();
  compute_bounds(*snapshot, workers, *bounds);
  auto frame = std::make_shared<PublishedFrame>();
  frame->tick = tick;
  frame->index_version = tick;  // one index per tick
  frame->snapshot = std::move(snapshot);
  frame->index = build_index(settings.index, frame->index_version, frame->snapshot,
                             std::move(bounds), workers);
  return frame;
}

void Simulation::Impl::find_contact_events(const PublishedFrame& frame, ContactEvents& out) {
  frame.index->find_pairs(workers, candidates);
  unique_pairs(candidates, workers, pairs);
  find_contacts(*frame.snapshot, pairs, workers, contacts);
  diff_contacts(*frame.snapshot, contacts, candidates.truncated, open, out);
}

void Simulation::Impl::keep(std::shared_ptr<PublishedFrame> frame) {
  frame->contacts = std::make_shared<const std::vector<OpenContact>>(open);
  newest = std::move(frame);
}

TickReport Simulation::Impl::report(const PublishedFrame& frame, const ApplyStats& applied,
                                    const ContactEvents& events) const {
  TickReport report;
  report.tick = frame.tick;
  report.index_version = frame.index_version;
  report.entities = frame.snapshot->row_count();
  report.sessions = static_cast<std::uint32_t>(sessions.size());
  report.commands = applied.commands;
  report.commands_refused = applied.refused;
  report.candidate_pairs = pairs.size();
  report.contacts = open.size();
  report.begins = events.begins.size();
  report.ends = events.ends.size() + events.passed.size();
  report.visible = interest.visible_count();
  report.views_truncated = interest.views_truncated();
  report.pairs_truncated = candidates.truncated;
  report.index_kind = frame.index->kind();
  report.index = frame.index->stats();
  return report;
}

Simulation::Simulation(const SimulationSettings& settings)
    : impl_(std::make_unique<Impl>(settings)) {}

Simulation::~Simulation() = default;

TickOutput Simulation::run_tick(const std::vector<Command>& commands) {
  Impl& world = *impl_;
  ++world.tick;
  world.table.begin_tick(world.tick);
  const ApplyStats applied = apply_commands(commands, world.tick, player_limits(world.settings),
                                            world.table, world.interest, world.sessions);
  world.table.advance(world.settings.dt_s);
  // From here on everything reads the frozen frame and nothing else.
  const auto frame = world.freeze_world();
  TickOutput out;
  world.find_contact_events(*frame, out.contacts);
  world.interest.update(*frame->snapshot, *frame->index, world.workers, world.observers);
  world.keep(frame);
  out.frame = frame;
  out.report = world.report(*frame, applied, out.contacts);
  out.report.hash = result_hash(*frame->snapshot, world.open, out.contacts, world.observers,
                                world.sessions, world.workers);
  out.sessions = make_session_outputs(*frame->snapshot, world.open, out.contacts,
                                      std::move(world.observers), world.sessions);
  return out;
}

std::shared_ptr<const PublishedFrame> Simulation::frame() const { return impl_->newest; }

const SimulationSettings& Simulation::settings() const { return impl_->settings; }

}  // namespace vicinity
