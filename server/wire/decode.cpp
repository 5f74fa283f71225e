// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "wire/decode.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "client_generated.h"
#include "wire/decode_values.h"

namespace vicinity::wire {
namespace {

using Decoded = Result<ClientMessage, Error>;

constexpr std::uintptr_t alignment = 16;

Error bad_frame(std::string text) { return {ErrorCode::BadFrame, std::move(text)}; }

Error text_too_long(const char* field, std::size_t size, std::size_t max) {
  return {ErrorCode::LimitExceeded, std::string(field) + " has " + std::to_string(size) +
                                        " bytes; allowed: 0 to " + std::to_string(max)};
}

/// Empty for an absent text.
Error read_text(const char* field, const flatbuffers::String* in, std::size_t bytes_max,
                std::string& out) {
  if (in == nullptr) return {};
  if (in->size() > bytes_max) return text_too_long(field, in->size(), bytes_max);
  out = in->str();
  return {};
}

/// 0, or a power of two that keeps the numbers of a Move small.
bool is_position_resolution(double value_m) {
  int exponent = 0;
  if (value_m == 0) return true;
  return value_m >= position_resolution_min_m && value_m <= position_resolution_max_m &&
         std::frexp(value_m, &exponent) == 0.5;
}

Decoded decode_hello(const proto::Hello& in) {
  if (in.role() > proto::Role::MAX) return bad_frame("role is unknown; allowed: 0 to 2");
  if (in.contacts() > proto::ContactScope::MAX)
    return bad_frame("contacts is unknown; allowed: 0 to 2");
  HelloMessage out;
  out.protocol_min = in.protocol_min();
  out.protocol_max = in.protocol_max();
  out.role = static_cast<Role>(in.role());
  out.contacts = static_cast<ContactScope>(in.contacts());
  out.contact_details = in.contact_details();
  out.resume_tick = in.resume_tick();
  out.resume_event_seq = in.resume_event_seq();
  out.position_resolution_m = in.position_resolution_m();
  out.budget_bytes_per_s = in.budget_bytes_per_s();
  const struct {
    const char* field;
    const flatbuffers::String* in;
    std::size_t bytes_max;
    std::string& out;
  } texts[] = {
      {"client_name", in.client_name(), limits::client_name_bytes_max, out.client_name},
      {"token", in.token(), limits::token_bytes_max, out.token},
      {"subject", in.subject(), subject_bytes_max, out.subject},
      {"resume_token", in.resume_token(), resume_token_bytes_max, out.resume_token},
  };
  for (const auto& text : texts) {
    Error error = read_text(text.field, text.in, text.bytes_max, text.out);
    if (error.code != ErrorCode::None) return error;
  }
  if (!is_position_resolution(out.position_resolution_m)) {
    return Error{ErrorCode::InvalidNumber,
                 "position_resolution_m is out of range or no power of two; allowed: 0, or a power "
                 "of two from 2^-12 to 1 m"};
  }
  return ClientMessage(std::move(out));
}

/// Replaces a value that validate() refuses by the reason.
template <class Value>
void check_value(std::variant<Value, Error>& outcome, const DecodeLimits& limits) {
  const Value* value = std::get_if<Value>(&outcome);
  if (!value) return;
  Error error = validate(*value, limits);
  if (error.code != ErrorCode::None) outcome = std::move(error);
}

Decoded decode_commands(const proto::Commands& in, const DecodeLimits& limits) {
  const auto& commands = *in.commands();  // `required`: the verifier refuses a frame without it
  const std::uint64_t count = commands.size();
  if (count > limits::commands_per_frame_max) {
    return Error{ErrorCode::LimitExceeded, "the frame has " + std::to_string(count) +
                                               " commands; allowed: 0 to " +
                                               std::to_string(limits::commands_per_frame_max)};
  }
  const std::uint64_t first = in.first_sequence();
  if (first == 0) return bad_frame("first_sequence is 0; sequences start at 1");
  if (first > std::numeric_limits<std::uint64_t>::max() - count)
    return bad_frame("the sequences of the batch pass 2^64");
  CommandsMessage out;
  out.first_sequence = first;
  out.ack_tick = in.ack_tick();
  out.commands.reserve(count);
  FrameBudget budget;
  budget.refuse_built_shapes = limits.refuse_built_shapes;
  for (const proto::Command* command : commands) {
    DecodedCommand& decoded = out.commands.emplace_back(
        DecodedCommand{first + out.commands.size(), read_command(*command, budget)});
    check_value(decoded.outcome, limits);
  }
  out.has_built_shapes = budget.has_built_shapes();
  return ClientMessage(std::move(out));
}

Decoded decode_query(const proto::Query& in, const DecodeLimits& limits) {
  QueryMessage out{in.request(), read_query(in)};
  check_value(out.outcome, limits);
  return ClientMessage(std::move(out));
}

Decoded decode_aligned(std::span<const std::uint8_t> body, const DecodeLimits& limits) {
  flatbuffers::Verifier verifier(body.data(), body.size(), limits::verifier_depth_max,
                                 limits::verifier_tables_max);
  if (!proto::VerifyClientMessageBuffer(verifier))
    return bad_frame("the frame is not a valid ClientMessage (identifier VCC1)");
  const proto::ClientMessage& message = *proto::GetClientMessage(body.data());
  // The verifier lets a type without a value, and types it does not know, pass.
  if (!message.body()) return bad_frame("the frame has no body");
  if (limits.hello_only && message.body_type() != proto::ClientBody::Hello)
    return Error{ErrorCode::HandshakeExpected, "the first message must be a hello"};
  switch (message.body_type()) {
    case proto::ClientBody::Hello: return decode_hello(*message.body_as_Hello());
    case proto::ClientBody::Commands: return decode_commands(*message.body_as_Commands(), limits);
    case proto::ClientBody::Step: {
      const proto::Step& step = *message.body_as_Step();
      return ClientMessage(StepMessage{step.sequence(), step.count()});
    }
    case proto::ClientBody::Query: return decode_query(*message.body_as_Query(), limits);
    case proto::ClientBody::Ping: {
      const proto::Ping& ping = *message.body_as_Ping();
      return ClientMessage(PingMessage{ping.nonce(), ping.client_time_us(), ping.ack_tick()});
    }
    case proto::ClientBody::Goodbye: return ClientMessage(GoodbyeMessage{});
    case proto::ClientBody::NONE: break;
  }
  return bad_frame("the type of the body is unknown; allowed: 1 to " +
                   std::to_string(static_cast<int>(proto::ClientBody::MAX)));
}

}  // namespace

Result<ClientMessage, Error> decode_client_message(std::span<const std::uint8_t> body,
                                                   const DecodeLimits& limits) {
  if (body.size() > limits::client_frame_bytes_max) {
    return Error{ErrorCode::FrameTooLarge, "the frame has " + std::to_string(body.size()) +
                                               " bytes; allowed: 1 to " +
                                               std::to_string(limits::client_frame_bytes_max)};
  }
  if (reinterpret_cast<std::uintptr_t>(body.data()) % alignment == 0)
    return decode_aligned(body, limits);
  // The verifier trusts the address, and reading a double at an odd one is undefined.
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignment);
  const std::vector<std::uint8_t> copy(body.begin(), body.end());
  return decode_aligned(copy, limits);
}

}  // namespace vicinity::wire
