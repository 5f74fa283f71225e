// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a connection over TLS costs before anybody knows who it is of, and what it may send besides
// data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/address_limits.h"
#include "net/tls_context.h"
#include "recording_handler.h"
#include "running_web_socket.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"
#include "tls_key_changes.h"

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

TEST_F(ServerSocketTls, ChangesOfKeysWithoutEndAreCut) {
  CauseHandler handler(echo);
  SocketSettings settings;
  settings.tls = tls_;
  const RunningSocket running(settings, handler);
  test::TlsCarrier clients;
  watch_clients(clients);
  RawSocket honest = RawSocket::connected(running.port());
  RawSocket hostile = RawSocket::connected(running.port());
  change_keys_without_end(last_tls_client());
  EXPECT_TRUE(hostile.wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.text(), testing::HasSubstr("records in a row without data"));
  ASSERT_TRUE(honest.write(text_frame("still here")));
  EXPECT_EQ(read_text(honest), "still here");
}

TEST_F(ServerSocketTls, AFewChangesOfKeysBetweenFramesAreNoMatter) {
  RecordingHandler handler(echo);
  SocketSettings settings;
  settings.tls = tls_;
  const RunningSocket running(settings, handler);
  test::TlsCarrier clients;
  watch_clients(clients);
  RawSocket client = RawSocket::connected(running.port());
  for (int round = 0; round < 20; ++round) {
    for (const int kind : {SSL_KEY_UPDATE_NOT_REQUESTED, SSL_KEY_UPDATE_REQUESTED})
      for (int i = 0; i < 4; ++i) ASSERT_TRUE(change_keys(last_tls_client(), kind));
    const std::string text = "round " + std::to_string(round);
    ASSERT_TRUE(client.write(text_frame(text)));
    ASSERT_EQ(read_text(client), text);
  }
}

}  // namespace
}  // namespace vicinity::net
