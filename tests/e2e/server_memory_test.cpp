// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A server with a small max_memory that is filled until it refuses more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "session_client.h"

namespace vicinity::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t cap_bytes = 128u << 20;
/// What may be in use beyond the cap for a moment: the tables of entities double when they are
/// full, and the old and the new one are there at the same time.
constexpr std::uint64_t margin_bytes = cap_bytes / 4;
constexpr std::uint64_t batch_size = 500;  ///< a frame holds no more of them
constexpr std::uint64_t batches_max = 800;

/// A field of /proc/PID/status in bytes.
std::uint64_t status_bytes(ServerProcess& server, const std::string& field) {
  std::ifstream file("/proc/" + std::to_string(server.process().pid()) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field + ":")) continue;
    std::uint64_t kibibytes = 0;
    std::istringstream(line.substr(field.size() + 1)) >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

struct Outcome {
  ErrorCode code = ErrorCode::None;
  std::uint64_t entity = 0;
};

class AFullServer : public testing::Test {
 protected:
  /// Sends the commands and waits for what each came to.
  std::map<std::uint64_t, Outcome> outcomes(WireClient& client,
                                            const std::vector<MakeCommand>& make) {
    std::map<std::uint64_t, Outcome> out;
    if (!client.send(commands_frame(sequence_, make))) return out;
    sequence_ += make.size();
    while (out.size() < make.size()) {
      const auto* message = client.next();
      if (message == nullptr) break;
      if (const auto* frame = message->body_as_Frame()) newest_tick_ = frame->tick();
      const auto* results = message->body_as_CommandResults();
      if (results == nullptr) continue;
      if (results->acks() != nullptr)
        for (const auto* ack : *results->acks())
          out[ack->sequence()] = {ErrorCode::None, ack->entity()};
      if (results->errors() != nullptr)
        for (const auto* error : *results->errors())
          out[error->sequence()] = {WireClient::code(error->code()), 0};
    }
    EXPECT_EQ(out.size(), make.size()) << "commands without an answer";
    return out;
  }
  /// The guard has closed. Before, some commands may be refused already: not more is taken from
  /// tick to tick than there is room for.
  bool is_closed() const {
    return server_.standard_error().find("memory is short") != std::string::npos;
  }
  /// Spawns until the guard has closed and nothing of a batch is taken any more: what a table
  /// leaves that doubled may open it again. What was made.
  std::vector<std::uint64_t> fill(WireClient& client) {
    std::vector<std::uint64_t> made;
    std::size_t taken = 1;
    for (std::uint64_t batch = 0; batch < batches_max && taken > 0; ++batch) {
      const bool was_closed = is_closed();
      const std::size_t before = made.size();
      std::vector<MakeCommand> spawns;
      for (std::uint64_t i = 0; i < batch_size; ++i)
        spawns.push_back(spawn(static_cast<double>(i) * 3, static_cast<double>(batch) * 3, 0));
      for (const auto& [sequence, outcome] : outcomes(client, spawns)) {
        if (outcome.code == ErrorCode::None) made.push_back(outcome.entity);
        if (outcome.code == ErrorCode::ServerFull) ++refused_;
        EXPECT_TRUE(outcome.code == ErrorCode::None || outcome.code == ErrorCode::ServerFull);
      }
      if (was_closed) taken = made.size() - before;
    }
    return made;
  }

  /// On a busy machine newcomers are refused for that, too.
  ServerProcess server_{{"--tick-rate-hz", "60", "--shed-load", "false", "--commands-per-s", "0",
                         "--bytes-in-per-s", "0", "--max-memory", std::to_string(cap_bytes)}};
  std::uint64_t sequence_ = 1;
  std::uint64_t newest_tick_ = 0;
  std::size_t refused_ = 0;
};

/// Who does not wait for answers fills the queue before a single tick has made anything.
TEST_F(AFullServer, StaysNearItsCapHoweverFastItIsFilled) {
  ASSERT_NE(server_.port(), 0) << server_.standard_error();
  WireClient authority(server_.port());
  SessionWish wish;
  wish.role = proto::Role::Authority;
  ASSERT_TRUE(greet(authority, wish).welcomed);
  for (std::uint64_t batch = 0; batch < batches_max / 2; ++batch) {
    // Apart, so that they make entities and hardly any pairs.
    std::vector<MakeCommand> apart;
    for (std::uint64_t i = 0; i < batch_size; ++i)
      apart.push_back(spawn(static_cast<double>(i) * 3, static_cast<double>(batch) * 3, 0));
    if (!authority.send(commands_frame(sequence_, apart))) break;
    sequence_ += batch_size;
  }
  while (refused_ == 0) {
    const auto* results = authority.next_of<proto::CommandResults>();
    ASSERT_NE(results, nullptr) << "nothing was refused";
    if (results->errors() == nullptr) continue;
    for (const auto* error : *results->errors())
      if (WireClient::code(error->code()) == ErrorCode::ServerFull) ++refused_;
  }
  EXPECT_LE(status_bytes(server_, "VmHWM"),
            cap_bytes + margin_bytes + status_bytes(server_, "RssFile"));
  EXPECT_EQ(server_.stop(), "");
}

TEST_F(AFullServer, StaysNearItsCapAndServesWhoIsThere) {
  ASSERT_NE(server_.port(), 0) << server_.standard_error();
  EXPECT_TRUE(server_.process().wait_for_error_text("more than a third of max_memory"));
  WireClient authority(server_.port());
  SessionWish wish;
  wish.role = proto::Role::Authority;
  ASSERT_TRUE(greet(authority, wish).welcomed);
  WireClient player(server_.port());
  const Greeted parked = greet(player, {});
  ASSERT_TRUE(parked.welcomed);
  const std::vector<std::uint64_t> made = fill(authority);
  ASSERT_GT(refused_, 0u) << "nothing was refused; in use: " << status_bytes(server_, "RssAnon");
  ASSERT_GT(made.size(), 0u);
  EXPECT_TRUE(server_.process().wait_for_error_text("memory is short"));

  // The highest ever, pages of the program included, which do not count.
  EXPECT_LE(status_bytes(server_, "VmHWM"),
            cap_bytes + margin_bytes + status_bytes(server_, "RssFile"));
  WireClient newcomer(server_.port());
  const Greeted refused = greet(newcomer, {});
  EXPECT_EQ(refused.code, ErrorCode::ServerFull);
  EXPECT_THAT(refused.text, HasSubstr("memory"));
  EXPECT_GT(refused.retry_after_ms, 0u);
  player.socket().reset();
  ASSERT_TRUE(server_.process().wait_for_error_text("session parked"));
  WireClient resumed(server_.port());
  EXPECT_TRUE(greet(resumed, again(parked)).resumed);

  const std::uint64_t tick = newest_tick_;
  ASSERT_GT(tick, 0u);
  while (newest_tick_ < tick + 10) {
    const auto* frame = authority.next_of<proto::Frame>();
    ASSERT_NE(frame, nullptr);
    newest_tick_ = frame->tick();
  }

  // All of it goes, and something new comes in its place.
  for (std::size_t at = 0; at < made.size(); at += batch_size) {
    std::vector<MakeCommand> ends;
    for (std::size_t i = at; i < std::min(made.size(), at + batch_size); ++i)
      ends.push_back(despawn(made[i]));
    for (const auto& [sequence, outcome] : outcomes(authority, ends))
      ASSERT_EQ(outcome.code, ErrorCode::None);
  }
  ErrorCode code = ErrorCode::ServerFull;
  const auto patience_ends = std::chrono::steady_clock::now() + patience;
  while (code != ErrorCode::None && std::chrono::steady_clock::now() < patience_ends)
    for (const auto& [sequence, outcome] : outcomes(authority, {spawn(0, 0, 0)}))
      code = outcome.code;
  EXPECT_EQ(code, ErrorCode::None) << "in use: " << status_bytes(server_, "RssAnon");
  EXPECT_EQ(server_.stop(), "");
}

}  // namespace
}  // namespace vicinity::test
