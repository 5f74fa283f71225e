// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/interpolator.h"

#include <algorithm>
#include <cmath>

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
  const auto state_of = [&](const auto& entity) {
    return State{
        time_us, {entity.position, entity.rotation}, entity.velocity, entity.angular_velocity};
  };
  for (const EntityLeave& leave : frame.leaves) tracks_.erase({leave.observer, leave.id});
  for (const EntityView& enter : frame.enters) {
    Track& track = tracks_[{enter.observer, enter.id}];
    track.count = 0;
    push(track, state_of(enter));
  }
  const auto update = [&](const auto& entity, bool jumped) {
    const auto track = tracks_.find({entity.observer, entity.id});
    if (track == tracks_.end()) return;
    State state = state_of(entity);
    state.jumped = jumped;
    add(track->second, state);
  };
  for (const EntityView& changed : frame.changed) update(changed, false);
  for (const EntityMove& moved : frame.moved) update(moved, moved.jumped);
}

void Interpolator::add(Track& track, const State& state) const {
  State& last = track.states[track.count - 1];
  if (state.time_us <= last.time_us) {  // both of one tick
    const bool jumped = last.jumped || state.jumped;
    last = state;
    last.jumped = jumped;
    return;
  }
  if (state.time_us - last.time_us > options_.gap_max_us) {
    State rest = last;
    rest.time_us = state.time_us - options_.gap_max_us;
    rest.jumped = false;
    push(track, rest);
  }
  push(track, state);
}

void Interpolator::push(Track& track, const State& state) {
  if (track.count == Track::state_count_max) {
    std::move(track.states.begin() + 1, track.states.end(), track.states.begin());
    --track.count;
  }
  track.states[track.count++] = state;
}

void Interpolator::drop_observer(ObserverId observer) {
  std::erase_if(tracks_, [&](const auto& entry) { return entry.first.first == observer; });
}

std::optional<Pose> Interpolator::pose(EntityId id, std::int64_t server_time_us,
                                       ObserverId observer) const {
  const auto found = tracks_.find({observer, id});
  if (found == tracks_.end()) return std::nullopt;
  const Track& track = found->second;
  const std::int64_t time_us = server_time_us - options_.delay_us;
  const State* const first = track.states.data();
  const State* const end = first + track.count;
  const State* const after = std::upper_bound(
      first, end, time_us, [](std::int64_t time, const State& s) { return time < s.time_us; });
  if (after == first) return first->pose;
  const State& before = *(after - 1);
  if (after == end) return ahead(before, time_us);
  if (after->jumped) return before.pose;
  const double t = static_cast<double>(time_us - before.time_us) /
                   static_cast<double>(after->time_us - before.time_us);
  return Pose{between(before.pose.position, after->pose.position, t),
              between(before.pose.rotation, after->pose.rotation, t)};
}

Pose Interpolator::ahead(const State& state, std::int64_t time_us) const {
  const std::int64_t ahead_us = std::min(time_us - state.time_us, options_.extrapolation_max_us);
  const double seconds = static_cast<double>(ahead_us) * 1e-6;
  const Quat turn = from_rotation_vector(state.angular_velocity * seconds);
  return {state.pose.position + state.velocity * seconds, normalized(turn * state.pose.rotation)};
}

}  // namespace vicinity::client
