// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Whole ticks with all shapes and motions against brute force over all pairs, parts and instants.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "base/limits.h"
#include "bounds/bounds.h"
#include "geometry/primitive_bounds.h"
#include "narrow/entity_tests.h"
#include "narrow/shape_tests.h"
#include "oracle/seeds.h"
#include "oracle/shape_script.h"

namespace vicinity::oracle {
namespace {

constexpr int instants = 64;
/// An overlap that is deeper than this must be noticed, whatever rounding does on the way.
constexpr double noticed_m = 1e-3;

SimulationSettings settings_of(int workers, IndexKind kind) {
  SimulationSettings settings;
  settings.dt_s = 1;
  settings.worker_count = workers;
  settings.index.kind = kind;
  settings.index.rest_eagerly = true;
  settings.index.rest_after_ticks = 2;
  settings.reuse_delay_ticks = 2;
  settings.audit_rate = 1;
  return settings;
}

Pose pose_at_instant(const Snapshot& snapshot, std::uint32_t slot, double t) {
  if (const Swing* swing = snapshot.swing(slot)) {
    return compose(pose_at(swing->root, t), swing->in_root);
  }
  return pose_at(snapshot.path(slot), t);
}

/// Deepest penetration, or minus the smallest gap.
double depth_at(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b, double t) {
  const Pose pose_a = pose_at_instant(snapshot, a, t);
  const Pose pose_b = pose_at_instant(snapshot, b, t);
  double deepest = -1e300;
  for_each_part(snapshot.shape[a], [&](const Primitive& part_a) {
    for_each_part(snapshot.shape[b], [&](const Primitive& part_b) {
      const auto found = contact(part_a, pose_a, part_b, pose_b);
      const double depth =
          found ? found->penetration_m : -distance(part_a, pose_a, part_b, pose_b).distance_m;
      deepest = std::max(deepest, depth);
    });
  });
  return deepest;
}

bool parts_overlap(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  if (snapshot.form[a] == Form::Box && snapshot.form[b] == Form::Box) {
    return overlaps(snapshot.tight_box[a], snapshot.tight_box[b]);
  }
  bool found = false;
  for_each_part(snapshot.shape[a], [&](const Primitive& part_a) {
    for_each_part(snapshot.shape[b], [&](const Primitive& part_b) {
      found |= overlaps(part_a, snapshot.pose(a), part_b, snapshot.pose(b));
    });
  });
  return found;
}

bool may_meet(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  return snapshot.is_alive(a) && snapshot.is_alive(b) &&
         accepts(snapshot.filter[a], snapshot.filter[b]) && !snapshot.ignore_one_another(a, b);
}

template <class Use>
void for_each_pair(const Snapshot& snapshot, const Use& use) {
  for (std::uint32_t a = 0; a < snapshot.slot_count(); ++a) {
    for (std::uint32_t b = a + 1; b < snapshot.slot_count(); ++b) {
      if (may_meet(snapshot, a, b)) use(a, b);
    }
  }
}

void expect_open_contacts(const TickOutput& output) {
  const Snapshot& snapshot = *output.frame->snapshot;
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
  for_each_pair(snapshot, [&](std::uint32_t a, std::uint32_t b) {
    if (parts_overlap(snapshot, a, b)) expected.emplace(a, b);
  });
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const OpenContact& contact : output.frame->contacts.to_vector()) {
    found.emplace(contact.a.index(), contact.b.index());
  }
  EXPECT_EQ(found, expected);
}

void expect_bounds_hold(const Snapshot& snapshot) {
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    if (!snapshot.is_alive(slot)) continue;
    const Aabb32 bound = round_outward(swept_box(snapshot, slot));
    for (int i = 0; i <= instants; ++i) {
      const Pose pose = pose_at_instant(snapshot, slot, static_cast<double>(i) / instants);
      for_each_part(snapshot.shape[slot], [&](const Primitive& part) {
        const Aabb box = box_around(part, pose);
        for (int axis = 0; axis < 3; ++axis) {
          ASSERT_GE(box.min[axis], static_cast<double>(bound.min[axis]) - 1e-9);
          ASSERT_LE(box.max[axis], static_cast<double>(bound.max[axis]) + 1e-9);
        }
      });
    }
  }
}

/// Paths by command that ask for it are looked at, however short; here only those are judged.
bool is_continuous(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  return snapshot.motion[a] == Motion::Continuous || snapshot.motion[b] == Motion::Continuous;
}

std::size_t expect_passings(const TickOutput& output) {
  const Snapshot& snapshot = *output.frame->snapshot;
  std::set<std::pair<std::uint32_t, std::uint32_t>> passed;
  for (const ContactEnd& end : output.contacts.passed) {
    passed.emplace(end.contact.a.index(), end.contact.b.index());
  }
  std::size_t found = 0;
  for_each_pair(snapshot, [&](std::uint32_t a, std::uint32_t b) {
    const bool boxes = snapshot.form[a] == Form::Box && snapshot.form[b] == Form::Box;
    if (boxes || !is_continuous(snapshot, a, b)) return;
    if (touch_at_end(snapshot, a, b) || touch_at_start(snapshot, a, b)) return;
    double deepest = -1e300;
    for (int i = 1; i < instants; ++i) {
      deepest = std::max(deepest, depth_at(snapshot, a, b, static_cast<double>(i) / instants));
    }
    if (deepest < noticed_m) return;
    ++found;
    EXPECT_TRUE(passed.contains({a, b})) << a << " " << b << " " << deepest;
  });
  for (const ContactBegin& begin : output.contacts.begins) {
    const auto a = begin.contact.a.index();
    const auto b = begin.contact.b.index();
    const bool boxes = snapshot.form[a] == Form::Box && snapshot.form[b] == Form::Box;
    if (boxes || begin.capped || !passed.contains({a, b})) continue;
    EXPECT_GE(depth_at(snapshot, a, b, begin.toi), -noticed_m) << a << " " << b;
  }
  return found;
}

TEST(ExactWorld, IsWhatBruteForceOverPairsPartsAndInstantsSays) {
  std::size_t contacts = 0, passings = 0, capped = 0;
  for_each_seed(0, 30, [&](std::uint64_t seed) {
    ShapeRun run(settings_of(1, IndexKind::Auto));
    for (const auto& actions : make_shape_script(seed, {})) {
      const TickOutput output = run.tick(actions);
      ASSERT_EQ(output.report.audit.misses, 0u);
      expect_open_contacts(output);
      expect_bounds_hold(*output.frame->snapshot);
      passings += expect_passings(output);
      contacts += output.frame->contacts.size();
      for (const ContactBegin& begin : output.contacts.begins) capped += begin.capped ? 1 : 0;
      if (::testing::Test::HasFailure()) return;
    }
  });
  EXPECT_GT(contacts, 1'000u);
  EXPECT_GT(passings, 30u);
  EXPECT_LT(10 * capped, passings);
}

TEST(ExactWorld, HasTheSameHashForAnyWorkersAndIndex) {
  for_each_seed(100, 8, [](std::uint64_t seed) {
    ShapeRun reference(settings_of(1, IndexKind::BruteForce));
    ShapeRun rows(settings_of(3, IndexKind::Rows));
    ShapeRun sweep(settings_of(2, IndexKind::Sweep));
    for (const auto& actions : make_shape_script(seed, {})) {
      const std::uint64_t hash = reference.tick(actions).report.hash;
      ASSERT_EQ(rows.tick(actions).report.hash, hash);
      ASSERT_EQ(sweep.tick(actions).report.hash, hash);
    }
  });
}

/// (smaller number, larger number, moment), sorted.
using Told = std::vector<std::tuple<std::uint32_t, std::uint32_t, double>>;

Told begins_by_number(const TickOutput& output) {
  Told told;
  for (const ContactBegin& begin : output.contacts.begins) {
    const std::uint32_t a = ShapeRun::number_of(begin.contact, false);
    const std::uint32_t b = ShapeRun::number_of(begin.contact, true);
    told.emplace_back(std::min(a, b), std::max(a, b), begin.toi);
  }
  std::sort(told.begin(), told.end());
  return told;
}
Told ends_by_number(const TickOutput& output) {
  Told told;
  for (const auto* ends : {&output.contacts.ends, &output.contacts.passed}) {
    for (const ContactEnd& end : *ends) {
      const std::uint32_t a = ShapeRun::number_of(end.contact, false);
      const std::uint32_t b = ShapeRun::number_of(end.contact, true);
      told.emplace_back(std::min(a, b), std::max(a, b), static_cast<double>(end.reason));
    }
  }
  std::sort(told.begin(), told.end());
  return told;
}

TEST(ExactWorld, IsTheSameInAnyOrderOfSpawning) {
  for_each_seed(200, 12, [](std::uint64_t seed) {
    ShapeRun forward(settings_of(1, IndexKind::Auto));
    ShapeRun backward(settings_of(1, IndexKind::Auto), {}, true);
    for (const auto& actions : make_shape_script(seed, {})) {
      const TickOutput a = forward.tick(actions);
      const TickOutput b = backward.tick(actions);
      ASSERT_EQ(begins_by_number(a), begins_by_number(b));
      ASSERT_EQ(ends_by_number(a), ends_by_number(b));
    }
  });
}

// A billion metres away positions of 1/64 m and their sums are still exact.
TEST(ExactWorld, IsTheSameFarAway) {
  std::size_t begins = 0;
  for_each_seed(300, 12, [&](std::uint64_t seed) {
    ShapeScriptOptions options;
    options.attaches = false;
    ShapeRun near(settings_of(1, IndexKind::Auto));
    ShapeRun far(settings_of(1, IndexKind::Auto), {0x1p30, -0x1p30, 0x1p29});
    for (const auto& actions : make_shape_script(seed, options)) {
      const TickOutput a = near.tick(actions);
      const TickOutput b = far.tick(actions);
      begins += a.contacts.begins.size();
      const Told told_a = begins_by_number(a);
      const Told told_b = begins_by_number(b);
      ASSERT_EQ(told_a.size(), told_b.size());
      for (std::size_t i = 0; i < told_a.size(); ++i) {
        ASSERT_EQ(std::get<0>(told_a[i]), std::get<0>(told_b[i]));
        ASSERT_EQ(std::get<1>(told_a[i]), std::get<1>(told_b[i]));
        // The advancement stops within 0.1 mm of the touch; ways are some metres long.
        ASSERT_NEAR(std::get<2>(told_a[i]), std::get<2>(told_b[i]), 1e-3);
      }
      ASSERT_EQ(ends_by_number(a), ends_by_number(b));
    }
  });
  EXPECT_GT(begins, 500u);
}

}  // namespace
}  // namespace vicinity::oracle
