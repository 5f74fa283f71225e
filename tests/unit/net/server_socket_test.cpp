// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/server_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/limits.h"
#include "engine_test.h"
#include "net/connection_core.h"
#include "recording_handler.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::framed;
using test::Milliseconds;
using test::RawSocket;
using testing::ElementsAre;
using Clock = std::chrono::steady_clock;

INSTANTIATE_ENGINES(Engines, ServerSocketTest);

const auto authenticate = [](const RecordingHandler::Link& link, const std::string&) {
  (void)link->authenticated();
};

// --- Framing ---------------------------------------------------------------------------------

TEST_P(ServerSocketTest, DeliversAFrameThatArrivesByteByByte) {
  RecordingHandler handler(echo);
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  for (const std::uint8_t byte : text_frame("in single bytes"))
    ASSERT_TRUE(client.write({&byte, 1}));
  EXPECT_EQ(read_text(client), "in single bytes");
}

TEST_P(ServerSocketTest, DeliversFramesOfOneWriteInOrder) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  Bytes all;
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back("frame " + std::to_string(i));
    const Bytes frame = text_frame(expected.back());
    all.insert(all.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(client.write(all));
  ASSERT_TRUE(handler.wait_for_frames(expected.size()));
  EXPECT_EQ(handler.frames(), expected);
}

TEST_P(ServerSocketTest, ClosesOnAPrefixAboveTheLimitBeforeTheHello) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(client.write(framed(Bytes(limits::frame_bytes_before_hello_max))));
  ASSERT_TRUE(handler.wait_for_frames(1));
  const Bytes lie{0xFF, 0xFF, 0xFF, 0xFF};
  ASSERT_TRUE(client.write(lie));
  EXPECT_EQ(read_text(client), "FrameTooLarge");
  EXPECT_TRUE(client.wait_for_end());
  client.close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::FrameTooLarge));
}

TEST_P(ServerSocketTest, RefusesOneByteAboveTheLimitBeforeTheHello) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(client.write(framed(Bytes(limits::frame_bytes_before_hello_max + 1))));
  EXPECT_EQ(read_text(client), "FrameTooLarge");
  EXPECT_TRUE(handler.frames().empty());
}

TEST_P(ServerSocketTest, LiftsTheFrameLimitFromTheNextFrameOnWhenAuthenticated) {
  RecordingHandler handler(authenticate);
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  Bytes both = text_frame("hello");  // one write: the limit must change between two frames of it
  const Bytes large = framed(Bytes(limits::client_frame_bytes_max));
  both.insert(both.end(), large.begin(), large.end());
  ASSERT_TRUE(client.write(both));
  ASSERT_TRUE(handler.wait_for_frames(2));
  EXPECT_EQ(handler.frames()[1].size(), limits::client_frame_bytes_max);
  ASSERT_TRUE(client.write(framed(Bytes(limits::client_frame_bytes_max + 1))));
  EXPECT_EQ(read_text(client), "FrameTooLarge");
}

TEST_P(ServerSocketTest, ClosesOnAFrameOfLengthZero) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(client.write(Bytes(4)));
  EXPECT_EQ(read_text(client), "BadFrame");
}

TEST_P(ServerSocketTest, DeliversNothingBehindABrokenFrame) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  Bytes bytes = text_frame("good");
  bytes.insert(bytes.end(), 4, 0);
  const Bytes late = text_frame("late");
  bytes.insert(bytes.end(), late.begin(), late.end());
  ASSERT_TRUE(client.write(bytes));
  EXPECT_TRUE(client.wait_for_end());
  client.close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.frames(), ElementsAre("good"));
}

// --- Ends ------------------------------------------------------------------------------------

TEST_P(ServerSocketTest, ReportsAPeerThatCloses) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  {
    auto client = RawSocket::connected(running.port());
    ASSERT_NE(handler.opened(), nullptr);
  }
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::None));
  EXPECT_EQ(handler.closes_without_open(), 0u);
}

TEST_P(ServerSocketTest, ReportsAPeerThatResetsOnce) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_NE(handler.opened(), nullptr);
  client.reset();
  ASSERT_TRUE(handler.wait_for_closes(1));
  running.socket->stop(0);
  EXPECT_EQ(handler.closes().size(), 1u);
}

TEST_P(ServerSocketTest, AnswersWhatCameBeforeThePeersEnd) {
  RecordingHandler handler(echo);
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(client.write(text_frame("last question")));
  client.shutdown_write();
  EXPECT_EQ(read_text(client), "last question");
  EXPECT_TRUE(client.wait_for_end());
}

TEST_P(ServerSocketTest, FlushesWhatWaitsAndThenTheFarewell) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.send_buffer_bytes = 4096;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port(), 4096);
  const auto link = handler.opened();
  const std::string large(1 << 20, 'x');
  ASSERT_TRUE(link->send(text_frame(large)));
  link->close({ErrorCode::ServerStopping, "test"}, text_frame("farewell"));
  EXPECT_FALSE(link->send(text_frame("too late")));
  link->close({ErrorCode::Internal, "second close does nothing"}, text_frame("again"));
  EXPECT_EQ(read_text(client), large);
  EXPECT_EQ(read_text(client), "farewell");
  EXPECT_TRUE(client.wait_for_end());
  client.close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::ServerStopping));
}

TEST_P(ServerSocketTest, TheFarewellArrivesThoughThePeerKeepsSending) {
  // Closing with unread input would make the kernel send a reset, and the farewell would be lost.
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    link->close({ErrorCode::BadFrame, "test"}, text_frame("farewell"));
  });
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  const Bytes frame = text_frame(std::string(1000, 'y'));
  for (int i = 0; i < 500; ++i) (void)client.write(frame, Milliseconds(100));
  EXPECT_EQ(read_text(client), "farewell");
  EXPECT_TRUE(client.wait_for_end());
  EXPECT_EQ(handler.frames().size(), 1u);
}

TEST_P(ServerSocketTest, OfAPeerThatSendsOnWithoutEndOnlySoMuchIsRead) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    link->close({ErrorCode::BadFrame, "test"}, text_frame("farewell"));
  });
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(client.write(text_frame("one too many")));
  EXPECT_EQ(read_text(client), "farewell");
  constexpr std::size_t flood_bytes = 32u << 20;
  constexpr std::size_t read_at_once_bytes = 2u << 20;  // all the buffers of io_uring, and more
  const Bytes frame = text_frame(std::string(1000, 'y'));
  Bytes flood;
  while (flood.size() < flood_bytes) flood.insert(flood.end(), frame.begin(), frame.end());
  EXPECT_FALSE(client.write(flood));  // its end comes before all of it is taken
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_LT(running.socket->stats().bytes_in,
            ConnectionCore::thrown_away_bytes_max + read_at_once_bytes);
  EXPECT_THAT(handler.frames(), ElementsAre("one too many"));
}

TEST_P(ServerSocketTest, CutsAPeerThatNeverClosesAfterTheDrainTime) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  handler.opened()->close({ErrorCode::IdleTimeout, "test"}, {});
  ASSERT_TRUE(handler.wait_for_closes(1));  // though the client never closes its side
  EXPECT_EQ(handler.open_count(), 0u);
}

TEST_P(ServerSocketTest, StopEndsInTimeWithPeersThatHang) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(RawSocket::connected(running.port()));
  ASSERT_TRUE(handler.wait_for_opens(20));
  const auto begin = Clock::now();
  running.socket->stop(100);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(handler.open_count(), 0u);
  EXPECT_EQ(handler.closes().size(), 20u);
  EXPECT_EQ(handler.closes_without_open(), 0u);
  for (auto& client : clients) EXPECT_TRUE(client.wait_for_end());
}

TEST_P(ServerSocketTest, AcceptsNobodyAfterStopAccepting) {
  RecordingHandler handler(echo);
  RunningSocket running(defaults(), handler);
  auto before = RawSocket::connected(running.port());
  ASSERT_TRUE(before.write(text_frame("before")));
  EXPECT_EQ(read_text(before), "before");
  running.socket->stop_accepting();
  ASSERT_TRUE(before.write(text_frame("still served")));
  EXPECT_EQ(read_text(before), "still served");
  RawSocket after;
  if (after.connect(running.port())) {
    EXPECT_TRUE(after.wait_for_end());
  }
  EXPECT_EQ(running.socket->stats().accepted, 1u);
}

}  // namespace
}  // namespace vicinity::net
