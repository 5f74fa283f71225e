// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a connection over TLS costs before anybody knows who it is of.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "net/address_limits.h"
#include "net/tls_context.h"
#include "recording_handler.h"
#include "running_web_socket.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"

namespace vicinity::net {
namespace {

using test::RawSocket;

class ServerSocketTls : public testing::Test {
 protected:
  ServerSocketTls() {
    auto loaded =
        TlsContext::load(certificate_.certificate_file(), certificate_.private_key_file());
    EXPECT_TRUE(loaded.ok());
    tls_ = std::move(loaded.value());
    AddressLimitSettings limits;
    limits.connections_max = 1;
    limits.loopback = true;
    addresses_ = std::make_shared<AddressLimits>(limits);
  }
  /// One connection is let in, shakes hands and stays; nine more of its address are turned away.
  void expect_one_session(std::uint16_t port) {
    std::optional<test::TlsCarrier> clients(std::in_place);
    RawSocket first = RawSocket::connected(port);
    clients.reset();
    ASSERT_EQ(tls_->session_count(), 1u);
    for (int i = 0; i < 9; ++i) {
      RawSocket more = RawSocket::connected(port);
      EXPECT_TRUE(more.wait_for_end()) << i;
    }
    EXPECT_EQ(tls_->session_count(), 1u);
    EXPECT_EQ(addresses_->stats().too_many, 9u);
  }

  test::TestCertificate certificate_;
  std::shared_ptr<TlsContext> tls_;
  std::shared_ptr<AddressLimits> addresses_;
};

TEST_F(ServerSocketTls, WhoIsTurnedAwayByItsAddressCostsNoSession) {
  RecordingHandler handler;
  SocketSettings settings;
  settings.tls = tls_;
  settings.addresses = addresses_;
  const RunningSocket running(settings, handler);
  expect_one_session(running.port());
}

TEST_F(ServerSocketTls, NorDoesItOverWebSocket) {
  RecordingHandler handler;
  WebSocketSettings settings;
  settings.tls = tls_;
  settings.addresses = addresses_;
  const RunningWebSocket running(settings, handler);
  expect_one_session(running.port());
}

}  // namespace
}  // namespace vicinity::net
