// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/address_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "engine_test.h"
#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using namespace std::chrono_literals;
using test::RawSocket;
using Verdict = AddressLimits::Verdict;

constexpr AddressLimits::Clock::time_point start{1h};

TEST(AddressLimits, BoundTheConnectionsOfEachAddress) {
  AddressLimits limits({.connections_max = 2});
  EXPECT_EQ(limits.admit("10.0.0.1:1", start), Verdict::Admitted);
  EXPECT_EQ(limits.admit("10.0.0.1:2", start), Verdict::Admitted);
  EXPECT_EQ(limits.admit("10.0.0.1:3", start), Verdict::TooMany);
  EXPECT_EQ(limits.admit("10.0.0.2:1", start), Verdict::Admitted);
  limits.release("10.0.0.1:1");
  EXPECT_EQ(limits.admit("10.0.0.1:4", start), Verdict::Admitted);
  EXPECT_EQ(limits.stats().too_many, 1u);
}

TEST(AddressLimits, BoundHowOftenAnAddressConnects) {
  AddressLimits limits({.connects_per_s = 5});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(limits.admit("10.0.0.1:1", start), Verdict::Admitted) << i;
    limits.release("10.0.0.1:1");
  }
  EXPECT_EQ(limits.admit("10.0.0.1:1", start), Verdict::TooFast);
  EXPECT_EQ(limits.admit("10.0.0.1:1", start + 200ms), Verdict::Admitted);
  EXPECT_EQ(limits.admit("10.0.0.1:1", start + 200ms), Verdict::TooFast);
  EXPECT_EQ(limits.stats().too_fast, 2u);
}

TEST(AddressLimits, CountAnIpv6AddressByItsNetworkAndAMappedOneAsIpv4) {
  AddressLimits limits({.connections_max = 1});
  EXPECT_EQ(limits.admit("[2001:db8:1:2::1]:1", start), Verdict::Admitted);
  EXPECT_EQ(limits.admit("[2001:db8:1:2:ffff::9]:1", start), Verdict::TooMany);
  EXPECT_EQ(limits.admit("[2001:db8:1:3::1]:1", start), Verdict::Admitted);
  EXPECT_EQ(limits.admit("10.0.0.1:1", start), Verdict::Admitted);
  EXPECT_EQ(limits.admit("[::ffff:10.0.0.1]:1", start), Verdict::TooMany);
}

TEST(AddressLimits, SpareThisMachineUnlessToldOtherwise) {
  AddressLimits spares({.connections_max = 1, .connects_per_s = 1});
  AddressLimits bounds({.connections_max = 1, .loopback = true});
  for (const char* peer : {"127.0.0.1:1", "[::1]:1", "unknown"}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(spares.admit(peer, start), Verdict::Admitted) << peer;
  }
  EXPECT_EQ(spares.stats().remembered, 0u);
  EXPECT_EQ(bounds.admit("127.0.0.1:1", start), Verdict::Admitted);
  EXPECT_EQ(bounds.admit("127.0.0.1:2", start), Verdict::TooMany);
}

TEST(AddressLimits, RememberABoundedNumberOfSilentAddressesAndAllThatAreConnected) {
  AddressLimits limits({.connections_max = 1, .connects_per_s = 1, .silent_max = 4});
  ASSERT_EQ(limits.admit("10.1.0.0:1", start), Verdict::Admitted);
  for (int i = 0; i < 1000; ++i) {
    const std::string peer = "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250);
    ASSERT_EQ(limits.admit(peer + ":1", start), Verdict::Admitted);
    limits.release(peer + ":1");
    ASSERT_LE(limits.stats().remembered, 5u);
  }
  EXPECT_EQ(limits.admit("10.1.0.0:2", start), Verdict::TooMany);
  EXPECT_EQ(limits.admit("10.0.3.249:1", start), Verdict::Admitted) << "a burst of two";
  limits.release("10.0.3.249:1");
  EXPECT_EQ(limits.admit("10.0.3.249:1", start), Verdict::TooFast) << "the newest is remembered";
}

class ServerSocketAddresses : public EngineTest {};
INSTANTIATE_ENGINES(Engines, ServerSocketAddresses);

TEST_P(ServerSocketAddresses, TurnAwayWhoHasTooManyAndTakeTheNextWhenOneHasGone) {
  RecordingHandler handler(echo);
  SocketSettings settings = defaults();
  settings.addresses =
      std::make_shared<AddressLimits>(AddressLimitSettings{.connections_max = 2, .loopback = true});
  RunningSocket running(settings, handler);
  std::optional<RawSocket> first(RawSocket::connected(running.port()));
  auto second = RawSocket::connected(running.port());
  for (RawSocket* socket : {&*first, &second}) {
    ASSERT_TRUE(socket->write(text_frame("hello")));
    EXPECT_EQ(read_text(*socket), "hello");
  }
  auto third = RawSocket::connected(running.port());
  EXPECT_EQ(read_text(third), settings.tls ? "<end>" : "RateLimited");
  EXPECT_TRUE(third.wait_for_end());
  EXPECT_EQ(running.socket->stats().turned_away, 1u);
  third.close();
  first.reset();
  ASSERT_TRUE(handler.wait([&] { return settings.addresses->stats().too_many == 1; }));
  ASSERT_TRUE(handler.wait_for_closes(settings.tls ? 1 : 2));
  for (int tries = 0; tries < 100; ++tries) {  // the place is free a moment after on_close
    auto fourth = RawSocket::connected(running.port());
    if (fourth.write(text_frame("hello")) && read_text(fourth) == "hello") return;
  }
  ADD_FAILURE() << "nobody was taken in the place that was free";
}

TEST_P(ServerSocketAddresses, AFloodOfThoseTurnedAwayHoldsABoundedNumberOfConnections) {
  RecordingHandler handler(echo);
  SocketSettings settings = defaults();
  settings.addresses =
      std::make_shared<AddressLimits>(AddressLimitSettings{.connections_max = 1, .loopback = true});
  RunningSocket running(settings, handler);
  std::vector<RawSocket> flood;
  for (int i = 0; i < 300; ++i) flood.push_back(RawSocket::connected(running.port()));
  ASSERT_TRUE(flood.front().write(text_frame("hello")));
  EXPECT_EQ(read_text(flood.front()), "hello");
  EXPECT_LE(running.socket->stats().open, 1 + limits::refusals_max);
  for (std::size_t i = 1; i < flood.size(); ++i) EXPECT_TRUE(flood[i].wait_for_end());
}

}  // namespace
}  // namespace vicinity::net
