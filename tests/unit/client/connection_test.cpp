// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "unit/client/scripted_server.h"

namespace vicinity::client {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Answer = ScriptedServer::Answer;

/// A client and a server on one io_context, and everything the client was told.
class ConnectionTest : public ::testing::Test {
 protected:
  Handlers recording_handlers() {
    Handlers handlers;
    handlers.on_welcome = [this](const Welcome& value) { log("welcome"), welcome = value; };
    handlers.on_frame = [this](const TickFrame& v) { log("frame " + std::to_string(v.tick)); };
    handlers.on_command = [this](const CommandOutcome& v) {
      log("command " + std::to_string(v.sequence));
    };
    handlers.on_step = [this](const StepOutcome& v) { log("step " + std::to_string(v.sequence)); };
    handlers.on_query = [this](const QueryOutcome& v) {
      log("query " + std::to_string(v.request));
    };
    handlers.on_pong = [this](const PongInfo& v) { log("pong"), pong = v; };
    handlers.on_closed = [this](const Error& value) { log("closed"), closed = value; };
    return handlers;
  }
  void log(std::string event) { events.push_back(std::move(event)); }

  void serve(ScriptedServer::Script script) {
    if (server) retired.push_back(std::move(server));  // its operations are still pending
    server = std::make_unique<ScriptedServer>(io, std::move(script));
    options.port = server->port();
  }
  void connect() {
    client = std::make_unique<Connection>(io, recording_handlers());
    client->connect(options);
  }
  template <class Done>
  void run_until(Done done) {
    const auto until = std::chrono::steady_clock::now() + seconds(20);
    while (!done() && std::chrono::steady_clock::now() < until) io.run_one_until(until);
    ASSERT_TRUE(done()) << "events: " << ::testing::PrintToString(events);
  }
  void run_until_closed() {
    run_until([this] { return closed.has_value(); });
  }
  void run_until_welcome() {
    run_until([this] { return welcome.has_value(); });
  }

  boost::asio::io_context io;
  std::unique_ptr<ScriptedServer> server;
  std::vector<std::unique_ptr<ScriptedServer>> retired;
  std::unique_ptr<Connection> client;
  ConnectOptions options;
  std::vector<std::string> events;
  std::optional<Welcome> welcome;
  std::optional<PongInfo> pong;
  std::optional<Error> closed;
};

Answer welcome_to_hello(const wire::ClientMessage& message) {
  if (std::holds_alternative<wire::HelloMessage>(message)) return {welcome_bytes()};
  return {};
}

TEST_F(ConnectionTest, HelloIsAnsweredByWelcome) {
  options.client_name = "tester";
  options.role = Role::Authority;
  serve(welcome_to_hello);
  connect();
  EXPECT_FALSE(client->is_open());
  run_until_welcome();
  EXPECT_TRUE(client->is_open());
  EXPECT_EQ(welcome->session, SessionId{3});
  EXPECT_EQ(welcome->tick, 7u);
  ASSERT_EQ(server->received().size(), 1u);
  const auto& hello = std::get<wire::HelloMessage>(server->received()[0]);
  EXPECT_EQ(hello.client_name, "tester");
  EXPECT_EQ(hello.role, Role::Authority);
  EXPECT_EQ(client->next_sequence(), 1u);
}

TEST_F(ConnectionTest, RefusedConnectionNamesTheAddress) {
  {
    boost::asio::ip::tcp::acceptor gone(io, {boost::asio::ip::address_v4::loopback(), 0});
    options.port = gone.local_endpoint().port();
  }
  connect();
  EXPECT_THAT(events, ElementsAre());
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::None);
  EXPECT_EQ(closed->text,
            "cannot connect to 127.0.0.1:" + std::to_string(options.port) + ": connection refused");
  EXPECT_THAT(events, ElementsAre("closed"));
}

TEST_F(ConnectionTest, SilentServerRunsIntoTheDeadline) {
  options.connect_timeout_ms = 50;
  serve([](const wire::ClientMessage&) { return Answer{}; });
  connect();
  run_until_closed();
  EXPECT_THAT(closed->text, HasSubstr("within 50 ms"));
  EXPECT_THAT(events, ElementsAre("closed"));
}

TEST_F(ConnectionTest, RejectGivesCodeAndText) {
  serve([](const wire::ClientMessage&) {
    Answer answer{{}, true};
    wire::encode_reject({ErrorCode::ServerFull, "full; try later"}, answer.bytes);
    return answer;
  });
  connect();
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::ServerFull);
  EXPECT_EQ(closed->text, "full; try later");
  EXPECT_THAT(events, ElementsAre("closed"));
}

TEST_F(ConnectionTest, ClosingGivesCodeAndTextOnceAndNothingAfter) {
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    wire::encode_step_done(1, 8, 0, {}, answer.bytes);
    wire::encode_closing({ErrorCode::ServerStopping, "bye"}, 0, answer.bytes);
    wire::encode_step_done(2, 9, 0, {}, answer.bytes);
    answer.hang_up = true;
    return answer;
  });
  connect();
  run_until_closed();
  io.poll();
  EXPECT_EQ(closed->code, ErrorCode::ServerStopping);
  EXPECT_THAT(events, ElementsAre("welcome", "step 1", "closed"));
  EXPECT_FALSE(client->is_open());
  EXPECT_EQ(client->send({DespawnCommand{}}), 1u);  // harmless once closed
  client->close();
  io.poll();
  EXPECT_THAT(events, ElementsAre("welcome", "step 1", "closed"));
}

TEST_F(ConnectionTest, HangUpWithoutAReasonIsReported) {
  serve([](const wire::ClientMessage&) { return Answer{welcome_bytes(), true}; });
  connect();
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::None);
  EXPECT_FALSE(closed->text.empty());
  EXPECT_THAT(events, ElementsAre("welcome", "closed"));
}

TEST_F(ConnectionTest, CloseSaysGoodbyeAndReportsOnce) {
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    if (std::holds_alternative<wire::GoodbyeMessage>(message)) {
      wire::encode_step_done(5, 8, 0, {}, answer.bytes);
      wire::encode_closing({ErrorCode::None, "goodbye"}, 0, answer.bytes);
    }
    return answer;
  });
  connect();
  run_until_welcome();
  client->send({DespawnCommand{{EntityId(1, 1), 0}}});
  client->close();
  client->close();
  EXPECT_FALSE(client->is_open());
  run_until_closed();
  EXPECT_EQ(closed->text, "closed by the client");
  EXPECT_THAT(events, ElementsAre("welcome", "step 5", "closed"));
  ASSERT_EQ(server->received().size(), 3u);  // what was sent before went out first
  EXPECT_TRUE(std::holds_alternative<wire::CommandsMessage>(server->received()[1]));
  EXPECT_TRUE(std::holds_alternative<wire::GoodbyeMessage>(server->received()[2]));
}

TEST_F(ConnectionTest, CloseWhileConnectingReportsOnce) {
  serve(welcome_to_hello);
  connect();
  client->close();
  client->close();
  EXPECT_THAT(events, ElementsAre());  // never from within the call
  run_until_closed();
  io.poll();
  EXPECT_THAT(events, ElementsAre("closed"));
}

TEST_F(ConnectionTest, DestroyedConnectionIsSilent) {
  serve(welcome_to_hello);
  connect();
  run_until_welcome();
  client->send({DespawnCommand{{EntityId(1, 1), 0}}});
  client.reset();
  run_until([this] { return server->peer_gone(); });
  EXPECT_THAT(events, ElementsAre("welcome"));
}

TEST_F(ConnectionTest, HandlerMayDestroyTheConnection) {
  serve([](const wire::ClientMessage&) {
    Answer answer{welcome_bytes(), false};
    wire::encode_step_done(1, 8, 0, {}, answer.bytes);
    return answer;
  });
  Handlers handlers = recording_handlers();
  handlers.on_welcome = [this](const Welcome& value) {
    log("welcome");
    welcome = value;
    client.reset();
  };
  client = std::make_unique<Connection>(io, std::move(handlers));
  client->connect(options);
  run_until([this] { return server->peer_gone(); });
  EXPECT_THAT(events, ElementsAre("welcome"));
}

TEST_F(ConnectionTest, SequencesAndNumbersRunOn) {
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    if (const auto* step = std::get_if<wire::StepMessage>(&message))
      wire::encode_step_done(step->sequence, 8, 0, {}, answer.bytes);
    if (const auto* query = std::get_if<wire::QueryMessage>(&message))
      wire::encode_query_answer(query->request, {}, answer.bytes);
    return answer;
  });
  connect();
  run_until_welcome();
  const std::vector<CommandBody> three(3, CommandBody(DespawnCommand{{EntityId(1, 1), 0}}));
  EXPECT_EQ(client->send(three), 1u);
  EXPECT_EQ(client->next_sequence(), 4u);
  EXPECT_EQ(client->step(), 1u);
  EXPECT_EQ(client->send(three), 4u);
  EXPECT_EQ(client->step(2), 2u);
  EXPECT_EQ(client->query({}), 1u);
  run_until([this] { return events.size() == 4; });
  EXPECT_THAT(events, ElementsAre("welcome", "step 1", "step 2", "query 1"));
  ASSERT_EQ(server->received().size(), 6u);
  EXPECT_EQ(std::get<wire::CommandsMessage>(server->received()[1]).first_sequence, 1u);
  EXPECT_EQ(std::get<wire::CommandsMessage>(server->received()[3]).first_sequence, 4u);
  EXPECT_EQ(std::get<wire::StepMessage>(server->received()[4]).count, 2u);
  EXPECT_GT(client->traffic().bytes_out, 0u);
  EXPECT_GT(client->traffic().bytes_in, 0u);
  EXPECT_EQ(client->traffic().frames_in, 4u);
}

TEST_F(ConnectionTest, PingsByItself) {
  options.ping_interval_ms = 1;
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    if (const auto* ping = std::get_if<wire::PingMessage>(&message))
      wire::encode_pong(ping->nonce, ping->client_time_us, 1234, 9, answer.bytes);
    return answer;
  });
  connect();
  run_until([this] { return server->count<wire::PingMessage>() >= 3 && pong.has_value(); });
  EXPECT_EQ(pong->server_time_us, 1234u);
  EXPECT_EQ(pong->tick, 9u);
  EXPECT_LT(pong->round_trip_us, 20'000'000u);
}

TEST_F(ConnectionTest, SilenceInSpiteOfPingsEndsTheConnection) {
  options.ping_interval_ms = 1;
  options.silence_timeout_ms = 20;
  serve(welcome_to_hello);
  connect();
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::None);
  EXPECT_EQ(closed->text,
            "127.0.0.1:" + std::to_string(options.port) + " has been silent for 20 ms");
  EXPECT_THAT(events, ElementsAre("welcome", "closed"));
}

TEST_F(ConnectionTest, AnythingReceivedEndsTheSilence) {
  options.ping_interval_ms = 1;
  options.silence_timeout_ms = 20;
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    if (std::holds_alternative<wire::PingMessage>(message))
      wire::encode_step_done(1, 8, 0, {}, answer.bytes);
    return answer;
  });
  connect();
  run_until([this] { return server->count<wire::PingMessage>() >= 60 || closed; });
  EXPECT_FALSE(closed) << closed->text;
}

TEST_F(ConnectionTest, TimeInWhichNothingRunsIsNotSilence) {
  options.ping_interval_ms = 1;
  options.silence_timeout_ms = 10;
  serve(welcome_to_hello);
  connect();
  run_until_welcome();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (std::chrono::steady_clock::now() < until) continue;
  run_until([this] { return server->count<wire::PingMessage>() > 0 || closed; });
  EXPECT_FALSE(closed) << closed->text;
}

TEST_F(ConnectionTest, TooMuchToSendEndsTheConnection) {
  options.outgoing_bytes_max = 1000;
  serve(welcome_to_hello);
  connect();
  run_until_welcome();
  // The server gets no turn to read in between.
  std::uint64_t queries = 0;
  while (client->is_open() && queries < 1000) EXPECT_EQ(client->query({}), ++queries);
  EXPECT_FALSE(client->is_open());
  EXPECT_GT(queries, 1u);
  EXPECT_EQ(client->send({DespawnCommand{}}), 1u);  // harmless
  EXPECT_THAT(events, ElementsAre("welcome"));      // never from within the call
  run_until_closed();
  io.poll();
  EXPECT_EQ(closed->code, ErrorCode::None);
  EXPECT_THAT(closed->text, HasSubstr("more than 1000 bytes wait to be sent"));
  EXPECT_THAT(events, ElementsAre("welcome", "closed"));
}

TEST_F(ConnectionTest, LyingPongGivesNoAbsurdRoundTrip) {
  options.ping_interval_ms = 0;
  serve([](const wire::ClientMessage& message) {
    Answer answer = welcome_to_hello(message);
    wire::encode_pong(1, ~0ull, 0, 0, answer.bytes);
    return answer;
  });
  connect();
  run_until([this] { return pong.has_value(); });
  EXPECT_EQ(pong->round_trip_us, 0u);
  EXPECT_EQ(server->count<wire::PingMessage>(), 0u);
}

TEST_F(ConnectionTest, LeavesUnreadWhatIsNotWantedNow) {
  options.ping_interval_ms = 1;
  options.silence_timeout_ms = 2;
  serve(welcome_to_hello);
  connect();
  run_until_welcome();
  client->set_reading(false);
  Bytes steps;
  wire::encode_step_done(1, 8, 0, {}, steps);
  wire::encode_step_done(2, 9, 0, {}, steps);
  server->send(steps);
  run_until([this] { return server->count<wire::PingMessage>() > 5; });
  // A read that was under way may bring the two still; then no more comes.
  const std::size_t event_count = events.size();
  server->send(steps);
  run_until([this] { return server->count<wire::PingMessage>() > 10; });
  EXPECT_EQ(events.size(), event_count);
  EXPECT_FALSE(closed) << "silence is not held against the server: " << closed->text;
  client->set_reading(true);
  run_until([this] { return std::count(events.begin(), events.end(), "step 2") == 2; });
}

// --- Servers that do not keep to the protocol --------------------------------------------------

TEST_F(ConnectionTest, FirstMessageMustBeAWelcome) {
  serve([](const wire::ClientMessage&) {
    Answer answer;
    wire::encode_step_done(1, 8, 0, {}, answer.bytes);
    return answer;
  });
  connect();
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::BadFrame);
  EXPECT_THAT(events, ElementsAre("closed"));
}

TEST_F(ConnectionTest, SecondWelcomeIsRefused) {
  serve([](const wire::ClientMessage&) {
    Answer answer{welcome_bytes(), false};
    const Bytes again = welcome_bytes();
    answer.bytes.insert(answer.bytes.end(), again.begin(), again.end());
    return answer;
  });
  connect();
  run_until_closed();
  EXPECT_EQ(closed->code, ErrorCode::BadFrame);
  EXPECT_THAT(events, ElementsAre("welcome", "closed"));
}

TEST_F(ConnectionTest, GarbageInsteadOfFramesIsRefused) {
  const std::string http = "HTTP/1.1 400 Bad Request\r\n\r\n";
  for (const Bytes& garbage :
       {Bytes(http.begin(), http.end()), Bytes{0, 0, 0, 0}, Bytes{4, 0, 0, 0, 1, 2, 3, 4}}) {
    events.clear();
    closed.reset();
    serve([&](const wire::ClientMessage&) { return Answer{garbage, false}; });
    connect();
    run_until_closed();
    EXPECT_TRUE(closed->code == ErrorCode::BadFrame || closed->code == ErrorCode::FrameTooLarge);
    EXPECT_FALSE(closed->text.empty());
    EXPECT_THAT(events, ElementsAre("closed"));
  }
}

TEST_F(ConnectionTest, FrameInSmallPiecesIsRead) {
  serve([](const wire::ClientMessage&) { return Answer{}; });
  connect();
  run_until([this] { return server->received().size() == 1; });
  for (const std::uint8_t byte : welcome_bytes()) {
    server->send({byte});
    io.poll();
  }
  run_until_welcome();
}

}  // namespace
}  // namespace vicinity::client
