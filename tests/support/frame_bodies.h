// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the server encoded, cut into frames and verified against the schema, for the tests of wire.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/framing.h"
#include "base/limits.h"
#include "server_generated.h"

namespace vicinity::test {

using Bytes = std::vector<std::uint8_t>;

/// Frame bodies of a stream, each in memory of its own, each verified and within the limit.
inline std::vector<Bytes> bodies(std::span<const std::uint8_t> stream) {
  FrameReader reader(limits::server_frame_bytes_max);
  std::vector<Bytes> out;
  while (const auto body = reader.next(stream)) {
    out.emplace_back(body->begin(), body->end());
    flatbuffers::Verifier verifier(out.back().data(), out.back().size());
    EXPECT_TRUE(proto::VerifyServerMessageBuffer(verifier)) << "body of " << body->size();
  }
  EXPECT_EQ(reader.failed(), ErrorCode::None);
  EXPECT_TRUE(stream.empty());
  return out;
}

inline const proto::ServerMessage& message(const Bytes& body) {
  return *proto::GetServerMessage(body.data());
}

}  // namespace vicinity::test
