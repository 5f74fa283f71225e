// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace vicinity {
namespace {

std::uint64_t hash_of(double value) {
  ContentHash hash;
  hash.add(value);
  return hash.digest();
}

// Published XXH3 64-bit value of the empty input.
TEST(ContentHash, OfNothingIsTheXxh3OfNothing) {
  EXPECT_EQ(ContentHash().digest(), 0x2D06800538D394C2ull);
}

TEST(ContentHash, TakesNegativeZeroForZeroAndNothingElse) {
  EXPECT_EQ(hash_of(-0.0), hash_of(0.0));
  EXPECT_NE(hash_of(1.0), hash_of(-1.0));
  EXPECT_NE(hash_of(0.0), hash_of(5e-324));
}

TEST(ContentHash, DependsOnTheOrder) {
  ContentHash ab;
  ab.add(1u);
  ab.add(2u);
  ContentHash ba;
  ba.add(2u);
  ba.add(1u);
  EXPECT_NE(ab.digest(), ba.digest());
}

TEST(ContentHash, TheWidthOfAnIntegerDoesNotMatter) {
  ContentHash narrow;
  narrow.add(std::uint8_t{200});
  ContentHash wide;
  wide.add(std::uint64_t{200});
  EXPECT_EQ(narrow.digest(), wide.digest());
}

TEST(ContentHash, EveryOneOfManyValuesCountsOnce) {
  std::set<std::uint64_t> digests;
  for (std::size_t changed = 0; changed <= 1000; ++changed) {
    ContentHash hash;
    for (std::size_t i = 0; i < 1000; ++i) hash.add(i == changed ? 7u : 0u);
    EXPECT_TRUE(digests.insert(hash.digest()).second) << changed;
  }
  ContentHash longer;
  for (std::size_t i = 0; i < 1001; ++i) longer.add(0u);
  EXPECT_TRUE(digests.insert(longer.digest()).second);
}

TEST(ContentHash, GoesOnAfterADigest) {
  ContentHash once;
  once.add(1u);
  once.add(2u);
  ContentHash twice;
  twice.add(1u);
  EXPECT_NE(twice.digest(), once.digest());
  twice.add(2u);
  EXPECT_EQ(twice.digest(), once.digest());
}

}  // namespace
}  // namespace vicinity
