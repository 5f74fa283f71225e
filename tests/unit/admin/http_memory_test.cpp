// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The listener for operators when there is no memory: it cuts who is there, and goes on when there
// is some again. operator new of this binary fails for its thread when a test says so.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "admin/http_server.h"
#include "support/raw_socket.h"

namespace {
std::atomic<bool> others_starve = false;
thread_local bool is_test_thread = false;
}  // namespace

// Not inlined: g++ otherwise sees malloc() where delete follows, and warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (others_starve && !is_test_thread) throw std::bad_alloc();
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vicinity::admin {
namespace {

using test::RawSocket;

std::string ask(std::uint16_t port) {
  constexpr std::string_view request = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
  auto socket = RawSocket::connected(port);
  EXPECT_TRUE(
      socket.write({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()}));
  const auto head = socket.read_bytes(12);
  return head ? std::string(head->begin(), head->end()) : "no answer";
}

TEST(HttpWithoutMemory, GoesOnWhenThereIsSomeAgain) {
  is_test_thread = true;
  auto opened = HttpServer::open({}, [](const HttpRequest&) { return HttpResponse{200, "here"}; });
  ASSERT_TRUE(opened.ok());
  const std::unique_ptr<HttpServer> server = std::move(opened.value());
  server->start();
  ASSERT_EQ(ask(server->port()), "HTTP/1.1 200");
  for (int i = 0; i < 3; ++i) {
    others_starve = true;
    auto socket = RawSocket::connected(server->port());
    EXPECT_TRUE(socket.wait_for_end());
    others_starve = false;
    EXPECT_EQ(ask(server->port()), "HTTP/1.1 200");
  }
  server->stop();
}

}  // namespace
}  // namespace vicinity::admin
