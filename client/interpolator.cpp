// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/interpolator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/quat.h"

namespace vicinity::client {
namespace {

/// The shortest arc from a to b at a constant rate.
Quat between(const Quat& a, const Quat& b, double t) {
  const double dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  const double sign = dot < 0 ? -1 : 1;
  double from = 1 - t, to = t;
  if (const double angle = std::acos(std::min(1.0, std::abs(dot))); angle > 1e-4) {
    from = std::sin((1 - t) * angle) / std::sin(angle);
    to = std::sin(t * angle) / std::sin(angle);
  }
  to *= sign;
  return normalized(
      {from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z, from * a.w + to * b.w});
}

Vec3 between(const Vec3& a, const Vec3& b, double t) { return a + (b - a) * t; }

}  // namespace

void Interpolator::apply(const TickFrame& frame) {
  const auto time_us = static_cast<std::int64_t>(frame.server_time_us);
  const auto state_of = [&](const EntityView& entity) {
    return State{
        time_us, {entity.position, entity.rotation}, entity.velocity, entity.angular_velocity};
  };
  for (const EntityLeave& leave : frame.leaves) {
    const auto name = slots_.find({leave.observer, leave.id});
    if (name == slots_.end()) continue;
    tracks_[name->second].count = 0;
    slots_.erase(name);
  }
  for (const EntityView& enter : frame.enters) start(enter, state_of(enter));
  for (const EntityView& changed : frame.changed)
    if (State* const state = state_at(changed, time_us)) {
      const bool jumped = state->jumped;
      *state = state_of(changed);
      state->jumped = jumped;
    }
  // The parts of what moved, into one state for each entity.
  const auto update_each = [&](const auto& list, auto update) {
    for (const auto& told : list)
      if (State* const state = state_at(told, time_us)) update(*state, told);
  };
  update_each(frame.moved,
              [](State& state, const EntityMove& move) { state.pose.position = move.position; });
  update_each(frame.turned,
              [](State& state, const EntityTurn& turn) { state.pose.rotation = turn.rotation; });
  update_each(frame.velocities, [](State& state, const EntityVelocity& velocity) {
    state.velocity = velocity.value;
  });
  update_each(frame.spins, [](State& state, const EntityVelocity& spin) {
    state.angular_velocity = spin.value;
  });
  update_each(frame.jumped, [](State& state, const EntityJump&) { state.jumped = true; });
}

void Interpolator::start(const EntityView& entity, const State& state) {
  if (entity.slot >= tracks_.size()) tracks_.resize(entity.slot + std::size_t{1});
  const Name name{entity.observer, entity.id};
  const auto [entry, is_new] = slots_.insert({name, entity.slot});
  if (!is_new) tracks_[std::exchange(entry->second, entity.slot)].count = 0;
  Track& track = tracks_[entity.slot];
  // As in Replica: an observer without areas may lose its slots before it is dropped here.
  if (track.count > 0) slots_.erase(track.name);
  track.name = name;
  track.count = 0;
  push(track, state);
}

/// The state of a known entity at a time: the last one, or a new one that is as the last one was.
template <class Told>
Interpolator::State* Interpolator::state_at(const Told& told, std::int64_t time_us) {
  if (told.slot >= tracks_.size()) return nullptr;
  Track& track = tracks_[told.slot];
  if (track.count == 0 || track.name.second != told.id) return nullptr;
  if (time_us > track.last().time_us) {
    State next = track.last();
    next.jumped = false;
    if (time_us - next.time_us > options_.gap_max_us) {
      next.time_us = time_us - options_.gap_max_us;
      push(track, next);
    }
    next.time_us = time_us;
    push(track, next);
  }
  return &track.last();
}

void Interpolator::push(Track& track, const State& state) {
  if (track.count == Track::state_count_max) {
    track.first = (track.first + 1) % Track::state_count_max;
    --track.count;
  }
  ++track.count;
  track.last() = state;
}

void Interpolator::drop_observer(ObserverId observer) {
  std::erase_if(slots_, [&](const auto& entry) {
    if (entry.first.first != observer) return false;
    tracks_[entry.second].count = 0;
    return true;
  });
}

void Interpolator::clear() {
  slots_.clear();
  tracks_.clear();
}

std::optional<Pose> Interpolator::pose(EntityId id, std::int64_t server_time_us,
                                       ObserverId observer) const {
  const auto found = slots_.find({observer, id});
  if (found == slots_.end()) return std::nullopt;
  const Track& track = tracks_[found->second];
  const std::int64_t time_us = server_time_us - options_.delay_us;
  std::size_t after_at = 0;
  while (after_at < track.count && track.at(after_at).time_us <= time_us) ++after_at;
  if (after_at == 0) return track.at(0).pose;
  const State& before = track.at(after_at - 1);
  if (after_at == track.count) return ahead(before, time_us);
  const State& after = track.at(after_at);
  if (after.jumped) return before.pose;
  const double t = static_cast<double>(time_us - before.time_us) /
                   static_cast<double>(after.time_us - before.time_us);
  return Pose{between(before.pose.position, after.pose.position, t),
              between(before.pose.rotation, after.pose.rotation, t)};
}

Pose Interpolator::ahead(const State& state, std::int64_t time_us) const {
  const std::int64_t ahead_us = std::min(time_us - state.time_us, options_.extrapolation_max_us);
  const double seconds = static_cast<double>(ahead_us) * 1e-6;
  const Quat turn = from_rotation_vector(state.angular_velocity * seconds);
  return {state.pose.position + state.velocity * seconds, normalized(turn * state.pose.rotation)};
}

}  // namespace vicinity::client
