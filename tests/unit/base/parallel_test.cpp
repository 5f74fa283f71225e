// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "base/prng.h"

namespace vicinity {
namespace {

class ParallelBlocks : public testing::TestWithParam<int> {};

TEST_P(ParallelBlocks, VisitsEveryItemOnceInBlocksOfTheGivenSize) {
  Workers workers(GetParam());
  EXPECT_EQ(workers.worker_count(), GetParam());
  for (const std::size_t items : {0u, 1u, 9u, 10u, 11u, 1000u}) {
    for (const std::size_t block_size : {1u, 10u, 4096u}) {
      std::vector<std::atomic<int>> visits(items);
      std::vector<std::atomic<int>> blocks(block_count(items, block_size));
      workers.parallel_blocks(items, block_size,
                              [&](std::size_t block, std::size_t begin, std::size_t end) {
                                ++blocks.at(block);
                                EXPECT_EQ(begin, block * block_size);
                                EXPECT_EQ(end, std::min(items, begin + block_size));
                                for (std::size_t i = begin; i < end; ++i) ++visits.at(i);
                              });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
      for (const auto& count : blocks) EXPECT_EQ(count, 1);
    }
  }
}

TEST_P(ParallelBlocks, JoinsBlocksInBlockOrder) {
  Workers workers(GetParam());
  BlockBuffers<std::size_t> buffers;
  buffers.reset(block_count(1000, 7));
  workers.parallel_blocks(1000, 7, [&](std::size_t block, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) buffers.at(block).push_back(i);
  });
  std::vector<std::size_t> joined;
  buffers.join_into(joined);
  ASSERT_EQ(joined.size(), 1000u);
  for (std::size_t i = 0; i < joined.size(); ++i) EXPECT_EQ(joined[i], i);
}

TEST_P(ParallelBlocks, SortsLikeTheStandardLibrary) {
  Workers workers(GetParam());
  for (const std::size_t count : {0u, 1u, 5u, 16384u, 16385u, 100'000u}) {
    Prng prng(count);
    std::vector<std::uint64_t> items(count);
    for (std::uint64_t& item : items) item = prng.next();
    std::vector<std::uint64_t> expected = items;
    std::sort(expected.begin(), expected.end());
    parallel_sort(workers, items, std::less<std::uint64_t>());
    EXPECT_EQ(items, expected) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ParallelBlocks, testing::Values(1, 2, 3, 8));

// Blocks that wait for each other finish only when as many threads as workers run them.
TEST(Workers, RunsOnAsManyThreadsAsAskedForBesideASmallerArena) {
  Workers small(1);
  Workers workers(3);
  std::mutex mutex;
  std::condition_variable all_here;
  std::set<std::thread::id> threads;
  workers.parallel_blocks(3, 1, [&](std::size_t, std::size_t, std::size_t) {
    std::unique_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
    all_here.notify_all();
    all_here.wait_for(lock, std::chrono::seconds(20), [&] { return threads.size() == 3; });
  });
  EXPECT_EQ(threads.size(), 3u);
}

TEST(Workers, ZeroMeansAtLeastOne) { EXPECT_GE(Workers(0).worker_count(), 1); }

TEST(BlockBuffers, ResetEmptiesAndKeepsOnlyTheCountAskedFor) {
  BlockBuffers<int> buffers;
  buffers.reset(3);
  for (std::size_t i = 0; i < 3; ++i) buffers.at(i).push_back(static_cast<int>(i));
  EXPECT_EQ(buffers.item_count(), 3u);
  buffers.reset(2);
  EXPECT_EQ(buffers.count(), 2u);
  EXPECT_EQ(buffers.item_count(), 0u);
}

TEST(BlockBuffers, GivesMemoryBackAfterAPeak) {
  BlockBuffers<int> buffers;
  buffers.reset(1);
  buffers.at(0).resize(100'000);
  buffers.reset(1);
  EXPECT_GE(buffers.at(0).capacity(), 100'000u) << "kept for a second tick of that kind";
  buffers.at(0).push_back(1);
  buffers.reset(1);
  EXPECT_LT(buffers.at(0).capacity(), 100'000u);
}

}  // namespace
}  // namespace vicinity
