// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/decode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/limits.h"
#include "client/decode_explanation.h"
#include "client/decode_values.h"
#include "client/encode.h"

namespace vicinity::client {
namespace {

/// Nothing in the schema nests deeper than message -> body -> vector -> table.
constexpr flatbuffers::uoffset_t depth_max = 8;
/// The most tables are in a message full of refusals, which take at least 24 bytes each.
constexpr flatbuffers::uoffset_t tables_max = limits::server_frame_bytes_max / 24;
/// Longer texts are cut: a frame may name one text any number of times, and each is copied.
constexpr std::size_t text_bytes_max = 1024;
constexpr std::size_t resume_token_bytes_max = 64;

// The structs are read in place; a field appended to one would shift all that follow.
static_assert(sizeof(proto::CommandAck) == 16);
static_assert(sizeof(proto::QueryHit) == 96);

std::string text_of(const flatbuffers::String* text) {
  if (text == nullptr) return {};
  return std::string(text->c_str(), std::min<std::size_t>(text->size(), text_bytes_max));
}

Error error_of(proto::ErrorCode code, const flatbuffers::String* text) {
  return {static_cast<ErrorCode>(code), text_of(text)};
}

bool convert_hit(const proto::QueryHit& in, QueryHit& out) {
  out = {EntityId::from_raw(in.id()), in.value(),          to_vec3(in.position()), in.user_data(),
         to_vec3(in.point()),         to_vec3(in.normal())};
  return true;
}

Result<ServerMessage, Error> decode(const proto::Welcome& in) {
  if (!is_known(in.role()) || !is_known(in.tick_mode()))
    return bad_frame("welcome with an unknown role or tick mode");
  if (in.protocol() != protocol_version || in.limits() == nullptr)
    return bad_frame("welcome without limits, or for a protocol that was not offered");
  const double resolution_m = in.position_resolution_m();
  if (!(resolution_m >= 0) || std::isinf(resolution_m))
    return bad_frame("welcome with a resolution that is no length");
  if (in.resume_token() != nullptr && in.resume_token()->size() > resume_token_bytes_max)
    return bad_frame("welcome with a resume token of more than 64 bytes");
  Welcome out;
  out.session = {in.session()};
  out.role = static_cast<Role>(in.role());
  out.manual_ticks = in.tick_mode() == proto::TickMode::Manual;
  out.tick_rate_hz = in.tick_rate_hz();
  out.tick = in.tick();
  out.server_version = text_of(in.server_version());
  out.server_time_us = in.server_time_us();
  out.client_frame_bytes_max = in.limits()->client_frame_bytes_max();
  out.commands_per_frame_max = in.limits()->commands_per_frame_max();
  out.query_hits_max = in.limits()->query_hits_max();
  out.entities_per_player_max = in.limits()->entities_per_player_max();
  out.world_half_size_m = in.limits()->world_half_size_m();
  out.resume_token = text_of(in.resume_token());
  out.resumed = in.resumed();
  out.view_reset = in.view_reset();
  out.last_sequence = in.last_sequence();
  out.grace_ms = in.grace_ms();
  out.position_resolution_m = resolution_m;
  out.budget_bytes_per_s = in.budget_bytes_per_s();
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::Reject& in) {
  return ServerMessage(RejectMessage{error_of(in.code(), in.text())});
}

Result<ServerMessage, Error> decode(const proto::Closing& in) {
  return ServerMessage(ClosingMessage{error_of(in.code(), in.text()), in.retry_after_ms()});
}

Result<ServerMessage, Error> decode(const proto::CommandResults& in) {
  CommandResultsMessage out;
  const auto convert_ack = [&](const proto::CommandAck& ack, CommandOutcome& outcome) {
    outcome = {ack.sequence(), in.tick(), EntityId::from_raw(ack.entity()), {}};
    return true;
  };
  if (!append(in.acks(), out.outcomes, convert_ack)) return bad_frame("misaligned acks");
  if (in.errors() != nullptr) {
    for (const proto::CommandError* error : *in.errors()) {
      if (error->code() == proto::ErrorCode::None) return bad_frame("command error without a code");
      out.outcomes.push_back(
          {error->sequence(), in.tick(), {}, error_of(error->code(), error->text())});
    }
  }
  std::stable_sort(out.outcomes.begin(), out.outcomes.end(),
                   [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::StepDone& in) {
  return ServerMessage(
      StepOutcome{in.sequence(), in.tick(), in.result_hash(), error_of(in.code(), in.text())});
}

Result<ServerMessage, Error> decode(const proto::QueryAnswer& in) {
  QueryOutcome out;
  out.request = in.request();
  out.answer.tick = in.tick();
  out.answer.index_version = in.index_version();
  out.answer.complete = in.complete();
  if (!append(in.hits(), out.answer.hits, convert_hit)) return bad_frame("misaligned hits");
  if (in.pair() != nullptr && !convert(*in.pair(), out.answer.pair.emplace()))
    return bad_frame("an explanation of a pair that cannot be read");
  if (in.view() != nullptr && !convert(*in.view(), out.answer.view.emplace()))
    return bad_frame("an explanation of a view that cannot be read");
  out.error = error_of(in.code(), in.text());
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::Pong& in) {
  return ServerMessage(
      PongMessage{in.nonce(), in.client_time_us(), in.server_time_us(), in.tick()});
}

Result<ServerMessage, Error> decode_aligned(std::span<const std::uint8_t> body, ViewDecoder& views,
                                            FrameJoiner& joiner) {
  flatbuffers::Verifier verifier(body.data(), body.size(), depth_max, tables_max);
  if (!proto::VerifyServerMessageBuffer(verifier))
    return bad_frame("the server sent bytes that are no valid message");
  const proto::ServerMessage* message = proto::GetServerMessage(body.data());
  // The verifier accepts union types that it does not know, and a type without a body.
  if (message->body() == nullptr) return bad_frame("the server sent a message without a body");
  switch (message->body_type()) {
    case proto::ServerBody::Welcome: return decode(*message->body_as_Welcome());
    case proto::ServerBody::Reject: return decode(*message->body_as_Reject());
    case proto::ServerBody::Closing: return decode(*message->body_as_Closing());
    case proto::ServerBody::CommandResults: return decode(*message->body_as_CommandResults());
    case proto::ServerBody::Frame: {
      const auto tick = joiner.add(*message->body_as_Frame(), body.size(), views);
      if (!tick) return tick.error();
      return ServerMessage(FramePart{tick.value()});
    }
    case proto::ServerBody::StepDone: return decode(*message->body_as_StepDone());
    case proto::ServerBody::QueryAnswer: return decode(*message->body_as_QueryAnswer());
    case proto::ServerBody::Pong: return decode(*message->body_as_Pong());
    case proto::ServerBody::NONE: break;
  }
  return bad_frame("the server sent a message of an unknown kind");
}

}  // namespace

Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body,
                                                   ViewDecoder& views, FrameJoiner& joiner) {
  constexpr std::uintptr_t alignment = 8;  // of the largest scalar
  if (reinterpret_cast<std::uintptr_t>(body.data()) % alignment == 0)
    return decode_aligned(body, views, joiner);
  // Most bodies are misaligned, being behind a prefix of 4 bytes, and small.
  alignas(alignment) std::array<std::uint8_t, 4096> small;
  std::vector<std::uint8_t> large;
  if (body.size() > small.size()) large.resize(body.size());
  std::uint8_t* const aligned = large.empty() ? small.data() : large.data();
  std::copy(body.begin(), body.end(), aligned);
  return decode_aligned({aligned, body.size()}, views, joiner);
}

}  // namespace vicinity::client
