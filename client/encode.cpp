// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/encode.h"

#include "client/encode_values.h"

namespace vicinity::client {

using flatbuffers::FlatBufferBuilder;

void encode_hello(const ConnectOptions& options, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto name = builder.CreateString(options.client_name);
  const auto token = builder.CreateString(options.token);
  const auto body = proto::CreateHello(builder, protocol_version, protocol_version, name, token,
                                       static_cast<proto::Role>(options.role),
                                       static_cast<proto::ContactScope>(options.contacts),
                                       options.contact_details);
  finish(builder, proto::ClientBody::Hello, body.Union(), out);
}

void encode_step(std::uint64_t sequence, std::uint32_t count, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto body = proto::CreateStep(builder, sequence, count);
  finish(builder, proto::ClientBody::Step, body.Union(), out);
}

void encode_ping(std::uint64_t nonce, std::uint64_t client_time_us,
                 std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto body = proto::CreatePing(builder, nonce, client_time_us);
  finish(builder, proto::ClientBody::Ping, body.Union(), out);
}

void encode_goodbye(std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  finish(builder, proto::ClientBody::Goodbye, proto::CreateGoodbye(builder).Union(), out);
}

}  // namespace vicinity::client
