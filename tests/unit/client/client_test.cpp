// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "client/link.h"
#include "unit/client/frame_json.h"
#include "unit/client/session_server.h"

namespace vicinity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr EntityId entity_7 = EntityId::from_raw(7);

/// A client with the network on its own thread, or within poll(), and a scripted server.
class ClientTest : public ::testing::TestWithParam<bool> {
 protected:
  ClientTest()
      : server([this](std::size_t number, const wire::ClientMessage& message) {
          if (std::holds_alternative<wire::HelloMessage>(message)) on_hello(number);
          if (const auto* ping = std::get_if<wire::PingMessage>(&message)) on_ping(*ping);
        }) {
    options.own_thread = GetParam();
    options.connection.port = server.port();
    options.connection.role = Role::Authority;
    options.connection.ping_interval_ms = 0;
    options.reconnect.first_delay_ms = 1;
    options.reconnect.seed = 1;
    options.on_new_session = [this](Client&, const Welcome&) { ++new_sessions; };
    on_hello = [this](std::size_t) { server.welcome(); };
  }

  void start() {
    client = std::make_unique<Client>(options);
    client->connect();
  }
  template <class Done>
  void run_until(Done done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      server.poll();
      client->poll();
      collect();
      if (done()) return;
      ASSERT_LT(std::chrono::steady_clock::now(), until) << ::testing::PrintToString(states);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  void run_until_state(ConnectionState state) {
    run_until([&] { return client->state() == state; });
  }
  void run_until_tick(Tick tick) {
    run_until([&] { return client->replica().tick() == tick; });
  }
  void collect() {
    while (auto event = client->next_event()) {
      if (const auto* state = std::get_if<StateEvent>(&*event)) {
        states.push_back(static_cast<int>(state->state));
        if (state->state == ConnectionState::Waiting) retries_ms.push_back(state->retry_in_ms);
      }
      events.push_back(std::move(*event));
    }
  }
  template <class Event>
  std::size_t count() const {
    std::size_t found = 0;
    for (const auto& event : events) found += std::holds_alternative<Event>(event) ? 1 : 0;
    return found;
  }
  Client::CommandCallback note_outcome() {
    return [this](const CommandOutcome& outcome) { outcomes.push_back(outcome); };
  }
  void frame(Tick tick, const std::string& content) {
    server.send("Frame", "tick: " + std::to_string(tick) + ", " + content);
  }
  void answer(Tick tick, const std::string& acks) {
    server.send("CommandResults", "tick: " + std::to_string(tick) + ", acks: [" + acks + "]");
  }
  static std::string ack(std::uint64_t sequence) {
    return "{sequence: " + std::to_string(sequence) + ", entity: 7}";
  }

  std::function<void(std::size_t)> on_hello;
  std::function<void(const wire::PingMessage&)> on_ping = [](const auto&) {};
  SessionServer server;
  ClientOptions options;
  std::unique_ptr<Client> client;
  int new_sessions = 0;
  std::vector<ClientEvent> events;
  std::vector<int> states;
  std::vector<std::uint32_t> retries_ms;
  std::vector<CommandOutcome> outcomes;
};

INSTANTIATE_TEST_SUITE_P(InPollAndOnItsOwnThread, ClientTest, ::testing::Bool());

TEST_P(ClientTest, ShowsWhatTheSessionSees) {
  start();
  run_until_state(ConnectionState::Open);
  EXPECT_EQ(new_sessions, 1);
  frame(3, "enters: [" + entity_json(7, 0, 4, "5") + "]");
  frame(4, "moves: [{page: 0, near: [{alias: 4, x: 3, y: 0, z: 0}]}], health: 'Degraded'");
  run_until_tick(4);
  const auto seen = client->find(entity_7);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->position.x, 1.5);
  EXPECT_EQ(seen->last_update, 4u);
  EXPECT_EQ(seen->user_data, 107u);
  int visited = 0;
  client->for_each([&](const EntityView& entity) { visited += entity.id == entity_7 ? 1 : 100; });
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(count<EnterEvent>(), 1u);
  EXPECT_EQ(count<HealthEvent>(), 1u);
  EXPECT_TRUE(client->pose(entity_7).has_value());
  EXPECT_EQ(client->stats().ticks, 2u);
  EXPECT_EQ(client->stats().violations, 0u);
}

TEST_P(ClientTest, TellsOfEachTickWhatMovedInItOnceTheReplicaHasIt) {
  std::vector<Tick> ticks;
  std::vector<EntityMove> moved;
  options.on_tick = [&](Client& teller, const TickFrame& tick) {
    EXPECT_EQ(teller.replica().tick(), tick.tick);
    ticks.push_back(tick.tick);
    moved.insert(moved.end(), tick.moved.begin(), tick.moved.end());
    for (const EntityMove& move : tick.moved)
      EXPECT_EQ(teller.find(move.id, move.observer)->position, move.position);
  };
  start();
  run_until_state(ConnectionState::Open);
  frame(3, "enters: [" + entity_json(7, 0, 4, "5") + "," + entity_json(8, 0, 5) + "]");
  frame(4, "moves: [{page: 0, near: [{alias: 4, x: 3, y: 0, z: 0}]}]");
  run_until_tick(4);
  EXPECT_THAT(ticks, ElementsAre(3, 4));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].id, entity_7);
  EXPECT_EQ(moved[0].position.x, 1.5);
}

TEST_P(ClientTest, CommandsWaitForTheConnectionAndAreAnsweredByCallbackFutureOrEvent) {
  client = std::make_unique<Client>(options);
  EXPECT_EQ(client->send({RemoveAreaCommand{{1}}, RemoveAreaCommand{{2}}}, note_outcome()), 1u);
  auto future = client->request(RemoveAreaCommand{{3}});
  EXPECT_EQ(client->send({RemoveAreaCommand{{4}}}), 4u);
  EXPECT_EQ(client->next_sequence(), 5u);
  EXPECT_EQ(client->stats().commands_unanswered, 4u);
  client->connect();
  run_until([&] { return server.sequences.size() == 4; });
  EXPECT_THAT(server.sequences, ElementsAre(1, 2, 3, 4));
  server.send("CommandResults", "tick: 9, acks: [" + ack(1) + "," + ack(3) +
                                    "], errors: [{sequence: 2, code: 'UnknownArea', text: 'no'}, "
                                    "{sequence: 4, code: 'UnknownArea', text: 'no'}]");
  run_until([&] { return count<RefusalEvent>() == 1; });
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[0].entity, entity_7);
  EXPECT_EQ(outcomes[1].error.code, ErrorCode::UnknownArea);
  ASSERT_EQ(future.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(future.get().ok());
  EXPECT_EQ(client->stats().commands_unanswered, 0u);
}

TEST_P(ClientTest, GoesOnWithItsSessionAfterABrokenConnection) {
  start();
  run_until_state(ConnectionState::Open);
  frame(5, "enters: [" + entity_json(7, 0, 4) +
               "], contact_begins: [{a: 7, b: 8, begin_tick: 5, user_data_a: 0, user_data_b: 0, "
               "toi: 1, event_seq: 9, sensor: false, capped: false}]");
  frame(6, "part: 0, last: false, enters: [" + entity_json(8, 0, 5) + "]");
  run_until_tick(5);
  on_hello = [this](std::size_t) { server.welcome("resumed: true, last_sequence: 0"); };
  server.hang_up();
  run_until([&] { return client->stats().resumes == 1; });
  ASSERT_EQ(server.hellos.size(), 2u);
  EXPECT_EQ(server.hellos[0].resume_token, "");
  EXPECT_EQ(server.hellos[1].resume_token, "token1");
  EXPECT_EQ(server.hellos[1].resume_tick, 5u) << "tick 6 was not received whole";
  EXPECT_TRUE(client->find(entity_7).has_value());
  // The aliases of before hold, and what tick 6 said in part comes again.
  frame(7, "enters: [" + entity_json(8, 0, 5) +
               "], moves: [{page: 0, near: [{alias: 4, x: 8, y: 0, z: 0}]}]");
  run_until_tick(7);
  EXPECT_EQ(client->find(entity_7)->position.x, 4);
  EXPECT_TRUE(client->find(EntityId::from_raw(8)).has_value());
  EXPECT_EQ(new_sessions, 1);
  EXPECT_EQ(count<ViewResetEvent>(), 0u);
  EXPECT_EQ(client->stats().violations, 0u);
}

TEST_P(ClientTest, ForgetsItsViewWhenTheServerTellsAllAnew) {
  start();
  run_until_state(ConnectionState::Open);
  frame(5, "enters: [" + entity_json(7, 0, 4) + "]");
  run_until_tick(5);
  on_hello = [this](std::size_t) { server.welcome("resumed: true, view_reset: true"); };
  server.hang_up();
  run_until([&] { return count<ViewResetEvent>() == 1; });
  EXPECT_FALSE(client->find(entity_7).has_value());
  frame(9, "enters: [" + entity_json(7, 0, 4) + "]");
  run_until_tick(9);
  EXPECT_TRUE(client->find(entity_7).has_value());
  EXPECT_EQ(client->stats().violations, 0u);
  EXPECT_EQ(new_sessions, 1);
}

TEST_P(ClientTest, SendsAgainWhatTheServerDidNotReceive) {
  start();
  run_until_state(ConnectionState::Open);
  client->send({RemoveAreaCommand{{1}}, RemoveAreaCommand{{2}}}, note_outcome());
  client->send({RemoveAreaCommand{{3}}}, note_outcome());
  run_until([&] { return server.sequences.size() == 3; });
  answer(5, ack(1));
  run_until([&] { return outcomes.size() == 1; });
  on_hello = [this](std::size_t) { server.welcome("resumed: true, last_sequence: 2"); };
  server.hang_up();
  run_until([&] { return server.sequences.size() == 4; });
  EXPECT_EQ(server.sequences.back(), 3u);
  answer(8, ack(3));
  run_until([&] { return outcomes.size() == 3; });
  EXPECT_EQ(outcomes[1].sequence, 2u) << "received, but its answer went down with the connection";
  EXPECT_FALSE(outcomes[1].answered);
  EXPECT_TRUE(outcomes[2].ok());
  EXPECT_EQ(outcomes[2].sequence, 3u);
}

TEST_P(ClientTest, BeginsANewSessionWhenTheOldOneIsGone) {
  start();
  run_until_state(ConnectionState::Open);
  const AreaHandle area = client->add_area({}, {}, note_outcome());
  run_until([&] { return server.sequences.size() == 1; });
  frame(50, "enters: [" + entity_json(7, 0, 4) + "]");
  run_until_tick(50);
  on_hello = [this](std::size_t number) {
    if (number == 1) return server.send("Reject", "code: 'ResumeRefused', text: 'it has ended'");
    server.welcome();
  };
  server.hang_up();
  run_until([&] { return new_sessions == 2; });
  ASSERT_EQ(server.hellos.size(), 3u);
  EXPECT_EQ(server.hellos[1].resume_token, "token1");
  EXPECT_EQ(server.hellos[2].resume_token, "");
  EXPECT_EQ(server.hellos[2].resume_tick, 0u);
  EXPECT_FALSE(client->find(entity_7).has_value());
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_FALSE(outcomes[0].answered);
  client->change_area(area, {}, note_outcome());
  run_until([&] { return outcomes.size() == 2; });
  EXPECT_EQ(outcomes[1].error.code, ErrorCode::UnknownArea) << "of the session before";
  client->add_area({}, {}, note_outcome());
  run_until([&] { return server.sequences.size() == 2; });
  EXPECT_GT(server.sequences[1], server.sequences[0]);
  frame(1, "enters: [" + entity_json(7, 0, 4) + "]");  // the server began anew as well
  run_until_tick(1);
  EXPECT_EQ(client->stats().violations, 0u);
}

TEST_P(ClientTest, DoesNotComeBackWhenAnotherConnectionTookOver) {
  start();
  run_until_state(ConnectionState::Open);
  auto command = client->request(RemoveAreaCommand{{1}});
  auto query = client->query(Query{});
  run_until([&] { return server.sequences.size() == 1; });
  server.send("Closing", "code: 'TakenOver', text: 'another one goes on'");
  run_until_state(ConnectionState::Closed);
  EXPECT_EQ(client->last_error().code, ErrorCode::TakenOver);
  EXPECT_FALSE(command.get().answered);
  EXPECT_FALSE(query.get().answered);
  EXPECT_EQ(server.hellos.size(), 1u);
  auto late = client->request(RemoveAreaCommand{{1}});
  run_until([&] { return late.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  EXPECT_FALSE(late.get().ok());
}

TEST_P(ClientTest, WaitsAsLongAsTheServerAsks) {
  start();
  run_until_state(ConnectionState::Open);
  server.send("Closing", "code: 'ServerStopping', text: 'later', retry_after_ms: 40");
  run_until_state(ConnectionState::Waiting);
  ASSERT_EQ(retries_ms.size(), 1u);
  EXPECT_GE(retries_ms[0], 40u);
  run_until([&] { return client->stats().connects == 2; });
}

TEST_P(ClientTest, TriesAgainUntilAServerAnswers) {
  options.reconnect.attempts_max = 3;
  int hellos = 0;
  on_hello = [&](std::size_t) {
    if (++hellos < 3) return server.send("Reject", "code: 'ServerFull', text: 'full'");
    server.welcome();
  };
  start();
  run_until_state(ConnectionState::Open);
  EXPECT_EQ(hellos, 3);
  EXPECT_EQ(new_sessions, 1);
}

TEST_P(ClientTest, GivesUpWhenTheAttemptsAreUsedUp) {
  options.reconnect.attempts_max = 2;
  int hellos = 0;
  on_hello = [&](std::size_t) {
    ++hellos;
    server.send("Reject", "code: 'ServerFull', text: 'full'");
  };
  start();
  run_until_state(ConnectionState::Closed);
  EXPECT_EQ(hellos, 3) << "the first attempt and two more";
  EXPECT_EQ(client->last_error().code, ErrorCode::ServerFull);
}

TEST_P(ClientTest, DoesNotStormAServerThatRefusesWhateverComes) {
  options.reconnect.first_delay_ms = 5;
  options.reconnect.jitter = 0;
  options.reconnect.attempts_max = 2;
  start();
  run_until_state(ConnectionState::Open);
  on_hello = [&](std::size_t) { server.send("Reject", "code: 'ResumeRefused', text: 'no'"); };
  server.hang_up();
  run_until_state(ConnectionState::Closed);
  EXPECT_THAT(retries_ms, ElementsAre(5, 0, 10)) << "at once only instead of the resume";
}

TEST_P(ClientTest, StopsAtARefusalThatWillNotChange) {
  on_hello = [&](std::size_t) { server.send("Reject", "code: 'VersionMismatch', text: 'old'"); };
  start();
  run_until_state(ConnectionState::Closed);
  EXPECT_EQ(server.hellos.size(), 1u);
}

TEST_P(ClientTest, ClosesWithGoodbyeAndMayConnectAgain) {
  start();
  run_until_state(ConnectionState::Open);
  client->close();
  run_until([&] {
    return client->state() != ConnectionState::Open || (server.send("Closing", "code: 'None'"), 0);
  });
  run_until_state(ConnectionState::Closed);
  EXPECT_EQ(server.hellos.size(), 1u);
  client->connect();
  run_until_state(ConnectionState::Open);
  EXPECT_EQ(server.hellos.at(1).resume_token, "") << "the session ended with the goodbye";
  EXPECT_EQ(new_sessions, 2);
}

TEST_P(ClientTest, ARemovedObserverTakesItsViewAlong) {
  start();
  run_until_state(ConnectionState::Open);
  const AreaHandle one = client->add_area({}, {3});
  const AreaHandle two = client->add_area({}, {3});
  run_until([&] { return server.sequences.size() == 2; });
  answer(5, ack(1) + "," + ack(2));
  frame(5, "enters: [" + entity_json(7, 3, 4) + "]");
  run_until_tick(5);
  client->remove_area(one);
  run_until([&] { return server.sequences.size() == 3; });
  answer(6, ack(3));
  frame(6, "enters_waiting: 0");
  run_until_tick(6);
  EXPECT_TRUE(client->find(entity_7, {3}).has_value()) << "the other area is still there";
  client->remove_area(two);
  run_until([&] { return server.sequences.size() == 4; });
  answer(7, ack(4));
  frame(7, "enters: [" + entity_json(9, 1, 4) + "]");  // the alias is free again
  run_until_tick(7);
  EXPECT_FALSE(client->find(entity_7, {3}).has_value());
  EXPECT_TRUE(client->find(EntityId::from_raw(9), {1}).has_value());
}

TEST_P(ClientTest, QueriesAndStepsAreAnsweredOrLost) {
  start();
  run_until_state(ConnectionState::Open);
  std::vector<QueryOutcome> answers;
  client->query(Query{}, [&](const QueryOutcome& outcome) { answers.push_back(outcome); });
  auto step = client->step(3);
  run_until([&] { return server.question_count == 2; });
  server.send("QueryAnswer", "request: 1, tick: 12, complete: true");
  server.send("StepDone", "sequence: 1, tick: 13");
  run_until([&] { return answers.size() == 1; });
  run_until([&] { return step.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  EXPECT_EQ(answers[0].answer.tick, 12u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(step.get().tick, 13u);
  client->query(Query{}, [&](const QueryOutcome& outcome) { answers.push_back(outcome); });
  server.hang_up();
  run_until([&] { return answers.size() == 2; });
  EXPECT_FALSE(answers[1].ok());
}

TEST(Inbox, SaysWhenTooManyTicksWait) {
  Inbox inbox;
  for (std::size_t i = 1; i < Inbox::frame_count_max; ++i) EXPECT_TRUE(inbox.push(TickFrame{}));
  EXPECT_TRUE(inbox.push(PongNews{})) << "only ticks count";
  EXPECT_FALSE(inbox.push(TickFrame{}));
  EXPECT_EQ(inbox.take().size(), Inbox::frame_count_max + 1);
  EXPECT_TRUE(inbox.push(TickFrame{}));
}

TEST_P(ClientTest, LosesNothingWhenItIsNotPolledForLong) {
  start();
  run_until_state(ConnectionState::Open);
  const Tick last = 4 * Inbox::frame_count_max;
  for (Tick tick = 1; tick <= last; ++tick) frame(tick, "enters_waiting: 0");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  run_until_tick(last);
  EXPECT_EQ(client->stats().ticks, last);
  EXPECT_EQ(client->state(), ConnectionState::Open);
}

TEST_P(ClientTest, EstimatesTheClockOfTheServer) {
  options.connection.ping_interval_ms = 1;
  on_ping = [this](const wire::PingMessage& ping) {
    server.send("Pong", "nonce: " + std::to_string(ping.nonce) +
                            ", client_time_us: " + std::to_string(ping.client_time_us) +
                            ", server_time_us: " + std::to_string(ping.client_time_us + 5'000'000));
  };
  start();
  run_until([&] { return client->stats().round_trip_us > 0; });
  // It may be off by half the round trip.
  const std::int64_t offset_us = client->server_time_us(0);
  EXPECT_LE(offset_us, 5'000'000);
  EXPECT_GE(offset_us, 5'000'000 - client->stats().round_trip_min_us / 2 - 1);
  const auto server_now_us = static_cast<Tick>(client->server_time_us(Client::local_time_us()));
  frame(4, "server_time_us: " + std::to_string(server_now_us));
  run_until_tick(4);
  EXPECT_GE(client->stats().update_age_us, 0);
  EXPECT_GE(client->tick_at(Client::local_time_us()), 4.0);
}

TEST_P(ClientTest, BoundsTheCommandsThatWait) {
  options.commands_unanswered_max = 2;
  client = std::make_unique<Client>(options);
  client->send({RemoveAreaCommand{{1}}, RemoveAreaCommand{{2}}});
  client->send({RemoveAreaCommand{{3}}}, note_outcome());
  run_until([&] { return outcomes.size() == 1; });
  EXPECT_EQ(outcomes[0].error.code, ErrorCode::QueueFull);
  EXPECT_EQ(outcomes[0].sequence, 3u);
}

TEST_P(ClientTest, EndsInAnyState) {
  client = std::make_unique<Client>(options);
  client.reset();
  start();
  auto future = client->request(RemoveAreaCommand{{1}});
  client.reset();
  EXPECT_THROW(future.get(), std::future_error);
  start();
  run_until_state(ConnectionState::Open);
  client.reset();
}

}  // namespace
}  // namespace vicinity::client
