// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A world run through all stages up to the contact events.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "bounds/bounds.h"
#include "events/contact_tracker.h"
#include "index/index.h"
#include "narrow/contacts.h"
#include "pairs/pair_tracker.h"
#include "unit/events/resting_index.h"
#include "world/entity_table.h"

namespace vicinity::test {

/// Everything behind the bounds.
class ContactPipeline {
 public:
  ContactPipeline(std::unique_ptr<Index> index, int worker_count)
      : index_(std::move(index)), workers_(worker_count) {}

  void tick(const Snapshot& last, const Snapshot& snapshot, const Bounds& bounds,
            const std::vector<std::uint32_t>& moved) {
    const IndexInput input{snapshot.tick, bounds, snapshot.filter, moved, pairs_.pair_count()};
    index_->update(input, workers_);
    index_->find_pairs(input, workers_, candidates_);
    pairs_.update(candidates_, *index_, workers_);
    const ContactList contacts = finder_.find(snapshot, pairs_.active(), workers_);
    tracker_.update({last, snapshot, contacts, *index_, candidates_.truncated}, workers_, events_);
  }
  const Index& index() const { return *index_; }
  const PairTracker& pairs() const { return pairs_; }
  const OpenContacts& open() const { return tracker_.open(); }
  const ContactEvents& events() const { return events_; }

 private:
  std::unique_ptr<Index> index_;
  Workers workers_;
  CandidatePairs candidates_;
  PairTracker pairs_;
  ContactFinder finder_;
  ContactTracker tracker_;
  ContactEvents events_;
};

inline std::unique_ptr<Index> brute_force(std::uint64_t candidate_pairs_max = 1'000'000) {
  IndexSettings settings;
  settings.kind = IndexKind::BruteForce;
  settings.candidate_pairs_max = candidate_pairs_max;
  return make_index(settings);
}

/// One table, and as many pipelines as wanted.
class ContactWorld {
 public:
  ContactWorld()
      : table(EntityTableSettings{.world_half_size_m = 100, .reuse_delay_ticks = 0}),
        snapshot_(std::make_shared<Snapshot>()) {
    table.begin_tick(1);
  }
  /// The number of the pipeline.
  std::size_t add(std::unique_ptr<Index> index, int worker_count = 1) {
    pipelines_.push_back(std::make_unique<ContactPipeline>(std::move(index), worker_count));
    return pipelines_.size() - 1;
  }
  EntityId spawn(double x, const Filter& filter = {}, std::uint64_t user_data = 0) {
    const Shape unit_box = Shape::box({0.5, 0.5, 0.5});
    return table.spawn(SessionId{3}, {{x, 0, 0}, {}, unit_box, filter, user_data}).value();
  }
  void tick() {
    table.advance(1, workers_);
    const auto next = std::make_shared<Snapshot>();
    table.freeze(1, workers_, *next);
    const std::vector<std::uint32_t> changed(table.changed().begin(), table.changed().end());
    compute_bounds(*next, changed, workers_, bounds_, blocks_, moved_);
    for (const auto& pipeline : pipelines_) pipeline->tick(*snapshot_, *next, bounds_, moved_);
    snapshot_ = next;
    table.begin_tick(next->tick + 1);
  }
  const Snapshot& snapshot() const { return *snapshot_; }
  const ContactPipeline& pipeline(std::size_t number) const { return *pipelines_[number]; }

  EntityTable table;

 private:
  Workers workers_{1};
  std::shared_ptr<const Snapshot> snapshot_;
  Bounds bounds_;
  BlockBuffers<std::uint32_t> blocks_;
  std::vector<std::uint32_t> moved_;
  std::vector<std::unique_ptr<ContactPipeline>> pipelines_;
};

}  // namespace vicinity::test
