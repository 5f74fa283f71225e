// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-replay --feed: a world that was recorded is played to another server, which comes to the
// same entities at the same places with the same contacts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "client/blocking.h"
#include "support/server_process.h"

namespace vicinity::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr double half_size_m = 60;
constexpr std::chrono::milliseconds run_limit{60'000};

/// What can be asked of a world, by the user data of its entities.
struct Seen {
  struct Entity {
    Vec3 position;
    std::set<std::uint64_t> contacts;
  };
  std::map<std::uint64_t, Entity> entities;
  std::size_t twice = 0;  ///< names that are not one's own
  std::size_t contact_count() const {
    std::size_t count = 0;
    for (const auto& [name, entity] : entities) count += entity.contacts.size();
    return count / 2;
  }
};

class Server {
 public:
  explicit Server(const Arguments& arguments) : process_(arguments) {
    EXPECT_NE(process_.port(), 0) << process_.standard_error();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(process_.port()); }
  ServerProcess& process() { return process_; }
  client::Welcome join(client::BlockingClient& client, Role role, const std::string& subject = "") {
    client::ConnectOptions options;
    options.port = process_.port();
    options.role = role;
    options.subject = subject;
    const auto welcome = client.connect(options);
    EXPECT_TRUE(welcome.ok());
    return welcome.ok() ? welcome.value() : client::Welcome();
  }
  Seen look() {
    client::BlockingClient client;
    join(client, Role::Observer);
    Seen seen;
    Query query;
    query.body = BoxQuery{{{-1e4, -1e4, -1e4}, {1e4, 1e4, 1e4}}};
    query.limit = 1000;
    const auto all = client.query(query);
    EXPECT_TRUE(all.ok());
    if (!all.ok()) return seen;
    for (const QueryHit& hit : all.value().hits) {
      seen.twice += seen.entities.contains(hit.user_data);
      Seen::Entity& entity = seen.entities[hit.user_data];
      entity.position = hit.position;
      query.body = ContactsQuery{hit.id};
      const auto contacts = client.query(query);
      EXPECT_TRUE(contacts.ok());
      if (!contacts.ok()) continue;
      for (const QueryHit& other : contacts.value().hits) entity.contacts.insert(other.user_data);
    }
    client.close();
    return seen;
  }

 private:
  ServerProcess process_;
};

/// A world with everything that a feed has to translate: entities of an authority and of players
/// that come and go, moved in all ways, attached, excluded, under a policy.
class Recorder {
 public:
  /// `has_rules`: pairs that ignore one another, which a judge of shapes knows nothing of.
  Recorder(Server& server, std::uint64_t seed, bool has_rules)
      : server_(server), prng_(seed), has_rules_(has_rules) {
    server_.join(authority_, Role::Authority);
  }
  Tick tick() const { return tick_; }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      if (tick_ % 10 == 3) player_comes();
      if (tick_ % 10 == 9) players_.clear();  // without goodbye: the grace period is none
      if (tick_ == 12 && has_rules_)
        commands_.push_back(SetPolicyCommand{{{1, 2, PolicyAction::Ignore}}});
      for (int k = 0; k < 8; ++k) command();
      step();
    }
  }

 private:
  struct Entity {
    EntityId id;
    bool is_attached = false;
  };

  Vec3 place() {
    return {prng_.between(-half_size_m, half_size_m), prng_.between(-2, 2),
            prng_.between(-half_size_m, half_size_m)};
  }
  SpawnCommand new_entity() {
    SpawnCommand spawn;
    spawn.position = place();
    spawn.velocity = {prng_.between(-9, 9), 0, prng_.between(-9, 9)};
    spawn.shape = prng_.chance(0.5) ? Shape::sphere(prng_.between(1, 6))
                                    : Shape::box({3, 1, prng_.between(1, 5)});
    spawn.angular_velocity = prng_.chance(0.3) ? Vec3{0, 1, 0} : Vec3{};
    spawn.filter.category = prng_.chance(0.3) ? 2 : 1;
    spawn.user_data = ++last_name_;
    return spawn;
  }
  void spawn() {
    spawned_.push_back(authority_.next_sequence() + commands_.size());
    commands_.push_back(new_entity());
    if (!prng_.chance(0.3)) return;
    // What names it in the same frame.
    commands_.push_back(SetVelocityCommand{{{}, spawned_.back()}, {1, 0, 2}});
  }
  void command() {
    if (entities_.size() < 8 || prng_.chance(0.2)) return spawn();
    const std::size_t at = prng_.below(entities_.size());
    Entity& one = entities_[at];
    Entity& other = entities_[prng_.below(entities_.size())];
    const EntityRef ref{one.id, 0};
    const double kind = prng_.unit();
    if (kind < 0.1) {
      commands_.push_back(DespawnCommand{ref});
      entities_.erase(entities_.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (kind < 0.2 && one.id != other.id) {
      commands_.push_back(
          AttachCommand{ref,
                        {other.id, 0},
                        Pose{{1, 2, 0}, {}},
                        prng_.chance(0.5) ? OnParentEnd::Despawn : OnParentEnd::Detach});
    } else if (kind < 0.3) {
      commands_.push_back(DetachCommand{ref});
    } else if (kind < 0.4 && one.id != other.id && has_rules_) {
      commands_.push_back(ExcludePairCommand{ref, {other.id, 0}, prng_.chance(0.8)});
    } else if (kind < 0.5) {
      commands_.push_back(SetShapeCommand{ref, Shape::sphere(prng_.between(1, 8))});
    } else if (kind < 0.6) {
      commands_.push_back(TeleportCommand{ref, place()});
    } else if (kind < 0.7) {
      commands_.push_back(MoveToCommand{ref, place()});
    } else {
      commands_.push_back(
          SetVelocityCommand{ref, {prng_.between(-9, 9), 0, prng_.between(-9, 9)}, Vec3{}});
    }
  }
  void player_comes() {
    auto& player = *players_.emplace_back(std::make_unique<client::BlockingClient>());
    server_.join(player, Role::Player);
    std::vector<CommandBody> commands{new_entity(), new_entity()};
    AreaSpec area;
    area.anchor.spawned_by = player.next_sequence();
    area.enter_radius_m = area.leave_radius_m = 20;
    commands.push_back(AddAreaCommand{ObserverId{1}, AreaId{1}, area});
    player.send(commands);
    ASSERT_TRUE(player.ping().ok());  // they are in the queue
  }
  void step() {
    if (!commands_.empty()) authority_.send(commands_);
    commands_.clear();
    const auto step = authority_.step();
    ASSERT_TRUE(step.ok());
    tick_ = step.value().tick;
    authority_.take_frames();
    for (const client::CommandOutcome& outcome : authority_.take_outcomes()) {
      const bool is_spawn =
          std::find(spawned_.begin(), spawned_.end(), outcome.sequence) != spawned_.end();
      if (is_spawn && outcome.ok()) entities_.push_back({outcome.entity, false});
      refused_ += !outcome.ok();
    }
    for (const auto& player : players_) player->run_for(0);
  }

  Server& server_;
  Prng prng_;
  const bool has_rules_;
  client::BlockingClient authority_;
  std::vector<std::unique_ptr<client::BlockingClient>> players_;
  std::vector<Entity> entities_;
  std::vector<CommandBody> commands_;
  std::vector<std::uint64_t> spawned_;
  std::uint64_t last_name_ = 0;
  std::uint64_t refused_ = 0;
  Tick tick_ = 0;
};

class AFeed : public testing::Test {
 protected:
  std::string journal() const { return (folder_.path() / "journal").string(); }
  /// Records a world; what it came to in the end, and at `middle_`.
  void record(bool has_rules = true) {
    Server server({"--tick-mode", "manual", "--journal", journal(), "--grace-ms", "0",
                   "--tick-rate-hz", "30", "--snapshot-interval-s", "1"});
    Recorder recorder(server, 20261201, has_rules);
    recorder.run(40);
    // The log is written by a tick; the next snapshot would be due at tick 60.
    ChildProcess& process = server.process().process();
    while (!process.wait_for_error_text("snapshot written", std::chrono::milliseconds(200)) &&
           recorder.tick() < 50)
      recorder.run(1);
    middle_ = recorder.tick();
    recorder.run(8);
    last_tick_ = recorder.tick();
    last_ = server.look();
    ASSERT_EQ(server.process().stop(), "");
    EXPECT_GT(last_.entities.size(), 20u);
    EXPECT_GT(last_.contact_count(), 3u);
  }
  static Json feed(const std::string& journal, Server& target, const Arguments& extra,
                   int code = 0) {
    Arguments arguments{journal, "--json", "--feed", target.address()};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    ChildProcess program("vicinity-replay", arguments);
    EXPECT_EQ(program.wait(run_limit), code) << program.standard_error();
    error_ = program.standard_error();
    return Json::parse(program.standard_output(), nullptr, false);
  }
  static void expect_same(const Seen& found, const Seen& wanted) {
    EXPECT_EQ(found.twice, 0u);
    ASSERT_EQ(found.entities.size(), wanted.entities.size());
    for (const auto& [name, entity] : wanted.entities) {
      ASSERT_TRUE(found.entities.contains(name)) << name;
      EXPECT_EQ(found.entities.at(name).position, entity.position) << name;
      EXPECT_EQ(found.entities.at(name).contacts, entity.contacts) << name;
    }
  }

  TemporaryFolder folder_;
  Seen last_;
  Tick middle_ = 0;
  Tick last_tick_ = 0;
  static inline std::string error_;
};

TEST_F(AFeed, BringsAnotherServerToTheSameWorld) {
  record();
  Server target({"--tick-mode", "manual", "--tick-rate-hz", "30"});
  const Json said = feed(journal(), target, {"--speed", "0"});
  ASSERT_TRUE(said.is_object());
  EXPECT_EQ(said["fed"]["ticks"], said["last_tick"].get<int>() - said["base_tick"].get<int>());
  EXPECT_GT(said["base_tick"], 0) << "the snapshot is what it begins with";
  EXPECT_GT(said["fed"]["commands"], 100);
  EXPECT_EQ(said["fed"]["refused"], Json::object()) << said.dump(2);
  EXPECT_EQ(said["fed"]["left_out"], 0);
  expect_same(target.look(), last_);
}

TEST_F(AFeed, BeginsInTheMiddleWithTheWorldOfThere) {
  record();
  Server target({"--tick-mode", "manual", "--tick-rate-hz", "30"});
  const Json said =
      feed(journal(), target,
           {"--speed", "0", "--from-tick", std::to_string(middle_ + 1), "--no-areas"});
  ASSERT_TRUE(said.is_object());
  EXPECT_EQ(said["fed"]["ticks"], last_tick_ - middle_);
  EXPECT_EQ(said["fed"]["refused"], Json::object()) << said.dump(2);
  expect_same(target.look(), last_);
}

TEST_F(AFeed, IsSeenRightlyByBotsThatLookOn) {
  record(false);
  Server target({"--tick-rate-hz", "30"});
  ChildProcess bots("vicinity-bots", {"--connect", target.address(), "--bots", "10", "--duration",
                                      "1h", "--report", "json", "--require", "wrong_views==0"});
  ASSERT_TRUE(bots.wait_for_error_text("running")) << bots.standard_error();
  const Json said = feed(journal(), target, {});
  ASSERT_TRUE(said.is_object());
  EXPECT_GT(said["fed"]["commands"], 100);
  bots.signal(SIGINT);
  EXPECT_EQ(bots.wait(run_limit), 0) << bots.standard_error();
  const Json report = Json::parse(bots.standard_output(), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_GT(report["checked_views"], 0);
  EXPECT_GT(report["enters"], 0);
  EXPECT_EQ(report["wrong_views"], 0) << report.dump(2);
  const Seen found = target.look();
  std::size_t there = 0;
  for (const auto& [name, entity] : last_.entities) there += found.entities.contains(name);
  EXPECT_GE(there, last_.entities.size() * 9 / 10);
}

TEST_F(AFeed, SaysWhatAServerIsNotFitFor) {
  record();
  Server other_rate({"--tick-mode", "manual", "--tick-rate-hz", "20"});
  feed(journal(), other_rate, {}, 2);
  EXPECT_THAT(error_, HasSubstr("30 ticks per second and the server 20"));
  Server timer({"--tick-rate-hz", "30"});
  feed(journal(), timer, {"--speed", "3"}, 2);
  EXPECT_THAT(error_, HasSubstr("--tick-mode manual"));
  EXPECT_EQ(timer.process().stop(), "");
  feed(journal(), timer, {}, 2);
  EXPECT_THAT(error_, HasSubstr(timer.address()));
}

}  // namespace
}  // namespace vicinity::test
