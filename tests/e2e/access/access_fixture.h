// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A server with keys for tokens, an honest client whose view must go on whatever others do, and
// tokens good and bad.

#include <gtest/gtest.h>

#include <algorithm>
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
  /// One whose ticks run when the honest client asks for them: what it is told of them then does
  /// not depend on how busy the machine is.
  void start_stepped(Arguments arguments = {}) {
    for (const char* argument : {"--tick-mode", "manual"}) arguments.emplace_back(argument);
    ASSERT_NO_FATAL_FAILURE(start(std::move(arguments)));
    is_stepped_ = true;
  }
  /// An authority that sees everything, and spawns.
  void start_honest() {
    honest_ = std::make_unique<WireClient>(port());
    ASSERT_TRUE(honest_->join({.token = token("honest", "authority")}));
    ASSERT_TRUE(honest_->send(commands_frame(1, {add_area(1, 1e6), spawn(0, 0, 0, 1)})));
    honest_sequence_ = 2;
    Told told;
    if (is_stepped_) return step(told);
    ASSERT_NE(honest_->next_of<proto::Frame>(), nullptr);
  }
  /// What the honest client was told of one tick.
  struct Told {
    std::vector<std::uint64_t> ticks;     ///< of whole frames
    std::vector<std::uint64_t> answered;  ///< commands, by sequence
    std::vector<std::uint64_t> made;      ///< entities, by their acks
    std::vector<std::uint64_t> entered;   ///< entities
  };
  /// One more tick. All of it is told before the step is done.
  void step(Told& told) {
    ASSERT_TRUE(honest_->send(step_frame(++step_sequence_, 1)));
    for (;;) {
      const auto* message = honest_->next();
      ASSERT_NE(message, nullptr);
      if (const auto* done = message->body_as_StepDone()) {
        ASSERT_EQ(done->code(), proto::ErrorCode::None);
        last_tick_ = done->tick();
        return;
      }
      if (const auto* frame = message->body_as_Frame()) {
        if (frame->last()) told.ticks.push_back(frame->tick());
        if (frame->enters() == nullptr) continue;
        for (const auto* state : *frame->enters()) told.entered.push_back(state->id());
      }
      const auto* results = message->body_as_CommandResults();
      if (results == nullptr) continue;
      ASSERT_TRUE(results->errors() == nullptr || results->errors()->size() == 0);
      for (const auto* ack : *results->acks()) {
        told.answered.push_back(ack->sequence());
        told.made.push_back(ack->entity());
      }
    }
  }
  /// Whatever others do, the next tick is the next one for the honest client as well: its command
  /// is answered in it, and what it spawned is in view.
  void honest_tick() {
    const std::uint64_t tick = last_tick_ + 1;
    const std::uint64_t sequence = ++honest_sequence_;
    const MakeCommand far_from_others = spawn(10.0 * static_cast<double>(sequence), 0, 500);
    ASSERT_TRUE(honest_->send(commands_frame(sequence, {far_from_others})));
    Told told;
    ASSERT_NO_FATAL_FAILURE(step(told));
    EXPECT_EQ(last_tick_, tick);
    EXPECT_EQ(told.ticks, std::vector{tick});
    EXPECT_EQ(told.answered, std::vector{sequence});
    ASSERT_EQ(told.made.size(), 1u);
    EXPECT_EQ(std::count(told.entered.begin(), told.entered.end(), told.made[0]), 1);
  }
  void expect_honest_goes_on(int ticks = 5) {
    for (int i = 0; i < ticks; ++i) ASSERT_NO_FATAL_FAILURE(honest_tick());
    EXPECT_TRUE(honest_->is_served());
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
  bool is_stepped_ = false;
  std::uint64_t last_tick_ = 0;
  std::uint64_t honest_sequence_ = 0;
  std::uint64_t step_sequence_ = 0;
};

}  // namespace vicinity::test
