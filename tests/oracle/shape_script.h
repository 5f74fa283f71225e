// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Random worlds of all shapes that move, turn, hang on one another and come and go, as scripts that
// name entities by number: the same script runs in any order of spawning and at any place.

#include <cstdint>
#include <map>
#include <vector>

#include "base/prng.h"
#include "tick/simulation.h"
#include "world/command.h"

namespace vicinity::oracle {

/// What happens to entity `who` in a tick; `command` has no ids yet.
struct ShapeAction {
  std::uint32_t who = 0;
  std::uint32_t other = 0;  ///< parent, or second of a pair
  CommandBody command;
};
using ShapeScript = std::vector<std::vector<ShapeAction>>;  ///< by tick

struct ShapeScriptOptions {
  std::uint32_t entities = 40;
  std::uint32_t ticks = 12;
  double reach_m = 12;
  bool meshes = true;    ///< a client may give them to static entities only
  bool attaches = true;  ///< and whatever else places entities where f64 cannot be exact
};
ShapeScript make_shape_script(std::uint64_t seed, const ShapeScriptOptions& options);

/// A shape of any kind, 0.2 to 6 m; meshes are two-sided.
Shape any_shape(Prng& prng, bool meshes = true);
Quat any_rotation(Prng& prng);

/// The command of an action with the ids of the two entities.
CommandBody with_ids(const ShapeAction& action, EntityId who, EntityId other);

/// Runs a script in a world of its own.
class ShapeRun {
 public:
  /// `shift` is added to all positions. Entities of the first tick are spawned in ascending order
  /// of their numbers, or descending.
  ShapeRun(const SimulationSettings& settings, Vec3 shift = {}, bool descending = false);

  TickOutput tick(std::vector<ShapeAction> actions);
  /// Number of the entity, by its user data.
  static std::uint32_t number_of(const EventContact& contact, bool second) {
    return static_cast<std::uint32_t>(second ? contact.user_data_b : contact.user_data_a);
  }

 private:
  void put(const ShapeAction& action, std::vector<Command>& commands);

  Simulation simulation_;
  Vec3 shift_;
  bool descending_;
  std::uint64_t sequence_ = 1;
  bool is_first_ = true;
  std::map<std::uint32_t, EntityId> ids_;
};

}  // namespace vicinity::oracle
