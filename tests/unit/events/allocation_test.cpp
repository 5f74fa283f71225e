// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Pairs, contacts and their events of a steady tick allocate nothing.
#include <gtest/gtest.h>

#include "base/prng.h"
#include "events/contact_tracker.h"
#include "narrow/contacts.h"
#include "pairs/pair_tracker.h"
#include "support/count_allocations.h"
#include "support/snapshot_builder.h"
#include "unit/pairs/pair_world.h"

namespace vicinity {
namespace {

constexpr std::uint32_t slot_count = 4000;

/// Two ticks in turn, which have most of their pairs in common.
struct Ticks {
  explicit Ticks(std::size_t pair_count) {
    Prng prng(1);
    for (std::uint32_t i = 0; i < slot_count; ++i) world.add(test::box_at(0, 0, 0));
    test::PairSet pairs[2];
    while (pairs[0].size() < pair_count) {
      const auto a = static_cast<std::uint32_t>(prng.below(slot_count));
      const auto b = static_cast<std::uint32_t>(prng.below(slot_count));
      if (a >= b) continue;
      if (prng.chance(0.9)) pairs[0].insert({a, b});
      if (prng.chance(0.9)) pairs[1].insert({a, b});
    }
    for (int i : {0, 1}) candidates[i] = test::shuffled(pairs[i], prng);
  }
  test::SnapshotBuilder world;
  CandidatePairs candidates[2];
};

std::size_t allocations_of_steady_ticks(std::size_t pair_count, int worker_count) {
  Ticks ticks(pair_count);
  const test::FakeIndex index(slot_count);
  Workers workers(worker_count);
  PairTracker pairs;
  ContactFinder finder;
  ContactTracker tracker;
  ContactEvents events;
  OpenContacts frame;
  Snapshot& snapshot = ticks.world.snapshot();
  std::size_t before = 0;
  for (int tick = 1; tick <= 40; ++tick) {
    if (tick == 21) before = allocation_count;
    snapshot.tick = static_cast<Tick>(tick);
    const CandidatePairs& candidates = ticks.candidates[tick % 2];
    pairs.update(candidates, index, workers);
    const ContactList contacts = finder.find(snapshot, pairs.active(), workers);
    tracker.update({snapshot, snapshot, contacts, index, false}, workers, events);
    frame = tracker.open();
    EXPECT_EQ(contacts.size(), candidates.blocks.item_count());
    EXPECT_TRUE(tick == 1 || !events.begins.empty());
    EXPECT_TRUE(tick == 1 || !events.ends.empty());
  }
  return allocation_count - before;
}

TEST(ContactAllocation, IsCounted) {
  const std::size_t before = allocation_count;
  RawBuffer<int> buffer;
  buffer.reset(1);
  std::vector<int> numbers(1);
  EXPECT_EQ(allocation_count, before + 2);
}

TEST(ContactAllocation, OfASteadyTickIsNone) {
  for (const int workers : {1, 3}) {
    EXPECT_EQ(allocations_of_steady_ticks(500, workers), 0u);
    EXPECT_EQ(allocations_of_steady_ticks(12'000, workers), 0u);
  }
}

}  // namespace
}  // namespace vicinity
