// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Backpressure, deadlines and capacity of net/server_socket.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "engine_test.h"
#include "net/server_socket.h"
#include "recording_handler.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::Milliseconds;
using test::RawSocket;
using testing::ElementsAre;
using Clock = std::chrono::steady_clock;

class ServerSocketLimits : public EngineTest {};
INSTANTIATE_ENGINES(Engines, ServerSocketLimits);

/// Frame action: answers as a server does that has a place for it, or not.
void admit(const RecordingHandler::Link& link, const std::string& body) {
  if (body == "hello" && !link->authenticated())
    return link->close({ErrorCode::ServerFull, "no place"});
  link->send(text_frame(body));
}

// --- Backpressure ----------------------------------------------------------------------------

SocketSettings tight(SocketSettings settings) {
  settings.outbox_bytes_max = 256 * 1024;
  // A record of TLS has up to 16 KiB: where it does not fit, timers of the kernel set the pace.
  settings.send_buffer_bytes = settings.tls ? 32 * 1024 : 4096;
  return settings;
}

TEST_P(ServerSocketLimits, ClosesASlowConsumerAtTheOutboxLimit) {
  RecordingHandler handler(echo);
  const SocketSettings settings = tight(defaults());
  RunningSocket running(settings, handler);
  auto slow = RawSocket::connected(running.port(), 4096);
  const auto link = handler.opened();
  auto other = RawSocket::connected(running.port());

  const Bytes frame = text_frame(std::string(1000, 's'));
  int sent = 0;
  while (link->send(frame)) {
    ASSERT_LE(link->outbox_bytes(), settings.outbox_bytes_max);
    ASSERT_LT(++sent, 1'000'000) << "the outbox never filled";
  }
  EXPECT_FALSE(link->send(frame));
  ASSERT_TRUE(other.write(text_frame("not delayed")));
  EXPECT_EQ(read_text(other), "not delayed");

  // It reads again within the drain time: whole frames, the farewell last, the end.
  std::string last;
  for (std::string text = read_text(slow); text != "<end>"; text = read_text(slow)) {
    if (!last.empty()) {
      EXPECT_EQ(last, std::string(1000, 's'));
    }
    last = text;
  }
  EXPECT_EQ(last, "SlowConsumer");
  slow.close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
  EXPECT_EQ(running.socket->stats().slow_consumers, 1u);
}

TEST_P(ServerSocketLimits, CutsASlowConsumerThatNeverReadsAgain) {
  RecordingHandler handler;
  RunningSocket running(tight(defaults()), handler);
  auto slow = RawSocket::connected(running.port(), 4096);
  const auto link = handler.opened();
  while (link->send(text_frame(std::string(10'000, 's')))) {
  }
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
}

TEST_P(ServerSocketLimits, SlowsDownAPeerThatAsksFasterThanItReads) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    if (body == "hello") return (void)link->authenticated();
    link->send(text_frame(std::string(2000, body[0])));
  });
  RunningSocket running(tight(defaults()), handler);
  auto client = RawSocket::connected(running.port(), is_tls() ? 32 * 1024 : 4096);
  ASSERT_TRUE(client.write(text_frame("hello")));
  constexpr int questions = 2000;  // answers: 4 MB, sixteen times the outbox
  std::thread asker([&] {
    for (int i = 0; i < questions; ++i)
      ASSERT_TRUE(client.write(text_frame(std::string(1, static_cast<char>('a' + i % 26)))));
  });
  asker.join();  // all fit into the kernel's buffers; not one answer was read yet
  for (int i = 0; i < questions; ++i)
    ASSERT_EQ(read_text(client), std::string(2000, static_cast<char>('a' + i % 26)));
  EXPECT_TRUE(handler.closes().empty());
}

TEST_P(ServerSocketLimits, ClosesAPeerThatAsksAndNeverReads) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    if (body == "hello") return (void)link->authenticated();
    link->send(text_frame(std::string(2000, 'z')));
  });
  SocketSettings settings = tight(defaults());
  settings.idle_timeout_ms = 300;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port(), 4096);
  ASSERT_TRUE(client.write(text_frame("hello")));
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(client.write(text_frame("q")));
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::SlowConsumer));
}

TEST_P(ServerSocketLimits, ServesOthersBetweenTheRequestsOfOneThatAsksForMuch) {
  // One net thread. The first request waits until the other client has asked, too; all of its
  // 200 requests are there already, and each takes more than a turn.
  std::promise<void> asked;
  std::atomic<int> slow_count{0};
  RecordingHandler handler([&](const RecordingHandler::Link& link, const std::string& body) {
    if (body != "slow") return echo(link, body);
    if (slow_count++ == 0) asked.get_future().wait();
    const auto end = Clock::now() + Milliseconds(2);
    while (Clock::now() < end) {
    }
  });
  RunningSocket running(defaults(), handler);
  auto other = RawSocket::connected(running.port());
  auto busy = RawSocket::connected(running.port());
  ASSERT_TRUE(handler.wait_for_opens(2));
  constexpr int requests = 200;
  Bytes bytes;
  for (int i = 0; i < requests; ++i) {
    const Bytes frame = text_frame("slow");
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(busy.write(bytes));
  const auto give_up = Clock::now() + test::patience;
  while (slow_count == 0 && Clock::now() < give_up) std::this_thread::yield();
  ASSERT_EQ(slow_count, 1);
  ASSERT_TRUE(other.write(text_frame("quick")));
  asked.set_value();
  EXPECT_EQ(read_text(other), "quick");
  EXPECT_LT(slow_count, requests) << "the other client waited for all of them";
  EXPECT_TRUE(handler.wait_for_frames(requests + 1)) << "and none of them was lost";
}

TEST_P(ServerSocketLimits, IsNotIdleWhileItsRequestsAreWorkedOff) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    if (body == "hello") return (void)link->authenticated();
    const auto end = Clock::now() + Milliseconds(10);
    while (Clock::now() < end) {
    }
  });
  SocketSettings settings = defaults();
  settings.idle_timeout_ms = 100;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port());
  Bytes bytes = text_frame("hello");
  for (int i = 0; i < 40; ++i) {
    const Bytes frame = text_frame("slow");
    bytes.insert(bytes.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(client.write(bytes));
  EXPECT_TRUE(handler.wait_for_frames(41));
}

// --- Deadlines -------------------------------------------------------------------------------

TEST_P(ServerSocketLimits, ClosesAPeerThatSaysNothing) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.handshake_deadline_ms = 50;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port());
  EXPECT_EQ(read_text(client), "HandshakeTimeout");
  EXPECT_TRUE(client.wait_for_end());
}

TEST_P(ServerSocketLimits, BytesThatTrickleDoNotProlongTheHandshake) {
  RecordingHandler handler;
  SocketSettings settings = defaults();
  settings.handshake_deadline_ms = 200;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port());
  const Bytes frame = text_frame(std::string(1000, 't'));
  std::string farewell;
  for (const std::uint8_t byte : frame) {
    (void)client.write({&byte, 1});
    if (const auto body = client.read_frame(Milliseconds(20))) {
      farewell = text_of(*body);
      break;
    }
  }
  EXPECT_EQ(farewell, "HandshakeTimeout");
}

TEST_P(ServerSocketLimits, ClosesASilentPeerAfterTheIdleTimeoutAndKeepsATalkingOne) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    (void)link->authenticated();
    link->send(text_frame(body));
  });
  SocketSettings settings = defaults();
  settings.handshake_deadline_ms = 10'000;
  settings.idle_timeout_ms = 300;
  RunningSocket running(settings, handler);
  auto silent = RawSocket::connected(running.port());
  auto talking = RawSocket::connected(running.port());
  ASSERT_TRUE(silent.write(text_frame("once")));
  EXPECT_EQ(read_text(silent), "once");
  // The talking one outlives several timeouts by never being silent for one.
  const auto end = Clock::now() + Milliseconds(1000);
  while (Clock::now() < end) {
    ASSERT_TRUE(talking.write(text_frame("again")));
    ASSERT_EQ(read_text(talking), "again");
    (void)talking.read_frame(Milliseconds(30));  // nothing comes: a pause of 30 ms
  }
  EXPECT_EQ(read_text(silent), "IdleTimeout");
  EXPECT_TRUE(silent.wait_for_end());
}

TEST_P(ServerSocketLimits, LosesAPeerThatTakesNothingForTheUserTimeout) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string&) {
    (void)link->authenticated();
    link->send(text_frame(std::string(1'000'000, 'x')));
  });
  SocketSettings settings = defaults();
  settings.user_timeout_ms = 300;
  settings.idle_timeout_ms = 60'000;
  RunningSocket running(settings, handler);
  auto stalled = RawSocket::connected(running.port(), 4096);
  ASSERT_TRUE(stalled.write(text_frame("hello")));
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::None));
}

// --- Capacity --------------------------------------------------------------------------------

TEST_P(ServerSocketLimits, TellsPeersAboveTheCapAndServesTheNextWhenOneLeaves) {
  RecordingHandler handler(admit);
  SocketSettings settings = defaults();
  settings.connection_count_max = 2;
  RunningSocket running(settings, handler);
  auto idle = RawSocket::connected(running.port());  // takes no place
  auto first = RawSocket::connected(running.port());
  auto second = RawSocket::connected(running.port());
  for (auto* client : {&first, &second}) {
    ASSERT_TRUE(client->write(text_frame("hello")));
    ASSERT_EQ(read_text(*client), "hello");
  }
  auto third = RawSocket::connected(running.port());
  ASSERT_TRUE(third.write(text_frame("hello")));
  EXPECT_EQ(read_text(third), "ServerFull");
  EXPECT_TRUE(third.wait_for_end());
  EXPECT_EQ(running.socket->stats().refused, 1u);
  third.close();
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_EQ(handler.open_count(), 3u);

  first.close();
  ASSERT_TRUE(handler.wait_for_closes(2));
  auto fourth = RawSocket::connected(running.port());
  ASSERT_TRUE(fourth.write(text_frame("hello")));
  EXPECT_EQ(read_text(fourth), "hello");
  EXPECT_THAT(handler.closes(), ElementsAre(ErrorCode::ServerFull, ErrorCode::None));
}

TEST_P(ServerSocketLimits, EndsEveryPeerOfAFloodAboveTheCap) {
  RecordingHandler handler(admit);
  SocketSettings settings = defaults();
  settings.connection_count_max = 1;
  RunningSocket running(settings, handler);
  auto holder = RawSocket::connected(running.port());
  ASSERT_TRUE(holder.write(text_frame("hello")));
  ASSERT_EQ(read_text(holder), "hello");
  std::vector<RawSocket> flood;
  for (int i = 0; i < 200; ++i) {
    flood.push_back(RawSocket::connected(running.port()));
    ASSERT_TRUE(flood.back().write(text_frame("hello")));
  }
  for (auto& client : flood) EXPECT_EQ(read_text(client), "ServerFull");
  for (auto& client : flood) EXPECT_TRUE(client.wait_for_end());
  EXPECT_EQ(running.socket->stats().refused, 200u);
  const auto refusals = handler.refusals();
  ASSERT_EQ(refusals.size(), 200u);
  EXPECT_EQ(refusals.back().code, ErrorCode::ServerFull);
  EXPECT_THAT(refusals.back().text, testing::HasSubstr("all 1 places"));
  ASSERT_TRUE(holder.write(text_frame("still here")));
  EXPECT_EQ(read_text(holder), "still here");
}

/// Holds every descriptor that the process may open.
class DescriptorHog {
 public:
  DescriptorHog() {
    while (true) {
      const int taken = ::dup(STDERR_FILENO);
      if (taken < 0) break;
      taken_.push_back(taken);
    }
  }
  ~DescriptorHog() { release(); }
  void release() {
    for (const int taken : taken_) ::close(taken);
    taken_.clear();
  }

 private:
  std::vector<int> taken_;
};

TEST_P(ServerSocketLimits, GoesOnAcceptingAfterItRanOutOfDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  // The check of virtual tables opens a pipe to see whether memory can be read, and takes one that
  // cannot be opened for a defect.
  GTEST_SKIP() << "UndefinedBehaviorSanitizer needs descriptors of its own";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_cur, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  RecordingHandler handler(echo);
  RunningSocket running(defaults(), handler);
  auto early = RawSocket::connected(running.port());
  ASSERT_TRUE(early.write(text_frame("served")));
  ASSERT_EQ(read_text(early), "served");
  RawSocket client;  // has its descriptor before the last one is taken
  DescriptorHog hog;
  const bool connected = client.connect(running.port());
  const bool refused = handler.wait_for_refusals(1);
  hog.release();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(connected);
  ASSERT_TRUE(refused);
  EXPECT_GT(running.socket->stats().accept_errors, 0u);
  EXPECT_EQ(handler.refusals().front().code, ErrorCode::Internal);
  EXPECT_THAT(handler.refusals().front().text, testing::HasSubstr("files"));
  ASSERT_TRUE(client.write(text_frame("served late")));
  EXPECT_EQ(read_text(client), "served late");
}

TEST_P(ServerSocketLimits, NamesAddressPortAndReasonWhenThePortIsTaken) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  SocketSettings same = defaults();
  same.port = running.port();
  const auto second = ServerSocket::open(same, handler);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text, testing::HasSubstr("127.0.0.1"));
  EXPECT_THAT(second.error().text, testing::HasSubstr(std::to_string(running.port())));
  EXPECT_THAT(second.error().text, testing::HasSubstr("in use"));
}

TEST_P(ServerSocketLimits, WaitsForAPortThatIsGivenUpWithinItsPatience) {
  RecordingHandler handler;
  auto before = std::make_unique<RunningSocket>(defaults(), handler);
  SocketSettings same = defaults();
  same.port = before->port();
  same.port_patience_ms = 60'000;
  std::string reason;
  int waits = 0;
  same.on_port_wait = [&](const Error& error) {
    reason = error.text;
    ++waits;
    before.reset();
  };
  const auto second = ServerSocket::open(same, handler);
  ASSERT_TRUE(second.ok()) << second.error().text;
  EXPECT_EQ(second.value()->port(), same.port);
  EXPECT_EQ(waits, 1);
  EXPECT_THAT(reason, testing::HasSubstr("in use"));
}

TEST_P(ServerSocketLimits, GivesUpAPortThatStaysTaken) {
  RecordingHandler handler;
  RunningSocket running(defaults(), handler);
  SocketSettings same = defaults();
  same.port = running.port();
  same.port_patience_ms = 50;
  int waits = 0;
  same.on_port_wait = [&](const Error&) { ++waits; };
  const auto second = ServerSocket::open(same, handler);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(waits, 1);
  EXPECT_THAT(second.error().text, testing::HasSubstr("in use"));
}

TEST_P(ServerSocketLimits, ServesManyConnectionsFromSeveralThreads) {
  RecordingHandler handler(echo);
  SocketSettings settings = defaults();
  settings.thread_count = 3;
  RunningSocket running(settings, handler);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(RawSocket::connected(running.port()));
  for (int round = 0; round < 20; ++round) {
    const std::string text = "round " + std::to_string(round);
    for (auto& client : clients) ASSERT_TRUE(client.write(text_frame(text)));
    for (auto& client : clients) ASSERT_EQ(read_text(client), text);
  }
  clients.clear();
  ASSERT_TRUE(handler.wait_for_closes(100));
  EXPECT_EQ(handler.open_count(), 0u);
}

}  // namespace
}  // namespace vicinity::net
