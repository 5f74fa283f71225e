// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/encode.h"

#include "client/encode_values.h"

namespace vicinity::client {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;

void encode_hello(const ConnectOptions& options, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto name = builder.CreateString(options.client_name);
  const auto token = builder.CreateString(options.token);
  Offset<String> subject;
  Offset<String> resume_token;
  if (!options.subject.empty()) subject = builder.CreateString(options.subject);
  if (!options.resume_token.empty()) resume_token = builder.CreateString(options.resume_token);
  const auto body = proto::CreateHello(
      builder, protocol_version, protocol_version, name, token,
      static_cast<proto::Role>(options.role), static_cast<proto::ContactScope>(options.contacts),
      options.contact_details, subject, resume_token, options.resume_tick, /*resume_event_seq=*/0,
      options.position_resolution_m, options.budget_bytes_per_s);
  finish(builder, proto::ClientBody::Hello, body.Union(), out);
}

void encode_step(std::uint64_t sequence, std::uint32_t count, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto body = proto::CreateStep(builder, sequence, count);
  finish(builder, proto::ClientBody::Step, body.Union(), out);
}

void encode_ping(std::uint64_t nonce, std::uint64_t client_time_us, std::vector<std::uint8_t>& out,
                 Tick ack_tick) {
  FlatBufferBuilder builder;
  const auto body = proto::CreatePing(builder, nonce, client_time_us, ack_tick);
  finish(builder, proto::ClientBody::Ping, body.Union(), out);
}

void encode_goodbye(std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  finish(builder, proto::ClientBody::Goodbye, proto::CreateGoodbye(builder).Union(), out);
}

}  // namespace vicinity::client
