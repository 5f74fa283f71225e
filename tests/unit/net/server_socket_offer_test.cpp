// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// State frames of net/server_socket.h: offer(), wants_frame() and what becomes of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine_test.h"
#include "net/server_socket.h"
#include "recording_handler.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::Milliseconds;
using test::RawSocket;
using testing::ElementsAre;
using Clock = std::chrono::steady_clock;

class ServerSocketOffer : public EngineTest {};
INSTANTIATE_ENGINES(Engines, ServerSocketOffer);

constexpr std::chrono::hours far_away(1);

/// Waits until `condition` holds; false when it does not within the patience of tests.
template <class Condition>
bool becomes_true(const Condition& condition) {
  const auto give_up = Clock::now() + test::patience;
  while (!condition()) {
    if (Clock::now() > give_up) return false;
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return true;
}

TEST_P(ServerSocketOffer, SendsAFrameAtItsMomentAndNotBefore) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  const auto link = handler.opened();
  for (int i = 0; i < 20; ++i) {
    const auto due = Clock::now() + Milliseconds(i % 7);
    ASSERT_TRUE(link->offer(text_frame("state"), due));
    ASSERT_EQ(read_text(client), "state");
    ASSERT_GE(Clock::now(), due);
  }
}

TEST_P(ServerSocketOffer, SendsAFrameWhoseMomentIsOverAtOnce) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  ASSERT_TRUE(handler.opened()->offer(text_frame("late"), Clock::now() - far_away));
  EXPECT_EQ(read_text(client), "late");
}

TEST_P(ServerSocketOffer, AnEarlierMomentOvertakesALaterOne) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto patient = RawSocket::connected(running.port());
  const auto first = handler.opened();
  auto hasty = RawSocket::connected(running.port());
  ASSERT_TRUE(handler.wait_for_opens(2));
  ASSERT_TRUE(first->offer(text_frame("much later"), Clock::now() + far_away));
  std::this_thread::sleep_for(Milliseconds(20));  // so that the net thread sleeps until then
  ASSERT_TRUE(handler.opened()->offer(text_frame("soon"), Clock::now() + Milliseconds(5)));
  EXPECT_EQ(read_text(hasty), "soon");
  EXPECT_FALSE(patient.read_frame(Milliseconds(0)).has_value());
}

TEST_P(ServerSocketOffer, WhatIsSentLaterArrivesLater) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  const auto link = handler.opened();
  ASSERT_TRUE(link->offer(text_frame("1 state"), Clock::now() + far_away));
  ASSERT_TRUE(link->send(text_frame("2 event")));
  ASSERT_TRUE(link->offer(text_frame("3 state"), Clock::now() + far_away));
  ASSERT_TRUE(link->offer(text_frame("4 state"), Clock::now() + far_away));
  link->close({ErrorCode::ServerStopping, "test"}, text_frame("5 farewell"));
  for (const char* expected : {"1 state", "2 event", "3 state", "4 state", "5 farewell", "<end>"})
    EXPECT_EQ(read_text(client), expected);
  EXPECT_FALSE(link->offer(text_frame("too late"), Clock::now()));
}

TEST_P(ServerSocketOffer, KeepsTheOrderOfCallsUnderLoad) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  const auto link = handler.opened();
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    const auto frame = text_frame(std::to_string(i));
    const auto due = Clock::now() + std::chrono::microseconds(i * 37 % 900);
    ASSERT_TRUE(i % 3 == 0 ? link->send(frame) : link->offer(frame, due));
  }
  for (int i = 0; i < count; ++i) ASSERT_EQ(read_text(client), std::to_string(i));
}

TEST_P(ServerSocketOffer, FramesOfManyConnectionsWithOneMomentAllGo) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.thread_count = 2;
  RunningSocket running(settings, handler);
  std::vector<RawSocket> clients;
  std::vector<RecordingHandler::Link> links;
  for (std::size_t i = 0; i < 100; ++i) {
    clients.push_back(RawSocket::connected(running.port()));
    ASSERT_TRUE(handler.wait_for_opens(i + 1));
    links.push_back(handler.opened());
  }
  for (int round = 0; round < 5; ++round) {
    const auto due = Clock::now() + Milliseconds(10);
    const std::string text(800, static_cast<char>('a' + round));
    for (const auto& link : links) ASSERT_TRUE(link->offer(text_frame(text), due));
    for (auto& client : clients) ASSERT_EQ(read_text(client), text);
  }
  EXPECT_EQ(running.socket->stats().frames_offered, 500u);
  EXPECT_TRUE(becomes_true([&] { return running.socket->stats().frames_sent == 500; }));
}

TEST_P(ServerSocketOffer, WantsAFrameWhenTheLastOneIsGone) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  auto client = RawSocket::connected(running.port());
  const auto link = handler.opened();
  EXPECT_TRUE(link->wants_frame());
  const auto frame = text_frame("state");
  ASSERT_TRUE(link->offer(frame, Clock::now() + far_away));
  EXPECT_FALSE(link->wants_frame());
  EXPECT_EQ(link->outbox_bytes(), frame.size());
  ASSERT_TRUE(link->send(text_frame("event")));
  EXPECT_EQ(read_text(client), "state");
  EXPECT_TRUE(becomes_true([&] { return link->wants_frame(); }));
  link->close({ErrorCode::None, "test"});
  EXPECT_FALSE(link->wants_frame());
}

TEST_P(ServerSocketOffer, WantsNoFrameWhileMoreThanTheMarkWaits) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.send_buffer_bytes = 4096;
  settings.frame_mark_bytes = 500'000;
  RunningSocket running(settings, handler);
  auto stalled = RawSocket::connected(running.port(), 4096);
  const auto link = handler.opened();
  ASSERT_TRUE(link->send(text_frame(std::string(1'000'000, 'x'))));
  EXPECT_FALSE(link->wants_frame());
  std::thread reader([&] { EXPECT_EQ(read_text(stalled).size(), 1'000'000u); });
  EXPECT_TRUE(becomes_true([&] { return link->wants_frame(); }));
  reader.join();
  ASSERT_TRUE(link->send(text_frame(std::string(400'000, 'y'))));
  EXPECT_TRUE(link->wants_frame());
}

TEST_P(ServerSocketOffer, AnOfferBeyondTheOutboxIsASlowConsumer) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.outbox_bytes_max = 100'000;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port());
  const auto link = handler.opened();
  ASSERT_TRUE(link->offer(text_frame(std::string(60'000, 's')), Clock::now() + far_away));
  EXPECT_FALSE(link->offer(text_frame(std::string(100'001, 's')), Clock::now() + far_away));
  client.shutdown_write();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
}

TEST_P(ServerSocketOffer, AStalledReaderHoldsUpNobody) {
  RecordingHandler handler(echo);
  SocketSettings settings = defaults();
  settings.send_buffer_bytes = 4096;
  RunningSocket running(settings, handler);
  auto stalled = RawSocket::connected(running.port(), 4096);
  const auto stalled_link = handler.opened();
  ASSERT_TRUE(stalled_link->send(text_frame(std::string(4'000'000, 'x'))));
  std::vector<RawSocket> others;
  for (int i = 0; i < 20; ++i) others.push_back(RawSocket::connected(running.port()));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(stalled_link->offer(text_frame("one more"), Clock::now()));
    for (auto& other : others) ASSERT_TRUE(other.write(text_frame("quick")));
    for (auto& other : others) ASSERT_EQ(read_text(other), "quick");
  }
  EXPECT_GT(stalled_link->outbox_bytes(), 3'000'000u);
  EXPECT_TRUE(handler.closes().empty());
}

TEST_P(ServerSocketOffer, LittleOfWhatAStalledReaderOwesIsInTheKernel) {
  constexpr std::size_t frame_bytes = 300'000;
  for (const bool bounded : {true, false}) {
    RecordingHandler handler(echo);
    SocketSettings settings = defaults();
    settings.send_buffer_bytes = 1 << 20;
    if (!bounded) settings.notsent_lowat_bytes = 0;
    RunningSocket running(settings, handler);
    auto stalled = RawSocket::connected(running.port(), 4096);
    const auto link = handler.opened();
    auto other = RawSocket::connected(running.port());
    ASSERT_TRUE(link->send(text_frame(std::string(frame_bytes, 'x'))));
    for (int i = 0; i < 3; ++i) {  // answers come behind the attempt to write
      ASSERT_TRUE(other.write(text_frame("ping")));
      ASSERT_EQ(read_text(other), "ping");
    }
    if (bounded) {
      EXPECT_GT(link->outbox_bytes(), frame_bytes / 2);
    } else {
      EXPECT_TRUE(becomes_true([&] { return link->outbox_bytes() == 0; }))
          << "the send buffer holds all of it";
    }
    EXPECT_EQ(read_text(stalled).size(), frame_bytes);
  }
}

}  // namespace
}  // namespace vicinity::net
