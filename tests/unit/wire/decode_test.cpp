// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Envelopes: which frames are messages at all. Values of commands and queries have their own files.
#include "wire/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/framing.h"
#include "base/limits.h"
#include "base/prng.h"
#include "support/json_frame.h"

namespace vicinity::wire {
namespace {

using test::client_frame;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

constexpr DecodeLimits world{4096};

ErrorCode code_of(const Bytes& body) {
  const auto result = decode_client_message(body, world);
  return result.ok() ? ErrorCode::None : result.error().code;
}

template <class Message>
Message decoded(const Bytes& body) {
  const auto result = decode_client_message(body, world);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().text;
    return {};
  }
  const Message* message = std::get_if<Message>(&result.value());
  EXPECT_NE(message, nullptr);
  return message ? *message : Message{};
}

/// The byte that says which union member the body is: the first field of the root table.
std::uint8_t& union_type(Bytes& body) {
  auto* root = flatbuffers::GetMutableRoot<flatbuffers::Table>(body.data());
  std::uint8_t* address = root->GetAddressOf(4);
  CHECK(address != nullptr);
  return *address;
}

TEST(DecodeClientMessage, ReadsEveryFieldOfAHello) {
  const auto hello = decoded<HelloMessage>(client_frame("Hello", R"({
      protocol_min: 1, protocol_max: 3, client_name: "bot 7", token: "secret",
      role: "Player", contacts: "Own"})"));
  EXPECT_EQ(hello.protocol_min, 1);
  EXPECT_EQ(hello.protocol_max, 3);
  EXPECT_EQ(hello.client_name, "bot 7");
  EXPECT_EQ(hello.token, "secret");
  EXPECT_EQ(hello.role, Role::Player);
  EXPECT_EQ(hello.contacts, ContactScope::Own);
}

TEST(DecodeClientMessage, HelloWithoutTextsIsComplete) {
  const auto hello = decoded<HelloMessage>(client_frame("Hello", "{protocol_max: 1}"));
  EXPECT_EQ(hello.client_name, "");
  EXPECT_EQ(hello.token, "");
  EXPECT_EQ(hello.role, Role::Observer);
}

TEST(DecodeClientMessage, HelloTextsAreAcceptedUpToTheirLimitOnly) {
  const auto hello = [](std::size_t name, std::size_t token) {
    return client_frame("Hello", "{client_name: \"" + std::string(name, 'n') + "\", token: \"" +
                                     std::string(token, 't') + "\"}");
  };
  EXPECT_EQ(code_of(hello(64, 1024)), ErrorCode::None);
  EXPECT_EQ(code_of(hello(65, 0)), ErrorCode::LimitExceeded);
  EXPECT_EQ(code_of(hello(0, 1025)), ErrorCode::LimitExceeded);
  EXPECT_THAT(decode_client_message(hello(65, 0), world).error().text, HasSubstr("client_name"));
  EXPECT_THAT(decode_client_message(hello(0, 1025), world).error().text, HasSubstr("1024"));
}

TEST(DecodeClientMessage, AHelloTellsWhoComesAndWhatItWants) {
  const auto hello = decoded<HelloMessage>(client_frame("Hello", R"({
      subject: "player 7", resume_token: "abc", resume_tick: 5000000000, resume_event_seq: 6,
      position_resolution_m: 0.25, budget_bytes_per_s: 7})"));
  EXPECT_EQ(hello.subject, "player 7");
  EXPECT_EQ(hello.resume_token, "abc");
  EXPECT_EQ(hello.resume_tick, 5'000'000'000u);
  EXPECT_EQ(hello.resume_event_seq, 6u);
  EXPECT_EQ(hello.position_resolution_m, 0.25);
  EXPECT_EQ(hello.budget_bytes_per_s, 7u);
  const auto plain = decoded<HelloMessage>(client_frame("Hello", "{}"));
  EXPECT_EQ(plain.subject, "");
  EXPECT_EQ(plain.resume_token, "");
  EXPECT_EQ(plain.resume_tick, 0u);
  EXPECT_EQ(plain.position_resolution_m, 0);
  EXPECT_EQ(plain.budget_bytes_per_s, 0u);
}

TEST(DecodeClientMessage, SubjectsAndResumeTokensAreAcceptedUpToTheirLimitOnly) {
  for (const std::string field : {"subject", "resume_token"}) {
    const auto with = [&](std::size_t size) {
      return client_frame("Hello", "{" + field + ": \"" + std::string(size, 's') + "\"}");
    };
    EXPECT_EQ(code_of(with(64)), ErrorCode::None);
    EXPECT_EQ(code_of(with(65)), ErrorCode::LimitExceeded);
    EXPECT_EQ(decode_client_message(with(65), world).error().text,
              field + " has 65 bytes; allowed: 0 to 64");
  }
}

TEST(DecodeClientMessage, ResolutionsArePowersOfTwoWithinTheirRange) {
  const auto with = [](const std::string& resolution) {
    return client_frame("Hello", "{position_resolution_m: " + resolution + "}");
  };
  for (const char* good : {"0", "-0.0", "1", "0.5", "0.0009765625", "0.000244140625"})
    EXPECT_EQ(code_of(with(good)), ErrorCode::None) << good;
  for (const char* bad :
       {"2", "0.0001220703125", "0.75", "0.1", "-0.5", "nan", "inf", "-inf", "1e300", "1e-320"}) {
    EXPECT_EQ(code_of(with(bad)), ErrorCode::InvalidNumber) << bad;
    EXPECT_THAT(decode_client_message(with(bad), world).error().text,
                HasSubstr("position_resolution_m"));
  }
}

TEST(DecodeClientMessage, ReadsWhichTickWasReceived) {
  EXPECT_EQ(decoded<PingMessage>(client_frame("Ping", "{ack_tick: 9000000000}")).ack_tick,
            9'000'000'000u);
  EXPECT_EQ(decoded<PingMessage>(client_frame("Ping", "{}")).ack_tick, 0u);
  const std::string none = "first_sequence: 1, commands: []";
  EXPECT_EQ(
      decoded<CommandsMessage>(client_frame("Commands", "{" + none + ", ack_tick: 8}")).ack_tick,
      8u);
  EXPECT_EQ(decoded<CommandsMessage>(client_frame("Commands", "{" + none + "}")).ack_tick, 0u);
}

TEST(DecodeClientMessage, RefusesUnknownRolesAndContactScopes) {
  EXPECT_EQ(code_of(client_frame("Hello", "{role: 2, contacts: 2}")), ErrorCode::None);
  EXPECT_EQ(code_of(client_frame("Hello", "{role: 3}")), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(client_frame("Hello", "{contacts: 3}")), ErrorCode::BadFrame);
}

TEST(DecodeClientMessage, ReadsStepPingAndGoodbye) {
  const auto step = decoded<StepMessage>(client_frame("Step", "{sequence: 9, count: 10000}"));
  EXPECT_EQ(step.sequence, 9u);
  EXPECT_EQ(step.count, 10'000u);
  EXPECT_EQ(decoded<StepMessage>(client_frame("Step", "{sequence: 1}")).count, 1u);
  const auto ping = decoded<PingMessage>(client_frame("Ping", "{nonce: 5, client_time_us: 6}"));
  EXPECT_EQ(ping.nonce, 5u);
  EXPECT_EQ(ping.client_time_us, 6u);
  decoded<GoodbyeMessage>(client_frame("Goodbye", "{}"));
}

TEST(DecodeClientMessage, RefusesWhatIsNoFlatBuffer) {
  EXPECT_EQ(code_of({}), ErrorCode::BadFrame);
  EXPECT_EQ(code_of({1}), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(Bytes(80, 0)), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(Bytes(80, 0xFF)), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(Bytes(limits::client_frame_bytes_max, 0x04)), ErrorCode::BadFrame);
}

TEST(DecodeClientMessage, RefusesFramesAboveTheLimit) {
  EXPECT_EQ(code_of(Bytes(limits::client_frame_bytes_max + 1, 0)), ErrorCode::FrameTooLarge);
}

TEST(DecodeClientMessage, RefusesAnotherIdentifier) {
  Bytes body = client_frame("Ping", "{nonce: 1}");
  ASSERT_EQ(std::memcmp(body.data() + 4, "VCC1", 4), 0);
  body[7] = '2';
  EXPECT_EQ(code_of(body), ErrorCode::BadFrame);
  std::memcpy(body.data() + 4, "VCS1", 4);
  EXPECT_EQ(code_of(body), ErrorCode::BadFrame);
}

TEST(DecodeClientMessage, RefusesUnknownUnionMembersAndNone) {
  Bytes body = client_frame("Goodbye", "{}");
  ASSERT_EQ(union_type(body), 6);
  for (int type = 0; type < 256; ++type) {
    if (type >= 1 && type <= 6) continue;
    union_type(body) = static_cast<std::uint8_t>(type);
    EXPECT_EQ(code_of(body), ErrorCode::BadFrame) << "type " << type;
  }
}

TEST(DecodeClientMessage, RefusesATypeWithoutAValue) {
  flatbuffers::FlatBufferBuilder builder;
  const auto table = builder.StartTable();
  builder.AddElement<std::uint8_t>(4, 2, 0);  // body_type = Commands, no body
  builder.Finish(flatbuffers::Offset<void>(builder.EndTable(table)), "VCC1");
  EXPECT_EQ(code_of({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}),
            ErrorCode::BadFrame);
}

TEST(DecodeClientMessage, ATableUnderAnotherTypeIsReadAsThatTypeOrRefusedButNeverCrashes) {
  const Bytes hello = client_frame("Hello", R"({client_name: "x", token: "y", role: 1})");
  const Bytes commands =
      client_frame("Commands", R"({first_sequence: 1, commands: [{kind: "Despawn", entity: 1}]})");
  // Commands without the required vector is the one mismatch that must always be seen.
  Bytes ping = client_frame("Ping", "{}");
  union_type(ping) = 2;
  EXPECT_EQ(code_of(ping), ErrorCode::BadFrame);
  for (Bytes body : {hello, commands}) {
    const std::uint8_t type = union_type(body);
    for (std::uint8_t other = 1; other <= 6; ++other) {
      if (other == type) continue;
      union_type(body) = other;
      const auto result = decode_client_message(body, world);
      if (result.ok()) {
        EXPECT_EQ(result.value().index() + 1, other);
      } else {
        EXPECT_EQ(result.error().code, ErrorCode::BadFrame);
      }
    }
  }
}

TEST(DecodeClientMessage, RefusesABatchWithoutItsVector) {
  // The schema's parser refuses to leave out a required field, so the table is built by hand.
  flatbuffers::FlatBufferBuilder builder;
  auto start = builder.StartTable();
  builder.AddElement<std::uint64_t>(4, 1, 0);  // first_sequence
  const flatbuffers::Offset<void> commands(builder.EndTable(start));
  start = builder.StartTable();
  builder.AddElement<std::uint8_t>(4, 2, 0);
  builder.AddOffset(6, commands);
  builder.Finish(flatbuffers::Offset<void>(builder.EndTable(start)), "VCC1");
  EXPECT_EQ(code_of({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}),
            ErrorCode::BadFrame);
}

std::string batch(std::uint64_t first, std::size_t count) {
  std::string json = "{first_sequence: " + std::to_string(first) + ", commands: [";
  for (std::size_t i = 0; i < count; ++i) json += R"({kind: "Despawn", entity: 1},)";
  if (count > 0) json.pop_back();
  return json + "]}";
}

TEST(DecodeClientMessage, NumbersTheCommandsOfABatch) {
  const auto message = decoded<CommandsMessage>(client_frame("Commands", batch(41, 3)));
  EXPECT_EQ(message.first_sequence, 41u);
  ASSERT_EQ(message.commands.size(), 3u);
  EXPECT_EQ(message.commands[0].sequence, 41u);
  EXPECT_EQ(message.commands[2].sequence, 43u);
}

TEST(DecodeClientMessage, RefusesSequenceZeroAndSequencesThatOverflow) {
  constexpr std::uint64_t top = ~std::uint64_t{0};
  EXPECT_EQ(code_of(client_frame("Commands", batch(0, 1))), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(client_frame("Commands", batch(0, 0))), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(client_frame("Commands", batch(top - 1, 2))), ErrorCode::BadFrame);
  EXPECT_EQ(code_of(client_frame("Commands", batch(top - 2, 2))), ErrorCode::None);
  EXPECT_EQ(code_of(client_frame("Commands", batch(1, 0))), ErrorCode::None);
}

TEST(DecodeClientMessage, RefusesMoreCommandsThanTheLimit) {
  EXPECT_EQ(code_of(client_frame("Commands", batch(1, 1024))), ErrorCode::None);
  EXPECT_EQ(code_of(client_frame("Commands", batch(1, 1025))), ErrorCode::LimitExceeded);
}

TEST(DecodeClientMessage, ReadsTheSameAtEveryAddress) {
  const Bytes body = client_frame("Commands", R"({first_sequence: 3, commands: [
      {kind: "Spawn", position: {x: 1, y: 2, z: 3}, shape: {kind: "Sphere", radius_m: 4}}]})");
  const auto expected = std::get<CommandBody>(decoded<CommandsMessage>(body).commands[0].outcome);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    alignas(16) std::uint8_t memory[1024];
    ASSERT_LE(body.size() + shift, sizeof memory);
    std::memcpy(memory + shift, body.data(), body.size());
    const auto result = decode_client_message({memory + shift, body.size()}, world);
    ASSERT_TRUE(result.ok()) << "shift " << shift;
    const auto& message = std::get<CommandsMessage>(result.value());
    EXPECT_EQ(std::get<CommandBody>(message.commands[0].outcome), expected) << "shift " << shift;
  }
}

}  // namespace
}  // namespace vicinity::wire
