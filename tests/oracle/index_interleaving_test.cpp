// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Readers of every live view between any two steps of an update, and while updates run: each view
// goes on saying what was true in its version. Registrations that end before their readers do
// (VICINITY_SINGLE_REGISTRATION, a build for this test only) must be noticed here.

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "oracle/box_world.h"
#include "oracle/index_checker.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

#ifdef VICINITY_SINGLE_REGISTRATION
constexpr bool is_double_registered = false;
#else
constexpr bool is_double_registered = true;
#endif

constexpr std::size_t views_held = 8;
constexpr std::uint64_t shard_count = 4;

IndexSettings restless_settings(Prng& prng) {
  IndexSettings settings = random_index_settings(prng);
  if (settings.kind == IndexKind::BruteForce) settings.kind = IndexKind::Rows;
  settings.rest_after_ticks = static_cast<std::uint32_t>(1 + prng.below(2));
  settings.rest_eagerly = prng.chance(0.9);
  return settings;
}

/// One index whose views are all read at every step.
class ReadAtEveryStep {
 public:
  explicit ReadAtEveryStep(std::uint64_t seed)
      : prng_(seed), world_(random_box_world(prng_), prng_.next()) {
    IndexSettings settings = restless_settings(prng_);
    settings.on_step = [this](std::string_view step) { read_all(step); };
    index_ = make_index(settings);
  }

  void run(int ticks, Workers& workers) {
    CandidatePairs candidates;
    for (int tick = 0; tick < ticks; ++tick) {
      world_.run_tick();
      const IndexInput input = world_.input(0);
      index_->update(input, workers);
      views_.push_back({index_->view(), std::make_shared<const Bounds>(world_.bounds())});
      if (views_.size() > views_held) views_.pop_front();
      read_all("updated");
      index_->find_pairs(input, workers, candidates);
    }
  }

  std::size_t steps() const { return steps_; }
  std::size_t wrong() const { return wrong_; }
  const std::string& first_wrong() const { return first_wrong_; }

 private:
  void read_all(std::string_view step) {
    ++steps_;
    for (const HeldView& held : views_) {
      for (int i = 0; i < 2; ++i) {
        const std::size_t wrong = count_wrong(held, world_.random_search_box());
        if (wrong != 0 && wrong_ == 0) {
          first_wrong_ = std::string(step) + ", view " + std::to_string(held.view->version()) +
                         " while " + std::to_string(world_.version()) + " was made";
        }
        wrong_ += wrong;
      }
    }
  }

  Prng prng_;
  BoxWorld world_;
  std::unique_ptr<Index> index_;
  std::deque<HeldView> views_;
  std::size_t steps_ = 0;
  std::size_t wrong_ = 0;
  std::string first_wrong_;
};

class IndexInterleaving : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IndexInterleaving, EveryViewHoldsBetweenAnyTwoSteps) {
  constexpr std::uint64_t seeds_per_shard = 60;
  constexpr int ticks = 12;
  Workers workers(2);
  std::size_t wrong = 0;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) {
    ReadAtEveryStep reader(seed);
    reader.run(ticks, workers);
    EXPECT_GT(reader.steps(), 6u * ticks) << "the index has fewer steps than it used to have";
    wrong += reader.wrong();
    if (is_double_registered) {
      EXPECT_EQ(reader.wrong(), 0u) << reader.first_wrong();
    }
  });
  if (!is_double_registered) {
    EXPECT_GT(wrong, 0u) << "single registration went unnoticed";
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, IndexInterleaving, testing::Range<std::uint64_t>(0, shard_count));

/// Views handed from the tick thread to readers.
class Door {
 public:
  void publish(const HeldView& view) {
    const std::lock_guard lock(mutex_);
    views_.push_back(view);
    if (views_.size() > views_held) views_.pop_front();
  }
  bool pick(std::uint64_t number, HeldView& out) {
    const std::lock_guard lock(mutex_);
    if (views_.empty()) return false;
    out = views_[number % views_.size()];
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<HeldView> views_;
};

Aabb32 random_box(Prng& prng, const Bounds& bounds) {
  Aabb32 box = bounds.empty() ? Aabb32{} : bounds[prng.below(bounds.size())].box;
  for (int axis = 0; axis < 3; ++axis) {
    box.min[axis] -= static_cast<float>(prng.between(0, 4));
    box.max[axis] += static_cast<float>(prng.between(0, 4));
  }
  return box;
}

/// A tick thread with its workers and two threads of readers.
std::size_t count_wrong_while_updating(std::uint64_t seed, int ticks) {
  Prng prng(seed);
  BoxWorldSettings world_settings = random_box_world(prng);
  world_settings.entity_count = 150;
  BoxWorld world(world_settings, prng.next());
  const auto index = make_index(restless_settings(prng));
  Door door;
  std::atomic<bool> is_over = false;
  std::atomic<std::size_t> wrong = 0;
  std::vector<std::thread> readers;
  for (std::uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      Prng own(seed * 2 + reader);
      HeldView held;
      while (!is_over) {
        if (!door.pick(own.next(), held)) continue;
        for (int i = 0; i < 4; ++i) wrong += count_wrong(held, random_box(own, *held.bounds));
      }
    });
  }
  Workers workers(2);
  CandidatePairs candidates;
  for (int tick = 0; tick < ticks; ++tick) {
    world.run_tick();
    const IndexInput input = world.input(0);
    index->update(input, workers);
    door.publish({index->view(), std::make_shared<const Bounds>(world.bounds())});
    index->find_pairs(input, workers, candidates);
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  return wrong;
}

TEST(IndexInterleavingThreads, EveryViewHoldsWhileThreadsReadAndTheTickGoesOn) {
  std::size_t wrong = 0;
  constexpr int ticks = 60;
  for_each_seed(0, 6, [&](std::uint64_t seed) {
    const std::size_t here = count_wrong_while_updating(seed, ticks);
    if (is_double_registered) {
      EXPECT_EQ(here, 0u);
    }
    wrong += here;
  });
  if (!is_double_registered) {
    EXPECT_GT(wrong, 0u) << "single registration went unnoticed";
  }
}

}  // namespace
}  // namespace vicinity::oracle
