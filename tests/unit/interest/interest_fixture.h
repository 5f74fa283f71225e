// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One observer in a small world, for the tests of interest: add areas, step, ask what was told.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "interest/interest.h"
#include "support/test_world.h"

namespace vicinity::test {

inline constexpr SessionId session{7};
inline constexpr ObserverId observer{3};
inline constexpr AreaId area{11};

/// Sees centres within 10 m, lets go beyond 12 m.
inline AreaSpec sphere_area(Vec3 centre = {}) {
  AreaSpec spec;
  spec.reach = Reach::Centre;
  spec.centre = centre;
  spec.enter_radius_m = 10;
  spec.leave_radius_m = 12;
  return spec;
}

class InterestTest : public testing::Test {
 protected:
  void add(const AreaSpec& spec, EntityId anchor = {}, AreaId name = area,
           ObserverId of = observer) {
    ASSERT_EQ(interest_.add_area(session, {of, name, spec}, anchor), ErrorCode::None);
  }
  void change(const AreaSpec& spec, EntityId anchor = {}) {
    ASSERT_EQ(interest_.change_area(session, {area, spec}, anchor), ErrorCode::None);
  }
  /// Runs a tick; the getters below speak of it.
  void step() {
    world_->step();
    interest_.update(*world_->snapshot(), world_->changed(), *world_->index(), world_->workers(),
                     events_);
  }
  /// Events of the only observer; empty ones when it had nothing to tell.
  ObserverEvents only() const {
    EXPECT_LE(events_.size(), 1u);
    return events_.empty() ? ObserverEvents{} : events_.front();
  }
  std::vector<EntityId> ids(const std::vector<std::uint32_t>& slots) const {
    std::vector<EntityId> out;
    for (const std::uint32_t slot : slots) out.push_back(world_->snapshot()->id[slot]);
    return out;
  }
  std::vector<EntityId> entered() const { return ids(only().enters); }
  std::vector<Leave> left() const { return only().leaves; }

  std::unique_ptr<TestWorld> world_ = std::make_unique<TestWorld>();
  Interest interest_;
  std::vector<ObserverEvents> events_;
};

}  // namespace vicinity::test
