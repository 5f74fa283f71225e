// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A server whose process is stopped for some seconds (a frozen virtual machine, a debugger) and
// goes on, and one that may open no more descriptors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "session_client.h"

namespace vicinity::test {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t logged(const std::string& log, const std::string& field) {
  std::smatch match;
  const std::regex words(" " + field + "=(\\d+)");
  return std::regex_search(log, match, words) ? std::stoull(match[1].str()) : 0;
}

// --- Stopped ---------------------------------------------------------------------------------

constexpr std::uint64_t tick_rate_hz = 20;
constexpr std::uint64_t stop_s = 3;
/// More than one look of epoll finds at a time.
constexpr std::size_t client_count = 150;

struct Watcher {
  explicit Watcher(std::uint16_t port) : client(port) {}
  WireClient client;
  std::uint64_t tick = 0;
  std::size_t in_view = 0;
  bool is_in_order = true;  ///< ticks that only grow

  /// Reads what comes up to the tick. False at the end of the stream.
  bool read_to(std::uint64_t wanted, Milliseconds limit = patience) {
    while (tick < wanted) {
      const auto* message = client.next(limit);
      if (message == nullptr) return false;
      const auto* frame = message->body_as_Frame();
      if (frame == nullptr) continue;
      if (frame->enters() != nullptr) in_view += frame->enters()->size();
      if (!frame->last()) continue;
      is_in_order = is_in_order && frame->tick() > tick;
      tick = frame->tick();
    }
    return true;
  }
};

class AStoppedServer : public testing::TestWithParam<const char*> {
 protected:
  /// Until the system says that no thread of it runs.
  void stop_it() {
    server_->process().signal(SIGSTOP);
    const auto tasks = "/proc/" + std::to_string(server_->process().pid()) + "/task";
    const auto all_stopped = [&] {
      for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        std::ifstream file(task.path() / "stat");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto name_end = text.rfind(") ");
        if (name_end != std::string::npos && text[name_end + 2] != 'T') return false;
      }
      return true;
    };
    const auto patience_ends = Clock::now() + patience;
    while (!all_stopped() && Clock::now() < patience_ends)
      std::this_thread::sleep_for(Milliseconds(1));
    ASSERT_TRUE(all_stopped());
  }

  std::unique_ptr<ServerProcess> server_;
};

INSTANTIATE_TEST_SUITE_P(With, AStoppedServer, testing::Values("epoll", "io_uring"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(AStoppedServer, GoesOnWithoutABurstAndLosesNobodyWhoSpokeMeanwhile) {
  server_ = std::make_unique<ServerProcess>(
      Arguments{"--tick-rate-hz", std::to_string(tick_rate_hz), "--idle-timeout-ms", "2000",
                "--socket-engine", GetParam(), "--net-threads", "1"});
  ASSERT_NE(server_->port(), 0) << server_->standard_error();
  WireClient authority(server_->port());
  ASSERT_TRUE(authority.join());
  ASSERT_TRUE(authority.send(commands_frame(1, {spawn(0, 0, 0, 1)})));
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (std::size_t i = 0; i < client_count; ++i) {
    watchers.push_back(std::make_unique<Watcher>(server_->port()));
    WireClient& client = watchers.back()->client;
    ASSERT_TRUE(client.join({proto::Role::Observer}));
    ASSERT_TRUE(client.send(commands_frame(1, {add_area(1, 1000)})));
  }
  const auto ping_all = [&] {
    (void)authority.send(ping_frame(1));
    for (auto& watcher : watchers) (void)watcher->client.send(ping_frame(1));
  };
  Watcher& first = *watchers.front();
  while (first.in_view == 0) {
    ASSERT_TRUE(first.read_to(first.tick + 1));
    ping_all();
  }

  ping_all();
  stop_it();
  const auto stopped_at = Clock::now();
  while (Clock::now() < stopped_at + std::chrono::seconds(stop_s)) {
    ping_all();
    std::this_thread::sleep_for(Milliseconds(100));
  }
  // What was told before is read: from here on nothing comes but what is told afterwards.
  while (first.read_to(first.tick + 1, Milliseconds(50))) {
  }
  const std::uint64_t tick_before = first.tick;
  const auto goes_on_at = Clock::now();
  server_->process().signal(SIGCONT);
  constexpr std::uint64_t ticks = 20;
  ASSERT_TRUE(authority.send(commands_frame(2, {spawn(5, 0, 0)})));
  while (first.tick < tick_before + ticks) {
    ASSERT_TRUE(first.read_to(first.tick + 1)) << server_->standard_error();
    ping_all();
  }
  const std::chrono::duration<double> took = Clock::now() - goes_on_at;
  // One whose frames waited for their slots, one that was under way, the one that is due, and those
  // that are caught up with.
  EXPECT_LE(static_cast<double>(first.tick - tick_before),
            took.count() * tick_rate_hz + 3 + limits::catch_up_ticks_max);
  EXPECT_TRUE(first.is_in_order);
  for (auto& watcher : watchers) {
    ASSERT_TRUE(watcher->read_to(tick_before + ticks)) << "a client was lost";
    EXPECT_TRUE(watcher->is_in_order);
    EXPECT_EQ(watcher->in_view, 2u);
  }
  EXPECT_EQ(server_->standard_error().find("IdleTimeout"), std::string::npos);
  EXPECT_TRUE(server_->process().wait_for_error_text("ticks were skipped"));
  authority.socket().close();
  watchers.clear();
  EXPECT_EQ(server_->stop(), "");
  EXPECT_GE(logged(server_->standard_error(), "ticks_skipped"),
            stop_s * tick_rate_hz - 2 - limits::catch_up_ticks_max);
}

// --- Descriptors -----------------------------------------------------------------------------

/// Few, but more than a server without clients has open.
constexpr std::size_t descriptors_max = 48;

/// A program that starts the server with so many. It cannot raise them, and io_uring looks at the
/// limit only when it begins to accept.
std::string limited_server(const std::filesystem::path& folder) {
  const auto file = folder / "server";
  std::ofstream(file) << "#!/bin/sh\nulimit -n " << descriptors_max << "\nexec "
                      << VICINITY_BINARY_DIR << "/vicinity-server \"$@\"\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

class AServerWithoutDescriptors : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(With, AServerWithoutDescriptors, testing::Values("epoll", "io_uring"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(AServerWithoutDescriptors, ServesWhoIsThereAndTakesOthersWhenThereAreSomeAgain) {
  const TemporaryFolder folder;
  ServerProcess server({"--socket-engine", GetParam()}, {}, limited_server(folder.path()));
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto began_at = Clock::now();
  const auto is_full = [&] {
    return server.standard_error().find("Too many open files") != std::string::npos;
  };
  // The server takes each but perhaps the last.
  std::vector<std::unique_ptr<WireClient>> clients;
  while (!is_full()) {
    ASSERT_LT(clients.size(), descriptors_max) << server.standard_error();
    clients.push_back(std::make_unique<WireClient>(server.port()));
    ASSERT_TRUE(clients.back()->send(hello_frame(SessionWish{})));
    while (!is_full() && clients.back()->next(Milliseconds(20)) == nullptr) {
    }
  }
  ASSERT_GE(clients.size(), 5u);
  WireClient& early = *clients.front();
  WireClient late(server.port());  // the system takes it, the server cannot
  ASSERT_TRUE(late.send(hello_frame(SessionWish{})));
  for (std::uint64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(early.is_served(i));
    ASSERT_NE(early.next_of<proto::Frame>(), nullptr);
  }
  EXPECT_EQ(late.next(Milliseconds(50)), nullptr);
  clients[1].reset();
  clients[2].reset();
  const auto* welcome = late.next_of<proto::Welcome>();
  EXPECT_NE(welcome, nullptr) << server.standard_error();
  ASSERT_TRUE(early.is_served(21));
  EXPECT_EQ(server.stop(), "");
  // It tries again ten times a second, and not as fast as it can.
  const std::chrono::duration<double> took = Clock::now() - began_at;
  const std::uint64_t errors = logged(server.standard_error(), "accept_errors");
  EXPECT_GE(errors, 1u);
  EXPECT_LE(static_cast<double>(errors), took.count() * 10 + 2);
}

}  // namespace
}  // namespace vicinity::test
