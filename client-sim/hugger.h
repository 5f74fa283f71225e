// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The path of a bot that walks to and fro across the edge of somebody's area: out until it is
// beyond the leave distance, in until it is within the enter distance, where views most easily go
// wrong. Pure; any thread.

#include "base/vec.h"
#include "client-sim/scenario.h"

namespace vicinity::sim {

struct Edge {
  double enter_m = 20;
  double leave_m = 22;
};

class Hugger {
 public:
  Hugger(Vec3 position, Edge edge) : position_(position), edge_(edge) {}

  Vec3 position() const { return position_; }
  /// One step of at most `step_m` towards the side where it goes next, or away from `centre`. Stays
  /// on the ground, widened by `margin_m`.
  Vec3 advance(Vec3 centre, double step_m, const Ground& ground, double margin_m);

 private:
  Vec3 position_;
  Edge edge_;
  bool outwards_ = true;
};

}  // namespace vicinity::sim
