// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "wire/encode.h"

#include <string>

#include "base/check.h"
#include "base/framing.h"
#include "base/limits.h"
#include "wire/decode.h"
#include "wire/encode_explanation.h"
#include "wire/finish_frame.h"

namespace vicinity::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<flatbuffers::String> text_of(FlatBufferBuilder& builder, std::string_view text) {
  const std::string_view cut = bounded(text);
  return builder.CreateString(cut.data(), cut.size());
}

proto::ErrorCode to_proto(ErrorCode code) { return static_cast<proto::ErrorCode>(code); }

}  // namespace

void finish_frame(FlatBufferBuilder& builder, proto::ServerBody type, Offset<void> body,
                  std::vector<std::uint8_t>& out) {
  proto::FinishServerMessageBuffer(builder, proto::CreateServerMessage(builder, type, body));
  CHECK(builder.GetSize() <= limits::server_frame_bytes_max);
  append_frame({builder.GetBufferPointer(), builder.GetSize()}, out);
}

void encode_welcome(const WelcomeInfo& welcome, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto limits_table = proto::CreateLimits(
      builder, static_cast<std::uint32_t>(limits::client_frame_bytes_max),
      static_cast<std::uint32_t>(limits::server_frame_bytes_max),
      static_cast<std::uint32_t>(limits::commands_per_frame_max), limits::query_hits_max,
      welcome.entities_per_player_max, welcome.world_half_size_m);
  const auto version = text_of(builder, welcome.server_version);
  const auto token = text_of(builder, welcome.resume_token);
  const auto body = proto::CreateWelcome(
      builder, protocol_version, welcome.session.value, static_cast<proto::Role>(welcome.role),
      static_cast<proto::TickMode>(welcome.tick_mode), welcome.tick_rate_hz, welcome.tick, version,
      welcome.server_time_us, limits_table, token, welcome.resumed, welcome.view_reset,
      welcome.last_sequence, welcome.grace_ms, welcome.position_resolution_m,
      welcome.budget_bytes_per_s);
  finish_frame(builder, proto::ServerBody::Welcome, body.Union(), out);
}

void encode_reject(const Error& error, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto text = text_of(builder, error.text);
  const auto body = proto::CreateReject(builder, to_proto(error.code), text);
  finish_frame(builder, proto::ServerBody::Reject, body.Union(), out);
}

void encode_closing(const Error& error, std::uint32_t retry_after_ms,
                    std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto text = text_of(builder, error.text);
  const auto body = proto::CreateClosing(builder, to_proto(error.code), text, retry_after_ms);
  finish_frame(builder, proto::ServerBody::Closing, body.Union(), out);
}

void encode_step_done(std::uint64_t sequence, Tick tick, std::uint64_t result_hash,
                      const Error& error, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto text = text_of(builder, error.text);
  const auto body =
      proto::CreateStepDone(builder, sequence, tick, result_hash, to_proto(error.code), text);
  finish_frame(builder, proto::ServerBody::StepDone, body.Union(), out);
}

void encode_query_answer(std::uint64_t request, const QueryAnswer& answer,
                         std::vector<std::uint8_t>& out) {
  static_assert(limits::query_hits_max * sizeof(proto::QueryHit) + frame_overhead_bytes <=
                    limits::server_frame_bytes_max,
                "an answer is one frame");
  CHECK(answer.hits.size() <= limits::query_hits_max);
  const std::size_t hits_bytes = answer.hits.size() * sizeof(proto::QueryHit);
  FlatBufferBuilder builder(hits_bytes + frame_overhead_bytes);
  const auto hits = builder.CreateVectorOfStructs<proto::QueryHit>(
      answer.hits.size(),
      [](std::size_t i, proto::QueryHit* slot, const std::vector<QueryHit>* from) {
        const QueryHit& hit = (*from)[i];
        *slot = proto::QueryHit(hit.id.raw(), hit.user_data, to_proto(hit.position), hit.value,
                                to_proto(hit.point), to_proto(hit.normal));
      },
      &answer.hits);
  const auto pair = encode_explanation(builder, answer.pair);
  const auto view = encode_explanation(builder, answer.view);
  const auto body =
      proto::CreateQueryAnswer(builder, request, answer.tick, answer.index_version, answer.complete,
                               hits, proto::ErrorCode::None, 0, pair, view);
  finish_frame(builder, proto::ServerBody::QueryAnswer, body.Union(), out);
}

void encode_query_error(std::uint64_t request, Tick tick, IndexVersion index_version,
                        const Error& error, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto text = text_of(builder, error.text);
  proto::QueryAnswerBuilder answer(builder);
  answer.add_request(request);
  answer.add_tick(tick);
  answer.add_index_version(index_version);
  answer.add_code(to_proto(error.code));
  answer.add_text(text);
  finish_frame(builder, proto::ServerBody::QueryAnswer, answer.Finish().Union(), out);
}

void encode_pong(std::uint64_t nonce, std::uint64_t client_time_us, std::uint64_t server_time_us,
                 Tick tick, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto body = proto::CreatePong(builder, nonce, client_time_us, server_time_us, tick);
  finish_frame(builder, proto::ServerBody::Pong, body.Union(), out);
}

}  // namespace vicinity::wire
