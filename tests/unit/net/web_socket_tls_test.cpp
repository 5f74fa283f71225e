// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// WebSocket over TLS (wss): what differs below must not be seen above.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "net/tls_context.h"
#include "running_web_socket.h"
#include "support/raw_socket.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"
#include "tls_key_changes.h"

namespace vicinity::net {
namespace {

using test::Milliseconds;
using test::RawSocket;
using test::WebSocketClient;

class WebSocketTls : public testing::Test {
 protected:
  WebSocketTls() {
    auto loaded =
        TlsContext::load(certificate_.certificate_file(), certificate_.private_key_file());
    EXPECT_TRUE(loaded.ok());
    settings_.tls = std::move(loaded.value());
  }
  test::TestCertificate certificate_;
  test::TlsCarrier clients_;
  WebSocketSettings settings_;
};

TEST_F(WebSocketTls, MessagesOfAllSizesGoBothWays) {
  RecordingHandler handler([](const RecordingHandler::Link& link, const std::string& body) {
    EXPECT_TRUE(link->authenticated());
    link->send(text_frame(body + body));
  });
  RunningWebSocket running(settings_, handler);
  auto client = running.client();
  ASSERT_TRUE(client.send_text("hello"));
  EXPECT_EQ(read_text(client), "hellohello");
  for (const std::size_t size : {1u, 125u, 126u, 4096u, 16'384u, 16'385u, 65'000u}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(client.send_text(text));
    EXPECT_EQ(read_text(client), text + text) << size;
  }
}

TEST_F(WebSocketTls, ManyMessagesOfManyClientsKeepTheirOrder) {
  RecordingHandler handler(echo);
  RunningWebSocket running(settings_, handler);
  std::vector<WebSocketClient> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(running.client());
  for (int round = 0; round < 50; ++round) {
    for (auto& client : clients) ASSERT_TRUE(client.send_text(std::to_string(round)));
  }
  for (auto& client : clients) {
    for (int round = 0; round < 50; ++round) ASSERT_EQ(read_text(client), std::to_string(round));
  }
}

TEST_F(WebSocketTls, AFrameLargerThanTheBuffersOfTheKernelArrivesWhole) {
  RecordingHandler handler;
  settings_.send_buffer_bytes = 32 * 1024;
  RunningWebSocket running(settings_, handler);
  auto client = running.client();
  const auto link = handler.opened();
  std::string large(1'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  ASSERT_TRUE(link->send(text_frame(large)));
  EXPECT_EQ(read_text(client), large);
}

TEST_F(WebSocketTls, TheFarewellComesBeforeTheEnd) {
  RecordingHandler handler;
  RunningWebSocket running(settings_, handler);
  auto client = running.client();
  handler.opened()->close({ErrorCode::ServerStopping, "test"});
  EXPECT_EQ(read_text(client), "ServerStopping");
  EXPECT_EQ(client.read_close(), close_code(ErrorCode::ServerStopping));
  EXPECT_TRUE(client.socket().wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
}

TEST_F(WebSocketTls, ARefusedUpgradeIsToldAsHttp) {
  RecordingHandler handler;
  RunningWebSocket running(settings_, handler);
  WebSocketClient client(running.port());
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 426"));
  EXPECT_TRUE(client.socket().wait_for_end());
}

TEST_F(WebSocketTls, NeitherSilenceNorPlainTextHasMoreTimeThanAnyHandshake) {
  RecordingHandler handler;
  settings_.handshake_deadline_ms = 500;
  RunningWebSocket running(settings_, handler);
  RawSocket shaken = RawSocket::connected(running.port());
  auto make_layer = std::exchange(test::new_socket_layer(), nullptr);
  RawSocket silent = RawSocket::connected(running.port());
  RawSocket plain = RawSocket::connected(running.port());
  const std::string request = test::upgrade_request();
  (void)plain.write({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()});
  test::new_socket_layer() = std::move(make_layer);
  for (RawSocket* socket : {&shaken, &silent, &plain}) EXPECT_TRUE(socket->wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(3));
}

TEST_F(WebSocketTls, ChangesOfKeysWithoutEndAreCut) {
  CauseHandler handler(echo);
  RunningWebSocket running(settings_, handler);
  watch_clients(clients_);
  auto honest = running.client();
  auto hostile = running.client();
  change_keys_without_end(last_tls_client());
  EXPECT_TRUE(hostile.socket().wait_for_end());
  ASSERT_TRUE(handler.wait_for_closes(1));
  EXPECT_THAT(handler.text(), testing::HasSubstr("records in a row without data"));
  ASSERT_TRUE(honest.send_text("still here"));
  EXPECT_EQ(read_text(honest), "still here");
}

TEST_F(WebSocketTls, AFewChangesOfKeysBetweenMessagesAreNoMatter) {
  RecordingHandler handler(echo);
  RunningWebSocket running(settings_, handler);
  watch_clients(clients_);
  auto client = running.client();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(change_keys(last_tls_client()));
    const std::string text = "round " + std::to_string(round);
    ASSERT_TRUE(client.send_text(text));
    ASSERT_EQ(read_text(client), text);
  }
}

}  // namespace
}  // namespace vicinity::net
