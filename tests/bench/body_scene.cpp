// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/body_scene.h"

#include <algorithm>

#include "base/check.h"
#include "bench/integer_roots.h"

namespace vicinity::bench {
namespace {

/// Room around the world for boxes that reach out of it.
constexpr Units margin = 64 * metre;

}  // namespace

Units BodyScene::between(Units low, Units high) {
  return low + static_cast<Units>(prng_.below(static_cast<std::uint64_t>(high - low + 1)));
}

void BodyScene::set_world(const UnitVector& size) {
  world_ = size;
  set_extent({-margin, -margin, -margin}, {size[0] + margin, size[1] + margin, size[2] + margin});
}

void BodyScene::place_anywhere(Body& body) {
  for (int axis = 0; axis < 3; ++axis) {
    const Units low = body.half[axis];
    const Units high = world_[axis] - low;
    body.position[axis] = low < high ? between(low, high) : world_[axis] / 2;
  }
}

void BodyScene::place_at_hot_spot(Body& body, std::int32_t hot_spot) {
  constexpr Units deviation = 4 * metre;
  body.hot_spot = hot_spot;
  for (const int axis : {0, 2}) {
    // The sum of four uniform numbers is nearly normal; its deviation is 2 / sqrt(3) of theirs.
    Units offset = 0;
    for (int i = 0; i < 4; ++i) offset += between(-deviation, deviation);
    offset = offset * 866 / 1000;
    body.position[axis] = std::clamp(hot_spots_[hot_spot][axis] + offset, body.half[axis],
                                     world_[axis] - body.half[axis]);
  }
}

// A vector out of the shell between half and full length is scaled to the speed.
void BodyScene::turn(Body& body) {
  constexpr Units full = 1024;
  UnitVector direction = {};
  Units square = 0;
  do {
    square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == 1 && habits_.on_ground) continue;
      direction[axis] = between(-full, full);
      square += direction[axis] * direction[axis];
    }
  } while (square > full * full || 4 * square < full * full);
  const auto length = static_cast<Units>(square_root(static_cast<std::uint64_t>(square)));
  for (int axis = 0; axis < 3; ++axis) body.velocity[axis] = direction[axis] * body.speed / length;
}

void BodyScene::set_flying(Body& body) {
  body.gait = Gait::Fly;
  place_anywhere(body);
  body.position[1] = between(metre / 2, 3 * metre / 2);
  turn(body);
  body.velocity[1] = between(-100, 100);
}

void BodyScene::add(const Body& body, const Filter& body_filter) {
  const auto slot = static_cast<std::uint32_t>(bodies_.size());
  filter(slot) = body_filter;
  if (body.gait != Gait::Static) mobile_.push_back(slot);
  bodies_.push_back(body);
}

void BodyScene::start() {
  prng_ = Prng(~seed_);  // what moves does not depend on how many bodies stand around
  for (std::uint32_t slot = 0; slot < bodies_.size(); ++slot) place_body(slot);
  for (auto slot = static_cast<std::uint32_t>(bodies_.size()); slot < state().slot_count(); ++slot)
    free_slots_.push_back(slot);
  bodies_.resize(state().slot_count());
}

void BodyScene::place_body(std::uint32_t slot) {
  const Body& body = bodies_[slot];
  UnitVector min, max;
  for (int axis = 0; axis < 3; ++axis) {
    min[axis] = body.position[axis] - body.half[axis];
    max[axis] = body.position[axis] + body.half[axis];
  }
  place(slot, min, max);
}

void BodyScene::advance() {
  if (habits_.churn_percent > 0) churn();
  for (const std::uint32_t slot : mobile_) act(slot);
}

void BodyScene::act(std::uint32_t slot) {
  Body& body = bodies_[slot];
  if (body.gait == Gait::Fly) return fly(slot);
  if (habits_.idles && idles_now(body)) return;
  if (habits_.resizes) resize(body);
  if (prng_.below(100) < habits_.teleport_percent) {
    place_anywhere(body);
  } else {
    if (prng_.below(32) == 0) {
      turn(body);
      if (body.hot_spot >= 0) turn_towards_hot_spot(body);
    }
    walk(body);
  }
  place_body(slot);
}

bool BodyScene::idles_now(Body& body) {
  const std::uint64_t chance = prng_.below(256);
  if (body.gait == Gait::Idle && chance < 8) {
    body.gait = Gait::Walk;
  } else if (body.gait == Gait::Walk && chance < 2) {
    body.gait = Gait::Idle;
  }
  return body.gait == Gait::Idle;
}

// Those who went farther than 8 m come back.
void BodyScene::turn_towards_hot_spot(Body& body) {
  const Units dx = hot_spots_[body.hot_spot][0] - body.position[0];
  const Units dz = hot_spots_[body.hot_spot][2] - body.position[2];
  if (dx * dx + dz * dz <= 64 * metre * metre) return;
  if ((dx < 0) != (body.velocity[0] < 0)) body.velocity[0] = -body.velocity[0];
  if ((dz < 0) != (body.velocity[2] < 0)) body.velocity[2] = -body.velocity[2];
}

void BodyScene::walk(Body& body) {
  for (int axis = 0; axis < 3; ++axis) {
    const Units low = body.half[axis];
    const Units high = world_[axis] - low;
    if (low >= high) continue;  // fills the world along this axis
    Units& position = body.position[axis];
    position += body.velocity[axis];
    if (position >= low && position <= high) continue;
    body.velocity[axis] = -body.velocity[axis];
    const Units mirrored = 2 * (position < low ? low : high) - position;
    position = std::clamp(mirrored, low, high);
  }
}

void BodyScene::fly(std::uint32_t slot) {
  Body& body = bodies_[slot];
  UnitVector before = body.position;
  bool left = false;
  for (int axis = 0; axis < 3; ++axis) {
    body.position[axis] += body.velocity[axis];
    left = left || body.position[axis] < body.half[axis] ||
           body.position[axis] > world_[axis] - body.half[axis];
  }
  if (left) {
    set_flying(body);
    before = body.position;
  }
  UnitVector min, max;
  for (int axis = 0; axis < 3; ++axis) {
    min[axis] = std::min(before[axis], body.position[axis]) - body.half[axis];
    max[axis] = std::max(before[axis], body.position[axis]) + body.half[axis];
  }
  place(slot, min, max);
}

// Another power of two than the present one, and another remainder.
void BodyScene::resize(Body& body) {
  const Units before = body.half[0];
  do {
    const Units base = (metre / 4) << prng_.below(6);
    for (int axis = 0; axis < 3; ++axis) body.half[axis] = between(base, base * 9 / 8);
  } while (2 * body.half[0] < 3 * before && 2 * before < 3 * body.half[0]);
}

// The dead of a tick wait at the end of the line of free slots, as they do in a server.
void BodyScene::churn() {
  const auto count = state().alive_count * habits_.churn_percent / 100;
  CHECK(count <= free_slots_.size());
  std::vector<Body> fresh;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = prng_.below(mobile_.size());
    const std::uint32_t slot = mobile_[at];
    mobile_[at] = mobile_.back();
    mobile_.pop_back();
    remove(slot);
    free_slots_.push_back(slot);
    fresh.push_back(bodies_[slot]);
  }
  for (Body& body : fresh) {
    const std::uint32_t slot = free_slots_.front();
    free_slots_.pop_front();
    place_anywhere(body);
    bodies_[slot] = body;
    mobile_.push_back(slot);  // walks a first step from there at once
  }
}

}  // namespace vicinity::bench
