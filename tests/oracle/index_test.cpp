// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every index, and everything up to begin and end, against the model in random worlds. Each index
// lives as long as its world: what it reports in a tick and what persists at rest must together be
// all pairs. A failure prints its seed; VICINITY_SEED=N runs that seed alone.

#include "index/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <string>

#include "base/parallel.h"
#include "bounds/bounds.h"
#include "events/contact_tracker.h"
#include "narrow/contacts.h"
#include "oracle/random_world.h"
#include "oracle/seeds.h"
#include "oracle/world_model.h"
#include "pairs/pair_tracker.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 8;
constexpr std::uint64_t seeds_per_shard = 320;
constexpr int ticks_per_world = 12;
constexpr std::size_t views_kept = 3;

using Pairs = std::vector<SlotPair>;

std::vector<IndexSettings> indexes_under_test(std::uint64_t seed) {
  constexpr std::uint32_t block_sizes[] = {1, 7, 256};
  constexpr IndexKernel kernels[] = {IndexKernel::Scalar, IndexKernel::Avx2, IndexKernel::Avx512};
  std::vector<IndexSettings> all(8);
  all[0].kind = IndexKind::BruteForce;
  all[1].kind = IndexKind::Rows;
  all[2].kind = IndexKind::Rows;
  all[2].row_size_m = 1;  // the border scene puts everything on its borders
  all[3].kind = IndexKind::Rows;
  all[3].row_size_m = 0.003;  // nearly everything is huge, far row numbers clamp
  all[4].kind = IndexKind::Rows;
  all[4].row_size_m = 3e6;  // nearly everything is in one row
  all[5].kind = IndexKind::Sweep;
  all[6].kind = IndexKind::Auto;
  all[7].kind = IndexKind::Rows;
  all[7].rest_after_ticks = 0;  // never
  for (std::size_t i = 0; i < all.size(); ++i) {
    IndexSettings& settings = all[i];
    settings.block_size = block_sizes[seed % 3];
    const IndexKernel kernel = kernels[(seed + i) % 3];
    if (is_supported(kernel)) settings.kernel = kernel;
    settings.rest_eagerly = (seed + i) % 4 != 0;
    settings.demote_after_ticks = static_cast<std::uint32_t>(1 + seed % 3);
    if (i != 7) settings.rest_after_ticks = static_cast<std::uint32_t>(1 + (seed + i) % 3);
  }
  return all;
}

// --- What is expected --------------------------------------------------------------------------

/// Strict overlap and the pair rule, written out once more.
Pairs expected_pairs(const Snapshot& snapshot, const Bounds& bounds) {
  Pairs pairs;
  for (std::uint32_t a = 0; a < snapshot.slot_count(); ++a) {
    for (std::uint32_t b = a + 1; b < snapshot.slot_count(); ++b) {
      if (!snapshot.is_alive(a) || !snapshot.is_alive(b)) continue;
      bool apart = false;
      for (int axis = 0; axis < 3; ++axis) {
        apart = apart || bounds[a].box.max[axis] <= bounds[b].box.min[axis] ||
                bounds[b].box.max[axis] <= bounds[a].box.min[axis];
      }
      if (!apart && may_meet(snapshot.filter[a], snapshot.filter[b])) pairs.push_back({a, b});
    }
  }
  return pairs;
}

/// Closed overlap, written out once more.
std::vector<std::uint32_t> expected_slots(const Bounds& bounds, const Aabb32& box) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
    const Aabb32& bound = bounds[slot].box;
    bool apart = !bounds[slot].is_alive();
    for (int axis = 0; axis < 3; ++axis)
      apart = apart || bound.max[axis] < box.min[axis] || box.max[axis] < bound.min[axis];
    if (!apart) slots.push_back(slot);
  }
  return slots;
}

void expect_bounds_contain(const Snapshot& snapshot, const Bounds& bounds) {
  ASSERT_EQ(bounds.size(), snapshot.slot_count());
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    ASSERT_EQ(bounds[slot].is_alive(), snapshot.is_alive(slot));
    if (!snapshot.is_alive(slot)) continue;
    const Aabb& start = snapshot.start_box[slot];
    const Aabb& end = snapshot.tight_box[slot];
    for (int axis = 0; axis < 3; ++axis) {
      const double low = bounds[slot].box.min[axis];
      const double high = bounds[slot].box.max[axis];
      EXPECT_LE(low, std::min(start.min[axis], end.min[axis]));
      EXPECT_GE(high, std::max(start.max[axis], end.max[axis]));
    }
  }
}

ContactFacts facts_of(const EventContact& contact) {
  return {contact.begin_tick,
          contact.sensor,
          {contact.user_data_a, contact.user_data_b},
          {contact.owner_a, contact.owner_b}};
}

/// `found` in its own order against `expected`, which is sorted by pair.
void expect_facts(const std::map<IdPair, ContactFacts>& expected,
                  const std::vector<EventContact>& found) {
  ASSERT_EQ(found.size(), expected.size());
  auto at = expected.begin();
  for (const EventContact& contact : found) {
    ASSERT_EQ(at->first, IdPair(contact.a, contact.b));
    EXPECT_EQ(at->second, facts_of(contact));
    ++at;
  }
}

void expect_open(const std::map<IdPair, ContactFacts>& expected, const OpenContacts& open,
                 const Snapshot& snapshot) {
  EXPECT_EQ(open.size(), expected.size());
  std::vector<EventContact> found;
  for (const OpenContact& contact : open.to_vector()) found.push_back(describe(contact, snapshot));
  expect_facts(expected, found);
}

void expect_begins(const ExpectedTick& expected, const std::vector<ContactBegin>& found) {
  std::vector<EventContact> contacts;
  for (const ContactBegin& begin : found) {
    contacts.push_back(begin.contact);
    const auto contact = expected.contacts.find({begin.contact.a, begin.contact.b});
    ASSERT_NE(contact, expected.contacts.end());
    EXPECT_NEAR(begin.toi, contact->second.toi, 1e-12);
  }
  expect_facts(expected.begins, contacts);
}

void expect_ends(const std::map<IdPair, ExpectedEnd>& expected,
                 const std::vector<ContactEnd>& found) {
  ASSERT_EQ(found.size(), expected.size());
  auto at = expected.begin();
  for (const ContactEnd& end : found) {
    ASSERT_EQ(at->first, IdPair(end.contact.a, end.contact.b));
    EXPECT_EQ(at->second.facts, facts_of(end.contact));
    EXPECT_EQ(at->second.reason, end.reason);
    ++at;
  }
}

void expect_events(const ExpectedTick& expected, const ContactEvents& events) {
  expect_begins(expected, events.begins);
  expect_ends(expected.ends, events.ends);
  expect_ends(expected.passed, events.passed);
}

// --- One index through the life of a world -----------------------------------------------------

/// What one tick of a world came to, whatever the index.
struct WorldTick {
  const Snapshot& last;
  const Snapshot& snapshot;
  const Bounds& bounds;
  const std::vector<std::uint32_t>& moved;
  const Pairs& pairs;  ///< all of them
  const ExpectedTick& expected;
};

class IndexUnderTest {
 public:
  explicit IndexUnderTest(const IndexSettings& settings)
      : settings_(settings), index_(make_index(settings)) {}

  std::string name() const {
    return std::string(to_string(settings_.kind)) + " row " + std::to_string(settings_.row_size_m) +
           " kernel " + std::string(to_string(settings_.kernel)) + " block " +
           std::to_string(settings_.block_size) + " rest " +
           std::to_string(settings_.rest_after_ticks);
  }

  void check(const WorldTick& tick, Workers& workers) {
    CandidatePairs candidates;
    const IndexInput input{tick.snapshot.tick, tick.bounds, tick.snapshot.filter, tick.moved,
                           all_.size()};
    index_->update(input, workers);
    index_->find_pairs(input, workers, candidates);
    EXPECT_FALSE(candidates.truncated);
    EXPECT_EQ(index_->view()->version(), tick.snapshot.tick);
    check_pairs(tick, candidates);
    check_events(tick, candidates, workers);
    all_ = tick.pairs;
  }

  /// Of the views of this tick and of some before.
  void check_searches(const Bounds& bounds, RandomWorld& world) {
    views_.push_back({index_->view(), bounds});
    if (views_.size() > views_kept) views_.pop_front();
    for (const auto& [view, bounds_then] : views_) {
      const Aabb32 box = round_outward(world.search_area());
      std::vector<std::uint32_t> found{12345};  // what is there already stays
      view->find_in_box(box, found);
      std::vector<std::uint32_t> expected = expected_slots(bounds_then, box);
      expected.insert(expected.begin(), 12345);
      EXPECT_EQ(found, expected) << "view " << view->version() << " of "
                                 << index_->view()->version();
    }
  }

  void check_end() const {
    EXPECT_EQ(tracker_.open().size(), 0u);
    EXPECT_EQ(begins_, ends_);
  }

  std::size_t persisted() const { return persisted_; }

 private:
  bool rests(SlotPair pair) const { return index_->at_rest(pair.a) && index_->at_rest(pair.b); }

  /// What is reported, what persists and what wakes.
  void check_pairs(const WorldTick& tick, const CandidatePairs& candidates) {
    Pairs all;
    candidates.blocks.join_into(all);
    for (const SlotPair pair : all) EXPECT_FALSE(rests(pair));
    Pairs woken;
    for (const SlotPair pair : resting_)
      if (!rests(pair)) woken.push_back(pair);
    EXPECT_EQ(Pairs(index_->woken_pairs().begin(), index_->woken_pairs().end()), woken);
    std::ranges::copy_if(all_, std::back_inserter(all), [this](SlotPair p) { return rests(p); });
    std::ranges::sort(all);
    ASSERT_EQ(all, tick.pairs);
    resting_.clear();
    std::ranges::copy_if(all, std::back_inserter(resting_),
                         [this](SlotPair p) { return rests(p); });
    persisted_ += resting_.size();
  }

  void check_events(const WorldTick& tick, const CandidatePairs& candidates, Workers& workers) {
    pairs_.update(candidates, *index_, workers);
    EXPECT_EQ(pairs_.pair_count(), tick.pairs.size());
    Pairs begins, ends;
    std::ranges::set_difference(tick.pairs, all_, std::back_inserter(begins));
    std::ranges::set_difference(all_, tick.pairs, std::back_inserter(ends));
    EXPECT_EQ(Pairs(pairs_.begins().begin(), pairs_.begins().end()), begins);
    EXPECT_EQ(Pairs(pairs_.ends().begin(), pairs_.ends().end()), ends);

    const ContactList contacts = finder_.find(tick.snapshot, pairs_.active(), workers);
    expect_contacts(tick.snapshot, tick.expected.contacts, contacts);
    ContactEvents events;
    tracker_.update({tick.last, tick.snapshot, contacts, *index_, false}, workers, events);
    expect_events(tick.expected, events);
    expect_open(tick.expected.open, tracker_.open(), tick.snapshot);
    begins_ += events.begins.size();
    ends_ += events.ends.size() + events.passed.size();
  }

  /// Of those at rest only the number was told.
  void expect_contacts(const Snapshot& snapshot, const std::map<IdPair, ExpectedContact>& expected,
                       ContactList found) const {
    auto contact = found.begin();
    for (const auto& [pair, wanted] : expected) {
      if (rests({pair.first.index(), pair.second.index()})) continue;
      ASSERT_NE(contact, found.end());
      ASSERT_EQ(pair, IdPair(contact->a, contact->b));
      EXPECT_EQ(wanted.touching, contact->touching);
      EXPECT_EQ(wanted.sensor, contact->sensor);
      const Impact first = contact->touching
                               ? impact(snapshot, contact->a.index(), contact->b.index())
                               : contact->impact;
      EXPECT_NEAR(wanted.toi, first.toi, 1e-12);
      ++contact;
    }
    EXPECT_EQ(contact, found.end());
  }

  struct KeptView {
    std::shared_ptr<const IndexView> view;
    Bounds bounds;
  };

  IndexSettings settings_;
  std::unique_ptr<Index> index_;
  PairTracker pairs_;
  ContactFinder finder_;
  ContactTracker tracker_;
  Pairs all_;      ///< after the last tick
  Pairs resting_;  ///< those of them of which both entities rest
  std::deque<KeptView> views_;
  std::size_t persisted_ = 0;
  std::size_t begins_ = 0;
  std::size_t ends_ = 0;
};

class OneWorld {
 public:
  OneWorld(std::uint64_t seed, Workers& workers) : world_(seed), workers_(workers) {
    for (const IndexSettings& settings : indexes_under_test(seed))
      indexes_.push_back(std::make_unique<IndexUnderTest>(settings));
  }

  /// Number of pairs that were not reported because they rest, all ticks and indexes.
  std::size_t run() {
    for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick)
      check(world_.run_tick());
    check(world_.run_last_tick());
    std::size_t persisted = 0;
    for (const auto& index : indexes_) {
      index->check_end();
      persisted += index->persisted();
    }
    return persisted;
  }

 private:
  void check(const ExpectedTick& expected) {
    Snapshot snapshot;
    world_.table().freeze(1.0, workers_, snapshot);
    std::vector<std::uint32_t> moved;
    compute_bounds(snapshot, world_.table().changed(), workers_, bounds_, blocks_, moved);
    expect_bounds_contain(snapshot, bounds_);
    const Pairs pairs = expected_pairs(snapshot, bounds_);
    for (const auto& index : indexes_) {
      SCOPED_TRACE(index->name() + " tick " + std::to_string(snapshot.tick));
      index->check({last_, snapshot, bounds_, moved, pairs, expected}, workers_);
      index->check_searches(bounds_, world_);
      if (testing::Test::HasFailure()) return;
    }
    last_ = std::move(snapshot);
  }

  RandomWorld world_;
  Workers& workers_;
  std::vector<std::unique_ptr<IndexUnderTest>> indexes_;
  Snapshot last_;
  Bounds bounds_;
  BlockBuffers<std::uint32_t> blocks_;
};

class IndexOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IndexOracle, AgreesWithTheModelInEveryTick) {
  Workers one(1);
  Workers three(3);
  std::size_t persisted = 0;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) {
    persisted += OneWorld(seed, seed % 2 == 0 ? one : three).run();
  });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  EXPECT_GT(persisted, 30 * seeds_per_shard) << "hardly anything came to rest";
}

INSTANTIATE_TEST_SUITE_P(Shard, IndexOracle, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
