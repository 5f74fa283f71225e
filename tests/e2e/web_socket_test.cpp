// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The real server with both listeners: what a client is told does not depend on its carrier.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "session_client.h"
#include "support/server_process.h"
#include "support/web_socket_client.h"
#include "wire_client.h"

namespace vicinity::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A server with manual ticks that listens on two ports.
class WebSocketServer {
 public:
  explicit WebSocketServer(Arguments arguments = {}) : server_(with(std::move(arguments), file())) {
    // Written before the file that ServerProcess waits for.
    std::ifstream(file()) >> port_;
  }
  std::uint16_t port() const { return port_; }
  std::uint16_t tcp_port() const { return server_.port(); }
  ServerProcess& server() { return server_; }

 private:
  std::string file() const { return (folder_.path() / "websocket_port").string(); }
  static Arguments with(Arguments arguments, const std::string& file) {
    for (const char* text : {"--websocket", "--websocket-port", "0", "--tick-mode", "manual"})
      arguments.emplace_back(text);
    arguments.insert(arguments.end(), {"--websocket-port-file", file});
    return arguments;
  }

  TemporaryFolder folder_;
  ServerProcess server_;
  std::uint16_t port_ = 0;
};

/// The message in a frame with its prefix.
std::span<const std::uint8_t> body_of(const Bytes& frame) { return std::span(frame).subspan(4); }

/// Speaks the schemas over either carrier.
class AnyClient {
 public:
  static AnyClient over_tcp(std::uint16_t port) { return AnyClient(WireClient(port)); }
  static AnyClient over_web_socket(std::uint16_t port) {
    return AnyClient(WebSocketClient::upgraded(port));
  }

  bool send(const Bytes& frame) { return tcp_ ? tcp_->send(frame) : web_->send(body_of(frame)); }
  /// Body of the next message; empty at the end.
  Bytes next() {
    const auto body = tcp_ ? tcp_->socket().read_frame() : web_->read_message();
    return body.value_or(Bytes());
  }
  WebSocketClient& web() { return *web_; }

 private:
  explicit AnyClient(WireClient client) : tcp_(std::move(client)) {}
  explicit AnyClient(WebSocketClient client) : web_(std::move(client)) {}
  std::optional<WireClient> tcp_;
  std::optional<WebSocketClient> web_;
};

const proto::ServerMessage* message_of(const Bytes& body) {
  flatbuffers::Verifier verifier(body.data(), body.size());
  if (body.empty() || !proto::VerifyServerMessageBuffer(verifier)) return nullptr;
  return proto::GetServerMessage(body.data());
}

/// Passes over other messages; empty when the stream ends before.
Bytes next_of(AnyClient& client, proto::ServerBody type) {
  for (Bytes body = client.next(); !body.empty(); body = client.next()) {
    const auto* message = message_of(body);
    if (message != nullptr && message->body_type() == type) return body;
  }
  return {};
}

bool join(AnyClient& client) {
  return client.send(hello_frame()) && !next_of(client, proto::ServerBody::Welcome).empty();
}

/// What was sent before has arrived.
bool is_served(AnyClient& client) {
  return client.send(ping_frame(4711)) && !next_of(client, proto::ServerBody::Pong).empty();
}

TEST(WebSocketCarrier, GivesTheFramesThatTcpGives) {
  WebSocketServer server;
  ASSERT_NE(server.port(), 0) << server.server().standard_error();
  AnyClient web = AnyClient::over_web_socket(server.port());
  AnyClient tcp = AnyClient::over_tcp(server.tcp_port());
  for (AnyClient* client : {&web, &tcp}) {
    ASSERT_TRUE(join(*client));
    ASSERT_TRUE(client->send(commands_frame(1, {add_area(1, 50)})));
    ASSERT_TRUE(is_served(*client));
  }
  ASSERT_TRUE(web.send(commands_frame(2, {spawn(1, 2, 3), spawn(10, 0, 0, 5)})));
  std::size_t enter_count = 0;
  std::size_t move_count = 0;
  for (std::uint64_t tick = 1; tick <= 20; ++tick) {
    ASSERT_TRUE(web.send(step_frame(tick, 1)));
    const Bytes from_web = next_of(web, proto::ServerBody::Frame);
    const Bytes from_tcp = next_of(tcp, proto::ServerBody::Frame);
    ASSERT_FALSE(from_web.empty());
    ASSERT_EQ(from_web, from_tcp) << "tick " << tick;
    ASSERT_FALSE(next_of(web, proto::ServerBody::StepDone).empty());
    const auto* frame = message_of(from_web)->body_as_Frame();
    if (frame->enters() != nullptr) enter_count += frame->enters()->size();
    if (frame->moves() != nullptr) move_count += frame->moves()->size();
  }
  EXPECT_EQ(enter_count, 2u);
  EXPECT_GT(move_count, 0u);
  EXPECT_EQ(server.server().stop(), "");
}

TEST(WebSocketCarrier, AStopIsToldAndCounted) {
  WebSocketServer server;
  AnyClient client = AnyClient::over_web_socket(server.port());
  ASSERT_TRUE(join(client));
  server.server().process().signal(SIGTERM);
  const Bytes last = next_of(client, proto::ServerBody::Closing);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(message_of(last)->body_as_Closing()->code(), proto::ErrorCode::ServerStopping);
  EXPECT_EQ(client.web().read_close(), 4048);
  EXPECT_EQ(server.server().process().wait(), 0);
  EXPECT_THAT(server.server().standard_error(), HasSubstr("websocket_connections=1"));
}

TEST(WebSocketCarrier, BrokenMessagesAreRefusedAsOverTcp) {
  WebSocketServer server;
  AnyClient client = AnyClient::over_web_socket(server.port());
  ASSERT_TRUE(client.web().send(Bytes(100, 0xEE)));
  const Bytes last = next_of(client, proto::ServerBody::Closing);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(message_of(last)->body_as_Closing()->code(), proto::ErrorCode::BadFrame);
  EXPECT_EQ(client.web().read_close(), 4040);
  EXPECT_EQ(server.server().stop(), "");
}

TEST(WebSocketCarrier, ASubjectMayChangeItsCarrier) {
  WebSocketServer server;
  const Bytes hello = hello_frame(SessionWish{.subject = "player 7"});
  AnyClient tcp = AnyClient::over_tcp(server.tcp_port());
  ASSERT_TRUE(tcp.send(hello));
  ASSERT_FALSE(next_of(tcp, proto::ServerBody::Welcome).empty());
  AnyClient web = AnyClient::over_web_socket(server.port());
  ASSERT_TRUE(web.send(hello));
  ASSERT_FALSE(next_of(web, proto::ServerBody::Welcome).empty());
  const Bytes last = next_of(tcp, proto::ServerBody::Closing);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(message_of(last)->body_as_Closing()->code(), proto::ErrorCode::TakenOver);
  EXPECT_TRUE(is_served(web));
  EXPECT_EQ(server.server().stop(), "");
}

TEST(WebSocketCarrier, OnlyListedOriginsMayConnect) {
  WebSocketServer server({"--websocket-origins", "https://example.org"});
  const auto answer = [&](const std::string& origin) {
    WebSocketClient client(server.port());
    client.write(upgrade_request("Origin: " + origin + "\r\n"));
    return client.read_response();
  };
  EXPECT_THAT(answer("https://example.org"), StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(answer("https://evil.test"), StartsWith("HTTP/1.1 403 "));
  // At most a line a second for each code: the one above, who left, takes nothing from this one.
  ASSERT_TRUE(server.server().process().wait_for_error_text("https://evil.test"));
  EXPECT_THAT(server.server().standard_error(),
              HasSubstr("code=HandshakeExpected cause=\"the Origin of this page is not in "
                        "websocket_origins: https://evil.test\""));
  EXPECT_EQ(server.server().stop(), "");
}

TEST(WebSocketCarrier, APortThatIsTakenKeepsTheServerFromStarting) {
  WebSocketServer server;
  ServerProcess second({"--websocket", "--websocket-port", std::to_string(server.port())});
  EXPECT_EQ(second.port(), 0);
  EXPECT_THAT(second.standard_error(), HasSubstr("WebSocket: cannot listen on 127.0.0.1 port " +
                                                 std::to_string(server.port())));
}

}  // namespace
}  // namespace vicinity::test
