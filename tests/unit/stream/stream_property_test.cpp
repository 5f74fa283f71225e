// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Random worlds over bad links: stalls, delays, cuts with resume, small budgets. After every frame
// that arrives the client's picture must be one that the truth allows, and once the link is good
// again it must become the truth, without a second enter, a ghost or a lost contact.
#include <gtest/gtest.h>

#include "base/prng.h"
#include "oracle/seeds.h"
#include "stream_world.h"

namespace vicinity::test {
namespace {

constexpr SessionId world_owner{1};
constexpr std::uint32_t client_count = 3;
constexpr double resolution_m = 1.0 / 256;

SessionId session_of(std::uint32_t client) { return SessionId{10 + client}; }

class BadLinks {
 public:
  explicit BadLinks(std::uint64_t seed)
      : prng_(seed), streams_(stream_settings(prng_)), world_(simulation_settings(), streams_) {
    world_.configure(world_owner, Role::Authority, 0);
    world_.send(world_owner, OpenSessionCommand{Role::Authority, ContactScope::None});
    for (std::uint32_t i = 0; i < client_count; ++i) {
      clients_.emplace_back(resolution_m);
      const std::uint64_t budget = prng_.below(2) == 0 ? 0 : 3'000 + prng_.below(30'000);
      world_.configure(session_of(i), Role::Observer, budget);
      world_.send(session_of(i), OpenSessionCommand{Role::Observer, ContactScope::All});
      add_area(i, 0);
      if (prng_.below(2) == 0) add_area(i, 1);
    }
  }

  void run(int ticks) {
    for (int tick = 0; tick < ticks && !testing::Test::HasFailure(); ++tick) {
      change_world();
      for (std::uint32_t i = 0; i < client_count; ++i) trouble(i);
      world_.step();
      deliver(world_owner, nullptr, 0);
      for (std::uint32_t i = 0; i < client_count; ++i)
        deliver(session_of(i), &clients_[i], prng_.below(4));
    }
  }

  /// Good links and a world that stands still: the pictures must become right.
  void settle() {
    for (std::uint32_t i = 0; i < client_count; ++i) {
      ModelLink& link = world_.link(session_of(i));
      if (!link.connected) reconnect(i);
      link.room = true;
    }
    note_spawns();
    for (const EntityId id : alive_) world_.send(world_owner, SetVelocityCommand{{id, 0}, {}, {}});
    for (int tick = 0; tick < 400; ++tick) {
      world_.step();
      deliver(world_owner, nullptr, 0);
      for (std::uint32_t i = 0; i < client_count; ++i) deliver(session_of(i), &clients_[i], 0);
    }
    for (std::uint32_t i = 0; i < client_count; ++i) compare(i);
  }

  std::uint64_t resumes = 0;
  std::uint64_t resets = 0;
  std::uint64_t updates() const {
    std::uint64_t sum = 0;
    for (const ModelClient& client : clients_) sum += client.near_moves;
    return sum;
  }

 private:
  static SimulationSettings simulation_settings() {
    SimulationSettings settings;
    settings.dt_s = 0.05;
    settings.world_half_size_m = 1e4;
    settings.worker_count = 2;
    settings.reuse_delay_ticks = 2;
    return settings;
  }
  static StreamSettings stream_settings(Prng& prng) {
    StreamSettings settings;
    settings.slow_consumer_ms = 1'000'000;
    if (prng.below(4) == 0) settings.pending_events_max = 20'000;
    return settings;
  }

  void add_area(std::uint32_t client, std::uint32_t number) {
    AreaSpec spec;
    spec.enter_radius_m = prng_.between(5, 60);
    spec.leave_radius_m = 1.1 * spec.enter_radius_m;
    spec.centre = {prng_.between(-40, 40), 0, prng_.between(-40, 40)};
    if (prng_.below(2) == 0) spec.rings = {{spec.enter_radius_m / 2, 1}, {100, 4}};
    world_.send(session_of(client), AddAreaCommand{ObserverId{number % 2}, AreaId{number}, spec});
  }

  Vec3 anywhere() { return {prng_.between(-60, 60), prng_.between(-2, 2), prng_.between(-60, 60)}; }

  void note_spawns() {
    for (const CommandResult& result : world_.last_results(world_owner))
      if (spawns_.erase(result.sequence) > 0 && result.code == ErrorCode::None)
        alive_.push_back(result.entity);
  }

  void change_world() {
    note_spawns();
    for (int i = 0; i < 6; ++i) {
      if (alive_.size() < 20 || prng_.below(8) == 0) {
        SpawnCommand spawn;
        spawn.position = anywhere();
        spawn.velocity = {prng_.between(-8, 8), 0, prng_.between(-8, 8)};
        spawn.shape = Shape::box({0.5, 0.5, 0.5});
        spawns_.insert(world_.send(world_owner, spawn));
        continue;
      }
      const std::size_t which = prng_.below(alive_.size());
      const EntityRef entity{alive_[which], 0};
      switch (prng_.below(6)) {
        case 0: world_.send(world_owner, TeleportCommand{entity, anywhere(), {}}); break;
        case 1: world_.send(world_owner, SetUserDataCommand{entity, prng_.next()}); break;
        case 2:
          world_.send(world_owner, DespawnCommand{entity});
          alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(which));
          break;
        default:
          world_.send(
              world_owner,
              SetVelocityCommand{entity, {prng_.between(-8, 8), 0, prng_.between(-8, 8)}, {}});
      }
    }
  }

  void trouble(std::uint32_t client) {
    ModelLink& link = world_.link(session_of(client));
    if (!link.connected) {
      if (prng_.below(6) == 0) reconnect(client);
      return;
    }
    if (prng_.below(12) == 0) link.room = !link.room;
    if (prng_.below(40) == 0) {
      link.connected = false;  // what is on the way is lost
      link.on_the_way.clear();
    }
  }

  void reconnect(std::uint32_t client) {
    ModelLink& link = world_.link(session_of(client));
    ModelClient& model = clients_[client];
    SessionStream& stream = world_.stream(session_of(client));
    const bool reset =
        model.tick == 0 || model.tick < stream.resumable_from() || prng_.below(8) == 0;
    ++(reset ? resets : resumes);
    if (reset) model.forget();
    if (reset) {
      // Contacts of a reset client begin anew with its session.
      stream.reset(++view_numbers_[client]);
      world_.send(session_of(client), OpenSessionCommand{Role::Observer, ContactScope::All, false,
                                                         view_numbers_[client]});
    } else {
      stream.resume(model.tick);
    }
    link.connected = true;
    link.room = true;
    link.on_the_way.clear();
  }

  /// All frames but the newest `behind` arrive.
  void deliver(SessionId session, ModelClient* client, std::uint64_t behind) {
    ModelLink& link = world_.link(session);
    for (; link.on_the_way.size() > behind; link.on_the_way.pop_front()) {
      if (client == nullptr) continue;
      client->receive(link.on_the_way.front());
      if (prng_.below(3) == 0) world_.stream(session).acknowledge(client->tick);
    }
  }

  void compare(std::uint32_t number) {
    const SessionId session = session_of(number);
    const ModelClient& client = clients_[number];
    std::set<std::pair<ObserverId, EntityId>> known;
    for (const auto& [name, seen] : client.view) {
      known.insert(name);
      const std::uint32_t slot = name.second.index();
      const Vec3 off = seen.position - world_.snapshot().position[slot];
      EXPECT_LE(std::abs(off.x), resolution_m / 2 + 1e-9);
      EXPECT_LE(std::abs(off.z), resolution_m / 2 + 1e-9);
      const QuantisedMotion& motion = world_.motions().row(slot).motion;
      EXPECT_EQ(seen.velocity[0], motion.velocity[0]);
      EXPECT_EQ(seen.rotation, motion.rotation);
    }
    EXPECT_EQ(known, world_.truth(session)) << "client " << number;
    EXPECT_EQ(client.contacts, world_.true_contacts()) << "client " << number;
    EXPECT_EQ(client.enters_waiting, 0u);
  }

  Prng prng_;
  StreamSettings streams_;
  StreamWorld world_;
  std::vector<ModelClient> clients_;
  std::map<std::uint32_t, std::uint32_t> view_numbers_;
  std::vector<EntityId> alive_;
  std::set<std::uint64_t> spawns_;
};

class StreamProperty : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StreamProperty, PicturesBecomeRightWhateverTheLinksDid) {
  std::uint64_t resumes = 0;
  std::uint64_t resets = 0;
  std::uint64_t updates = 0;
  oracle::for_each_seed(GetParam(), 10, [&](std::uint64_t seed) {
    BadLinks links(seed);
    links.run(300);
    if (testing::Test::HasFailure()) return;
    links.settle();
    resumes += links.resumes;
    resets += links.resets;
    updates += links.updates();
  });
  EXPECT_GT(resumes, 10u);
  EXPECT_GT(resets, 0u);
  EXPECT_GT(updates, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Shards, StreamProperty, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace vicinity::test
