// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/near_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

constexpr Tick now = 100;

struct Scene {
  std::vector<MotionHead> heads;
  std::vector<StreamRecord> records;
  std::vector<NearMove> moves;

  std::size_t run(const QuantisedPosition& origin, std::size_t first = 0) {
    moves.assign(records.size() + 1, {});
    NearMove* next = moves.data();
    const std::size_t end = put_near_moves(records, first, heads.data(), origin, 0, now, next);
    moves.resize(static_cast<std::size_t>(next - moves.data()));
    return end;
  }
  /// One that was told in tick 90.
  void add(std::int32_t x, Tick moved, Tick other = 0, std::uint32_t alias = 7) {
    MotionHead head;
    head.position[0] = x;
    head.moved_tick = moved;
    head.other_tick = other;
    StreamRecord record;
    record.slot = static_cast<std::uint32_t>(heads.size());
    record.alias = alias;
    record.told = 90;
    record.priority = 3;
    record.standing = Standing::Told;
    heads.push_back(head);
    records.push_back(record);
  }
};

TEST(NearKernel, WritesWhatMovedAndNotesItAsTold) {
  Scene scene;
  scene.add(105, 95);
  scene.add(50, 90);  // told in that tick, or after it
  scene.add(-32'667, 91, 90, 9);
  EXPECT_EQ(scene.run({100, 5, -6}), 3u);
  ASSERT_EQ(scene.moves.size(), 2u);
  EXPECT_EQ(scene.moves[0].alias, 7u);
  EXPECT_EQ(scene.moves[0].x, 5);
  EXPECT_EQ(scene.moves[0].y, -5);
  EXPECT_EQ(scene.moves[0].z, 6);
  EXPECT_EQ(scene.moves[1].alias, 9u);
  EXPECT_EQ(scene.moves[1].x, -32'767);
  EXPECT_EQ(scene.records[0].told, now);
  EXPECT_EQ(scene.records[0].priority, 0);
  EXPECT_EQ(scene.records[1].told, 90u);
  EXPECT_EQ(scene.records[1].priority, 3);
}

TEST(NearKernel, StopsAtWhatNeedsMore) {
  const auto stops = [](auto change) {
    Scene scene;
    scene.add(1, 95);
    scene.add(2, 95);
    change(scene);
    const std::size_t end = scene.run({});
    EXPECT_EQ(scene.records[1].told, 90u);
    return end == 1 && scene.moves.size() == 1;
  };
  EXPECT_TRUE(stops([](Scene& s) { s.records[1].standing = Standing::Waiting; }));
  EXPECT_TRUE(stops([](Scene& s) { s.records[1].standing = Standing::Stale; }));
  EXPECT_TRUE(stops([](Scene& s) { s.heads[1].other_tick = 91; }));
  EXPECT_TRUE(stops([](Scene& s) { s.records[1].alias = 65'536; }));
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(stops([&](Scene& s) { s.heads[1].position[axis] = 32'768; }));
    EXPECT_TRUE(stops([&](Scene& s) { s.heads[1].position[axis] = -32'768; }));
  }
}

/// Against the definition, with positions and origins at the ends of their ranges.
TEST(NearKernel, TakesForNearExactlyWhatIsNear) {
  Prng prng(5);
  constexpr std::int64_t origin_max = std::int64_t{1} << 30;
  const std::int64_t offsets[] = {0,      1,      -1,      32'766,     32'767,
                                  32'768, 32'769, -32'767, -32'768,    -32'769,
                                  65'535, 65'536, -65'536, origin_max, -origin_max};
  std::size_t near_count = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t around[] = {0, origin_max, -origin_max,
                                   static_cast<std::int64_t>(prng.below(1u << 31)) - origin_max};
    const std::int64_t origin = std::clamp(around[prng.below(4)], -origin_max, origin_max);
    std::int64_t place = origin + offsets[prng.below(std::size(offsets))];
    if (prng.below(4) == 0)
      place = static_cast<std::int32_t>(static_cast<std::uint32_t>(prng.next()));
    if (prng.below(8) == 0) place = std::numeric_limits<std::int32_t>::min();
    if (prng.below(8) == 0) place = std::numeric_limits<std::int32_t>::max();
    if (place != static_cast<std::int32_t>(place)) continue;
    Scene scene;
    scene.add(static_cast<std::int32_t>(place), 95);
    const bool is_near = place - origin >= -32'767 && place - origin <= 32'767;
    ASSERT_TRUE(allows_near_kernel({origin, 0, 0}));
    ASSERT_EQ(scene.run({origin, 0, 0}), is_near ? 1u : 0u) << place << " from " << origin;
    if (is_near) {
      ASSERT_EQ(scene.moves.at(0).x, place - origin);
    }
    near_count += is_near;
  }
  EXPECT_GT(near_count, 1'000u);
  EXPECT_FALSE(allows_near_kernel({origin_max + 1, 0, 0}));
  EXPECT_FALSE(allows_near_kernel({0, 0, -origin_max - 1}));
}

}  // namespace
}  // namespace vicinity
