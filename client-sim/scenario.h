// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What bots do. A Mover is one bot's body and its path, advanced tick by tick; it knows nothing of
// the network. Everything follows from (scenario, bot, bot count, seed, tick rate) and the number
// of ticks since the spawn, so that a run can be repeated. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/prng.h"
#include "base/vec.h"
#include "geometry/shape.h"

namespace vicinity::sim {

enum class Scenario : std::uint8_t {
  Walk,      ///< everybody strolls over an open field
  Crowd,     ///< a denser field with hot spots where people stand and shuffle
  FlashMob,  ///< all run to one place, stay, and scatter again
  Teleport,  ///< walkers of whom 5 % per tick are somewhere else at once
  Corridor,  ///< runners in both directions of a long, narrow hall
};

std::optional<Scenario> parse_scenario(std::string_view name);
std::string_view to_string(Scenario scenario);
/// "walk, crowd, ...", for messages.
std::string scenario_names();

/// The part of the world that a scenario uses: |x| <= half_x_m, |z| <= half_z_m, 0 <= y <=
/// height_m. Grows with the number of bots, so that each of them has about the same company.
struct Ground {
  double half_x_m = 0;
  double half_z_m = 0;
  double height_m = 0;
};
Ground ground_of(Scenario scenario, std::uint32_t bot_count);

enum class StepKind : std::uint8_t {
  Stay,      ///< nothing to send: stands still, or goes on with its velocity
  MoveTo,    ///< position
  Steer,     ///< position, and from there on with velocity
  Teleport,  ///< position, no path
};
struct Step {
  StepKind kind = StepKind::Stay;
  Vec3 position;                      ///< metres
  Vec3 velocity;                      ///< metres per second
  std::optional<Quat> rotation = {};  ///< of what turns; the rest never does
  Vec3 angular_velocity = {};         ///< with Steer, radians per second
};

struct MoverSettings {
  Scenario scenario = Scenario::Crowd;
  std::uint32_t bot = 0;
  std::uint32_t bot_count = 1;
  std::uint64_t seed = 1;
  std::uint32_t tick_rate_hz = 20;
};

/// What a bot puts into the user data of its entity, so that its shape is known: its number, plus
/// 1, and the seed, on which shapes depend. Bots of another process have another seed, or the same
/// shapes. 0 is for entities that are no bots.
constexpr std::uint64_t user_data_of(std::uint64_t seed, std::uint32_t bot) {
  return (seed - 1) << 32 | (bot + 1);
}

class Mover {
 public:
  explicit Mover(const MoverSettings& settings);

  const Shape& shape() const { return shape_; }
  /// How it stands where position() says.
  Quat rotation() const;
  /// Where the bot stands after the last advance(); where it spawns before the first.
  Vec3 position() const { return position_; }
  /// One tick further.
  Step advance();

 private:
  void choose_body();
  bool turns() const { return turn_rad_per_s_ != 0 || heading_rad_ != 0; }
  Step step_to(StepKind kind, Vec3 velocity) const;
  Vec3 anywhere();
  Vec3 inside_disc(Vec3 centre, double radius_m);
  Vec3 choose_target();
  void begin_leg();
  bool change_phase();
  Step walk();

  MoverSettings settings_;
  Ground ground_;
  Prng prng_;
  Shape shape_;
  bool steers_ = false;    ///< moves by velocity instead of by position
  double altitude_m_ = 0;  ///< highest origin above the ground; 0 for what stands on it
  double speed_m_per_s_ = 0;
  double heading_rad_ = 0;     ///< about y, at the spawn
  double turn_rad_per_s_ = 0;  ///< about y
  Vec3 position_;
  Vec3 target_;
  bool leg_begins_ = true;
  std::uint32_t pause_ticks_ = 0;
  std::uint64_t tick_ = 0;  ///< ticks since the spawn
  bool gathered_ = true;    ///< flash mob: on the way to the place, or back
};

}  // namespace vicinity::sim
