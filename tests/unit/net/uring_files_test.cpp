// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Sockets that io_uring has as registered files: net/uring_loop.h. Seen by what the kernel tells of
// the rings of this process.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "net/server_socket.h"
#include "recording_handler.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::RawSocket;

/// Registered sockets of all rings of this process; a ring that is busy tells nothing.
std::size_t registered_sockets() {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(file.path(), gone);
    if (gone || target != "anon_inode:[io_uring]") continue;
    std::ifstream info("/proc/self/fdinfo/" + file.path().filename().string());
    bool among_files = false;
    for (std::string line; std::getline(info, line);) {
      if (line.starts_with("UserFiles:")) {
        among_files = true;
      } else if (line.starts_with("UserBufs:")) {
        among_files = false;
      } else if (among_files && line.find("<none>") == line.npos) {  // as older kernels say it
        ++count;
      }
    }
  }
  return count;
}

void expect_registered(std::size_t count) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (registered_sockets() != count && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(registered_sockets(), count);
}

class UringFiles : public testing::Test {
 protected:
  void SetUp() override {
    settings_.engine = Engine::IoUring;
    RecordingHandler nobody;
    const auto probe = ServerSocket::open(settings_, nobody);
    if (!probe.ok()) GTEST_SKIP() << probe.error().text;
  }

  SocketSettings settings_;
};

void expect_echo(RawSocket& client, const std::string& text) {
  ASSERT_TRUE(client.write(text_frame(text)));
  EXPECT_EQ(read_text(client), text);
}

TEST_F(UringFiles, AreTheSocketsThatAreOpen) {
  RecordingHandler handler(echo);
  settings_.thread_count = 2;
  RunningSocket running(settings_, handler);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(RawSocket::connected(running.port()));
    expect_echo(clients.back(), "first " + std::to_string(i));
  }
  expect_registered(20);
  for (std::size_t i = 0; i < 20; i += 2) clients[i].close();
  expect_registered(10);
  for (int i = 0; i < 10; ++i) {
    clients.push_back(RawSocket::connected(running.port()));
    expect_echo(clients.back(), "later " + std::to_string(i));
  }
  expect_registered(20);
  for (std::size_t i = 1; i < 20; i += 2) expect_echo(clients[i], "last");
}

/// As many come and go as would use up the slots many times.
TEST_F(UringFiles, GiveTheirSlotsBack) {
  RecordingHandler handler(echo);
  settings_.connection_count_max = 2;
  settings_.unauthenticated_count_max = 2;
  RunningSocket running(settings_, handler);
  for (int i = 0; i < 40; ++i) {
    auto client = RawSocket::connected(running.port());
    expect_echo(client, std::to_string(i));
    expect_registered(1);
    client.close();
    expect_registered(0);
  }
}

}  // namespace
}  // namespace vicinity::net
