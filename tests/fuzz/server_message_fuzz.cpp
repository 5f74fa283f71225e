// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a server may send to the client library, as one frame body: a hostile server gets an error,
// and the address in memory makes no difference.
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "client/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vicinity;
  std::vector<std::uint8_t> memory(size + 1);  // aligned at its start, and not one behind it
  if (size > 0) std::memcpy(memory.data(), data, size);
  auto aligned = client::decode_server_message({memory.data(), size});
  if (size > 0) std::memcpy(memory.data() + 1, data, size);
  const auto misaligned = client::decode_server_message({memory.data() + 1, size});

  CHECK(aligned.ok() == misaligned.ok());
  if (!aligned.ok()) {
    CHECK(aligned.error().code == ErrorCode::BadFrame);
    CHECK(!aligned.error().text.empty());
    return 0;
  }
  CHECK(aligned.value().index() == misaligned.value().index());
  if (auto* part = std::get_if<client::FramePart>(&aligned.value())) {
    const bool whole = part->part == 0 && part->last;
    const Tick tick = part->frame.tick;
    client::FrameJoiner joiner(size);
    const auto joined = joiner.add(std::move(*part), size);
    CHECK(!whole || (joined.ok() && joined.value() && joined.value()->tick == tick));
  }
  return 0;
}
