// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What comes over a WebSocket besides messages: control frames and empty fragments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/limits.h"
#include "running_web_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::FrameOptions;
using test::Opcode;
using test::WebSocketClient;
using test::WebSocketFrame;
using testing::ElementsAre;

Bytes repeated(const Bytes& frame, std::size_t count) {
  Bytes all;
  for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), frame.begin(), frame.end());
  return all;
}

std::optional<WebSocketFrame> next_but_pongs(WebSocketClient& client) {
  auto frame = client.read();
  while (frame && frame->opcode == Opcode::Pong) frame = client.read();
  return frame;
}

/// This one is the farewell; then come the close frame with its code, and the end.
void expect_end(const std::optional<WebSocketFrame>& farewell, WebSocketClient& client,
                RecordingHandler& handler) {
  ASSERT_TRUE(farewell.has_value());
  EXPECT_EQ(text_of(farewell->payload), "RateLimited");
  const auto close = next_but_pongs(client);
  ASSERT_TRUE(close.has_value());
  EXPECT_EQ(close->close_code(), close_code(ErrorCode::RateLimited));
  client.send(close->payload, {.opcode = Opcode::Close});
  EXPECT_TRUE(client.socket().wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::RateLimited));
}

TEST(WebSocketExcess, PingsWithoutEndAreClosed) {
  RecordingHandler handler(authenticate_all);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("hello"));
  const Bytes pings = repeated(test::web_socket_frame({}, {.opcode = Opcode::Ping}), 50);
  // A peer that does not read is not read from either: it reads its pongs.
  std::optional<WebSocketFrame> frame;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(i % 50 != 0 || client.socket().write(pings));
    frame = client.read();
    if (!frame || frame->opcode != Opcode::Pong) break;
  }
  expect_end(frame, client, handler);
}

TEST(WebSocketExcess, PongsThatNobodyAskedForAreClosed) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  const Bytes pong = test::web_socket_frame({}, {.opcode = Opcode::Pong});
  ASSERT_TRUE(client.socket().write(repeated(pong, 2000)));
  expect_end(client.read(), client, handler);
}

TEST(WebSocketExcess, EmptyFragmentsWithoutEndAreClosed) {
  for (const bool is_known : {false, true}) {
    RecordingHandler handler(authenticate_all);
    RunningWebSocket running({}, handler);
    auto client = running.client();
    const Bytes empty = test::web_socket_frame({}, {.opcode = Opcode::Continuation, .last = false});
    ASSERT_TRUE(!is_known || client.send_text("hello"));
    ASSERT_TRUE(client.send_text("x", {.last = false}));
    ASSERT_TRUE(client.socket().write(repeated(empty, 30'000)));
    expect_end(client.read(), client, handler);
  }
}

TEST(WebSocketExcess, MessagesBetweenThemBuyNoMoreOfThem) {
  RecordingHandler handler(authenticate_all);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  Bytes round = test::web_socket_frame({}, {.last = false});
  const Bytes empty = test::web_socket_frame({}, {.opcode = Opcode::Continuation, .last = false});
  const Bytes many = repeated(empty, 1000);
  round.insert(round.end(), many.begin(), many.end());
  const Bytes last = test::web_socket_frame(Bytes{'x'}, {.opcode = Opcode::Continuation});
  round.insert(round.end(), last.begin(), last.end());
  ASSERT_TRUE(client.socket().write(repeated(round, 40)));
  expect_end(client.read(), client, handler);
}

TEST(WebSocketExcess, AFewPingsAndMessagesInManyFragmentsPass) {
  RecordingHandler handler(authenticate_all);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("hello"));
  const std::string piece(1024, 'p');
  constexpr std::size_t pieces = limits::client_frame_bytes_max / 1024;
  constexpr std::size_t messages = 20;
  for (std::size_t i = 0; i < messages; ++i) {
    ASSERT_TRUE(client.send_text(piece, {.last = false}));
    for (std::size_t at = 1; at + 1 < pieces; ++at)
      ASSERT_TRUE(client.send_text(piece, {.opcode = Opcode::Continuation, .last = false}));
    ASSERT_TRUE(client.send_text("alive?", {.opcode = Opcode::Ping}));
    ASSERT_TRUE(client.send_text(piece, {.opcode = Opcode::Continuation}));
    const auto pong = client.read();
    ASSERT_TRUE(pong.has_value());
    ASSERT_EQ(pong->opcode, Opcode::Pong);
  }
  ASSERT_TRUE(client.send_text("1", {.last = false}));
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(client.send_text("1", {.opcode = Opcode::Continuation, .last = false}));
  ASSERT_TRUE(client.send_text("1", {.opcode = Opcode::Continuation}));
  ASSERT_TRUE(handler.wait_for_frames(messages + 2));
  EXPECT_EQ(handler.frames()[messages].size(), limits::client_frame_bytes_max);
  EXPECT_EQ(handler.frames().back(), std::string(5002, '1'));
}

TEST(WebSocketExcess, IsCountedWithAllBytesOfTheWire) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  std::uint64_t sent = test::upgrade_request().size();
  const Bytes text{'t', 'e', 'x', 't'};
  for (const FrameOptions& options :
       {FrameOptions{.opcode = Opcode::Ping}, FrameOptions{.last = false},
        FrameOptions{.opcode = Opcode::Continuation, .last = false},
        FrameOptions{.opcode = Opcode::Pong}, FrameOptions{.opcode = Opcode::Continuation}}) {
    sent += test::web_socket_frame(text, options).size();
    ASSERT_TRUE(client.send(text, options));
  }
  ASSERT_TRUE(handler.wait_for_frames(1));
  EXPECT_EQ(handler.frames().front(), "texttexttext");
  EXPECT_EQ(running.socket->stats().bytes_in, sent);
}

}  // namespace
}  // namespace vicinity::net
