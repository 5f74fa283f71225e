// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/scenario.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "base/check.h"

namespace vicinity::sim {
namespace {

struct Named {
  Scenario scenario;
  std::string_view name;
};
constexpr std::array named_scenarios = {
    Named{Scenario::Walk, "walk"},          Named{Scenario::Crowd, "crowd"},
    Named{Scenario::FlashMob, "flash-mob"}, Named{Scenario::Teleport, "teleport"},
    Named{Scenario::Corridor, "corridor"},
};

struct SpeedRange {
  double min_m_per_s;
  double max_m_per_s;
};
SpeedRange speed_of(Scenario scenario) {
  switch (scenario) {
    case Scenario::Crowd: return {1.0, 2.0};
    case Scenario::FlashMob: return {4.0, 8.0};
    case Scenario::Corridor: return {2.0, 6.0};
    case Scenario::Walk:
    case Scenario::Teleport: break;
  }
  return {1.5, 4.0};
}

/// Per tick, as in the benchmark scene of the same name.
constexpr double teleport_probability = 0.05;
constexpr double hot_spot_probability = 0.3;
constexpr double hot_spot_radius_m = 6;
constexpr double flight_height_m = 6;
constexpr double mob_stay_s = 5;

double side_m(double metres_per_bot, std::uint32_t bot_count) {
  return std::max(40.0, metres_per_bot * std::sqrt(static_cast<double>(bot_count)));
}

/// One generator per purpose and bot, so that no bot's path depends on another's.
Prng stream(std::uint64_t seed, std::uint64_t number) {
  return Prng(Prng(seed).next() ^ Prng(number).next());
}

/// Hot spots and the mob's place are the same for all bots.
Vec3 common_place(const MoverSettings& settings, const Ground& ground, std::uint64_t number) {
  Prng prng = stream(settings.seed, 0x5000'0000'0000ull + number);
  const double margin = 0.7;
  return {prng.between(-margin, margin) * ground.half_x_m, 0,
          prng.between(-margin, margin) * ground.half_z_m};
}

double mob_radius_m(std::uint32_t bot_count) {
  return std::max(3.0, 0.6 * std::sqrt(static_cast<double>(bot_count)));
}

/// A crate that lies on an edge, tilted about z; its lowest corner is on the ground.
Shape tilted_crate(Vec3 half, double tilt_rad) {
  const Quat tilt = from_rotation_vector({0, 0, tilt_rad});
  const double height_m =
      half.x * std::abs(rotate(tilt, {1, 0, 0}).y) + half.y * std::abs(rotate(tilt, {0, 1, 0}).y);
  return Shape::of_parts({box_primitive(half, {{0, height_m, 0}, tilt})});
}

/// A wedge that rises along x.
Shape ramp(Vec3 half) {
  const std::array<Vec3, 6> points = {
      Vec3{-half.x, 0, -half.z}, Vec3{half.x, 0, -half.z}, Vec3{half.x, 2 * half.y, -half.z},
      Vec3{-half.x, 0, half.z},  Vec3{half.x, 0, half.z},  Vec3{half.x, 2 * half.y, half.z}};
  auto hull = ConvexHull::build(points, "ramp");
  CHECK(hull.ok());
  return Shape::of_parts(
      {hull_primitive(std::make_shared<const ConvexHull>(std::move(hull.value())))});
}

}  // namespace

std::optional<Scenario> parse_scenario(std::string_view name) {
  for (const Named& named : named_scenarios)
    if (named.name == name) return named.scenario;
  return std::nullopt;
}

std::string_view to_string(Scenario scenario) {
  for (const Named& named : named_scenarios)
    if (named.scenario == scenario) return named.name;
  CHECK(false);
}

std::string scenario_names() {
  std::string names;
  for (const Named& named : named_scenarios) {
    if (!names.empty()) names += ", ";
    names += named.name;
  }
  return names;
}

Ground ground_of(Scenario scenario, std::uint32_t bot_count) {
  switch (scenario) {
    case Scenario::Crowd: {
      const double half = 0.5 * side_m(8, bot_count);
      return {half, half, flight_height_m};
    }
    case Scenario::Corridor: return {std::max(25.0, 0.75 * bot_count), 2, flight_height_m};
    case Scenario::Walk:
    case Scenario::FlashMob:
    case Scenario::Teleport: break;
  }
  const double half = 0.5 * side_m(12, bot_count);
  return {half, half, flight_height_m};
}

Mover::Mover(const MoverSettings& settings)
    : settings_(settings),
      ground_(ground_of(settings.scenario, settings.bot_count)),
      prng_(stream(settings.seed, settings.bot)) {
  CHECK(settings.tick_rate_hz > 0);
  CHECK(settings.bot < settings.bot_count);
  choose_body();
  steers_ = prng_.below(3) == 0;
  const SpeedRange speed = speed_of(settings.scenario);
  speed_m_per_s_ = prng_.between(speed.min_m_per_s, speed.max_m_per_s);
  position_ = anywhere();
  begin_leg();
}

/// Mostly people, who stand with their feet at the origin; some drones, some crates on wheels, and
/// some crates and ramps that turn.
void Mover::choose_body() {
  const std::uint64_t kind = prng_.below(10);
  if (kind < 6) {
    const double radius_m = prng_.between(0.3, 0.5);
    const double half_height_m = prng_.between(0.3, 0.6);
    shape_ = Shape::capsule(radius_m, half_height_m, {0, radius_m + half_height_m, 0});
  } else if (kind < 8) {
    shape_ = Shape::sphere(prng_.between(0.2, 1.5));
    altitude_m_ = ground_.height_m;
  } else {
    const Vec3 half{prng_.between(0.5, 2.5), prng_.between(0.5, 1.5), prng_.between(0.5, 1.5)};
    shape_ = Shape::box(half, {0, half.y, 0});
    if (kind == 8) return;
    const std::uint64_t body = prng_.below(3);
    if (body == 1) shape_ = tilted_crate(half, prng_.between(0.2, 1.3));
    if (body == 2) shape_ = ramp(half);
    heading_rad_ = prng_.between(0.1, 3);
    turn_rad_per_s_ = prng_.between(-3, 3);
  }
}

Quat Mover::rotation() const {
  if (!turns()) return {};
  const double time_s = static_cast<double>(tick_) / settings_.tick_rate_hz;
  return from_rotation_vector({0, heading_rad_ + turn_rad_per_s_ * time_s, 0});
}

Step Mover::step_to(StepKind kind, Vec3 velocity) const {
  Step step{kind, position_, velocity};
  if (!turns() || kind == StepKind::Stay) return step;
  step.rotation = rotation();
  step.angular_velocity = {0, turn_rad_per_s_, 0};
  return step;
}

Vec3 Mover::anywhere() {
  const double x = prng_.between(-ground_.half_x_m, ground_.half_x_m);
  const double y = prng_.between(0, altitude_m_);
  const double z = prng_.between(-ground_.half_z_m, ground_.half_z_m);
  return {x, y, z};
}

Vec3 Mover::inside_disc(Vec3 centre, double radius_m) {
  Vec3 offset;
  do {
    offset.x = prng_.between(-radius_m, radius_m);
    offset.z = prng_.between(-radius_m, radius_m);
  } while (length_squared(offset) > radius_m * radius_m);
  offset.y = prng_.between(0, altitude_m_);
  const Vec3 place = centre + offset;
  return {std::clamp(place.x, -ground_.half_x_m, ground_.half_x_m), place.y,
          std::clamp(place.z, -ground_.half_z_m, ground_.half_z_m)};
}

Vec3 Mover::choose_target() {
  switch (settings_.scenario) {
    case Scenario::Crowd: {
      if (!prng_.chance(hot_spot_probability)) return anywhere();
      const std::uint64_t hot_spot_count = 1 + settings_.bot_count / 50;
      const std::uint64_t hot_spot = prng_.below(hot_spot_count);
      return inside_disc(common_place(settings_, ground_, hot_spot), hot_spot_radius_m);
    }
    case Scenario::FlashMob:
      if (!gathered_) return anywhere();
      return inside_disc(common_place(settings_, ground_, 0), mob_radius_m(settings_.bot_count));
    case Scenario::Corridor: {
      Vec3 target = anywhere();
      const double end = prng_.between(0.85, 1.0) * ground_.half_x_m;
      target.x = position_.x > 0 ? -end : end;
      return target;
    }
    case Scenario::Walk:
    case Scenario::Teleport: break;
  }
  return anywhere();
}

void Mover::begin_leg() {
  target_ = choose_target();
  leg_begins_ = true;
}

/// The mob gathers and scatters in turns that are long enough for everybody to arrive.
bool Mover::change_phase() {
  if (settings_.scenario != Scenario::FlashMob) return false;
  const double diagonal_m = 2 * std::hypot(ground_.half_x_m, ground_.half_z_m);
  const double phase_s = diagonal_m / speed_of(Scenario::FlashMob).min_m_per_s + mob_stay_s;
  const auto phase_ticks =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(phase_s * settings_.tick_rate_hz));
  const bool gathered = (tick_ / phase_ticks) % 2 == 0;
  if (gathered == gathered_) return false;
  gathered_ = gathered;
  return true;
}

Step Mover::advance() {
  ++tick_;
  if (change_phase()) {
    pause_ticks_ = 0;
    begin_leg();
  }
  if (settings_.scenario == Scenario::Teleport && prng_.chance(teleport_probability)) {
    position_ = anywhere();
    begin_leg();
    return step_to(StepKind::Teleport, {});
  }
  if (pause_ticks_ > 0) {
    --pause_ticks_;
    return {StepKind::Stay, position_, {}};
  }
  return walk();
}

Step Mover::walk() {
  const Vec3 gap = target_ - position_;
  const double distance_m = length(gap);
  const double step_m = speed_m_per_s_ / settings_.tick_rate_hz;
  if (distance_m <= step_m) {
    position_ = target_;
    begin_leg();
    // People in a crowd stop where they arrive, for up to two seconds.
    if (settings_.scenario == Scenario::Crowd)
      pause_ticks_ = static_cast<std::uint32_t>(prng_.below(2ull * settings_.tick_rate_hz + 1));
    return step_to(steers_ ? StepKind::Steer : StepKind::MoveTo, {});
  }
  position_ = position_ + gap * (step_m / distance_m);
  if (!steers_) return step_to(StepKind::MoveTo, {});
  if (!leg_begins_) return {StepKind::Stay, position_, {}};
  leg_begins_ = false;
  return step_to(StepKind::Steer, gap * (speed_m_per_s_ / distance_m));
}

}  // namespace vicinity::sim
