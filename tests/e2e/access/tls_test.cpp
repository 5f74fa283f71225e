// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// TLS of a real server: who gets in, who does not, and what becomes of those who only begin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "access_fixture.h"
#include "base/prng.h"
#include "client/blocking.h"
#include "support/test_certificate.h"
#include "support/tls_layer.h"

namespace vicinity::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class AccessOverTls : public AccessServer {
 protected:
  void start_tls(const Arguments& arguments = {}) { start(with_tls(arguments)); }
  void start_stepped_tls(const Arguments& arguments = {}) { start_stepped(with_tls(arguments)); }
  Arguments with_tls(Arguments arguments) const {
    for (const std::string& argument :
         {std::string("--tls-certificate"), certificate_.certificate_file(),
          std::string("--tls-private-key"), certificate_.private_key_file()})
      arguments.push_back(argument);
    return arguments;
  }
  client::ConnectOptions options(const std::string& role = "authority") const {
    client::ConnectOptions out;
    out.port = port();
    out.role = access::role_of(role).value();
    out.token = token("library", role);
    out.tls = true;
    out.tls_ca_file = certificate_.certificate_file();
    return out;
  }
  /// The text of the error; "welcome" when there is none.
  static std::string outcome(const client::ConnectOptions& options) {
    client::BlockingClient client;
    const auto welcome = client.connect(options);
    return welcome ? "welcome" : welcome.error().text;
  }

  TestCertificate certificate_;
};

TEST_F(AccessOverTls, ClientsCheckWhoTheServerIs) {
  start_tls();
  EXPECT_EQ(outcome(options()), "welcome");
  client::ConnectOptions by_name = options();
  by_name.tls_server_name = "localhost";
  EXPECT_EQ(outcome(by_name), "welcome");
  client::ConnectOptions wrong_name = options();
  wrong_name.tls_server_name = "example.org";
  EXPECT_THAT(outcome(wrong_name),
              AllOf(HasSubstr("not for example.org"), HasSubstr("--tls-name")));
  client::ConnectOptions unknown = options();
  unknown.tls_ca_file.clear();
  EXPECT_THAT(outcome(unknown), HasSubstr("--tls-ca"));
  const TestCertificate stranger;
  client::ConnectOptions other_issuer = options();
  other_issuer.tls_ca_file = stranger.certificate_file();
  EXPECT_THAT(outcome(other_issuer), AllOf(HasSubstr("vouches"), HasSubstr("--tls-ca")));
  client::ConnectOptions no_file = options();
  no_file.tls_ca_file = "/nowhere/ca.pem";
  EXPECT_THAT(outcome(no_file), HasSubstr("/nowhere/ca.pem"));
  client::ConnectOptions plain = options();
  plain.tls = false;
  EXPECT_THAT(outcome(plain), HasSubstr("connect with --tls"));
}

TEST_F(AccessOverTls, AServerWithoutItIsNamed) {
  start();
  EXPECT_THAT(outcome(options()), HasSubstr("without --tls it may answer"));
}

TEST_F(AccessOverTls, ASessionIsAsOverTcp) {
  start_tls({"--tick-mode", "manual"});
  client::BlockingClient client;
  ASSERT_TRUE(client.connect(options()));
  // More than one record of TLS each way.
  std::vector<CommandBody> commands;
  for (int i = 0; i < 4000; ++i) {
    SpawnCommand spawn;
    spawn.position = {static_cast<double>(i), 0, 0};
    spawn.shape = Shape::sphere(0.25);
    commands.emplace_back(spawn);
  }
  AddAreaCommand area;
  area.spec.enter_radius_m = area.spec.leave_radius_m = 1e5;
  commands.emplace_back(area);
  client.send(commands);
  ASSERT_TRUE(client.step());
  std::size_t enters = 0;
  for (const auto& frame : client.take_frames()) enters += frame.enters.size();
  EXPECT_EQ(enters, 4000u);
  client.close();
  EXPECT_EQ(client.closed()->text, "closed by the client");
  EXPECT_EQ(server().stop(), "");
}

TEST_F(AccessOverTls, ToolsTakeTlsAndTokens) {
  start_tls();
  const TemporaryFolder folder;
  const std::string tokens = folder.path() / "tokens";
  {
    std::ofstream file(tokens);
    for (int i = 0; i < 12; ++i) file << token("bot-" + std::to_string(i), "authority") << "\n";
  }
  const std::string server_at = "127.0.0.1:" + std::to_string(port());
  ChildProcess query("vicinity-query",
                     {"--connect", server_at, "--tls", "--tls-ca", certificate_.certificate_file(),
                      "--token-file", tokens, "sphere", "0,0,0", "10"});
  EXPECT_EQ(query.wait(), 0) << query.standard_error();
  ChildProcess without("vicinity-query", {"--connect", server_at, "--tls", "--tls-ca",
                                          certificate_.certificate_file(), "sphere", "0,0,0", "1"});
  EXPECT_EQ(without.wait(), 1);
  EXPECT_THAT(without.standard_error(), HasSubstr("Unauthorized"));
  ChildProcess bots(
      "vicinity-bots",
      {"--connect", server_at, "--tls", "--tls-ca", certificate_.certificate_file(), "--token-file",
       tokens, "--bots", "10", "--duration", "2s", "--require", "evictions==0,wrong_views==0"});
  EXPECT_EQ(bots.wait(std::chrono::seconds(60)), 0)
      << bots.standard_error() << bots.standard_output();
}

TEST_F(AccessOverTls, ACertificateIsReadAnewOnSighupWithoutLosingAnybody) {
  start_tls();
  client::BlockingClient before;
  ASSERT_TRUE(before.connect(options()));
  const client::ConnectOptions of_old = options();
  const std::string old_copy = keys_.path() / ".old.pem";
  std::filesystem::copy_file(certificate_.certificate_file(), old_copy);
  certificate_.renew("localhost");
  server().process().signal(SIGHUP);
  ASSERT_TRUE(logs("certificate reloaded"));
  EXPECT_EQ(outcome(options()), "welcome");
  client::ConnectOptions wants_old = options();
  wants_old.tls_ca_file = old_copy;
  EXPECT_THAT(outcome(wants_old), HasSubstr("--tls-ca"));
  // The same subject came again: that, and no certificate, ended the first one.
  std::ofstream(certificate_.private_key_file()) << "nonsense";
  server().process().signal(SIGHUP);
  ASSERT_TRUE(logs("the certificate stays as it was"));
  client::BlockingClient after;
  ASSERT_TRUE(after.connect(options()));
  server().process().signal(SIGHUP);
  EXPECT_TRUE(after.ping());
}

// --- Those who only begin --------------------------------------------------------------------

TEST_F(AccessOverTls, OldTlsAndPlainTextAreRefused) {
  start_tls();
  TlsCarrier carrier;
  SSL_CTX_set_max_proto_version(carrier.context(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(carrier.context(), 0);
  RawSocket old;
  EXPECT_FALSE(old.connect(port()));
  new_socket_layer() = nullptr;
  WireClient plain(port());
  ASSERT_TRUE(plain.send(hello_frame(HelloOptions{.token = token("ada", "player")})));
  EXPECT_TRUE(plain.socket().wait_for_end());
}

TEST_F(AccessOverTls, ByteForByteAHandshakeHasNoMoreTimeThanAnyOther) {
  start_stepped_tls({"--handshake-deadline-ms", "1500"});
  std::vector<RawSocket> dribblers;
  for (int i = 0; i < 50; ++i) dribblers.push_back(RawSocket::connected(port()));
  // The beginning of a ClientHello record of 512 bytes, a byte at a time.
  const Bytes beginning{0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03};
  TlsCarrier carrier;
  start_honest();
  for (std::size_t at = 0; at < 400; ++at) {
    const std::uint8_t byte = at < beginning.size() ? beginning[at] : std::uint8_t{0x20};
    bool any_left = false;
    for (RawSocket& socket : dribblers) any_left |= socket.write({&byte, 1}, Milliseconds(1));
    if (!any_left) break;
    ASSERT_NO_FATAL_FAILURE(honest_tick());
    ::usleep(20'000);
  }
  for (RawSocket& socket : dribblers) EXPECT_TRUE(socket.wait_for_end());
  expect_honest_goes_on();
}

TEST_F(AccessOverTls, ByteForByteAHelloHasNoMoreTimeThanAnyOther) {
  start_stepped_tls({"--handshake-deadline-ms", "1500"});
  TlsCarrier carrier;
  start_honest();
  std::vector<std::unique_ptr<WireClient>> dribblers;
  for (int i = 0; i < 20; ++i) dribblers.push_back(std::make_unique<WireClient>(port()));
  const Bytes hello = hello_frame(HelloOptions{.token = token("eve", "player")});
  for (std::size_t at = 0; at + 1 < hello.size() && at < 150; ++at) {
    for (auto& client : dribblers)
      (void)client->socket().write({hello.data() + at, 1}, Milliseconds(1));
    ASSERT_NO_FATAL_FAILURE(honest_tick());
    ::usleep(20'000);
  }
  for (auto& client : dribblers) EXPECT_EQ(client->farewell(), ErrorCode::HandshakeTimeout);
  expect_honest_goes_on();
}

TEST_F(AccessOverTls, HandshakesThatNeverEndKeepNobodyOutAndMemoryInBounds) {
  start_stepped_tls({"--handshake-deadline-ms", "60000", "--unauthenticated-count-max", "64"});
  const auto flood = [&] {
    std::vector<RawSocket> sockets;
    const Bytes half{0x16, 0x03, 0x01, 0x02, 0x00, 0x01};
    for (int i = 0; i < 600; ++i) {
      sockets.push_back(RawSocket::connected(port()));
      (void)sockets.back().write(half, Milliseconds(10));
    }
    return sockets;
  };
  const auto first = flood();
  std::optional<TlsCarrier> carrier(std::in_place);
  start_honest();
  const std::size_t before = resident_bytes();
  carrier.reset();
  std::vector<std::vector<RawSocket>> more;
  for (int round = 0; round < 4; ++round) {
    more.push_back(flood());
    ASSERT_NO_FATAL_FAILURE(honest_tick());
  }
  EXPECT_LT(resident_bytes(), before + 32'000'000);
  expect_honest_goes_on();
}

TEST_F(AccessOverTls, GarbageInEveryStateEndsOneConnectionOnly) {
  start_stepped_tls();
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng random(seed);
  const auto garbage = [&](std::size_t size) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    return bytes;
  };
  TlsCarrier carrier;
  start_honest();
  for (int i = 0; i < 100; ++i) {
    WireClient joined(port());
    if (i % 2 == 0) {
      ASSERT_TRUE(hello(joined, token("eve", "player")).welcomed);
    }
    (void)joined.send(garbage(1 + random.below(300)));
    joined.socket().shutdown_write();
    EXPECT_TRUE(joined.socket().wait_for_end()) << i;
  }
  auto make_layer = std::exchange(new_socket_layer(), nullptr);
  for (int i = 0; i < 100; ++i) {
    auto raw = RawSocket::connected(port());
    Bytes bytes = garbage(1 + random.below(600));
    if (i % 2 == 0) bytes[0] = 0x16;  // a record of a handshake
    (void)raw.write(bytes);
    raw.shutdown_write();
    EXPECT_TRUE(raw.wait_for_end()) << i;
  }
  new_socket_layer() = std::move(make_layer);
  expect_honest_goes_on();
}

// --- Start -----------------------------------------------------------------------------------

TEST_F(AccessOverTls, AServerForOthersNeedsTokensAndTlsOrSaysThatItIsInsecure) {
  const Arguments elsewhere{"--listen-address", "0.0.0.0", "--port", "0"};
  const auto with = [&](const Arguments& more) {
    Arguments all = elsewhere;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Arguments tokens{"--token-keys", keys_.path()};
  const Arguments tls{"--tls-certificate", certificate_.certificate_file(), "--tls-private-key",
                      certificate_.private_key_file()};
  ChildProcess neither("vicinity-server", elsewhere);
  EXPECT_EQ(neither.wait(), 2);
  EXPECT_THAT(neither.standard_error(), HasSubstr("token_keys"));
  EXPECT_THAT(neither.standard_error(), HasSubstr("tls_certificate"));
  ChildProcess no_tls("vicinity-server", with(tokens));
  EXPECT_EQ(no_tls.wait(), 2);
  EXPECT_THAT(no_tls.standard_error(), Not(HasSubstr("missing: token_keys")));
  EXPECT_THAT(no_tls.standard_error(), HasSubstr("missing: tls_certificate"));
  ChildProcess no_tokens("vicinity-server", with(tls));
  EXPECT_EQ(no_tokens.wait(), 2);
  EXPECT_THAT(no_tokens.standard_error(), HasSubstr("missing: token_keys"));
  Arguments both = tokens;
  both.insert(both.end(), tls.begin(), tls.end());
  ChildProcess good("vicinity-server", with(both));
  EXPECT_TRUE(good.wait_for_error_text("server started"));
  EXPECT_THAT(good.standard_error(), Not(HasSubstr("insecure")));
  Arguments insecure = tokens;
  insecure.emplace_back("--insecure");
  ChildProcess warned("vicinity-server", with(insecure));
  EXPECT_TRUE(warned.wait_for_error_text("server started"));
  EXPECT_THAT(warned.standard_error(), HasSubstr("warning insecure"));
  EXPECT_THAT(warned.standard_error(), HasSubstr("tls_certificate"));
}

TEST_F(AccessOverTls, FilesThatCannotBeUsedStopTheStartAndAreNamed) {
  const auto error_of = [](const Arguments& arguments, int code) {
    ChildProcess server("vicinity-server", arguments);
    EXPECT_EQ(server.wait(), code);
    return server.standard_error();
  };
  EXPECT_THAT(
      error_of({"--token-keys", "/nowhere/keys"}, 2),
      AllOf(HasSubstr("token_keys"), HasSubstr("/nowhere/keys"), HasSubstr("No such file")));
  const TemporaryFolder folder;
  const std::string weak = folder.path() / "weak.hs256";
  std::ofstream(weak) << "short";
  EXPECT_THAT(error_of({"--token-keys", weak}, 2),
              AllOf(HasSubstr("token_keys"), HasSubstr(weak), HasSubstr("at least 32")));
  EXPECT_THAT(
      error_of({"--tls-certificate", "/nowhere/c.pem", "--tls-private-key", "/nowhere/k"}, 2),
      AllOf(HasSubstr("tls_certificate /nowhere/c.pem"), HasSubstr("No such file")));
  EXPECT_THAT(error_of({"--tls-certificate", certificate_.certificate_file(), "--tls-private-key",
                        certificate_.certificate_file()},
                       2),
              AllOf(HasSubstr("tls_private_key"), HasSubstr("no private key")));
  EXPECT_THAT(error_of({"--tls-certificate", weak, "--tls-private-key", weak}, 2),
              AllOf(HasSubstr("tls_certificate " + weak), HasSubstr("no certificate")));
  EXPECT_THAT(error_of({"--tls-certificate", certificate_.certificate_file()}, 2),
              HasSubstr("tls_private_key"));
  EXPECT_THAT(error_of({"--tls-certificate", certificate_.certificate_file(), "--tls-private-key",
                        certificate_.private_key_file(), "--socket-engine", "io_uring"},
                       2),
              HasSubstr("io_uring"));
}

}  // namespace
}  // namespace vicinity::test
