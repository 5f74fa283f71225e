// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every index, and everything up to begin and end, against the model in random worlds. A failure
// prints its seed; VICINITY_SEED=N runs that seed alone.

#include "index/index.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "events/contact_events.h"
#include "narrow/contacts.h"
#include "oracle/random_world.h"
#include "oracle/world_model.h"
#include "pairs/pairs.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 8;
constexpr std::uint64_t seeds_per_shard = 320;
constexpr int ticks_per_world = 5;

std::vector<IndexSettings> indexes_under_test(std::uint64_t seed) {
  const std::uint32_t block_sizes[] = {1, 7, 256};
  std::vector<IndexSettings> all(5);
  all[0].kind = IndexKind::BruteForce;
  all[1].row_size_m = 0;
  all[2].row_size_m = 1;      // the border scene puts everything on its borders
  all[3].row_size_m = 0.003;  // nearly everything is huge, far row numbers clamp
  all[4].row_size_m = 3e6;    // nearly everything is in one row
  for (IndexSettings& settings : all) settings.block_size = block_sizes[seed % 3];
  return all;
}

/// Everything one index makes of a snapshot.
struct Pipeline {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const Bounds> bounds;

  std::shared_ptr<const Index> build(const IndexSettings& settings, Workers& workers) const {
    return build_index(settings, snapshot->tick, snapshot, bounds, workers);
  }
};

PairList pairs_of(const Index& index, Workers& workers) {
  CandidatePairs candidates;
  index.find_pairs(workers, candidates);
  EXPECT_FALSE(candidates.truncated);
  PairList pairs;
  unique_pairs(candidates, workers, pairs);
  return pairs;
}

void expect_contacts(const std::map<IdPair, ExpectedContact>& expected, const ContactList& found) {
  ASSERT_EQ(found.size(), expected.size());
  auto at = expected.begin();
  for (const Contact& contact : found) {
    ASSERT_EQ(at->first, IdPair(contact.a, contact.b));
    EXPECT_EQ(at->second.touching, contact.touching);
    EXPECT_EQ(at->second.sensor, contact.sensor);
    EXPECT_NEAR(at->second.toi, contact.toi, 1e-12);
    ++at;
  }
}

ContactFacts facts_of(const OpenContact& contact) {
  return {contact.begin_tick,
          contact.sensor,
          {contact.user_data_a, contact.user_data_b},
          {contact.owner_a, contact.owner_b}};
}

/// `found` in its own order against `expected`, which is sorted by pair.
void expect_open(const std::map<IdPair, ContactFacts>& expected,
                 const std::vector<OpenContact>& found) {
  ASSERT_EQ(found.size(), expected.size());
  auto at = expected.begin();
  for (const OpenContact& contact : found) {
    ASSERT_EQ(at->first, IdPair(contact.a, contact.b));
    EXPECT_EQ(at->second, facts_of(contact));
    ++at;
  }
}

void expect_begins(const ExpectedTick& expected, const std::vector<ContactBegin>& found) {
  std::vector<OpenContact> contacts;
  for (const ContactBegin& begin : found) {
    contacts.push_back(begin.contact);
    const auto contact = expected.contacts.find({begin.contact.a, begin.contact.b});
    ASSERT_NE(contact, expected.contacts.end());
    EXPECT_NEAR(begin.toi, contact->second.toi, 1e-12);
  }
  expect_open(expected.begins, contacts);
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

void expect_bounds_contain(const Snapshot& snapshot, const Bounds& bounds) {
  for (std::uint32_t row = 0; row < snapshot.row_count(); ++row) {
    for (int axis = 0; axis < 3; ++axis) {
      const double low = bounds.min[axis][row];
      const double high = bounds.max[axis][row];
      EXPECT_LE(low,
                std::min(snapshot.start_box[row].min[axis], snapshot.tight_box[row].min[axis]));
      EXPECT_GE(high,
                std::max(snapshot.start_box[row].max[axis], snapshot.tight_box[row].max[axis]));
    }
  }
}

/// Closed overlap, written out once more.
std::vector<std::uint32_t> rows_in_box(const Bounds& bounds, const Aabb32& box) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < bounds.row_count(); ++row) {
    bool apart = false;
    for (int axis = 0; axis < 3; ++axis) {
      apart =
          apart || bounds.max[axis][row] < box.min[axis] || box.max[axis] < bounds.min[axis][row];
    }
    if (!apart) rows.push_back(row);
  }
  return rows;
}

void expect_searches(RandomWorld& world, const Index& index, const Bounds& bounds) {
  for (int i = 0; i < 4; ++i) {
    const Aabb32 box = round_outward(world.search_area());
    std::vector<std::uint32_t> found{12345};  // what is there already stays
    index.find_in_box(box, found);
    std::vector<std::uint32_t> expected = rows_in_box(bounds, box);
    expected.insert(expected.begin(), 12345);
    EXPECT_EQ(found, expected);
  }
}

class OneWorld {
 public:
  OneWorld(std::uint64_t seed, Workers& workers)
      : world_(seed), indexes_(indexes_under_test(seed)), workers_(workers) {}

  void run() {
    for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick) {
      check(world_.run_tick());
    }
    check(world_.run_last_tick());
    EXPECT_TRUE(open_.empty());
    EXPECT_EQ(begins_, ends_);
  }

 private:
  void check(const ExpectedTick& expected) {
    Pipeline pipeline;
    auto snapshot = std::make_shared<Snapshot>();
    world_.table().freeze(1.0, *snapshot);
    auto bounds = std::make_shared<Bounds>();
    compute_bounds(*snapshot, workers_, *bounds);
    expect_bounds_contain(*snapshot, *bounds);
    pipeline.snapshot = snapshot;
    pipeline.bounds = bounds;

    PairList reference;
    for (const IndexSettings& settings : indexes_) {
      SCOPED_TRACE(std::string(to_string(settings.kind)) + " " +
                   std::to_string(settings.row_size_m));
      const auto index = pipeline.build(settings, workers_);
      const PairList pairs = pairs_of(*index, workers_);
      if (settings.kind == IndexKind::BruteForce) reference = pairs;
      EXPECT_EQ(pairs, reference);
      expect_searches(world_, *index, *bounds);
    }
    ContactList contacts;
    find_contacts(*snapshot, reference, workers_, contacts);
    expect_contacts(expected.contacts, contacts);
    ContactEvents events;
    diff_contacts(*snapshot, contacts, false, open_, events);
    expect_events(expected, events);
    expect_open(expected.open, open_);
    begins_ += events.begins.size();
    ends_ += events.ends.size() + events.passed.size();
  }

  RandomWorld world_;
  std::vector<IndexSettings> indexes_;
  Workers& workers_;
  std::vector<OpenContact> open_;
  std::size_t begins_ = 0;
  std::size_t ends_ = 0;
};

class IndexOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IndexOracle, AgreesWithTheModelInEveryTick) {
  std::uint64_t first = GetParam() * seeds_per_shard;
  std::uint64_t count = seeds_per_shard;
  if (const char* only = std::getenv("VICINITY_SEED")) {
    first = std::strtoull(only, nullptr, 10);
    count = 1;
  }
  Workers one(1);
  Workers three(3);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string context = "seed " + std::to_string(seed);
    SCOPED_TRACE(context);
    set_check_context(context.c_str());
    OneWorld(seed, seed % 2 == 0 ? one : three).run();
    set_check_context(nullptr);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, IndexOracle, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
