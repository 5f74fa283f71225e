// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Scenes of bodies that walk, rest, fly, jump, grow, come and go inside a box-shaped world whose
// lowest corner is the origin. How bodies move is in body_scene.cpp; which bodies a scene has is in
// body_recipes.cpp.

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "bench/scene.h"

namespace vicinity::bench {

enum class Gait : std::uint8_t {
  Walk,    ///< straight on, turns back at the walls, takes a new direction now and then
  Idle,    ///< stands until it walks again
  Fly,     ///< straight through the world; its box covers the path of the tick
  Static,  ///< never moves
};

struct Body {
  UnitVector position = {};  ///< centre
  UnitVector half = {};      ///< half the size
  UnitVector velocity = {};  ///< per tick
  Units speed = 51;          ///< per tick; 1.5 m/s at 30 Hz
  std::int32_t hot_spot = -1;
  Gait gait = Gait::Walk;
};

/// What happens in a scene besides plain movement.
struct Habits {
  bool on_ground = false;              ///< directions are horizontal
  bool idles = false;                  ///< walkers stop and go
  std::uint32_t teleport_percent = 0;  ///< of the walkers, per tick
  std::uint32_t churn_percent = 0;     ///< removed and added per tick
  bool resizes = false;                ///< every size changes by a factor in every tick
};

class BodyScene : public Scene {
 public:
  BodyScene(std::uint32_t slot_count, std::uint64_t seed)
      : Scene(slot_count), seed_(seed), prng_(seed) {}

  // For recipes, before start().
  Prng& prng() { return prng_; }
  Units between(Units low, Units high);  ///< both ends included
  Habits& habits() { return habits_; }
  const UnitVector& world() const { return world_; }
  void set_world(const UnitVector& size);
  void add_hot_spot(Units x, Units z) { hot_spots_.push_back({x, 0, z}); }
  /// Near a hot spot, normally distributed with a deviation of 4 m.
  void place_at_hot_spot(Body& body, std::int32_t hot_spot);
  void place_anywhere(Body& body);
  /// A random direction at the speed of the body.
  void turn(Body& body);
  void set_flying(Body& body);
  void add(const Body& body, const Filter& filter = {});
  /// Puts the bodies into their boxes; the slots after them are free.
  void start();

 private:
  void advance() override;
  void act(std::uint32_t slot);
  void walk(Body& body);
  void fly(std::uint32_t slot);
  void resize(Body& body);
  void turn_towards_hot_spot(Body& body);
  bool idles_now(Body& body);
  void churn();
  void place_body(std::uint32_t slot);

  std::uint64_t seed_;
  Prng prng_;
  Habits habits_;
  UnitVector world_ = {};
  std::vector<UnitVector> hot_spots_;
  std::vector<Body> bodies_;              ///< by slot
  std::vector<std::uint32_t> mobile_;     ///< slots of bodies that are not static
  std::deque<std::uint32_t> free_slots_;  ///< the longest free first
};

std::unique_ptr<BodyScene> make_body_scene(std::string_view name, std::uint32_t count,
                                           std::uint64_t seed);

}  // namespace vicinity::bench
