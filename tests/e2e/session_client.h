// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Hellos that resume and take over, what the server answers, and worlds of which a test counts the
// entities.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/server_process.h"
#include "wire_client.h"

namespace vicinity::test {

struct SessionWish {
  proto::Role role = proto::Role::Player;
  std::string subject = {};
  std::string token = {};
  std::uint64_t tick = 0;
  proto::ContactScope contacts = proto::ContactScope::None;
  bool details = false;
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;
  std::string credentials = {};  ///< the token of the hello
};

inline Bytes hello_frame(const SessionWish& wish) {
  return client_frame<proto::Hello>(proto::ClientBody::Hello, [&](Builder& b) {
    return proto::CreateHelloDirect(
        b, 2, 3, "test", wish.credentials.empty() ? nullptr : wish.credentials.c_str(), wish.role,
        wish.contacts, wish.details, wish.subject.c_str(), wish.token.c_str(), wish.tick, 0,
        wish.position_resolution_m, wish.budget_bytes_per_s);
  });
}

/// What a hello led to.
struct Greeted {
  bool welcomed = false;
  std::uint64_t session = 0;
  std::string token;
  bool resumed = false;
  bool view_reset = false;
  std::uint64_t last_sequence = 0;
  std::uint32_t grace_ms = 0;
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;
  std::uint64_t tick = 0;
  // Not welcomed:
  ErrorCode code = ErrorCode::None;
  std::string text;
  std::uint32_t retry_after_ms = 0;
};

/// Reads up to the answer to a hello.
inline Greeted read_greeting(WireClient& client) {
  Greeted out;
  const auto* message = client.next();
  if (message == nullptr) {
    out.text = "the stream ended";
  } else if (const auto* welcome = message->body_as_Welcome()) {
    out.welcomed = true;
    out.session = welcome->session();
    if (welcome->resume_token() != nullptr) out.token = welcome->resume_token()->str();
    out.resumed = welcome->resumed();
    out.view_reset = welcome->view_reset();
    out.last_sequence = welcome->last_sequence();
    out.grace_ms = welcome->grace_ms();
    out.position_resolution_m = welcome->position_resolution_m();
    out.budget_bytes_per_s = welcome->budget_bytes_per_s();
    out.tick = welcome->tick();
  } else if (const auto* reject = message->body_as_Reject()) {
    out.code = WireClient::code(reject->code());
    out.text = reject->text()->str();
  } else if (const auto* closing = message->body_as_Closing()) {
    out.code = WireClient::code(closing->code());
    out.text = closing->text()->str();
    out.retry_after_ms = closing->retry_after_ms();
  } else {
    out.text = "another message came first";
  }
  return out;
}

inline Greeted greet(WireClient& client, const SessionWish& wish) {
  if (!client.send(hello_frame(wish))) return {};
  return read_greeting(client);
}

/// A wish to go on with the session that `greeted` began.
inline SessionWish again(const Greeted& greeted, SessionWish wish = {}) {
  wish.token = greeted.token;
  return wish;
}

/// Sends commands and waits until the server has received them.
inline void command(WireClient& client, std::uint64_t sequence,
                    const std::vector<MakeCommand>& make) {
  ASSERT_TRUE(client.send(commands_frame(sequence, make)));
  ASSERT_TRUE(client.is_served(sequence));
}

/// A server that ticks when the test says so, and an authority that says it and counts.
class SteppedServer : public testing::Test {
 protected:
  void start(const Arguments& arguments = {}) {
    Arguments all{"--tick-mode", "manual"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    server_.emplace(all);
    ASSERT_NE(server_->port(), 0) << server_->standard_error();
    authority_.emplace(server_->port());
    SessionWish wish;
    wish.role = proto::Role::Authority;
    ASSERT_TRUE(greet(*authority_, wish).welcomed);
  }
  ServerProcess& server() { return *server_; }
  WireClient& authority() { return *authority_; }
  WireClient client() { return WireClient(server_->port()); }

  void step(std::uint32_t count = 1) {
    ASSERT_TRUE(authority_->send(step_frame(++step_, count)));
    const auto* done = authority_->next_of<proto::StepDone>();
    ASSERT_NE(done, nullptr);
    ASSERT_EQ(done->code(), proto::ErrorCode::None);
  }
  /// In the last tick, near the origin.
  std::size_t entity_count() {
    EXPECT_TRUE(authority_->send(box_query_frame(++request_, 1000)));
    const auto* answer = authority_->next_of<proto::QueryAnswer>();
    if (answer == nullptr || answer->request() != request_) {
      ADD_FAILURE() << "no answer";
      return 0;
    }
    return answer->hits() == nullptr ? 0 : answer->hits()->size();
  }
  /// After one more tick.
  std::size_t count_after_step() {
    step();
    return entity_count();
  }
  /// Closes the socket, in order or by reset, and waits until the server has noticed.
  void cut(WireClient& client, const Greeted& greeted, bool by_reset = true) {
    by_reset ? client.socket().reset() : client.socket().close();
    ASSERT_TRUE(noticed("session parked session=" + std::to_string(greeted.session) + " "));
  }
  bool noticed(const std::string& line) { return server_->process().wait_for_error_text(line); }

 private:
  std::optional<ServerProcess> server_;
  std::optional<WireClient> authority_;
  std::uint64_t step_ = 0;
  std::uint64_t request_ = 0;
};

}  // namespace vicinity::test
