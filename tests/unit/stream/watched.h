// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One session that watches and one that owns what there is to see, over links that a test controls.

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "stream_world.h"

namespace vicinity::test {

inline constexpr SessionId world_owner{1};
inline constexpr SessionId watcher{2};
inline constexpr ObserverId observer{5};
inline constexpr AreaId area{9};
inline constexpr double resolution_m = 1.0 / 256;

inline SimulationSettings simulation_settings() {
  SimulationSettings settings;
  settings.dt_s = 0.05;
  settings.world_half_size_m = 1e6;
  settings.worker_count = 2;
  settings.reuse_delay_ticks = 2;
  return settings;
}

inline SpawnCommand box_at(Vec3 position, Vec3 velocity = {}) {
  SpawnCommand spawn;
  spawn.position = position;
  spawn.velocity = velocity;
  spawn.shape = Shape::box({0.5, 0.5, 0.5});
  return spawn;
}

inline AreaSpec sphere_of(double radius_m, std::vector<Ring> rings = {}) {
  AreaSpec spec;
  spec.enter_radius_m = radius_m;
  spec.leave_radius_m = 1.1 * radius_m;
  spec.rings = std::move(rings);
  return spec;
}

/// An authority that owns everything and is told nothing, and a watcher with a model client.
class Watched : public testing::Test {
 protected:
  explicit Watched(const StreamSettings& streams = {}) : world_(simulation_settings(), streams) {
    world_.configure(world_owner, Role::Authority, 0);
    world_.configure(watcher, Role::Observer, 0);
    world_.send(world_owner, OpenSessionCommand{Role::Authority, ContactScope::None});
    world_.send(watcher, OpenSessionCommand{Role::Observer, ContactScope::All});
  }
  void watch(const AreaSpec& spec) { world_.send(watcher, AddAreaCommand{observer, area, spec}); }
  EntityId spawn(const SpawnCommand& command) {
    const std::uint64_t sequence = world_.send(world_owner, command);
    step();
    for (const CommandResult& result : world_.last_results(world_owner))
      if (result.sequence == sequence) return result.entity;
    return {};
  }
  /// A tick, whose frames arrive at once.
  void step() {
    world_.step();
    deliver();
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  void deliver() {
    for (ModelLink* link : {&world_.link(watcher), &world_.link(world_owner)}) {
      for (; !link->on_the_way.empty(); link->on_the_way.pop_front())
        if (link == &world_.link(watcher)) client_.receive(link->on_the_way.front());
    }
  }
  const ModelClient::Seen& seen(EntityId id) { return client_.view.at({observer, id}); }
  std::set<std::pair<ObserverId, EntityId>> known() const {
    std::set<std::pair<ObserverId, EntityId>> out;
    for (const auto& [name, entity] : client_.view) out.insert(name);
    return out;
  }

  std::set<EntityId> known_ids() const {
    std::set<EntityId> out;
    for (const auto& [name, entity] : client_.view) out.insert(name.second);
    return out;
  }

  StreamWorld world_;
  ModelClient client_{resolution_m};
};

}  // namespace vicinity::test
