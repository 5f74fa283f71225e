// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/end_marks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace vicinity {
namespace {

TEST(EndMarks, AnItemExistsUntilItsEnd) {
  EndMarks marks(3);
  marks.end(1, 9);
  EXPECT_TRUE(marks.has_ended(1));
  EXPECT_TRUE(marks.exists_in(1, 8));
  EXPECT_FALSE(marks.exists_in(1, 9));
  EXPECT_FALSE(marks.exists_in(1, 10));
}

TEST(EndMarks, AnItemWithoutAnEndExistsForEver) {
  EndMarks marks(3);
  marks.end(1, 9);
  for (const std::size_t item : {0u, 2u}) {
    EXPECT_FALSE(marks.has_ended(item));
    EXPECT_TRUE(marks.exists_in(item, 0));
    EXPECT_TRUE(marks.exists_in(item, ~std::uint64_t{0}));
  }
}

TEST(EndMarks, AReaderOfAnOlderVersionFindsWhatEndsMeanwhile) {
  constexpr std::size_t item_count = 10'000;
  EndMarks marks(item_count);
  std::atomic<bool> started = false;
  std::size_t missed = 0;
  std::thread reader([&] {
    for (int round = 0; round < 20; ++round) {
      for (std::size_t item = 0; item < item_count; ++item)
        missed += marks.exists_in(item, 5) ? 0 : 1;
      started = true;
    }
  });
  while (!started) std::this_thread::yield();
  for (std::size_t item = 0; item < item_count; ++item) marks.end(item, 6);
  reader.join();
  EXPECT_EQ(missed, 0u);
}

}  // namespace
}  // namespace vicinity
