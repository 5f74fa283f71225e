// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/hash.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

std::uint64_t hash_of(double value) {
  ContentHash hash;
  hash.add_double(value);
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

}  // namespace
}  // namespace vicinity
