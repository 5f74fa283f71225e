// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "running_web_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t small_max = limits::frame_bytes_before_hello_max;
constexpr std::size_t large_max = limits::client_frame_bytes_max;

/// The peer is told by a frame and by the code of the close frame, the handler by the cause.
void expect_farewell(test::WebSocketClient& client, RecordingHandler& handler, ErrorCode code) {
  EXPECT_EQ(read_text(client), to_string(code));
  EXPECT_EQ(client.read_close(), close_code(code));
  EXPECT_TRUE(client.socket().wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(code));
}

// --- One message is one frame ----------------------------------------------------------------

TEST(WebSocketMessage, IsOneFrameBodyInBothDirections) {
  RecordingHandler handler(echo);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  for (const std::size_t size : {1u, 125u, 126u, 2048u}) {
    const std::string text(size, 'm');
    ASSERT_TRUE(client.send_text(text));
    ASSERT_EQ(read_text(client), text);
  }
}

TEST(WebSocketMessage, EachFrameOfOneSendIsAMessage) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    Bytes frames;
    for (const char* text : {"first", "second", "third"}) {
      const Bytes frame = text_frame(text);
      frames.insert(frames.end(), frame.begin(), frame.end());
    }
    link->send(frames);
  });
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("go"));
  for (const char* text : {"first", "second", "third"}) EXPECT_EQ(read_text(client), text);
}

TEST(WebSocketMessage, CarriesFramesOfEverySizeOfALongSend) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    Bytes frames;
    for (const std::size_t size : {1u, 70'000u, 3u, 1'000'000u, 65'536u}) {
      const Bytes frame = text_frame(std::string(size, 'l'));
      frames.insert(frames.end(), frame.begin(), frame.end());
    }
    link->send(frames);
  });
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("go"));
  for (const std::size_t size : {1u, 70'000u, 3u, 1'000'000u, 65'536u})
    ASSERT_EQ(read_text(client).size(), size);
}

TEST(WebSocketMessage, ManyOfOneWriteArriveInOrder) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  Bytes all;
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back("frame " + std::to_string(i));
    const Bytes frame = test::web_socket_frame(
        {reinterpret_cast<const std::uint8_t*>(expected.back().data()), expected.back().size()});
    all.insert(all.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(client.socket().write(all));
  ASSERT_TRUE(handler.wait_for_frames(expected.size()));
  EXPECT_EQ(handler.frames(), expected);
}

TEST(WebSocketMessage, FragmentsAreOneFrameAndPingsMayComeBetween) {
  RecordingHandler handler(echo);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("three ", {.last = false}));
  ASSERT_TRUE(client.send_text("", {.opcode = Opcode::Continuation, .last = false}));
  ASSERT_TRUE(client.send_text("alive?", {.opcode = Opcode::Ping}));
  ASSERT_TRUE(client.send_text("fragments", {.opcode = Opcode::Continuation}));
  const auto pong = client.read();
  ASSERT_TRUE(pong.has_value());
  EXPECT_EQ(pong->opcode, Opcode::Pong);
  EXPECT_EQ(text_of(pong->payload), "alive?");
  EXPECT_EQ(read_text(client), "three fragments");
  EXPECT_THAT(handler.frames(), ElementsAre("three fragments"));
}

// --- Limits ----------------------------------------------------------------------------------

TEST(WebSocketMessage, AboveTheLimitBeforeTheHelloIsRefused) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send(Bytes(small_max, 'x')));
  ASSERT_TRUE(handler.wait_for_frames(1));
  ASSERT_TRUE(client.send(Bytes(small_max + 1, 'x')));
  expect_farewell(client, handler, ErrorCode::FrameTooLarge);
  EXPECT_EQ(handler.frames().size(), 1u);
}

TEST(WebSocketMessage, AnAnnouncedLengthIsRefusedBeforeItArrives) {
  for (const std::uint64_t announced :
       {std::uint64_t{small_max + 1000}, std::uint64_t{1} << 32, (std::uint64_t{1} << 63) - 1}) {
    RecordingHandler handler;
    RunningWebSocket running({}, handler);
    auto client = running.client();
    ASSERT_TRUE(client.send_text("x", {.announced = announced}));
    EXPECT_EQ(read_text(client), "FrameTooLarge") << announced;
  }
}

TEST(WebSocketMessage, FragmentsDoNotPassTheLimitTogether) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  const Bytes half(small_max / 2, 'x');
  ASSERT_TRUE(client.send(half, {.last = false}));
  ASSERT_TRUE(client.send(half, {.opcode = Opcode::Continuation, .last = false}));
  ASSERT_TRUE(client.send({}, {.opcode = Opcode::Continuation}));  // the limit itself is allowed
  ASSERT_TRUE(handler.wait_for_frames(1));
  EXPECT_EQ(handler.frames()[0].size(), small_max);

  ASSERT_TRUE(client.send(half, {.last = false}));
  ASSERT_TRUE(client.send(half, {.opcode = Opcode::Continuation, .last = false}));
  ASSERT_TRUE(client.send(Bytes(1), {.opcode = Opcode::Continuation, .last = false}));
  expect_farewell(client, handler, ErrorCode::FrameTooLarge);
}

TEST(WebSocketMessage, TheLimitIsLiftedBehindTheHello) {
  RecordingHandler handler(authenticate_all);
  RunningWebSocket running({}, handler);
  auto client = running.client();
  Bytes both = test::web_socket_frame(Bytes{'h', 'i'});  // one write: it changes in the middle
  const Bytes large = test::web_socket_frame(Bytes(large_max, 'x'));
  both.insert(both.end(), large.begin(), large.end());
  ASSERT_TRUE(client.socket().write(both));
  ASSERT_TRUE(handler.wait_for_frames(2));
  EXPECT_EQ(handler.frames()[1].size(), large_max);
  ASSERT_TRUE(client.send(Bytes(large_max + 1, 'x')));
  expect_farewell(client, handler, ErrorCode::FrameTooLarge);
}

TEST(WebSocketMessage, AnEmptyOneIsABadFrame) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send({}));
  expect_farewell(client, handler, ErrorCode::BadFrame);
}

TEST(WebSocketMessage, TextIsABadFrame) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("{}", {.opcode = Opcode::Text}));
  expect_farewell(client, handler, ErrorCode::BadFrame);
  EXPECT_THAT(handler.frames(), IsEmpty());
}

TEST(WebSocketMessage, NothingBehindABadOneIsDelivered) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  Bytes bytes = test::web_socket_frame(Bytes{'o', 'k'});
  for (const auto& payload : {Bytes{}, Bytes{'l', 'a', 't', 'e'}}) {
    const Bytes frame = test::web_socket_frame(payload);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(client.socket().write(bytes));
  expect_farewell(client, handler, ErrorCode::BadFrame);
  EXPECT_THAT(handler.frames(), ElementsAre("ok"));
}

// --- Who breaks the protocol -----------------------------------------------------------------

/// Sends what no client may send; the peer is closed with this code of the standard.
void expect_failed(const Bytes& bytes, int code) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.socket().write(bytes));
  const auto answer = client.read();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->close_code(), code);
  EXPECT_TRUE(client.socket().wait_for_end());
  client.socket().close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::BadFrame));
  EXPECT_THAT(handler.frames(), IsEmpty());
}

TEST(WebSocketProtocol, AFrameThatIsNotMaskedFails) {
  expect_failed(test::web_socket_frame(Bytes{'x'}, {.masked = false}), 1002);
}

TEST(WebSocketProtocol, ReservedBitsFail) {
  for (const int bits : {0x10, 0x20, 0x40}) {
    const auto reserved = static_cast<std::uint8_t>(bits);
    expect_failed(test::web_socket_frame(Bytes{'x'}, {.reserved_bits = reserved}), 1002);
  }
}

TEST(WebSocketProtocol, AContinuationOfNothingFails) {
  expect_failed(test::web_socket_frame(Bytes{'x'}, {.opcode = Opcode::Continuation}), 1002);
}

TEST(WebSocketProtocol, ALongPingFails) {
  expect_failed(test::web_socket_frame(Bytes(126), {.opcode = Opcode::Ping}), 1002);
}

TEST(WebSocketProtocol, TextThatIsNoneFails) {
  expect_failed(test::web_socket_frame(Bytes{0xFF}, {.opcode = Opcode::Text}), 1007);
}

}  // namespace
}  // namespace vicinity::net
