// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// How connections over WebSocket end, and clients that are slow or many.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "running_web_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::Milliseconds;
using test::Opcode;
using test::WebSocketClient;
using testing::ElementsAre;
using Clock = std::chrono::steady_clock;

WebSocketSettings tight() {
  WebSocketSettings settings;
  settings.outbox_bytes_max = 256 * 1024;
  settings.send_buffer_bytes = 4096;
  return settings;
}

// --- Ends ------------------------------------------------------------------------------------

TEST(WebSocketEnd, ThePeersCloseFrameIsAnswered) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send(Bytes{0x03, 0xE8}, {.opcode = Opcode::Close}));
  const auto answer = client.read();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->close_code(), 1000);
  EXPECT_TRUE(client.socket().wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::None));
}

TEST(WebSocketEnd, AnEndWithoutACloseFrameIsReported) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto half_open = running.client();
  half_open.socket().shutdown_write();
  ASSERT_TRUE(handler.wait_for_closes(1));
  auto reset = running.client();
  reset.socket().reset();
  ASSERT_TRUE(handler.wait_for_closes(2));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::None, ErrorCode::None));
}

TEST(WebSocketEnd, AFarewellIsTheLastMessageAndTheCodeSaysWhy) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    link->send(text_frame("answer"));
    link->close({ErrorCode::ServerStopping, "test"}, text_frame("goodbye"));
    EXPECT_FALSE(link->send(text_frame("too late")));
  });
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("question"));
  EXPECT_EQ(read_text(client), "answer");
  EXPECT_EQ(read_text(client), "goodbye");
  EXPECT_EQ(client.read_close(), 4048);
  EXPECT_TRUE(client.socket().wait_for_end());
}

TEST(WebSocketEnd, WithoutAnErrorTheCodeIsTheNormalOne) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    link->close({}, text_frame("goodbye"));
  });
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("goodbye"));
  EXPECT_EQ(read_text(client), "goodbye");
  EXPECT_EQ(client.read_close(), 1000);
}

TEST(WebSocketEnd, APeerThatIgnoresTheCloseFrameIsCut) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    link->close({ErrorCode::ServerStopping, "test"});
  });
  RunningWebSocket running({}, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("question"));
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::ServerStopping));
}

TEST(WebSocketEnd, OfAPeerThatSendsOnWithoutEndOnlySoMuchIsRead) {
  const std::string text(1000, 'y');
  const Bytes message =
      test::web_socket_frame({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const Bytes ping = test::web_socket_frame({}, {.opcode = Opcode::Ping});
  for (const Bytes& frame : {message, ping}) {
    RecordingHandler handler;
    RunningWebSocket running({}, handler);
    auto client = running.client();
    handler.opened()->close({ErrorCode::BadFrame, "test"}, text_frame("farewell"));
    EXPECT_EQ(read_text(client), "farewell");
    const auto close = client.read();
    ASSERT_TRUE(close.has_value());
    EXPECT_EQ(close->close_code(), close_code(ErrorCode::BadFrame));
    constexpr std::size_t flood_bytes = 16u << 20;
    Bytes flood;
    while (flood.size() < flood_bytes) flood.insert(flood.end(), frame.begin(), frame.end());
    EXPECT_FALSE(client.socket().write(flood));  // its end comes before all of it is taken
    ASSERT_TRUE(handler.wait_for_closes(1));
    EXPECT_LT(running.socket->stats().bytes_in, 256u * 1024);
    EXPECT_THAT(handler.frames(), ElementsAre());
  }
}

TEST(WebSocketEnd, BothMayCloseAtTheSameTime) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  constexpr std::size_t count = 50;
  for (std::size_t i = 0; i < count; ++i) {
    auto client = running.client();
    const auto link = handler.opened();
    link->close({ErrorCode::ServerStopping, "test"});
    client.send(Bytes{0x03, 0xE8}, {.opcode = Opcode::Close});
    EXPECT_TRUE(client.socket().wait_for_end());
    ASSERT_TRUE(handler.wait_for_closes(i + 1));
  }
  EXPECT_EQ(handler.closes_without_open(), 0u);
}

TEST(WebSocketEnd, ABrokenFrameMayMeetTheServersClose) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  for (std::size_t i = 0; i < 5; ++i) {
    auto client = running.client();
    const auto link = handler.opened();
    link->close({ErrorCode::ServerStopping, "test"});
    client.send_text("not masked", {.masked = false});
    ASSERT_TRUE(handler.wait_for_closes(i + 1));
  }
}

TEST(WebSocketEnd, SilenceIsEndedAndPingsAreNoSilence) {
  RecordingHandler handler(authenticate_all);
  WebSocketSettings settings;
  settings.idle_timeout_ms = 1'000;
  RunningWebSocket running(settings, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("hello"));
  for (const auto end = Clock::now() + Milliseconds(2'000); Clock::now() < end;) {
    ASSERT_TRUE(client.send_text("", {.opcode = Opcode::Ping}));
    const auto pong = client.read();
    ASSERT_TRUE(pong.has_value());
    ASSERT_EQ(pong->opcode, Opcode::Pong);
    std::this_thread::sleep_for(Milliseconds(20));
  }
  EXPECT_EQ(read_text(client), "IdleTimeout");
  EXPECT_EQ(client.read_close(), close_code(ErrorCode::IdleTimeout));
}

TEST(WebSocketEnd, StopCutsEverybodyInEveryPhase) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    while (link->send(text_frame(std::string(10'000, 's')))) {
    }
  });
  RunningWebSocket running(tight(), handler);
  WebSocketClient silent(running.port());
  WebSocketClient asking(running.port());
  asking.write("GET / HTTP/1.1\r\n");
  auto open = running.client();
  auto fragment = running.client();
  fragment.send_text("half", {.last = false});
  auto slow = WebSocketClient::upgraded(running.port(), 4096);
  slow.send_text("send much");
  ASSERT_TRUE(handler.wait_for_opens(5));
  running.socket->stop(0);
  EXPECT_EQ(handler.open_count(), 0u);
  EXPECT_EQ(handler.closes().size(), 5u);
  EXPECT_EQ(handler.closes_without_open(), 0u);
}

TEST(WebSocketEnd, AConnectionMayOutliveTheListener) {
  RecordingHandler::Link link;
  RecordingHandler handler;
  {
    RunningWebSocket running({}, handler);
    auto client = running.client();
    link = handler.opened();
    link->offer(text_frame("state"), Clock::now() + std::chrono::hours(1));
  }
  EXPECT_TRUE(link->closing());
  EXPECT_FALSE(link->send(text_frame("nobody")));
}

// --- Slow clients ----------------------------------------------------------------------------

TEST(WebSocketSlow, IsClosedAtTheOutboxLimitAndDelaysNobody) {
  RecordingHandler handler(echo);
  const WebSocketSettings settings = tight();
  RunningWebSocket running(settings, handler);
  auto slow = WebSocketClient::upgraded(running.port(), 4096);
  const auto link = handler.opened();
  auto other = running.client();
  const std::string text(1000, 's');
  int sent = 0;
  while (link->send(text_frame(text))) {
    ASSERT_LE(link->outbox_bytes(), settings.outbox_bytes_max);
    ASSERT_LT(++sent, 1'000'000) << "the outbox never filled";
  }
  ASSERT_TRUE(other.send_text("not delayed"));
  EXPECT_EQ(read_text(other), "not delayed");

  // It reads again within the drain time: whole messages, the farewell last, the close frame.
  auto frame = slow.read();
  for (; frame && text_of(frame->payload) == text; frame = slow.read()) {
  }
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(text_of(frame->payload), "SlowConsumer");
  EXPECT_EQ(slow.read_close(), close_code(ErrorCode::SlowConsumer));
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
  EXPECT_EQ(running.socket->stats().slow_consumers, 1u);
}

TEST(WebSocketSlow, IsCutWhenItNeverReadsAgain) {
  RecordingHandler handler;
  RunningWebSocket running(tight(), handler);
  auto slow = WebSocketClient::upgraded(running.port(), 4096);
  const auto link = handler.opened();
  while (link->send(text_frame(std::string(10'000, 's')))) {
  }
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
}

TEST(WebSocketSlow, APeerThatAsksFasterThanItReadsGetsEveryAnswer) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    if (body == "hello") return (void)link->authenticated();
    link->send(text_frame(std::string(2000, body[0])));
  });
  RunningWebSocket running(tight(), handler);
  auto client = WebSocketClient::upgraded(running.port(), 4096);
  ASSERT_TRUE(client.send_text("hello"));
  constexpr int questions = 1000;  // answers: 2 MB, eight times the outbox
  for (int i = 0; i < questions; ++i)
    ASSERT_TRUE(client.send_text(std::string(1, static_cast<char>('a' + i % 26))));
  for (int i = 0; i < questions; ++i)
    ASSERT_EQ(read_text(client), std::string(2000, static_cast<char>('a' + i % 26)));
}

TEST(WebSocketSlow, APeerThatPingsAndNeverReadsFillsNothing) {
  RecordingHandler handler(authenticate_all);
  RunningWebSocket running(tight(), handler);
  auto client = WebSocketClient::upgraded(running.port(), 4096);
  ASSERT_TRUE(client.send_text("hello"));
  const auto link = handler.opened();
  const Bytes ping = test::web_socket_frame(Bytes(125, 'p'), {.opcode = Opcode::Ping});
  int count = 0;
  while (count < 200'000 && client.socket().write(ping, Milliseconds(200))) ++count;
  EXPECT_LT(count, 200'000) << "the server read on although nobody reads its pongs";
  EXPECT_LE(link->outbox_bytes(), std::size_t{256 * 1024});
}

// --- State frames ----------------------------------------------------------------------------

TEST(WebSocketOffer, AFrameGoesAtItsMoment) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  const auto link = handler.opened();
  for (int i = 0; i < 20; ++i) {
    const auto due = Clock::now() + Milliseconds(i % 7);
    ASSERT_TRUE(link->offer(text_frame("state"), due));
    ASSERT_EQ(read_text(client), "state");
    ASSERT_GE(Clock::now(), due);
  }
  EXPECT_EQ(running.socket->stats().frames_offered, 20u);
}

TEST(WebSocketOffer, IsNotWantedWhileOneWaits) {
  RecordingHandler handler;
  RunningWebSocket running({}, handler);
  auto client = running.client();
  const auto link = handler.opened();
  EXPECT_TRUE(link->wants_frame());
  ASSERT_TRUE(link->offer(text_frame("state"), Clock::now() + std::chrono::hours(1)));
  EXPECT_FALSE(link->wants_frame());
  ASSERT_TRUE(link->send(text_frame("answer")));  // what is called first goes first
  EXPECT_EQ(read_text(client), "state");
  EXPECT_EQ(read_text(client), "answer");
}

TEST(WebSocketIds, AreSharedWithTheOtherCarrier) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.ids = std::make_shared<ConnectionIds>();
  RunningWebSocket web(settings, handler);
  RunningSocket tcp(settings, handler);
  auto first = web.client();
  const std::uint64_t first_id = handler.opened()->id();
  auto second = test::RawSocket::connected(tcp.port());
  ASSERT_TRUE(handler.wait_for_opens(2));
  EXPECT_EQ(first_id, 1u);
  EXPECT_EQ(handler.opened()->id(), 2u);
}

}  // namespace
}  // namespace vicinity::net
