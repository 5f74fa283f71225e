// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/blocking.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/limits.h"
#include "support/encode_tick.h"
#include "unit/client/scripted_server.h"

namespace vicinity::client {
namespace {

using Answer = ScriptedServer::Answer;

/// The scripted server on a thread of its own, for a client that blocks.
class ServerThread {
 public:
  explicit ServerThread(ScriptedServer::Script script)
      : server_(io_, std::move(script)), port_(server_.port()), thread_([this] { io_.run(); }) {}
  ~ServerThread() {
    io_.stop();
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  boost::asio::io_context io_;
  ScriptedServer server_;
  std::uint16_t port_;
  std::thread thread_;
};

ConnectOptions options_for(const ServerThread& server) {
  ConnectOptions options;
  options.port = server.port();
  options.role = Role::Authority;
  return options;
}

/// A frame of one tick in which nothing happened.
void append_empty_tick(Tick tick, Bytes& out) {
  TickOutput output;
  auto frame = std::make_shared<PublishedFrame>();
  frame->snapshot = std::make_shared<const Snapshot>();
  output.frame = frame;
  output.report.tick = tick;
  EXPECT_TRUE(wire::encode_tick(output, {}, 0, limits::outbox_bytes_max, out));
}

/// Answers every message at once; step k runs tick 7 + k.
Answer answer_everything(const wire::ClientMessage& message) {
  Answer answer;
  if (std::holds_alternative<wire::HelloMessage>(message)) answer.bytes = welcome_bytes();
  if (const auto* commands = std::get_if<wire::CommandsMessage>(&message)) {
    std::vector<wire::RefusedCommand> refused;
    for (const auto& command : commands->commands)
      refused.push_back({command.sequence, {ErrorCode::UnknownEntity, "no such entity"}});
    wire::encode_refusals(refused, answer.bytes);
  }
  if (const auto* step = std::get_if<wire::StepMessage>(&message)) {
    append_empty_tick(7 + step->sequence, answer.bytes);
    wire::encode_step_done(step->sequence, 7 + step->sequence, 99, {}, answer.bytes);
  }
  if (const auto* query = std::get_if<wire::QueryMessage>(&message))
    wire::encode_query_answer(query->request, {5, 6, true, {{EntityId(1, 1), 0, {}, 8}}},
                              answer.bytes);
  if (const auto* ping = std::get_if<wire::PingMessage>(&message))
    wire::encode_pong(ping->nonce, ping->client_time_us, 1, 2, answer.bytes);
  if (std::holds_alternative<wire::GoodbyeMessage>(message))
    wire::encode_closing({}, 0, answer.bytes);
  return answer;
}

TEST(BlockingClient, StepsQueriesAndPings) {
  ServerThread server(answer_everything);
  BlockingClient client;
  const auto welcome = client.connect(options_for(server));
  ASSERT_TRUE(welcome.ok()) << welcome.error().text;
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(welcome.value().tick, 7u);

  EXPECT_EQ(client.send({DespawnCommand{{EntityId(4, 4), 0}}}), 1u);
  const auto step = client.step();
  ASSERT_TRUE(step.ok()) << step.error().text;
  EXPECT_EQ(step.value().tick, 8u);
  EXPECT_EQ(step.value().result_hash, 99u);
  const auto outcomes = client.take_outcomes();
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].sequence, 1u);
  EXPECT_EQ(outcomes[0].error.code, ErrorCode::UnknownEntity);
  EXPECT_TRUE(client.take_outcomes().empty());
  const auto frames = client.take_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].tick, 8u);

  const auto answer = client.query({SphereQuery{{0, 0, 0}, 5}, {}, 10});
  ASSERT_TRUE(answer.ok()) << answer.error().text;
  EXPECT_EQ(answer.value().tick, 5u);
  ASSERT_EQ(answer.value().hits.size(), 1u);
  EXPECT_EQ(answer.value().hits[0].user_data, 8u);
  const auto pong = client.ping();
  ASSERT_TRUE(pong.ok()) << pong.error().text;
  EXPECT_EQ(pong.value().tick, 2u);
  EXPECT_GT(client.traffic().frames_in, 4u);

  client.close();
  EXPECT_FALSE(client.is_open());
  ASSERT_TRUE(client.closed().has_value());
  EXPECT_EQ(client.closed()->text, "closed by the client");
}

TEST(BlockingClient, NextFrameGivesTheOldestFirst) {
  ServerThread server(answer_everything);
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  ASSERT_TRUE(client.step().ok());
  ASSERT_TRUE(client.step().ok());
  EXPECT_EQ(client.next_frame().value().tick, 8u);
  EXPECT_EQ(client.next_frame().value().tick, 9u);
}

TEST(BlockingClient, EveryWaitHasADeadline) {
  ServerThread server([](const wire::ClientMessage& message) {
    return std::holds_alternative<wire::HelloMessage>(message) ? Answer{welcome_bytes(), false}
                                                               : Answer{};
  });
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  client.set_timeout_ms(20);
  EXPECT_EQ(client.step().error().text, "no answer within 20 ms");
  EXPECT_EQ(client.next_frame().error().text, "no answer within 20 ms");
  EXPECT_EQ(client.query({}).error().text, "no answer within 20 ms");
  EXPECT_EQ(client.ping().error().text, "no answer within 20 ms");
  EXPECT_TRUE(client.is_open());
}

TEST(BlockingClient, LateAnswerIsNotTakenForTheNextOne) {
  // The server answers a query only together with the next one.
  auto held = std::make_shared<Bytes>();
  ServerThread server([held](const wire::ClientMessage& message) {
    Answer answer;
    if (std::holds_alternative<wire::HelloMessage>(message)) answer.bytes = welcome_bytes();
    const auto* query = std::get_if<wire::QueryMessage>(&message);
    if (query == nullptr) return answer;
    wire::encode_query_answer(query->request, {query->request, 0, true, {}}, *held);
    if (query->request > 1) answer.bytes = *held;
    return answer;
  });
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  client.set_timeout_ms(20);
  EXPECT_FALSE(client.query({}).ok());
  client.set_timeout_ms(20'000);
  const auto second = client.query({});
  ASSERT_TRUE(second.ok()) << second.error().text;
  EXPECT_EQ(second.value().tick, 2u);
}

TEST(BlockingClient, ErrorsOfStepAndQueryCarryTheirCode) {
  ServerThread server([](const wire::ClientMessage& message) {
    Answer answer;
    if (std::holds_alternative<wire::HelloMessage>(message)) answer.bytes = welcome_bytes();
    if (const auto* step = std::get_if<wire::StepMessage>(&message))
      wire::encode_step_done(step->sequence, 7, 0, {ErrorCode::WrongTickMode, "timer mode"},
                             answer.bytes);
    if (const auto* query = std::get_if<wire::QueryMessage>(&message))
      wire::encode_query_error(query->request, 7, 8, {ErrorCode::InvalidQuery, "radius"},
                               answer.bytes);
    return answer;
  });
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  const auto step = client.step();
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().code, ErrorCode::WrongTickMode);
  const auto query = client.query({});
  ASSERT_FALSE(query.ok());
  EXPECT_EQ(query.error().code, ErrorCode::InvalidQuery);
  EXPECT_EQ(query.error().text, "radius");
}

TEST(BlockingClient, EndOfTheConnectionEndsEveryWait) {
  ServerThread server([](const wire::ClientMessage& message) {
    if (std::holds_alternative<wire::HelloMessage>(message)) return Answer{welcome_bytes(), false};
    Answer answer{{}, true};
    wire::encode_closing({ErrorCode::ServerStopping, "stopping"}, 0, answer.bytes);
    return answer;
  });
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  const auto step = client.step();
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().code, ErrorCode::ServerStopping);
  EXPECT_EQ(client.query({}).error().code, ErrorCode::ServerStopping);
  EXPECT_EQ(client.next_frame().error().code, ErrorCode::ServerStopping);
  ASSERT_TRUE(client.closed().has_value());
  EXPECT_EQ(client.closed()->text, "stopping");
}

TEST(BlockingClient, UnconnectedClientSaysSo) {
  BlockingClient client;
  EXPECT_EQ(client.step().error().text, "not connected");
  EXPECT_EQ(client.query({}).error().text, "not connected");
  EXPECT_EQ(client.next_frame().error().text, "not connected");
  EXPECT_FALSE(client.is_open());
  client.close();
  EXPECT_FALSE(client.closed().has_value());
}

TEST(BlockingClient, ConnectsAgainAfterTheEnd) {
  BlockingClient client;
  for (int round = 0; round < 2; ++round) {
    ServerThread server(answer_everything);
    ASSERT_TRUE(client.connect(options_for(server)).ok());
    EXPECT_EQ(client.next_sequence(), 1u);
    ASSERT_TRUE(client.step().ok());
    client.close();
    EXPECT_TRUE(client.closed().has_value());
  }
}

TEST(BlockingClient, MegabytesAtOnceArriveWhole) {
  ServerThread server([](const wire::ClientMessage& message) {
    Answer answer;
    if (std::holds_alternative<wire::HelloMessage>(message)) answer.bytes = welcome_bytes();
    const auto* query = std::get_if<wire::QueryMessage>(&message);
    if (query == nullptr) return answer;
    QueryAnswer hits;
    hits.hits.resize(limits::query_hits_max);
    for (std::size_t i = 0; i < hits.hits.size(); ++i) hits.hits[i].user_data = i;
    // Nine answers to nobody, so that reads grow to their full size before the right one.
    for (std::uint64_t request = 109; request > 100; --request)
      wire::encode_query_answer(request, hits, answer.bytes);
    wire::encode_query_answer(query->request, hits, answer.bytes);
    return answer;
  });
  BlockingClient client;
  ASSERT_TRUE(client.connect(options_for(server)).ok());
  const auto answer = client.query({});
  ASSERT_TRUE(answer.ok()) << answer.error().text;
  ASSERT_EQ(answer.value().hits.size(), limits::query_hits_max);
  for (std::size_t i = 0; i < answer.value().hits.size(); ++i)
    ASSERT_EQ(answer.value().hits[i].user_data, i);
  EXPECT_GT(client.traffic().bytes_in, 3'000'000u);
}

TEST(BlockingClient, TooMuchToSendIsTheReasonOfTheNextCall) {
  ServerThread server(answer_everything);
  BlockingClient client;
  ConnectOptions options = options_for(server);
  options.outgoing_bytes_max = 1000;
  ASSERT_TRUE(client.connect(options).ok());
  client.send(std::vector<CommandBody>(100, DespawnCommand{{EntityId(1, 1), 0}}));
  const auto step = client.step();
  ASSERT_FALSE(step.ok());
  EXPECT_NE(step.error().text.find("bytes wait to be sent"), std::string::npos)
      << step.error().text;
  EXPECT_TRUE(client.closed().has_value());
}

TEST(BlockingClient, RunForReceivesWhatComes) {
  ServerThread server([](const wire::ClientMessage& message) {
    Answer answer;
    if (std::holds_alternative<wire::HelloMessage>(message)) {
      answer.bytes = welcome_bytes();
      append_empty_tick(8, answer.bytes);
    }
    if (std::holds_alternative<wire::PingMessage>(message)) append_empty_tick(9, answer.bytes);
    return answer;
  });
  BlockingClient client;
  ConnectOptions options = options_for(server);
  options.ping_interval_ms = 1;
  ASSERT_TRUE(client.connect(options).ok());
  std::vector<TickFrame> frames;
  for (int tries = 0; tries < 1000 && frames.size() < 2; ++tries) {
    client.run_for(20);
    for (TickFrame& frame : client.take_frames()) frames.push_back(std::move(frame));
  }
  ASSERT_GE(frames.size(), 2u);
  EXPECT_EQ(frames[0].tick, 8u);
  EXPECT_EQ(frames[1].tick, 9u);
}

}  // namespace
}  // namespace vicinity::client
