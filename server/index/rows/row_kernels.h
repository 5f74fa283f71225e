// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The box tests of rows, compiled for several instruction sets that give the same results, bit for
// bit. Free functions over plain arrays: no allocation, no lock, no library.

#include <cstddef>
#include <cstdint>

#include "bounds/bounds.h"
#include "index/index.h"
#include "index/rows/row_grid.h"

namespace vicinity {

/// One registration's name: the member (bits 0..29) and, on each axis across, whether this row is
/// the first that the member touches (bits 30, 31).
inline constexpr std::uint32_t tag_member = (1u << 30) - 1;
inline constexpr std::uint32_t tag_first[2] = {1u << 30, 1u << 31};
inline constexpr std::uint32_t tag_first_both = tag_first[0] | tag_first[1];

/// Arrays of registrations may be read, but not used, so far beyond their end.
inline constexpr std::size_t kernel_overrun = 16;

/// A cell with at least so many registrations is overfull: they are sorted by where they begin
/// along, so that a search finds by bisection which of them it has to test. With fewer, testing all
/// costs less than that (16 per test).
inline constexpr std::uint32_t overfull_cell = 256;

/// The registrations of a level, sorted by cell. start[c] .. start[c + 1] are those of cell c.
struct RowArrays {
  const float* min[3];
  const float* max[3];
  const std::uint32_t* tag;
  const std::uint32_t* start;
  std::uint32_t count;
  float along_extent_max;  ///< no registration is longer than this along; rounded up
};

/// One registration before it is sorted.
struct RowEntry {
  std::uint32_t cell;
  std::uint32_t tag;
};
/// A member adds at most so many, whatever is rounded.
inline constexpr std::size_t entries_per_member_max =
    static_cast<std::size_t>(rows_touched_max + 1) * (rows_touched_max + 1);

/// Where registrations are put, and how far the members are done.
struct Registering {
  RowEntry* entries;
  std::size_t capacity;
  std::size_t entry_count = 0;
  std::size_t member_count = 0;  ///< of the members, done so far
  float along_extent_max = 0;    ///< not rounded up
};

/// Takes what a kernel found, a few hundred at a time. Returns false to stop it.
struct MemberPair {
  std::uint32_t a;
  std::uint32_t b;
};
using TakePairs = bool (*)(void* context, const MemberPair* pairs, std::size_t count);
using TakeMembers = bool (*)(void* context, const std::uint32_t* members, std::size_t count);

struct RowKernels {
  /// Adds the registrations of `members`, row by row, from out.member_count on; returns early when
  /// there is no room for one more member.
  void (*enroll)(const RowGrid& grid, const Bound* bounds, const std::uint32_t* members,
                 std::size_t count, Registering& out);
  /// Pairs among the registrations whose first is in [begin, end), in order. Strict test. Adds to
  /// `tested` how many others they have to be compared with. False when `take` stopped it.
  bool (*join)(const RowGrid& grid, const RowArrays& rows, std::uint32_t begin, std::uint32_t end,
               TakePairs take, void* context, std::uint64_t& tested);
  /// Pairs of the members whose registration of their very first row is in [begin, end) of `asking`
  /// (another level) with the members of `rows`: asking member first, each pair once, in order.
  bool (*probe_all)(const RowGrid& grid, const RowArrays& rows, const RowArrays& asking,
                    std::uint32_t begin, std::uint32_t end, TakePairs take, void* context,
                    std::uint64_t& tested);
  /// Members whose box overlaps `box` (strict test), each once.
  bool (*probe_open)(const RowGrid& grid, const RowArrays& rows, const Aabb32& box,
                     TakeMembers take, void* context);
  /// The same with the closed test.
  bool (*probe_closed)(const RowGrid& grid, const RowArrays& rows, const Aabb32& box,
                       TakeMembers take, void* context);
  /// out[axis][i] = corner of bounds[tag[i] & tag_member], for `count` registrations.
  void (*gather)(const Bound* bounds, const std::uint32_t* tag, std::size_t count,
                 float* const min[3], float* const max[3]);
};

extern const RowKernels scalar_row_kernels;
extern const RowKernels avx2_row_kernels;    ///< only where is_supported(Avx2)
extern const RowKernels avx512_row_kernels;  ///< only where is_supported(Avx512)

/// Any thread. CHECKs that the processor has it.
const RowKernels& row_kernels(IndexKernel kernel);

}  // namespace vicinity
