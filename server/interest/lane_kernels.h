// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which of sixteen entities a sphere reaches, all at once and in f32, compiled for several
// instruction sets that give the same answers, bit for bit. Free functions over plain arrays.
//
// The answer is certain or left open: thresholds are moved inwards and outwards by more than all
// roundings together, and what lies between is for the exact test (interest_area.h). So the result
// is that of the exact test, for every instruction set.
//
//      distance      0 ......... r + R - error ...... r + R + error ..........
//      answer             in              |    open         |       out

#include <cstddef>
#include <cstdint>

#include "index/index.h"

namespace vicinity {

inline constexpr std::size_t lane_count = 16;

/// Sixteen entities, relative to the origin of their group. 448 bytes. A box, and a radius around
/// it: a plain sphere is a point, an upright capsule a segment, all others are their tight box.
struct alignas(64) LaneGroup {
  float low[3][lane_count];
  float high[3][lane_count];
  float radius[lane_count];
};

/// A sphere as one group sees it.
struct LaneSphere {
  float point[3] = {0, 0, 0};  ///< relative to the group's origin
  float error_m = 0;           ///< of a distance, at most
  float enter_m = 0;
  float leave_m = 0;
};

/// A bit per lane. Neither in nor open: out.
struct LaneAnswer {
  std::uint16_t enter_in = 0;
  std::uint16_t enter_open = 0;
  std::uint16_t leave_in = 0;
  std::uint16_t leave_open = 0;
};

/// `groups[index[i]]` against `spheres[i]`. `centres`: the middle of each lane's box counts, not
/// its shape.
using JudgeLanes = void (*)(const LaneGroup* groups, const std::uint32_t* index,
                            const LaneSphere* spheres, std::size_t count, bool centres,
                            LaneAnswer* answers);

/// Any thread. CHECKs that the processor has it.
JudgeLanes lane_kernel(IndexKernel kernel);

void judge_lanes_scalar(const LaneGroup* groups, const std::uint32_t* index,
                        const LaneSphere* spheres, std::size_t count, bool centres,
                        LaneAnswer* answers);
void judge_lanes_avx2(const LaneGroup* groups, const std::uint32_t* index,
                      const LaneSphere* spheres, std::size_t count, bool centres,
                      LaneAnswer* answers);
void judge_lanes_avx512(const LaneGroup* groups, const std::uint32_t* index,
                        const LaneSphere* spheres, std::size_t count, bool centres,
                        LaneAnswer* answers);

}  // namespace vicinity
