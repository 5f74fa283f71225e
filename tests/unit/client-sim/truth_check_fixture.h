// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A truth check of one bot and one other entity, for its tests.

#include <gtest/gtest.h>

#include "client-sim/bot_area.h"
#include "client-sim/truth_check.h"

namespace vicinity::sim::truth_check_test {

constexpr ObserverId observer{1};
constexpr EntityId own{0, 1};
constexpr EntityId other{1, 1};
constexpr std::uint32_t bot = 7;

inline client::EntityView entity(EntityId id, double x, ObserverId seen_by = {}) {
  client::EntityView view;
  view.id = id;
  view.observer = seen_by;
  view.position = {x, 0, 0};
  view.local_box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  view.user_data = id.raw();
  return view;
}

inline TruthTick truth(Tick tick, std::initializer_list<client::EntityView> entities,
                       const ShapeOf& shape_of = {}) {
  client::TickFrame all;
  all.enters = entities;
  View view;
  view.apply(all);
  TruthTick out;
  make_truth(tick, tick * 50'000, {&view, 1}, shape_of, out);
  return out;
}

inline CheckSettings small_settings() {
  CheckSettings settings;
  settings.pending_ticks_max = 16;
  return settings;
}

inline ViewSpec spec_of(Tick first_tick) {
  return {own, observer, make_area(AreaKind::Sphere, 10, 12, {}), first_tick};
}

inline client::TickFrame frame(Tick tick) {
  client::TickFrame out;
  out.tick = tick;
  out.server_time_us = tick * 50'000;
  return out;
}
inline client::TickFrame enter_frame(Tick tick, const client::EntityView& e) {
  client::TickFrame out = frame(tick);
  out.enters.push_back(e);
  out.enters.back().observer = observer;
  return out;
}
inline client::TickFrame leave_frame(Tick tick, EntityId id) {
  client::TickFrame out = frame(tick);
  out.leaves.push_back({id, observer, LeaveReason::OutOfRange});
  return out;
}
inline client::TickFrame move_frame(Tick tick, EntityId id, double x) {
  client::TickFrame out = frame(tick);
  out.moved.push_back({id, observer, 0, {x, 0, 0}});
  return out;
}

/// The bot stands at 0 with a box of half size 0.5. A box of the same size at x is x - 0.5 away:
/// it enters at x <= 10.5 and leaves at x > 12.5.
class TruthCheckTest : public ::testing::Test {
 protected:
  TruthCheckTest() { check.add_bot(bot, spec_of(1)); }

  void tick(const client::TickFrame& seen, double x) {
    check.add_truth(truth(seen.tick, {entity(own, 0), entity(other, x)}));
    check.add_frame(bot, seen, 0);
  }
  void see_other(Tick at) { tick(enter_frame(at, entity(other, 5)), 5); }

  TruthCheck check{small_settings()};
  const CheckStats& stats = check.stats();
};

}  // namespace vicinity::sim::truth_check_test
