// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Contacts of random worlds, moving and at rest, against brute force: begins, ends with their
// reasons, passed, stays, what is open, and what each session is told, in every tick. And the same
// for every kind of index and any number of workers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "oracle/seeds.h"
#include "unit/tick/contact_model.h"
#include "unit/tick/told_model.h"
#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using test::Rest;

constexpr SessionId authority{1};
constexpr SessionId player{2};
constexpr SessionId watcher{3};
constexpr SessionId owner_too{4};
constexpr SessionId all{5};

/// Writes the commands of one tick after the other.
class Script {
 public:
  explicit Script(std::uint64_t seed)
      : prng_(seed), pace_(prng_.chance(0.5) ? 2 : 8), attaches_(prng_.chance(0.3)) {}

  std::vector<Command> take() { return std::exchange(commands_, {}); }
  const std::vector<PolicyRule>& policy() const { return policy_; }

  void open(SessionId session, Role role, ContactScope scope, bool details) {
    send(session, OpenSessionCommand{role, scope, details});
    told.emplace_back(session, scope);
  }
  void next_tick(const Snapshot& snapshot) {
    alive_.clear();
    for (const EntityId id : snapshot.id)
      if (id) alive_.push_back(id);
    if (prng_.chance(0.3)) return;  // so that some come to rest
    if (alive_.size() < 24) spawn();
    for (std::uint64_t i = prng_.below(pace_); i > 0 && !alive_.empty(); --i) change();
    if (prng_.chance(0.06)) set_policy();
    if (prng_.chance(0.15) && !alive_.empty()) subscribe();
  }
  /// What was subscribed to, where that was not refused.
  void learn(const TickOutput& output) {
    if (!wish_) return;
    test::ToldModel& who = told[wish_->who];
    const auto& results = output.sessions[wish_->who].results;
    const bool is_taken = std::any_of(results.begin(), results.end(), [&](const auto& result) {
      return result.sequence == wish_->command.sequence && result.code == ErrorCode::None;
    });
    if (is_taken) {
      if (const auto* wanted = std::get_if<SubscribeCommand>(&wish_->command.body))
        who.subscribe(*wanted);
      else
        who.unsubscribe(std::get<UnsubscribeCommand>(wish_->command.body).subscription);
    }
    wish_.reset();
  }
  void despawn_all(const Snapshot& snapshot) {
    for (const EntityId id : snapshot.id)
      if (id) send(authority, DespawnCommand{{id, 0}});
  }

  std::vector<test::ToldModel> told;

 private:
  void send(SessionId session, CommandBody body) {
    commands_.push_back({session, ++sequence_, std::move(body)});
  }
  double eighths(std::uint64_t most) { return static_cast<double>(prng_.below(most + 1)) / 8; }
  Vec3 place() { return {eighths(40), eighths(24), eighths(8)}; }
  Shape shape() {
    const double size = 0.125 + eighths(8);
    return prng_.chance(0.3) ? Shape::sphere(size) : Shape::box({size, size, 0.25 + eighths(4)});
  }
  std::uint32_t category() { return 1u << prng_.below(4); }
  EntityId any() { return alive_[prng_.below(alive_.size())]; }

  void spawn() {
    SpawnCommand command;
    command.position = place();
    command.shape = shape();
    command.filter.category = category();
    command.filter.sensor = prng_.chance(0.1);
    command.filter.is_static = prng_.chance(0.2);
    if (!command.filter.is_static && prng_.chance(0.2)) command.velocity = {eighths(4), 0, 0};
    const double whose = prng_.unit();
    send(whose < 0.15 ? player : whose < 0.4 ? owner_too : authority, command);
  }

  void change() {
    const EntityRef entity{any(), 0};
    switch (prng_.below(attaches_ ? 15 : 13)) {
      case 0:
        if (prng_.chance(0.4)) send(authority, DespawnCommand{entity});
        break;
      case 1:
        send(authority, SetVelocityCommand{entity, {eighths(16) - 1, eighths(16) - 1, 0}});
        break;
      case 2:
      case 3: send(authority, SetVelocityCommand{entity, {}}); break;
      case 4:
      case 5:
      case 6: send(authority, MoveToCommand{entity, place(), prng_.chance(0.2)}); break;
      case 7: send(authority, TeleportCommand{entity, place()}); break;
      case 8: send(authority, SetShapeCommand{entity, shape()}); break;
      case 9:
      case 10:
      case 11: change_filter(entity); break;
      case 12:
        if (const EntityId other = any(); other != entity.id)
          send(authority, ExcludePairCommand{entity, {other, 0}, prng_.chance(0.5)});
        break;
      case 13: attach(entity); break;
      case 14: send(authority, DetachCommand{entity}); break;
    }
  }
  void attach(EntityRef entity) {
    AttachCommand command;
    command.entity = entity;
    command.parent.id = any();
    if (prng_.chance(0.6)) command.relative = Pose{{eighths(16) - 1, eighths(8) - 0.5, 0}, {}};
    command.on_parent_end = prng_.chance(0.5) ? OnParentEnd::Despawn : OnParentEnd::Detach;
    send(authority, command);
  }
  void change_filter(EntityRef entity) {
    FilterPatch patch;
    switch (prng_.below(6)) {
      case 0: patch.enabled = prng_.chance(0.7); break;
      case 1: patch.category = category(); break;
      case 2: patch.mask = prng_.chance(0.7) ? ~0u : category() | category(); break;
      case 3: patch.sensor = prng_.chance(0.3); break;
      case 4: patch.is_static = prng_.chance(0.3); break;
      case 5: patch.instance = prng_.chance(0.9) ? 0 : 1; break;
    }
    send(authority, SetFilterCommand{entity, patch});
  }

  void set_policy() {
    policy_.clear();
    for (std::uint64_t i = prng_.below(4); i > 0; --i) {
      PolicyRule rule;
      if (prng_.chance(0.8)) rule.categories_a = category() | category();
      if (prng_.chance(0.8)) rule.categories_b = category() | category();
      rule.action =
          prng_.chance(0.6) ? PolicyAction::Contact : static_cast<PolicyAction>(prng_.below(3));
      if (prng_.chance(0.6)) rule.stay_interval_ticks = static_cast<std::uint32_t>(prng_.below(5));
      if (prng_.chance(0.6)) rule.cooldown_ticks = static_cast<std::uint32_t>(prng_.below(20));
      policy_.push_back(rule);
    }
    send(authority, SetPolicyCommand{policy_});
  }

  void subscribe() {
    const std::size_t who = prng_.below(told.size());
    const auto id = static_cast<std::uint32_t>(prng_.below(3));
    if (prng_.chance(0.3)) {
      send(told[who].session(), UnsubscribeCommand{id});
    } else {
      SubscribeCommand command;
      command.subscription = id;
      command.kind = static_cast<SubscriptionKind>(prng_.below(3));
      command.entity.id = any();
      command.categories_a = category();
      command.categories_b = category() | category();
      const Vec3 corner = place();
      command.box = {corner, corner + Vec3{eighths(16), eighths(16), eighths(16)}};
      send(told[who].session(), command);
    }
    wish_ = Wish{who, commands_.back()};
  }

  struct Wish {
    std::size_t who = 0;  ///< of told
    Command command;
  };

  Prng prng_;
  std::uint64_t pace_;  ///< of changes
  bool attaches_;
  std::uint64_t sequence_ = 0;
  std::vector<Command> commands_;
  std::vector<EntityId> alive_;
  std::vector<PolicyRule> policy_;
  std::optional<Wish> wish_;
};

struct Totals {
  std::size_t begins = 0, passed = 0, stays = 0, held_back = 0, resting = 0, told = 0, again = 0;
  std::map<EndReason, std::size_t> ends;
};

/// One script, played by several worlds at once.
class Bookkeeping {
 public:
  explicit Bookkeeping(std::uint64_t seed) : script_(seed) {
    for (const SimulationSettings& settings :
         {test::small_world(Rest::Never), test::small_world(Rest::Eagerly),
          test::small_world(Rest::Eagerly, 3)})
      worlds_.push_back(std::make_unique<Simulation>(settings));
    script_.open(authority, Role::Authority, ContactScope::None, false);
    script_.open(player, Role::Player, ContactScope::Own, true);
    script_.open(watcher, Role::Observer, ContactScope::None, true);
    script_.open(owner_too, Role::Authority, ContactScope::Own, false);
    script_.open(all, Role::Observer, ContactScope::All, false);
  }

  void run(int ticks, Totals& totals) {
    tick(totals);
    for (int i = 1; i < ticks && !testing::Test::HasFatalFailure(); ++i) {
      script_.next_tick(*outputs_[0].frame->snapshot);
      tick(totals);
    }
    if (testing::Test::HasFatalFailure()) return;
    script_.despawn_all(*outputs_[0].frame->snapshot);
    tick(totals);
    EXPECT_TRUE(model_.open().empty());
    EXPECT_EQ(outputs_[0].report.contacts, 0u);
    for (const test::ToldModel& each : script_.told) {
      EXPECT_TRUE(each.told().empty());
      totals.told += each.begin_count;
      totals.again += each.again_count;
    }
  }

 private:
  void tick(Totals& totals) {
    std::vector<Command> commands = script_.take();
    std::stable_sort(commands.begin(), commands.end(), [](const Command& x, const Command& y) {
      return std::pair(x.session, x.sequence) < std::pair(y.session, y.sequence);
    });
    outputs_.clear();
    for (const auto& world : worlds_) outputs_.push_back(world->run_tick(commands));
    const TickOutput& output = outputs_[0];
    SCOPED_TRACE("tick " + std::to_string(output.report.tick));
    model_.policy = script_.policy();
    model_.tick(*output.frame->snapshot);
    compare_with_model(output);
    for (std::size_t i = 1; i < outputs_.size(); ++i) compare(output, outputs_[i]);
    script_.learn(output);
    for (std::size_t i = 0; i < script_.told.size(); ++i) {
      SCOPED_TRACE("session " + std::to_string(script_.told[i].session().value));
      ASSERT_EQ(output.sessions[i].session, script_.told[i].session());
      script_.told[i].expect(*output.frame->snapshot, model_.open(), output.contacts,
                             output.sessions[i]);
    }
    count(totals);
  }

  void compare_with_model(const TickOutput& output) {
    const ContactEvents& events = output.contacts;
    std::map<test::ModelContact, EndReason> ends;
    for (const ContactEnd& end : events.ends)
      ends[{test::name_of(end.contact), end.contact.sensor}] = end.reason;
    ASSERT_EQ(ends, model_.ends);
    ASSERT_EQ(events.ends.size(), model_.ends.size());
    ASSERT_EQ(test::set_of(events.begins), model_.begins);
    ASSERT_EQ(events.begins.size(), model_.begins.size());
    ASSERT_EQ(test::set_of(events.passed), model_.passed);
    ASSERT_EQ(test::set_of(events.stays), model_.stays);
    ASSERT_EQ(events.stays.size(), model_.stays.size());
    test::ContactSet open;
    for (const OpenContact& contact : output.frame->contacts.to_vector())
      open.insert({{contact.a, contact.b, contact.begin_tick}, contact.sensor});
    ASSERT_EQ(open, model_.open());
    const auto expect_numbers = [this](const auto& list) {
      for (const auto& event : list) ASSERT_EQ(event.event_seq, ++event_count_);
    };
    expect_numbers(events.ends);
    expect_numbers(events.begins);
    expect_numbers(events.passed);
    expect_numbers(events.stays);
  }

  static void compare(const TickOutput& x, const TickOutput& y) {
    ASSERT_EQ(x.report.hash, y.report.hash);
    ASSERT_EQ(x.sessions.size(), y.sessions.size());
    for (std::size_t i = 0; i < x.sessions.size(); ++i) {
      const SessionOutput& of_x = x.sessions[i];
      const SessionOutput& of_y = y.sessions[i];
      expect_same(of_x.contact_ends, of_y.contact_ends);
      expect_same(of_x.contact_begins, of_y.contact_begins);
      expect_same(of_x.contact_passed, of_y.contact_passed);
      expect_same(of_x.contact_stays, of_y.contact_stays);
      ASSERT_EQ(of_x.begin_details.size(), of_y.begin_details.size());
      for (std::size_t k = 0; k < of_x.begin_details.size(); ++k) {
        ASSERT_EQ(of_x.begin_details[k].point, of_y.begin_details[k].point);
        ASSERT_EQ(of_x.begin_details[k].normal, of_y.begin_details[k].normal);
      }
    }
  }
  template <class Event>
  static void expect_same(const std::vector<Event>& x, const std::vector<Event>& y) {
    ASSERT_EQ(test::names_of(x), test::names_of(y));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i].event_seq, y[i].event_seq);
  }

  void count(Totals& totals) {
    totals.begins += model_.begins.size();
    totals.passed += model_.passed.size();
    totals.stays += model_.stays.size();
    for (const auto& [contact, reason] : model_.ends) ++totals.ends[reason];
    totals.held_back += std::exchange(model_.held_back, 0);
    totals.resting += outputs_[1].report.index.resting;
  }

  Script script_;
  test::ContactModel model_;
  std::vector<std::unique_ptr<Simulation>> worlds_;
  std::vector<TickOutput> outputs_;
  std::uint64_t event_count_ = 0;
};

TEST(ContactBookkeeping, AgreesWithBruteForceInEveryTickAndForEverySession) {
  Totals totals;
  oracle::for_each_seed(0, 24, [&](std::uint64_t seed) { Bookkeeping(seed).run(250, totals); });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  // The runs were worth it: everything happened, and often.
  EXPECT_GT(totals.begins, 1000u);
  EXPECT_GT(totals.passed, 100u);
  EXPECT_GT(totals.stays, 1000u);
  EXPECT_GT(totals.held_back, 1000u);
  EXPECT_GT(totals.resting, 1000u);
  EXPECT_GT(totals.told, 1000u);
  EXPECT_GT(totals.again, 100u);
  for (const EndReason reason :
       {EndReason::Separated, EndReason::Despawned, EndReason::Disabled, EndReason::FilterChanged,
        EndReason::ShapeChanged, EndReason::Teleported})
    EXPECT_GT(totals.ends[reason], 20u) << static_cast<int>(reason);
}

}  // namespace
}  // namespace vicinity
