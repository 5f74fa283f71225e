// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Smooth poses between the ticks: where an entity was at a moment a little in the past, from the
// states that the server told before and after it. Pure; times come from outside. Not thread-safe.
//
//   states:  s1 ------ s2 ------ s3          server time ->
//   pose:   hold s1 | between | between | ahead by velocity, at most extrapolation_max_us, then
//   hold

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "client/frame.h"
#include "geometry/pose.h"

namespace vicinity::client {

struct InterpolationOptions {
  /// How far in the past to draw: a little more than the time between two updates.
  std::int64_t delay_us = 100'000;
  /// How long an entity of which nothing new is heard goes on with its velocity.
  std::int64_t extrapolation_max_us = 250'000;
  /// An entity that the server did not tell of for longer stood still until this long before the
  /// next state.
  std::int64_t gap_max_us = 500'000;
};

class Interpolator {
 public:
  explicit Interpolator(const InterpolationOptions& options = {}) : options_(options) {}

  void apply(const TickFrame& frame);
  void drop_observer(ObserverId observer);
  void clear();

  /// The pose to draw when the server's clock says so; nothing for what the observer does not see.
  /// Never between the two ends of a jump: the entity waits at the first and is then at the other.
  std::optional<Pose> pose(EntityId id, std::int64_t server_time_us,
                           ObserverId observer = {}) const;

 private:
  struct State {
    std::int64_t time_us = 0;
    Pose pose;
    Vec3 velocity;
    Vec3 angular_velocity;
    bool jumped = false;  ///< no path leads here from the state before
  };
  using Name = std::pair<ObserverId, EntityId>;
  /// The last states, a ring.
  struct Track {
    static constexpr std::size_t state_count_max = 8;
    Name name;
    std::array<State, state_count_max> states{};
    std::size_t first = 0;  ///< the oldest
    std::size_t count = 0;  ///< 0: of no entity

    State& at(std::size_t i) { return states[(first + i) % state_count_max]; }
    const State& at(std::size_t i) const { return states[(first + i) % state_count_max]; }
    State& last() { return at(count - 1); }
  };

  void start(const EntityView& entity, const State& state);
  template <class Told>
  State* state_at(const Told& told, std::int64_t time_us);
  static void push(Track& track, const State& state);
  Pose ahead(const State& state, std::int64_t time_us) const;

  InterpolationOptions options_;
  std::vector<Track> tracks_;  ///< by slot
  std::map<Name, std::uint32_t> slots_;
};

}  // namespace vicinity::client
