// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/lane_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

LaneGroup random_group(Prng& prng) {
  LaneGroup group;
  for (std::size_t k = 0; k < lane_count; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      group.low[axis][k] = static_cast<float>(prng.between(-60, 60));
      group.high[axis][k] = group.low[axis][k] + static_cast<float>(prng.between(0, 2));
    }
    group.radius[k] = prng.chance(0.5) ? static_cast<float>(prng.between(0, 2)) : 0;
  }
  return group;
}

LaneSphere random_sphere(Prng& prng) {
  LaneSphere sphere;
  for (float& at : sphere.point) at = static_cast<float>(prng.between(-30, 30));
  sphere.enter_m = static_cast<float>(prng.between(0, 60));
  sphere.leave_m = sphere.enter_m + static_cast<float>(prng.between(0, 6));
  sphere.error_m = static_cast<float>(prng.between(0, 0.5));
  return sphere;
}

double distance_m(const LaneGroup& group, std::size_t k, const LaneSphere& sphere, bool centre) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double low = group.low[axis][k], high = group.high[axis][k];
    if (centre) low = high = (low + high) / 2;
    const double p = sphere.point[axis];
    const double gap = std::max({0.0, low - p, p - high});
    sum += gap * gap;
  }
  return std::sqrt(sum) - (centre ? 0.0 : static_cast<double>(group.radius[k]));
}

/// In, open and out, as far as the error allows.
void expect_right(double distance, double reach, double error, bool in, bool open) {
  const double rounding = 1e-4;
  if (in) {
    EXPECT_LE(distance, reach - error + rounding);
  } else if (open) {
    EXPECT_LE(std::abs(distance - reach), error + rounding);
  } else {
    EXPECT_GE(distance, reach + error - rounding);
  }
  EXPECT_FALSE(in && open);
}

TEST(LaneKernels, AnswerIsCertainOrOpenWithinTheError) {
  Prng prng(1);
  for (int round = 0; round < 2000; ++round) {
    const LaneGroup group = random_group(prng);
    const LaneSphere sphere = random_sphere(prng);
    const bool centre = round % 2 == 0;
    const std::uint32_t index = 0;
    LaneAnswer answer;
    lane_kernel(IndexKernel::Scalar)(&group, &index, &sphere, 1, centre, &answer);
    for (std::size_t k = 0; k < lane_count; ++k) {
      const double distance = distance_m(group, k, sphere, centre);
      expect_right(distance, sphere.enter_m, sphere.error_m, answer.enter_in >> k & 1,
                   answer.enter_open >> k & 1);
      expect_right(distance, sphere.leave_m, sphere.error_m, answer.leave_in >> k & 1,
                   answer.leave_open >> k & 1);
    }
  }
}

TEST(LaneKernels, AllGiveTheSameBits) {
  Prng prng(2);
  std::vector<LaneGroup> groups;
  std::vector<LaneSphere> spheres;
  std::vector<std::uint32_t> index;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    groups.push_back(random_group(prng));
    spheres.push_back(random_sphere(prng));
    index.push_back(999 - i);
  }
  for (const bool centre : {false, true}) {
    std::vector<LaneAnswer> expected(1000);
    lane_kernel(IndexKernel::Scalar)(groups.data(), index.data(), spheres.data(), 1000, centre,
                                     expected.data());
    for (const IndexKernel kernel : {IndexKernel::Avx2, IndexKernel::Avx512}) {
      if (!is_supported(kernel)) continue;
      std::vector<LaneAnswer> answers(1000);
      lane_kernel(kernel)(groups.data(), index.data(), spheres.data(), 1000, centre,
                          answers.data());
      for (std::size_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(answers[i].enter_in, expected[i].enter_in);
        EXPECT_EQ(answers[i].enter_open, expected[i].enter_open);
        EXPECT_EQ(answers[i].leave_in, expected[i].leave_in);
        EXPECT_EQ(answers[i].leave_open, expected[i].leave_open);
      }
    }
  }
}

}  // namespace
}  // namespace vicinity
