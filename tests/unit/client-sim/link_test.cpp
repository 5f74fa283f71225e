// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/link.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace vicinity::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Bytes = std::vector<std::uint8_t>;

/// A socket that remembers what it received.
struct Peer {
  explicit Peer(tcp::socket connected) : socket(std::move(connected)) {}
  void read() {
    socket.async_read_some(asio::buffer(buffer), [this](const error_code& code, std::size_t size) {
      if (code) {
        ended = true;
        return;
      }
      received.append(buffer.data(), size);
      read();
    });
  }
  void write(const std::string& text) { asio::write(socket, asio::buffer(text)); }

  tcp::socket socket;
  std::array<char, 4096> buffer;
  std::string received;
  bool ended = false;
};

/// A link between two sockets of the test.
class LinkTest : public ::testing::Test {
 protected:
  void start(LinkSettings settings) {
    settings.host = "127.0.0.1";
    settings.port = acceptor.local_endpoint().port();
    link.emplace(io, settings);
  }
  void connect() {
    tcp::socket socket(io);
    socket.connect({asio::ip::make_address("127.0.0.1"), link->port()});
    bot.emplace(std::move(socket));
    bot->read();
    server.reset();
    acceptor.async_accept([this](const error_code& code, tcp::socket accepted) {
      if (code) return;
      server.emplace(std::move(accepted));
      server->read();
    });
    ASSERT_TRUE(run_until([this] { return server.has_value(); }));
  }
  bool run_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end)
      io.run_for(std::chrono::milliseconds(1));
    return done();
  }

  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  std::optional<Link> link;
  std::optional<Peer> bot;
  std::optional<Peer> server;
};

TEST_F(LinkTest, CarriesBothWays) {
  start({});
  connect();
  bot->write("question");
  ASSERT_TRUE(run_until([&] { return server->received == "question"; }));
  server->write("answer");
  ASSERT_TRUE(run_until([&] { return bot->received == "answer"; }));
  EXPECT_FALSE(link->was_cut());
}

TEST_F(LinkTest, TellsTheEndBehindTheLastByte) {
  LinkSettings settings;
  settings.conditions.delay_us = 20'000;
  start(settings);
  connect();
  server->write("farewell");
  server->socket.shutdown(tcp::socket::shutdown_send);
  ASSERT_TRUE(run_until([&] { return bot->ended; }));
  EXPECT_EQ(bot->received, "farewell");
}

TEST_F(LinkTest, ACutEndsBothSides) {
  start({});
  connect();
  link->cut();
  EXPECT_TRUE(link->was_cut());
  ASSERT_TRUE(run_until([&] { return bot->ended && server->ended; }));
  connect();  // and the next one is not cut
  EXPECT_FALSE(link->was_cut());
}

TEST_F(LinkTest, ConditionsCut) {
  LinkSettings settings;
  settings.conditions.cut_every_us = 30'000;
  start(settings);
  connect();
  ASSERT_TRUE(run_until([&] { return bot->ended && server->ended; }));
  EXPECT_TRUE(link->was_cut());
}

TEST_F(LinkTest, AStalledLinkReadsNothingUntilItGoesOn) {
  start({});
  connect();
  server->write("before");
  ASSERT_TRUE(run_until([&] { return bot->received == "before"; }));
  link->stall();
  server->write(" behind");
  bot->write("up");
  ASSERT_TRUE(run_until([&] { return server->received == "up"; }));
  EXPECT_EQ(bot->received, "before");
  link->go_on();
  ASSERT_TRUE(run_until([&] { return bot->received == "before behind"; }));
}

TEST_F(LinkTest, ASlowReaderHoldsUpTheServer) {
  LinkSettings settings;
  settings.read_bytes_per_s = 1'000;
  start(settings);
  connect();
  server->socket.non_blocking(true);
  const std::string much(64 * 1024, 'x');
  std::size_t sent = 0;
  bool blocked = false;
  while (!blocked && sent < (std::size_t{64} << 20)) {
    error_code code;
    sent += server->socket.write_some(asio::buffer(much), code);
    blocked = code == asio::error::would_block;
    io.poll();
  }
  EXPECT_TRUE(blocked);  // the link does not take in what it cannot pass on
}

TEST_F(LinkTest, InjectedBytesGoToTheServerInTheirPlace) {
  start({});
  link->inject(Bytes{'1'});
  connect();
  bot->write("2");
  ASSERT_TRUE(run_until([&] { return server->received == "12"; }));
  link->inject(Bytes{'3'});
  ASSERT_TRUE(run_until([&] { return server->received == "123"; }));
}

TEST_F(LinkTest, AServerThatRefusesEndsTheConnection) {
  start({});
  acceptor.close();
  tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), link->port()});
  bot.emplace(std::move(socket));
  bot->read();
  ASSERT_TRUE(run_until([&] { return bot->ended; }));
}

}  // namespace
}  // namespace vicinity::sim
