// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Contacts as clients hear of them over a socket, in random worlds of all shapes: every begin has
// its one end, numbers ascend, and what is open is what a world in this process says.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "client/blocking.h"
#include "oracle/shape_script.h"
#include "support/server_process.h"

namespace vicinity::test {
namespace {

using oracle::ShapeAction;
using Numbers = std::pair<std::uint64_t, std::uint64_t>;

Numbers numbers_of(std::uint64_t a, std::uint64_t b) { return {std::min(a, b), std::max(a, b)}; }

/// What one session was told.
class Ledger {
 public:
  void take(const std::vector<client::TickFrame>& frames) {
    for (const client::TickFrame& frame : frames) take(frame);
  }
  std::set<Numbers> open() const {
    std::set<Numbers> out;
    for (const auto& [name, numbers] : open_) out.insert(numbers);
    return out;
  }
  std::size_t begins() const { return begins_; }

 private:
  using Name = std::tuple<EntityId, EntityId, Tick>;

  void number(std::uint64_t event_seq) {
    if (event_seq == 0) return;
    EXPECT_GT(event_seq, last_seq_);
    last_seq_ = event_seq;
  }
  void end(const client::ContactEndEvent& event) {
    number(event.event_seq);
    EXPECT_EQ(open_.erase(Name(event.a, event.b, event.begin_tick)), 1u);
  }
  void take(const client::TickFrame& frame) {
    for (const auto& event : frame.contact_ends) end(event);
    for (const auto& event : frame.contact_begins) {
      number(event.event_seq);
      ++begins_;
      const Name name(event.a, event.b, event.begin_tick);
      EXPECT_TRUE(open_.emplace(name, numbers_of(event.user_data_a, event.user_data_b)).second);
    }
    for (const auto& event : frame.contact_passed) end(event);
    for (const auto& event : frame.contact_stays) {
      number(event.event_seq);
      EXPECT_TRUE(open_.contains(Name(event.a, event.b, event.begin_tick)));
    }
    // Two contacts of the same pair are never open at a time.
    EXPECT_EQ(open().size(), open_.size());
  }

  std::map<Name, Numbers> open_;
  std::uint64_t last_seq_ = 0;
  std::size_t begins_ = 0;
};

class ContactBookkeeping : public testing::Test {
 protected:
  void SetUp() override {
    server_ = std::make_unique<ServerProcess>(
        Arguments{"--tick-mode", "manual", "--tick-rate-hz", "1", "--reuse-delay-ticks", "2"});
    ASSERT_NE(server_->port(), 0) << server_->standard_error();
    SimulationSettings settings;
    settings.dt_s = 1;
    settings.worker_count = 1;
    settings.reuse_delay_ticks = 2;
    twin_ = std::make_unique<oracle::ShapeRun>(settings);
    connect(authority_, Role::Authority, ContactScope::All);
  }

  void connect(client::BlockingClient& client, Role role, ContactScope contacts) const {
    client::ConnectOptions options;
    options.port = server_->port();
    options.role = role;
    options.contacts = contacts;
    const auto welcome = client.connect(options);
    ASSERT_TRUE(welcome) << welcome.error().text;
  }

  /// Sends the actions of one tick, runs it here and there, and compares what is open.
  void tick(const std::vector<ShapeAction>& actions) {
    std::vector<CommandBody> commands;
    for (const ShapeAction& action : actions) {
      commands.push_back(oracle::with_ids(action, ids_[action.who], ids_[action.other]));
    }
    std::uint64_t first = 0;
    if (!commands.empty()) first = authority_.send(commands);
    const auto stepped = authority_.step();
    ASSERT_TRUE(stepped) << stepped.error().text;
    for (const client::CommandOutcome& outcome : authority_.take_outcomes()) {
      if (outcome.sequence < first || outcome.sequence - first >= commands.size()) continue;
      const auto* spawn = std::get_if<SpawnCommand>(&commands[outcome.sequence - first]);
      if (spawn == nullptr) continue;
      ASSERT_EQ(outcome.error.code, ErrorCode::None) << outcome.error.text;
      ids_[static_cast<std::uint32_t>(spawn->user_data)] = outcome.entity;
    }
    told_authority_.take(authority_.take_frames());
    const TickOutput expected = twin_->tick(actions);
    const Snapshot& snapshot = *expected.frame->snapshot;
    std::set<Numbers> open;
    for (const OpenContact& contact : expected.frame->contacts.to_vector()) {
      open.insert(
          numbers_of(snapshot.user_data[contact.a.index()], snapshot.user_data[contact.b.index()]));
    }
    EXPECT_EQ(told_authority_.open(), open);
  }

  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<oracle::ShapeRun> twin_;
  client::BlockingClient authority_;
  Ledger told_authority_;
  std::map<std::uint32_t, EntityId> ids_;
};

TEST_F(ContactBookkeeping, IsThatOfAWorldInThisProcess) {
  oracle::ShapeScriptOptions options;
  options.meshes = false;
  options.ticks = 40;
  const auto script = oracle::make_shape_script(11, options);
  client::BlockingClient witness, subscriber;
  Ledger told_witness, told_subscriber;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (i == 4) {  // comes late, is told what is open
      connect(witness, Role::Observer, ContactScope::All);
      connect(subscriber, Role::Observer, ContactScope::None);
      SubscribeCommand everything;
      everything.kind = SubscriptionKind::Categories;
      subscriber.send({everything});
      ASSERT_TRUE(subscriber.ping());  // both have arrived before the next tick
      ASSERT_TRUE(witness.ping());
    }
    tick(script[i]);
    if (HasFailure()) return;
    if (i < 4) continue;
    ASSERT_TRUE(witness.ping());  // what was sent before the pong has been received
    ASSERT_TRUE(subscriber.ping());
    told_witness.take(witness.take_frames());
    told_subscriber.take(subscriber.take_frames());
    EXPECT_EQ(told_witness.open(), told_authority_.open()) << i;
    EXPECT_EQ(told_subscriber.open(), told_authority_.open()) << i;
  }
  EXPECT_GT(told_authority_.begins(), 50u);
  std::vector<ShapeAction> all_gone;
  for (const auto& [number, id] : ids_) all_gone.push_back({number, 0, DespawnCommand{}});
  tick(all_gone);
  EXPECT_TRUE(told_authority_.open().empty());
  ASSERT_TRUE(witness.ping());
  ASSERT_TRUE(subscriber.ping());
  told_witness.take(witness.take_frames());
  told_subscriber.take(subscriber.take_frames());
  EXPECT_TRUE(told_witness.open().empty());
  EXPECT_TRUE(told_subscriber.open().empty());
}

}  // namespace
}  // namespace vicinity::test
