// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Passing through with numbers of full precision: coordinates use all 53 bits, and paths graze
// edges so closely that the moments of meeting and parting differ by far less than f64 can hold.

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "narrow/contacts.h"
#include "oracle/seeds.h"
#include "oracle/world_model.h"

namespace vicinity::oracle {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t most = std::int64_t{1} << 51;

Aabb to_box(const IntBox& box) {
  Aabb out;
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    out.min[axis] = std::ldexp(static_cast<double>(box.min[i]), -40);
    out.max[axis] = std::ldexp(static_cast<double>(box.max[i]), -40);
  }
  return out;
}

std::int64_t any(Prng& prng) {
  return 1 + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(most)));
}

/// Box a comes along x with a gap that opens at u / (u + v), while the gap along y closes at about
/// the same moment, w / (w + z): z = w v / u, up to one unit. Whether there is a moment in between
/// is a matter of that unit.
struct Grazing {
  IntBox a_start, a_end, b;
};
Grazing grazing(Prng& prng) {
  std::int64_t u = 0, v = 0, w = 0, z = most + 1;
  while (z < 1 || z > most) {
    u = any(prng), v = any(prng), w = any(prng);
    const Wide quotient = static_cast<Wide>(w) * v / u;
    z = quotient > most ? 0 : static_cast<std::int64_t>(quotient);
    z += static_cast<std::int64_t>(prng.below(3)) - 1;
  }
  const std::int64_t face_x = any(prng) - most / 2;
  const std::int64_t face_y = any(prng) - most / 2;
  constexpr std::int64_t thick = std::int64_t{1} << 51;
  Grazing out;
  out.b = {{face_x, face_y - thick, 0}, {face_x + 2 * thick, face_y, 8}};
  out.a_start = {{face_x - u - 1, face_y - w, 1}, {face_x - u, face_y - w + thick, 5}};
  out.a_end = {{face_x + v - 1, face_y + z, 1}, {face_x + v, face_y + z + thick, 5}};
  return out;
}

TEST(ContactOracle, GrazingPathsAreDecidedExactly) {
  for_each_seed(0, 200'000, [](std::uint64_t seed) {
    Prng prng(seed);
    const Grazing g = grazing(prng);
    const auto expected = first_meeting(g.a_start, g.a_end, g.b, g.b);
    const auto found = first_overlap(to_box(g.a_start), to_box(g.a_end), to_box(g.b), to_box(g.b));
    ASSERT_EQ(expected.has_value(), found.has_value());
    if (expected) {
      EXPECT_NEAR(*expected, *found, 1e-15);
    }
    const auto mirrored =
        first_overlap(to_box(g.b), to_box(g.b), to_box(g.a_start), to_box(g.a_end));
    EXPECT_EQ(found, mirrored);
  });
}

TEST(ContactOracle, GrazingPathsMeetAndMiss) {
  int meet = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Prng prng(seed);
    const Grazing g = grazing(prng);
    meet += first_meeting(g.a_start, g.a_end, g.b, g.b).has_value() ? 1 : 0;
  }
  EXPECT_GT(meet, 200);
  EXPECT_LT(meet, 800);
}

}  // namespace
}  // namespace vicinity::oracle
