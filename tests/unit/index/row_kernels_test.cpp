// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "unit/index/plain_rows.h"
#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using test::kernels_here;
using test::PlainRows;

using Members = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

RowAxis random_axis(Prng& prng, int axis) {
  RowAxis out;
  out.axis = axis;
  if (prng.chance(0.15)) return out;  // a single row
  out.inverse_size = prng.chance(0.5) ? 1 : static_cast<float>(prng.between(0.3, 3));
  if (prng.chance(0.5)) {
    out.count = 1 + static_cast<std::uint32_t>(prng.below(30));
    out.origin = prng.chance(0.5) ? -8 : static_cast<float>(prng.between(-20, 5));
    out.high = static_cast<float>(out.count - 1);
  } else {
    out.count = prng.chance(0.7) ? 64 : 128;
    out.mask = out.count - 1;
    out.low = -0x1p25f;
    out.high = 0x1p25f;
  }
  return out;
}

/// Tables that hold the world, are too small for it, or wrap.
RowGrid random_grid(Prng& prng) {
  RowGrid grid;
  grid.along = static_cast<int>(prng.below(3));
  grid.along_origin = static_cast<float>(prng.between(-10, 0));
  grid.along_inverse_size = static_cast<float>(prng.between(0.1, 4));
  grid.along_cells = 1 + static_cast<std::uint32_t>(prng.below(40));
  grid.across[0] = random_axis(prng, grid.along == 0 ? 1 : 0);
  grid.across[1] = random_axis(prng, grid.along == 2 ? 1 : 2);
  return grid;
}

/// Boxes of a grid whose rows are about one metre: whole numbers, points and far ones among them.
Bounds random_bounds(Prng& prng, std::size_t count) {
  Bounds bounds;
  const bool on_borders = prng.chance(0.3);
  const double reach = prng.chance(0.5) ? 2.5 : 12;
  const double far = prng.chance(0.3) ? 0.1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      double low = prng.between(-reach, reach);
      double size = prng.chance(0.1) ? 0 : prng.chance(0.1) ? prng.between(0, 4) : 2 * prng.unit();
      if (on_borders) low = std::floor(low), size = std::ceil(size);
      if (prng.chance(far)) low += (prng.chance(0.5) ? 1 : -1) * std::pow(10, prng.between(2, 6));
      box.min[axis] = low;
      box.max[axis] = low + size;
    }
    bounds.push_back(test::bound_of(round_outward(box)));
  }
  return bounds;
}

/// Every second or so of the slots, ascending.
Members some_members(Prng& prng, std::size_t count) {
  Members members;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    if (prng.chance(0.8)) members.push_back(slot);
  }
  return members;
}

bool take_pairs(void* context, const MemberPair* pairs, std::size_t count) {
  auto& out = *static_cast<Pairs*>(context);
  for (std::size_t i = 0; i < count; ++i) out.emplace_back(pairs[i].a, pairs[i].b);
  return true;
}
bool take_members(void* context, const std::uint32_t* members, std::size_t count) {
  auto& out = *static_cast<Members*>(context);
  out.insert(out.end(), members, members + count);
  return true;
}

Pairs canonical(Pairs pairs) {
  for (auto& [a, b] : pairs) {
    if (a > b) std::swap(a, b);
  }
  std::ranges::sort(pairs);
  return pairs;
}

/// A level of a random world, and what plain loops find in it.
struct Level {
  /// Every fourth may be so full that some cells are overfull.
  explicit Level(std::uint64_t seed) : Level(seed, seed % 4 == 0 ? 2'500 : 150) {}
  Level(std::uint64_t seed, std::size_t count_max)
      : prng(seed),
        grid(random_grid(prng)),
        bounds(random_bounds(prng, 1 + prng.below(count_max))),
        members(some_members(prng, bounds.size())),
        rows(grid, bounds, members) {}

  Pairs pairs() const {
    Pairs out;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = i + 1; j < members.size(); ++j) {
        if (overlaps(bounds[members[i]].box, bounds[members[j]].box)) {
          out.emplace_back(members[i], members[j]);
        }
      }
    }
    return out;
  }
  std::size_t overfull_count() const {
    const RowArrays arrays = rows.arrays();
    std::size_t count = 0;
    for (std::uint32_t cell = 0; cell < grid.cell_count(); ++cell) {
      if (arrays.start[cell + 1] - arrays.start[cell] >= overfull_cell) ++count;
    }
    return count;
  }
  Members around(const Aabb32& box, bool is_closed) const {
    Members out;
    for (const std::uint32_t member : members) {
      const Aabb32& other = bounds[member].box;
      if (is_closed ? touches(other, box) : overlaps(other, box)) out.push_back(member);
    }
    return out;
  }

  Prng prng;
  RowGrid grid;
  Bounds bounds;
  Members members;
  PlainRows rows;
};

constexpr std::uint64_t level_count = 400;

TEST(RowKernels, AutoIsOneThatThisProcessorHas) {
  EXPECT_TRUE(is_supported(IndexKernel::Auto));
  EXPECT_TRUE(is_supported(IndexKernel::Scalar));
  EXPECT_NE(row_kernels(IndexKernel::Auto).join, nullptr);
}

TEST(RowKernels, EnrollEveryRowOfEveryMember) {
  for (std::uint64_t seed = 0; seed < level_count; ++seed) {
    const Level level(seed);
    for (const IndexKernel kernel : kernels_here()) {
      std::vector<RowEntry> entries((level.members.size() + 2) * entries_per_member_max);
      Registering out{entries.data(), entries.size()};
      row_kernels(kernel).enroll(level.grid, level.bounds.data(), level.members.data(),
                                 level.members.size(), out);
      ASSERT_EQ(out.member_count, level.members.size());
      ASSERT_EQ(out.entry_count, level.rows.entries().size()) << to_string(kernel) << " " << seed;
      EXPECT_EQ(out.along_extent_max, level.rows.along_extent_max());
      entries.resize(out.entry_count);
      // Member by member, and within one row by row, is the order of a stable sort by cell.
      std::ranges::stable_sort(entries, {}, &RowEntry::cell);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        ASSERT_EQ(entries[i].cell, level.rows.entries()[i].cell) << to_string(kernel) << seed;
        ASSERT_EQ(entries[i].tag, level.rows.entries()[i].tag) << to_string(kernel) << seed;
      }
    }
  }
}

TEST(RowKernels, EnrollGoesOnWhereItHadNoMoreRoom) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Level level(seed);
    for (const IndexKernel kernel : kernels_here()) {
      std::vector<RowEntry> all;
      Registering out{};
      std::vector<RowEntry> piece(entries_per_member_max + 40);
      std::size_t calls = 0;
      while (out.member_count < level.members.size()) {
        out.entries = piece.data();
        out.capacity = piece.size();
        out.entry_count = 0;
        const std::size_t before = out.member_count;
        row_kernels(kernel).enroll(level.grid, level.bounds.data(), level.members.data(),
                                   level.members.size(), out);
        ASSERT_GT(out.member_count, before);
        ASSERT_LE(out.entry_count, out.capacity);
        all.insert(all.end(), piece.begin(),
                   piece.begin() + static_cast<std::ptrdiff_t>(out.entry_count));
        ++calls;
      }
      EXPECT_EQ(all.size(), level.rows.entries().size());
      EXPECT_EQ(out.along_extent_max, level.rows.along_extent_max());
      if (level.members.size() > 60) {
        EXPECT_GT(calls, 1u);
      }
    }
  }
}

TEST(RowKernels, JoinFindsEveryPairOnceInTheSameOrder) {
  std::size_t found_all = 0;
  std::size_t overfull = 0;
  for (std::uint64_t seed = 0; seed < level_count; ++seed) {
    const Level level(seed);
    const RowArrays rows = level.rows.arrays();
    const Pairs expected = level.pairs();
    found_all += expected.size();
    overfull += level.overfull_count();
    Pairs first;
    std::uint64_t tested_first = 0;
    for (const IndexKernel kernel : kernels_here()) {
      Pairs found;
      std::uint64_t tested = 0;
      EXPECT_TRUE(
          row_kernels(kernel).join(level.grid, rows, 0, rows.count, take_pairs, &found, tested));
      if (kernel == IndexKernel::Scalar) tested_first = tested;
      EXPECT_EQ(tested, tested_first) << to_string(kernel) << " seed " << seed;
      EXPECT_GE(tested, found.size());
      ASSERT_EQ(canonical(found), expected) << to_string(kernel) << " seed " << seed;
      if (kernel == IndexKernel::Scalar) first = found;
      EXPECT_EQ(found, first) << to_string(kernel) << " seed " << seed;
    }
  }
  EXPECT_GT(found_all, 5'000u);
  EXPECT_GT(overfull, 20u);
}

TEST(RowKernels, JoinInPiecesIsTheJoin) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Level level(seed);
    const RowArrays rows = level.rows.arrays();
    for (const IndexKernel kernel : kernels_here()) {
      Pairs whole, pieces;
      std::uint64_t tested = 0, tested_in_pieces = 0;
      row_kernels(kernel).join(level.grid, rows, 0, rows.count, take_pairs, &whole, tested);
      for (std::uint32_t begin = 0; begin < rows.count;) {
        const auto length = static_cast<std::uint32_t>(level.prng.below(9));  // also empty ones
        const std::uint32_t end = std::min(rows.count, begin + length);
        row_kernels(kernel).join(level.grid, rows, begin, end, take_pairs, &pieces,
                                 tested_in_pieces);
        begin = end;
      }
      EXPECT_EQ(pieces, whole) << to_string(kernel) << " seed " << seed;
      EXPECT_EQ(tested_in_pieces, tested);
    }
  }
}

Aabb32 random_query(Level& level) {
  Prng& prng = level.prng;
  constexpr float most = std::numeric_limits<float>::max();
  if (prng.chance(0.05)) return {{-most, -most, -most}, {most, most, most}};
  const Aabb32 near = level.bounds[prng.below(level.bounds.size())].box;
  const double scale = prng.chance(0.2) ? 200 : 3;  // all around a wrapped table
  Aabb32 box;
  for (int axis = 0; axis < 3; ++axis) {
    const bool above = prng.chance(0.5);
    const auto extent = static_cast<float>(prng.chance(0.2) ? 0 : prng.between(0, scale));
    box.min[axis] = above ? near.max[axis] : near.min[axis] - extent;
    box.max[axis] = above ? near.max[axis] + extent : near.min[axis];
    if (prng.chance(0.4)) box.max[axis] += extent;
  }
  return box;
}

TEST(RowKernels, ProbesFindEveryMemberOnceInTheSameOrder) {
  std::size_t hits = 0;
  for (std::uint64_t seed = 0; seed < level_count; ++seed) {
    Level level(seed);
    const RowArrays rows = level.rows.arrays();
    for (int query = 0; query < 10; ++query) {
      const Aabb32 box = random_query(level);
      for (const bool is_closed : {false, true}) {
        const Members expected = level.around(box, is_closed);
        hits += expected.size();
        Members first;
        for (const IndexKernel kernel : kernels_here()) {
          const RowKernels& kernels = row_kernels(kernel);
          const auto probe = is_closed ? kernels.probe_closed : kernels.probe_open;
          Members found;
          EXPECT_TRUE(probe(level.grid, rows, box, take_members, &found));
          if (kernel == IndexKernel::Scalar) first = found;
          EXPECT_EQ(found, first) << to_string(kernel) << " seed " << seed;
          std::ranges::sort(found);
          ASSERT_EQ(found, expected) << to_string(kernel) << " seed " << seed << " " << is_closed;
        }
      }
    }
  }
  EXPECT_GT(hits, 10'000u);
}

TEST(RowKernels, ProbeAllFindsThePairsOfTwoLevelsOnceInTheSameOrder) {
  std::size_t found_all = 0;
  for (std::uint64_t seed = 0; seed < level_count; ++seed) {
    Level asked(seed);
    // Other members of the same world in rows of their own, among them some that are large.
    Bounds bounds = asked.bounds;
    Members members;
    for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
      if (std::ranges::binary_search(asked.members, slot)) continue;
      members.push_back(slot);
      const int axis = static_cast<int>(asked.prng.below(3));
      if (asked.prng.chance(0.2)) bounds[slot].box.max[axis] += 9;
    }
    const RowGrid grid = random_grid(asked.prng);
    const PlainRows asking(grid, bounds, members);
    Pairs expected;
    for (const std::uint32_t member : members) {
      for (const std::uint32_t other : asked.around(bounds[member].box, false)) {
        expected.emplace_back(member, other);
      }
    }
    std::ranges::sort(expected);
    found_all += expected.size();
    const RowArrays rows = asked.rows.arrays();
    const RowArrays from = asking.arrays();
    const auto half = static_cast<std::uint32_t>(asked.prng.below(from.count + 1));
    Pairs first;
    std::uint64_t tested_first = 0;
    for (const IndexKernel kernel : kernels_here()) {
      const auto probe_all = row_kernels(kernel).probe_all;
      Pairs found;
      std::uint64_t tested = 0;
      EXPECT_TRUE(probe_all(asked.grid, rows, from, 0, half, take_pairs, &found, tested));
      EXPECT_TRUE(probe_all(asked.grid, rows, from, half, from.count, take_pairs, &found, tested));
      if (kernel == IndexKernel::Scalar) first = found, tested_first = tested;
      EXPECT_EQ(tested, tested_first);
      EXPECT_GE(tested, found.size());
      EXPECT_EQ(found, first) << to_string(kernel) << " seed " << seed;
      std::ranges::sort(found);
      ASSERT_EQ(found, expected) << to_string(kernel) << " seed " << seed;
    }
  }
  EXPECT_GT(found_all, 2'000u);
}

TEST(RowKernels, GatherTakesTheCornersOfEveryTag) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Level level(seed);
    const std::vector<RowEntry>& entries = level.rows.entries();
    const RowArrays expected = level.rows.arrays();
    const std::size_t count = entries.size();
    for (const IndexKernel kernel : kernels_here()) {
      std::vector<float> out[6];
      for (auto& corners : out) corners.assign(count + 1, 77);  // one more, which must stay
      float* const min[3] = {out[0].data(), out[1].data(), out[2].data()};
      float* const max[3] = {out[3].data(), out[4].data(), out[5].data()};
      row_kernels(kernel).gather(level.bounds.data(), expected.tag, count, min, max);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_TRUE(std::equal(min[axis], min[axis] + count, expected.min[axis]));
        EXPECT_TRUE(std::equal(max[axis], max[axis] + count, expected.max[axis]));
        EXPECT_EQ(min[axis][count], 77);
        EXPECT_EQ(max[axis][count], 77);
      }
    }
  }
}

/// Many boxes in one place: more than any chunk of results holds.
struct Crowd {
  Crowd() : bounds(60, test::bound_of(test::cube32(0, 0, 0))) {}
  RowGrid grid;
  Bounds bounds;
  PlainRows rows{grid, bounds, test::numbers_to(60)};
};

TEST(RowKernels, StopWhenTheTakerHasEnough) {
  const Crowd crowd;
  const RowArrays rows = crowd.rows.arrays();
  for (const IndexKernel kernel : kernels_here()) {
    int calls = 0;
    const TakePairs no_pairs = [](void* count, const MemberPair*, std::size_t) {
      ++*static_cast<int*>(count);
      return false;
    };
    const TakeMembers no_members = [](void* count, const std::uint32_t*, std::size_t) {
      ++*static_cast<int*>(count);
      return false;
    };
    const RowKernels& kernels = row_kernels(kernel);
    std::uint64_t tested = 0;
    EXPECT_FALSE(kernels.join(crowd.grid, rows, 0, rows.count, no_pairs, &calls, tested));
    EXPECT_FALSE(
        kernels.probe_all(crowd.grid, rows, rows, 0, rows.count, no_pairs, &calls, tested));
    EXPECT_EQ(calls, 2);
    EXPECT_FALSE(kernels.probe_open(crowd.grid, rows, test::cube32(0, 0, 0), no_members, &calls));
    EXPECT_FALSE(kernels.probe_closed(crowd.grid, rows, test::cube32(0, 0, 0), no_members, &calls));
    EXPECT_EQ(calls, 4);
  }
}

/// Boxes of 0.9 m, 1 m apart along, all in one cell.
struct Queue {
  explicit Queue(std::size_t count) {
    grid.along_inverse_size = 1e-6f;
    for (std::size_t i = 0; i < count; ++i) {
      // Not in the order of their places.
      const auto place = static_cast<float>(i * 7 % count);
      bounds.push_back(test::bound_of(test::cube32(place, 0, 0, 0.9f)));
    }
  }
  RowGrid grid;
  Bounds bounds;
};

TEST(RowKernels, CompareOnlyWhatIsNearInAnOverfullCell) {
  for (const std::size_t count : {std::size_t{overfull_cell} - 1, std::size_t{overfull_cell}}) {
    const Queue queue(count);
    const PlainRows plain(queue.grid, queue.bounds, test::numbers_to(count));
    const RowArrays rows = plain.arrays();
    for (const IndexKernel kernel : kernels_here()) {
      const RowKernels& kernels = row_kernels(kernel);
      Pairs pairs;
      std::uint64_t joined = 0, probed = 0;
      EXPECT_TRUE(kernels.join(queue.grid, rows, 0, rows.count, take_pairs, &pairs, joined));
      EXPECT_TRUE(pairs.empty());
      EXPECT_TRUE(
          kernels.probe_all(queue.grid, rows, rows, 0, rows.count, take_pairs, &pairs, probed));
      EXPECT_EQ(pairs.size(), count);  // each with itself
      if (count < overfull_cell) {
        EXPECT_EQ(joined, count * (count - 1) / 2);
        EXPECT_EQ(probed, count * count);
      } else {
        EXPECT_EQ(joined, 0u);     // the next one begins behind the end
        EXPECT_EQ(probed, count);  // one that begins up to 0.9 m before
      }
    }
  }
}

TEST(RowKernels, OfNoRegistrationsFindNothing) {
  const PlainRows rows(RowGrid(), {}, {});
  for (const IndexKernel kernel : kernels_here()) {
    const RowKernels& kernels = row_kernels(kernel);
    Pairs pairs;
    Members members;
    std::uint64_t tested = 0;
    EXPECT_TRUE(kernels.join(RowGrid(), rows.arrays(), 0, 0, take_pairs, &pairs, tested));
    EXPECT_EQ(tested, 0u);
    EXPECT_TRUE(kernels.probe_closed(RowGrid(), rows.arrays(), test::cube32(0, 0, 0), take_members,
                                     &members));
    EXPECT_TRUE(pairs.empty());
    EXPECT_TRUE(members.empty());
  }
}

}  // namespace
}  // namespace vicinity
