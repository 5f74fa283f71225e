// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "running_web_socket.h"

namespace vicinity::net {
namespace {

using test::WebSocketClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// What the server answers to these bytes of a fresh connection.
std::string answer_to(const RunningWebSocket& running, const std::string& request) {
  WebSocketClient client(running.port());
  client.write(request);
  return client.read_response();
}

TEST(WebSocketUpgrade, AnswersTheKeyOfTheStandardsExample) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  const std::string answer = answer_to(running, test::upgrade_request());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(answer, HasSubstr("Sec-WebSocket-Accept: " + std::string(test::example_accept)));
}

TEST(WebSocketUpgrade, OffersNoCompression) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  const std::string answer =
      answer_to(running, test::upgrade_request("Sec-WebSocket-Extensions: permessage-deflate\r\n"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(answer, testing::Not(HasSubstr("permessage-deflate")));
}

TEST(WebSocketUpgrade, RefusesPagesOfOriginsThatAreNotListed) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.origins = "https://example.org";
  RunningWebSocket running(settings, handler);
  const auto from = [&](const std::string& origin) {
    return answer_to(running, test::upgrade_request("Origin: " + origin + "\r\n"));
  };
  EXPECT_THAT(from("https://example.org"), StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(from("https://evil.test"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(from("https://example.org\r\nOrigin: https://evil.test"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer_to(running, test::upgrade_request()), StartsWith("HTTP/1.1 101 "));
}

TEST(WebSocketUpgrade, ARefusalEndsTheConnectionAndIsReported) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  WebSocketClient client(running.port());
  client.write(test::upgrade_request("Origin: https://evil.test\r\n"));
  EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 403 "));
  EXPECT_TRUE(client.socket().wait_for_end());
  client.socket().close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::HandshakeExpected));
}

TEST(WebSocketUpgrade, RefusesWhatIsNoUpgrade) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  EXPECT_THAT(answer_to(running, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 426 "), HasSubstr("Upgrade: websocket")));
  EXPECT_THAT(answer_to(running, "POST / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"),
              StartsWith("HTTP/1.1 426 "));
  EXPECT_THAT(answer_to(running, std::string("\0\0\0\x10 no HTTP at all\r\n\r\n", 22)),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(running,
                        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));  // no key
  EXPECT_TRUE(handler.wait_for_closes(4));
  EXPECT_THAT(handler.closes(), testing::Each(ErrorCode::HandshakeExpected));
}

TEST(WebSocketUpgrade, RefusesAHeaderWithoutEnd) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  const std::string cookie = "Cookie: " + std::string(4000, 'c') + "\r\n";
  EXPECT_THAT(answer_to(running, test::upgrade_request(cookie)), StartsWith("HTTP/1.1 101 "));
  WebSocketClient client(running.port());
  client.write("GET / HTTP/1.1\r\nCookie: ");
  client.write(std::string(20'000, 'c'));
  EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 431 "));
}

TEST(WebSocketUpgrade, RefusesBytesThatDoNotAwaitTheAnswer) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  EXPECT_THAT(answer_to(running, test::upgrade_request() + "early"), StartsWith("HTTP/1.1 400 "));
}

TEST(WebSocketUpgrade, TakesARequestThatArrivesByteByByte) {
  RecordingHandler handler(echo);
  RunningWebSocket running({}, handler);
  WebSocketClient client(running.port());
  for (const char byte : test::upgrade_request()) ASSERT_TRUE(client.write({&byte, 1}));
  EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 101 "));
  for (const std::uint8_t byte : test::web_socket_frame(test::Bytes{'s', 'l', 'o', 'w'}))
    ASSERT_TRUE(client.socket().write({&byte, 1}));
  EXPECT_EQ(read_text(client), "slow");
}

TEST(WebSocketUpgrade, APeerThatLeavesBeforeItIsReported) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  for (const char* begin : {"", "GET / HT"}) {
    WebSocketClient client(running.port());
    client.write(begin);
    ASSERT_NE(handler.opened(), nullptr);
  }
  ASSERT_TRUE(handler.wait_for_closes(2));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::None, ErrorCode::None));
}

TEST(WebSocketUpgrade, TheHandshakeDeadlineCoversTheRequest) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.handshake_deadline_ms = 50;
  RunningWebSocket running(settings, handler);
  WebSocketClient client(running.port());
  client.write("GET / HTTP/1.1\r\n");
  EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 408 "));
  EXPECT_TRUE(client.socket().wait_for_end());
  client.socket().close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::HandshakeTimeout));
}

TEST(WebSocketUpgrade, TheHandshakeDeadlineCoversTheHello) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.handshake_deadline_ms = 200;
  RunningWebSocket running(settings, handler);
  auto client = running.client();
  EXPECT_EQ(read_text(client), "HandshakeTimeout");
  EXPECT_EQ(client.read_close(), close_code(ErrorCode::HandshakeTimeout));
}

TEST(WebSocketUpgrade, WhatIsSentBeforeItWaitsForIt) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.handshake_deadline_ms = 500;
  RunningWebSocket running(settings, handler);
  WebSocketClient client(running.port());
  ASSERT_TRUE(handler.opened()->send(text_frame("early")));
  client.write(test::upgrade_request());
  EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 101 "));
  EXPECT_EQ(read_text(client), "early");
  client.socket().reset();
  ASSERT_TRUE(handler.wait_for_closes(1));

  WebSocketClient silent(running.port());
  ASSERT_TRUE(handler.opened()->send(text_frame("early")));
  EXPECT_THAT(silent.read_response(), StartsWith("HTTP/1.1 408 "));
}

TEST(WebSocketUpgrade, TheOldestOfTooManyNewcomersMakesRoom) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.unauthenticated_count_max = 2;
  RunningWebSocket running(settings, handler);
  WebSocketClient silent(running.port());
  ASSERT_TRUE(handler.wait_for_opens(1));
  auto second = running.client();
  auto third = running.client();
  EXPECT_THAT(silent.read_response(), StartsWith("HTTP/1.1 408 "));
  auto fourth = running.client();
  EXPECT_EQ(read_text(second), "HandshakeTimeout");
  EXPECT_EQ(running.socket->stats().evicted, 2u);
}

TEST(WebSocketUpgrade, TellsAPortThatIsTaken) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  WebSocketSettings settings;
  settings.port = running.port();
  const auto second = open_web_socket(settings, handler);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text, HasSubstr("port " + std::to_string(running.port())));
}

}  // namespace
}  // namespace vicinity::net
