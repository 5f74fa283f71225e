// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <gtest/gtest.h>

#include "stream/streams.h"

namespace vicinity {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(ShareFairly, GivesEverybodyWhatItWantsWhereThereIsEnough) {
  EXPECT_EQ(share_fairly(0, Sizes{5, 1'000'000}), (Sizes{5, 1'000'000}));
  EXPECT_EQ(share_fairly(100, Sizes{30, 10, 60}), (Sizes{30, 10, 60}));
}

TEST(ShareFairly, GivesWhatTheModestLeaveOverToTheOthers) {
  EXPECT_EQ(share_fairly(100, Sizes{10, 1'000, 60}), (Sizes{10, 45, 45}));
  EXPECT_EQ(share_fairly(90, Sizes{1'000, 1'000, 1'000}), (Sizes{30, 30, 30}));
}

TEST(ShareFairly, NeverGivesMoreThanThereIs) {
  EXPECT_EQ(share_fairly(1, Sizes{7, 7, 7}), (Sizes{0, 0, 1}));
  EXPECT_TRUE(share_fairly(10, {}).empty());
}

}  // namespace
}  // namespace vicinity
