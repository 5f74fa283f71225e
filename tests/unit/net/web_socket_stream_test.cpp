// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_stream.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "net/tls_context.h"
#include "support/raw_socket.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"

namespace vicinity::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using test::RawSocket;

/// The server's end of a connection over TLS whose handshake is done, and which waits to read.
class WaitingStream : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded =
        TlsContext::load(certificate_.certificate_file(), certificate_.private_key_file());
    ASSERT_TRUE(loaded.ok());
    tls_ = std::move(loaded.value());
    tcp::acceptor acceptor(io_, {asio::ip::address_v4::loopback(), 0});
    const std::uint16_t port = acceptor.local_endpoint().port();
    std::atomic<bool> is_shaken = false;
    std::thread client([&] {
      peer_.connect(port);
      is_shaken = true;
    });
    tcp::socket accepted = acceptor.accept();
    accepted.non_blocking(true);
    stream_.emplace(std::move(accepted), tls_.get());
    stream_->async_read_some(asio::buffer(into_),
                             [this](const boost::system::error_code& error, std::size_t size) {
                               ended_ = error;
                               size_ = size;
                             });
    while (!is_shaken) io_.run_for(std::chrono::milliseconds(1));
    client.join();
    while (io_.poll() > 0) {
    }
    ASSERT_FALSE(ended_);
  }

  asio::io_context io_;
  test::TestCertificate certificate_;
  test::TlsCarrier carrier_;
  RawSocket peer_;
  std::shared_ptr<TlsContext> tls_;
  std::optional<WebSocketStream> stream_;
  std::array<std::uint8_t, 64> into_{};
  std::optional<boost::system::error_code> ended_;
  std::size_t size_ = 0;
};

TEST_F(WaitingStream, ReadsWhatComes) {
  ASSERT_TRUE(peer_.write(test::Bytes{1, 2, 3}));
  while (!ended_) io_.run_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(*ended_);
  EXPECT_EQ(size_, 3u);
}

TEST_F(WaitingStream, TellsItsWatcherBeforeTheHandler) {
  std::size_t told = 0;
  bool is_before = false;
  stream_->watch_reads([&](std::size_t size) {
    told += size;
    is_before = !ended_;
  });
  ASSERT_TRUE(peer_.write(test::Bytes{1, 2, 3}));
  while (!ended_) io_.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(told, 3u);
  EXPECT_TRUE(is_before);
}

TEST_F(WaitingStream, BringsNothingMoreAfterTheEndOfReads) {
  std::size_t told = 0;
  stream_->watch_reads([&](std::size_t size) { told += size; });
  stream_->end_reads();
  ASSERT_TRUE(peer_.write(test::Bytes{1, 2, 3}));
  pollfd arrived{stream_->socket().native_handle(), POLLIN, 0};
  ASSERT_EQ(::poll(&arrived, 1, static_cast<int>(test::patience.count())), 1);
  for (int i = 0; i < 100; ++i) io_.run_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(ended_);
  stream_->socket().close();
  while (!ended_) io_.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*ended_, asio::error::operation_aborted);
  EXPECT_EQ(told, 0u);
}

TEST_F(WaitingStream, AWaitThatOutlivesItsSocketLeavesTheNextOneAlone) {
  int other[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, other), 0);
  constexpr std::array<char, 5> word{'h', 'e', 'l', 'l', 'o'};
  ASSERT_EQ(::send(other[1], word.data(), word.size(), 0), 5);
  const int descriptor = stream_->socket().native_handle();
  ASSERT_TRUE(peer_.write(test::Bytes{1, 2, 3}));
  pollfd arrived{descriptor, POLLIN, 0};
  ASSERT_EQ(::poll(&arrived, 1, static_cast<int>(test::patience.count())), 1);
  // Both directions become ready in the same turn. The handler of this one runs first: it closes
  // the socket, whose number another one gets before the handler of the read runs.
  stream_->socket().async_wait(tcp::socket::wait_write, [&](const boost::system::error_code&) {
    stream_->socket().close();
    ASSERT_EQ(::dup2(other[0], descriptor), descriptor);
  });
  while (!ended_) io_.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*ended_, asio::error::operation_aborted);
  std::array<char, 16> left{};
  EXPECT_EQ(::recv(other[0], left.data(), left.size(), 0), 5) << "somebody else's bytes were read";
  for (const int open : {descriptor, other[0], other[1]}) ::close(open);
}

}  // namespace
}  // namespace vicinity::net
