// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Clients that break the rules, against a real server. After each of them the server must still
// serve a client that keeps them.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "support/raw_socket.h"
#include "support/server_process.h"
#include "wire_client.h"

namespace vicinity::test {
namespace {

/// Of handshakes and of silence, where a test waits for its end. Long enough that a client which
/// keeps the rules keeps this one too on a busy machine, with sanitizers.
const char* const deadline_ms = "3000";

class HostileClient : public testing::Test {
 protected:
  void start(const Arguments& arguments = {}) {
    server_ = std::make_unique<ServerProcess>(arguments);
    ASSERT_NE(server_->port(), 0) << server_->standard_error();
  }
  std::uint16_t port() const { return server_->port(); }

  void TearDown() override {
    if (!server_) return;
    WireClient good(port());
    EXPECT_TRUE(good.join()) << server_->standard_error();
    EXPECT_TRUE(good.is_served());
    EXPECT_TRUE(server_->process().running());
  }

  std::unique_ptr<ServerProcess> server_;
};

/// Code of the error for `sequence` in the next results; None when it was acknowledged instead.
ErrorCode outcome_of(WireClient& client, std::uint64_t sequence) {
  while (const auto* results = client.next_of<proto::CommandResults>()) {
    if (results->errors() != nullptr)
      for (const auto* error : *results->errors())
        if (error->sequence() == sequence) return WireClient::code(error->code());
    if (results->acks() != nullptr)
      for (const auto* ack : *results->acks())
        if (ack->sequence() == sequence) return ErrorCode::None;
  }
  return ErrorCode::Internal;
}

/// Runs one tick and returns the id of the entity that the command with `sequence` named or made.
std::uint64_t entity_of(WireClient& client, std::uint64_t sequence) {
  while (const auto* results = client.next_of<proto::CommandResults>())
    if (results->acks() != nullptr)
      for (const auto* ack : *results->acks())
        if (ack->sequence() == sequence) return ack->entity();
  return 0;
}

// --- Bytes -----------------------------------------------------------------------------------

TEST_F(HostileClient, RandomBytesNeitherStopNorHangTheServer) {
  start();
  constexpr std::uint64_t seed = 20260101;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng random(seed);
  for (int i = 0; i < 100; ++i) {
    WireClient client(port());
    Bytes bytes(1 + random.below(4096));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    (void)client.socket().write(bytes, Milliseconds(1000));
    client.socket().shutdown_write();
    EXPECT_TRUE(client.socket().wait_for_end());
  }
}

TEST_F(HostileClient, DamagedFramesNeitherStopNorHangTheServer) {
  start({"--tick-mode", "manual"});
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng random(seed);
  const std::vector<Bytes> frames{
      commands_frame(1, {spawn(1, 2, 3), set_velocity(5, 1), add_area(1, 10)}),
      box_query_frame(1, 100), step_frame(1, 1), ping_frame(1)};
  for (int i = 0; i < 300; ++i) {
    WireClient client(port());
    ASSERT_TRUE(client.join());
    Bytes frame = frames[static_cast<std::size_t>(i) % frames.size()];
    for (std::uint64_t flips = 1 + random.below(8); flips > 0; --flips)
      frame[4 + random.below(frame.size() - 4)] ^= static_cast<std::uint8_t>(1 + random.below(255));
    (void)client.send(frame);
    client.socket().shutdown_write();
    EXPECT_TRUE(client.socket().wait_for_end());
  }
}

TEST_F(HostileClient, APrefixAboveTheLimitIsRefusedBeforeAnythingElseArrives) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.send({0xFF, 0xFF, 0xFF, 0x7F}));
  EXPECT_EQ(client.farewell(), ErrorCode::FrameTooLarge);

  WireClient joined(port());
  ASSERT_TRUE(joined.join());
  ASSERT_TRUE(joined.send({0x01, 0x00, 0x01, 0x00}));  // 65537
  EXPECT_EQ(joined.farewell(), ErrorCode::FrameTooLarge);
}

TEST_F(HostileClient, HalfAFrameEndsWithTheHandshakeDeadline) {
  start({"--handshake-deadline-ms", deadline_ms});
  WireClient client(port());
  const Bytes hello = hello_frame();
  ASSERT_TRUE(client.send({hello.begin(), hello.begin() + 20}));
  EXPECT_EQ(client.farewell(), ErrorCode::HandshakeTimeout);
}

TEST_F(HostileClient, ThreeHundredSilentSocketsHoldUpNobody) {
  start({"--handshake-deadline-ms", deadline_ms});
  std::vector<RawSocket> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(RawSocket::connected(port()));
  WireClient good(port());
  ASSERT_TRUE(good.join());
  EXPECT_TRUE(good.is_served());
  for (auto& socket : silent) EXPECT_TRUE(socket.wait_for_end());
  EXPECT_TRUE(good.is_served());
}

TEST_F(HostileClient, ASilentSessionEndsWithTheIdleTimeout) {
  start({"--idle-timeout-ms", deadline_ms});
  WireClient client(port());
  ASSERT_TRUE(client.join());
  EXPECT_EQ(client.farewell(), ErrorCode::IdleTimeout);
}

// --- Handshake -------------------------------------------------------------------------------

TEST_F(HostileClient, AFirstMessageThatIsNoHelloIsRefused) {
  start();
  for (const Bytes& frame : {ping_frame(1), goodbye_frame(), step_frame(1, 1),
                             commands_frame(1, {spawn(0, 0, 0)}), box_query_frame(1, 1)}) {
    WireClient client(port());
    ASSERT_TRUE(client.send(frame));
    EXPECT_EQ(client.farewell(), ErrorCode::HandshakeExpected);
  }
}

TEST_F(HostileClient, ASecondHelloEndsTheSession) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.join());
  ASSERT_TRUE(client.send(hello_frame()));
  EXPECT_EQ(client.farewell(), ErrorCode::BadFrame);
}

TEST_F(HostileClient, ProtocolVersionsWithoutOverlapAreRejected) {
  start();
  for (const auto& [min, max] :
       {std::pair{1, 2}, std::pair{4, 9}, std::pair{0, 0}, std::pair{3, 2}}) {
    HelloOptions options;
    options.protocol_min = static_cast<std::uint16_t>(min);
    options.protocol_max = static_cast<std::uint16_t>(max);
    WireClient client(port());
    ASSERT_TRUE(client.send(hello_frame(options)));
    const auto* message = client.next();
    ASSERT_NE(message, nullptr);
    ASSERT_NE(message->body_as_Reject(), nullptr);
    EXPECT_EQ(message->body_as_Reject()->code(), proto::ErrorCode::VersionMismatch);
    EXPECT_NE(message->body_as_Reject()->text()->str(), "");
  }
  HelloOptions wide;
  wide.protocol_min = 0;
  wide.protocol_max = 65535;
  WireClient client(port());
  EXPECT_TRUE(client.join(wide));
}

TEST_F(HostileClient, APlayerCannotAskForAllContacts) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.send(hello_frame({proto::Role::Player, proto::ContactScope::All})));
  EXPECT_EQ(client.farewell(), ErrorCode::WrongRole);
}

// --- Commands --------------------------------------------------------------------------------

TEST_F(HostileClient, AnObserverMayOnlySendAreaCommands) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.join({proto::Role::Observer}));
  ASSERT_TRUE(client.send(commands_frame(1, {spawn(0, 0, 0), add_area(1, 10), despawn(1)})));
  const auto* refused = client.next_of<proto::CommandResults>();
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->tick(), 0u);
  ASSERT_EQ(refused->errors()->size(), 2u);
  EXPECT_EQ(refused->errors()->Get(0)->sequence(), 1u);
  EXPECT_EQ(refused->errors()->Get(0)->code(), proto::ErrorCode::WrongRole);
  EXPECT_EQ(refused->errors()->Get(1)->sequence(), 3u);
  const auto* applied = client.next_of<proto::CommandResults>();
  ASSERT_NE(applied, nullptr);
  EXPECT_GT(applied->tick(), 0u);
  ASSERT_EQ(applied->acks()->size(), 1u);
  EXPECT_EQ(applied->acks()->Get(0)->sequence(), 2u);
}

TEST_F(HostileClient, ANumberThatIsNoneIsRefusedAloneAndTheRestOfTheBatchCounts) {
  start();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  WireClient client(port());
  ASSERT_TRUE(client.join());
  ASSERT_TRUE(client.send(commands_frame(
      1, {spawn(nan, 0, 0), spawn(0, infinity, 0), spawn(0, 0, 0, -infinity), spawn(5, 5, 5)})));
  const auto* refused = client.next_of<proto::CommandResults>();
  ASSERT_NE(refused, nullptr);
  ASSERT_NE(refused->errors(), nullptr);
  ASSERT_EQ(refused->errors()->size(), 3u);
  for (const auto* error : *refused->errors())
    EXPECT_EQ(error->code(), proto::ErrorCode::InvalidNumber);
  EXPECT_NE(entity_of(client, 4), 0u);
}

TEST_F(HostileClient, AnIdOfADeadOrUnknownEntityIsRefused) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.join());
  ASSERT_TRUE(client.send(commands_frame(1, {spawn(0, 0, 0)})));
  const std::uint64_t entity = entity_of(client, 1);
  ASSERT_NE(entity, 0u);
  ASSERT_TRUE(client.send(commands_frame(2, {despawn(entity)})));
  EXPECT_EQ(outcome_of(client, 2), ErrorCode::None);
  ASSERT_TRUE(client.send(commands_frame(3, {set_velocity(entity, 1)})));
  EXPECT_EQ(outcome_of(client, 3), ErrorCode::StaleEntity);
  ASSERT_TRUE(client.send(commands_frame(4, {set_velocity((1ull << 32) | 999'999, 1)})));
  EXPECT_EQ(outcome_of(client, 4), ErrorCode::UnknownEntity);
}

TEST_F(HostileClient, SequencesThatDoNotGrowEndTheSession) {
  start();
  for (const std::uint64_t again : {std::uint64_t{2}, std::uint64_t{1}}) {
    WireClient client(port());
    ASSERT_TRUE(client.join());
    ASSERT_TRUE(client.send(commands_frame(1, {spawn(0, 0, 0), spawn(9, 0, 0)})));
    ASSERT_TRUE(client.send(commands_frame(again, {spawn(0, 9, 0)})));
    EXPECT_EQ(client.farewell(), ErrorCode::BadFrame);
  }
  WireClient zero(port());
  ASSERT_TRUE(zero.join());
  ASSERT_TRUE(zero.send(commands_frame(0, {spawn(0, 0, 0)})));
  EXPECT_EQ(zero.farewell(), ErrorCode::BadFrame);
}

// --- Steps -----------------------------------------------------------------------------------

ErrorCode step_outcome(WireClient& client, std::uint32_t count) {
  if (!client.send(step_frame(9, count))) return ErrorCode::Internal;
  const auto* done = client.next_of<proto::StepDone>();
  if (done == nullptr || done->sequence() != 9) return ErrorCode::Internal;
  return WireClient::code(done->code());
}

TEST_F(HostileClient, StepsAreRefusedInTimerMode) {
  start();
  WireClient client(port());
  ASSERT_TRUE(client.join());
  EXPECT_EQ(step_outcome(client, 1), ErrorCode::WrongTickMode);
}

TEST_F(HostileClient, StepsAreRefusedOfOthersThanAuthoritiesAndOutOfRange) {
  start({"--tick-mode", "manual"});
  for (const auto role : {proto::Role::Observer, proto::Role::Player}) {
    WireClient client(port());
    ASSERT_TRUE(client.join({role}));
    EXPECT_EQ(step_outcome(client, 1), ErrorCode::WrongRole);
  }
  WireClient authority(port());
  ASSERT_TRUE(authority.join());
  EXPECT_EQ(step_outcome(authority, 0), ErrorCode::LimitExceeded);
  EXPECT_EQ(step_outcome(authority, 10'001), ErrorCode::LimitExceeded);
  EXPECT_EQ(step_outcome(authority, 1), ErrorCode::None);
}

TEST_F(HostileClient, AFloodOfStepsIsRefusedBeyondAFixedNumber) {
  start({"--tick-mode", "manual"});
  WireClient client(port());
  ASSERT_TRUE(client.join());
  Bytes flood;
  constexpr int count = 3000;
  for (int i = 1; i <= count; ++i) {
    const Bytes frame = step_frame(static_cast<std::uint64_t>(i), 10);
    flood.insert(flood.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(client.send(flood));
  int ran = 0;
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const auto* done = client.next_of<proto::StepDone>();
    ASSERT_NE(done, nullptr);
    ++(done->code() == proto::ErrorCode::None ? ran : refused);
    if (done->code() != proto::ErrorCode::None) {
      EXPECT_EQ(done->code(), proto::ErrorCode::QueueFull);
    }
  }
  EXPECT_GT(ran, 0);
  EXPECT_EQ(ran + refused, count);
}

}  // namespace
}  // namespace vicinity::test
