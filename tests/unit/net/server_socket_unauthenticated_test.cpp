// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Peers of net/server_socket.h that did not say hello yet, and many connections at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine_test.h"
#include "net/server_socket.h"
#include "recording_handler.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;
using test::Milliseconds;
using test::RawSocket;
using testing::Each;
using Clock = std::chrono::steady_clock;

class ServerSocketUnauthenticated : public EngineTest {};
INSTANTIATE_ENGINES(Engines, ServerSocketUnauthenticated);

void welcome(const RecordingHandler::Link& link, const std::string& body) {
  EXPECT_TRUE(link->authenticated());
  link->send(text_frame(body));
}

TEST_P(ServerSocketUnauthenticated, DribblersKeepNobodyOut) {
  RecordingHandler handler(welcome);
  SocketSettings settings = defaults();
  settings.handshake_deadline_ms = 60'000;
  ASSERT_EQ(settings.unauthenticated_count_max, 256u);
  RunningSocket running(settings, handler);
  constexpr std::size_t dribbler_count = 300;
  const Bytes hello = text_frame("hello");
  std::vector<RawSocket> dribblers;
  for (std::size_t i = 0; i < dribbler_count; ++i) {
    dribblers.push_back(RawSocket::connected(running.port()));
    ASSERT_TRUE(dribblers.back().write({hello.data(), 1}));
  }
  auto newcomer = RawSocket::connected(running.port());
  ASSERT_TRUE(newcomer.write(hello));
  EXPECT_EQ(read_text(newcomer), "hello");

  constexpr std::size_t evicted = dribbler_count + 1 - 256;
  for (std::size_t i = 0; i < evicted; ++i) {
    EXPECT_EQ(read_text(dribblers[i]), "HandshakeTimeout") << "the oldest go first: " << i;
    EXPECT_TRUE(dribblers[i].wait_for_end());
    dribblers[i].close();
  }
  ASSERT_TRUE(handler.wait_for_closes(evicted));
  EXPECT_THAT(handler.closes(), Each(ErrorCode::HandshakeTimeout));
  EXPECT_EQ(handler.closes().size(), evicted);
  EXPECT_EQ(running.socket->stats().evicted, evicted);
  auto& youngest_left = dribblers[evicted];
  ASSERT_TRUE(youngest_left.write({hello.data() + 1, hello.size() - 1}));
  EXPECT_EQ(read_text(youngest_left), "hello");
}

TEST_P(ServerSocketUnauthenticated, AFloodHoldsABoundedNumberOfConnections) {
  RecordingHandler handler(welcome);
  SocketSettings settings = defaults();
  settings.unauthenticated_count_max = 4;
  settings.handshake_deadline_ms = 60'000;
  RunningSocket running(settings, handler);
  std::vector<RawSocket> flood;  // none of them ever closes its side
  for (int i = 0; i < 400; ++i) flood.push_back(RawSocket::connected(running.port()));
  auto newcomer = RawSocket::connected(running.port());
  ASSERT_TRUE(newcomer.write(text_frame("hello")));
  EXPECT_EQ(read_text(newcomer), "hello");
  EXPECT_LE(running.socket->stats().open, 4 + 1 + limits::refusals_max);
  for (std::size_t i = 0; i < 390; ++i) EXPECT_TRUE(flood[i].wait_for_end());
}

TEST_P(ServerSocketUnauthenticated, AnAuthenticatedPeerIsNeverEvicted) {
  RecordingHandler handler(welcome);
  SocketSettings settings = defaults();
  settings.unauthenticated_count_max = 1;
  RunningSocket running(settings, handler);
  auto guest = RawSocket::connected(running.port());
  ASSERT_TRUE(guest.write(text_frame("hello")));
  ASSERT_EQ(read_text(guest), "hello");
  std::vector<RawSocket> others;
  for (int i = 0; i < 10; ++i) others.push_back(RawSocket::connected(running.port()));
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(others[static_cast<std::size_t>(i)].wait_for_end());
  ASSERT_TRUE(guest.write(text_frame("still here")));
  EXPECT_EQ(read_text(guest), "still here");
}

/// Bytes of the heap that are in use.
std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_P(ServerSocketUnauthenticated, CostsLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
  GTEST_SKIP() << "a sanitizer's heap cannot be counted";
#endif
  RecordingHandler handler;
  SocketSettings settings = defaults();
  RunningSocket running(settings, handler);
  auto first = RawSocket::connected(running.port());  // pays for what all share
  ASSERT_TRUE(handler.wait_for_opens(1));
  constexpr std::size_t count = 200;
  std::vector<RawSocket> clients;
  clients.reserve(count);
  const std::size_t before = heap_bytes();
  const Bytes frame = text_frame(std::string(limits::frame_bytes_before_hello_max, 'x'));
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(RawSocket::connected(running.port()));
    ASSERT_TRUE(clients.back().write({frame.data(), frame.size() - 1}));
  }
  ASSERT_TRUE(handler.wait_for_opens(count + 1));
  const auto give_up = Clock::now() + test::patience;
  while (running.socket->stats().bytes_in < count * (frame.size() - 1) && Clock::now() < give_up)
    std::this_thread::sleep_for(Milliseconds(1));
  const std::size_t after = heap_bytes();
  EXPECT_GT(after, before + count * limits::frame_bytes_before_hello_max) << "it was not counted";
  EXPECT_LE(after, before + count * 64 * 1024);
}

TEST_P(ServerSocketUnauthenticated, SocketsThatShareIdsGiveEachNumberOnce) {
  RecordingHandler handler(echo);
  SocketSettings settings = defaults();
  settings.ids = std::make_shared<ConnectionIds>();
  RunningSocket one(settings, handler);
  RunningSocket other(settings, handler);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 20; ++i)
    clients.push_back(RawSocket::connected(i % 2 == 0 ? one.port() : other.port()));
  EXPECT_TRUE(handler.wait_for_opens(20)) << "a number was given twice";
  EXPECT_GT(settings.ids->next(), 20u);
}

TEST_P(ServerSocketUnauthenticated, ServesFiveHundredConnections) {
  RecordingHandler handler(welcome);
  SocketSettings settings = defaults();
  settings.thread_count = 2;
  settings.unauthenticated_count_max = 1000;
  RunningSocket running(settings, handler);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 500; ++i) clients.push_back(RawSocket::connected(running.port()));
  for (int round = 0; round < 4; ++round) {
    const std::string text = "round " + std::to_string(round);
    for (auto& client : clients) ASSERT_TRUE(client.write(text_frame(text)));
    for (auto& client : clients) ASSERT_EQ(read_text(client), text);
  }
  clients.clear();
  ASSERT_TRUE(handler.wait_for_closes(500));
}

TEST_P(ServerSocketUnauthenticated, SurvivesPeersThatComeAndGo) {
  RecordingHandler handler(welcome);
  SocketSettings settings = defaults();
  settings.thread_count = 2;
  RunningSocket running(settings, handler);
  constexpr int per_thread = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < per_thread; ++i) {
        auto client = RawSocket::connected(running.port());
        const std::string text = std::to_string(t) + " " + std::to_string(i);
        ASSERT_TRUE(client.write(text_frame(text)));
        if (i % 4 == 0) continue;  // gone before the answer
        ASSERT_EQ(read_text(client), text);
        if (i % 4 == 1) client.reset();
        if (i % 4 == 2) (void)client.write(Bytes(1, 7));  // gone amid a frame
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(handler.wait_for_closes(3 * per_thread));
  EXPECT_EQ(handler.open_count(), 0u);
  EXPECT_EQ(handler.closes_without_open(), 0u);
  running.socket->stop(1000);  // on_close comes a moment before the place is free
  EXPECT_EQ(running.socket->stats().open, 0u);
}

// --- Engines ---------------------------------------------------------------------------------

TEST_P(ServerSocketUnauthenticated, NamesItsEngine) {
  RecordingHandler handler;
  const auto socket = ServerSocket::open(defaults(), handler);
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(socket.value()->engine(), GetParam() == Carrier::IoUring ? "io_uring" : "epoll");
  EXPECT_FALSE(socket.value()->engine_reason().empty());
}

TEST(ServerSocketEngine, AutoTakesIoUringExactlyWhereItCanBeHad) {
  RecordingHandler handler;
  SocketSettings settings;
  const auto chosen = ServerSocket::open(settings, handler);
  ASSERT_TRUE(chosen.ok());
  settings.engine = Engine::IoUring;
  const auto forced = ServerSocket::open(settings, handler);
  EXPECT_EQ(chosen.value()->engine(), forced.ok() ? "io_uring" : "epoll");
  if (!forced.ok()) {
    EXPECT_THAT(forced.error().text, testing::HasSubstr("io_uring"));
  }
}

/// From now on this process is refused io_uring, as containers do it.
bool forbid_io_uring() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Exit status: 0 = epoll with a reason, and no io_uring; 1 = not; 2 = it cannot be tried here.
int engine_in_a_sandbox() {
  if (!forbid_io_uring()) return 2;
  RecordingHandler handler(echo);
  SocketSettings settings;
  settings.engine = Engine::IoUring;
  if (ServerSocket::open(settings, handler).ok()) return 1;
  settings.engine = Engine::Auto;
  RunningSocket running(settings, handler);
  auto client = RawSocket::connected(running.port());
  const bool served = client.write(text_frame("hello")) && read_text(client) == "hello";
  const bool told = running.socket->engine_reason().find("io_uring") != std::string_view::npos;
  return served && told && running.socket->engine() == "epoll" ? 0 : 1;
}

TEST(ServerSocketEngine, AutoServesOverEpollWhereASandboxForbidsIoUring) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(engine_in_a_sandbox());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace vicinity::net
