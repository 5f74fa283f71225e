// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A server with keys for tokens, an honest client whose view must go on whatever others do, and
// tokens good and bad.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "access/gatekeeper.h"
#include "access/token_mint.h"
#include "e2e/session_client.h"
#include "support/raw_token.h"
#include "support/server_process.h"

namespace vicinity::test {

class AccessServer : public testing::Test {
 protected:
  AccessServer() : pair_(access::random_pair().value()) {
    write_key("dev.hs256", secret_);
    write_key("game.pem", pair_.public_pem);
  }

  void start(Arguments arguments = {}) {
    for (const char* argument : {"--token-keys", keys_.path().c_str(), "--token-audience", "arena"})
      arguments.emplace_back(argument);
    server_ = std::make_unique<ServerProcess>(arguments);
    ASSERT_NE(server_->port(), 0) << server_->standard_error();
  }
  /// An authority that is told of every tick, and sees one entity that moves.
  void start_honest() {
    honest_ = std::make_unique<WireClient>(port());
    ASSERT_TRUE(honest_->join({.token = token("honest", "authority")}));
    ASSERT_TRUE(honest_->send(commands_frame(1, {spawn(0, 0, 0, 1), add_area(1, 1e6)})));
    last_tick_ = next_honest_tick();
    ASSERT_GT(last_tick_, 0u);
  }
  /// Of few ticks one in ten is none, and a machine that does much else misses some.
  static constexpr std::uint64_t ticks_of_a_busy_machine = 5;

  /// Ticks come, in order, and questions are answered. Of all ticks since the honest client is
  /// there, those of the attack included, it was told of nine in ten at least, whenever that was: a
  /// busy machine may not have room for each.
  void expect_honest_goes_on(int ticks = 5) {
    for (int i = 0; i < ticks; ++i) ASSERT_NO_FATAL_FAILURE(note_tick(next_honest_tick()));
    ASSERT_TRUE(honest_->send(ping_frame(4711)));
    for (bool answered = false; !answered;) {
      const auto* message = honest_->next();
      ASSERT_NE(message, nullptr);
      answered = message->body_as_Pong() != nullptr;
      const auto* frame = message->body_as_Frame();
      if (frame != nullptr && frame->last()) {
        ASSERT_NO_FATAL_FAILURE(note_tick(frame->tick()));
      }
    }
    EXPECT_LE(missed_ticks_ * 10, told_ticks_ + missed_ticks_ + 10 * ticks_of_a_busy_machine)
        << missed_ticks_ << " ticks were missed, " << told_ticks_ << " told";
  }
  void note_tick(std::uint64_t tick) {
    ASSERT_GT(tick, last_tick_);
    missed_ticks_ += tick - last_tick_ - 1;
    ++told_ticks_;
    last_tick_ = tick;
  }
  std::uint64_t next_honest_tick() {
    while (const auto* frame = honest_->next_of<proto::Frame>())
      if (frame->last()) return frame->tick();
    return 0;
  }
  std::uint16_t port() const { return server_->port(); }
  ServerProcess& server() { return *server_; }
  bool logs(const std::string& text) { return server_->process().wait_for_error_text(text); }

  static std::int64_t now_s() { return access::Gatekeeper::now_s(); }
  static std::string claims(const std::string& subject, const std::string& role,
                            const std::string& more = {}, std::int64_t ends_in_s = 3600) {
    return R"({"aud":"arena","sub":")" + subject + R"(","role":")" + role + R"(","exp":)" +
           std::to_string(now_s() + ends_in_s) + more + "}";
  }
  std::string sign(const std::string& payload) const {
    return es256_token(header_of("ES256", "game"), payload, pair_.private_pem);
  }
  std::string token(const std::string& subject, const std::string& role,
                    const std::string& more = {}) const {
    return sign(claims(subject, role, more));
  }
  Greeted hello(WireClient& client, const std::string& credentials,
                proto::Role role = proto::Role::Player, const std::string& subject = {}) const {
    SessionWish wish;
    wish.role = role;
    wish.subject = subject;
    wish.credentials = credentials;
    return greet(client, wish);
  }
  /// None: welcomed.
  ErrorCode code_of(const std::string& credentials, proto::Role role = proto::Role::Player) const {
    WireClient client(port());
    const Greeted greeted = hello(client, credentials, role);
    return greeted.welcomed ? ErrorCode::None : greeted.code;
  }
  void write_key(const std::string& name, const std::string& text) const {
    std::ofstream(keys_.path() / name, std::ios::binary) << text;
  }
  /// Of the server, bytes.
  std::size_t resident_bytes() const {
    std::ifstream file("/proc/" + std::to_string(server_->process().pid()) + "/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * 4096;
  }

  const std::string secret_ = "0123456789abcdef0123456789abcdef";
  const access::KeyPair pair_;
  TemporaryFolder keys_;
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<WireClient> honest_;
  std::uint64_t last_tick_ = 0;
  std::uint64_t told_ticks_ = 0;
  std::uint64_t missed_ticks_ = 0;
};

}  // namespace vicinity::test
