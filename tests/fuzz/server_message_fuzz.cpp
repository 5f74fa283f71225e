// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What a server may send to the client library, as one frame body: a hostile server gets an error,
// and the address in memory makes no difference.
#include <cstdint>
#include <cstring>
#include <variant>
#include <vector>

#include "base/check.h"
#include "client/decode.h"
#include "client/interpolator.h"
#include "client/replica.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vicinity;
  std::vector<std::uint8_t> memory(size + 1);  // aligned at its start, and not one behind it
  if (size > 0) std::memcpy(memory.data(), data, size);
  client::ViewDecoder views, other_views;
  client::FrameJoiner joiner(size), other_joiner(size);
  for (client::ViewDecoder* each : {&views, &other_views}) each->set_resolution_m(0x1p-8);
  const auto aligned = client::decode_server_message({memory.data(), size}, views, joiner);
  if (size > 0) std::memcpy(memory.data() + 1, data, size);
  const auto misaligned =
      client::decode_server_message({memory.data() + 1, size}, other_views, other_joiner);

  CHECK(aligned.ok() == misaligned.ok());
  CHECK(views.entity_count() == other_views.entity_count());
  if (!aligned.ok()) {
    CHECK(aligned.error().code == ErrorCode::BadFrame);
    CHECK(!aligned.error().text.empty());
    CHECK(views.entity_count() == 0);  // as before the message
    return 0;
  }
  CHECK(aligned.value().index() == misaligned.value().index());
  const auto* part = std::get_if<client::FramePart>(&aligned.value());
  if (part == nullptr || part->whole == nullptr) return 0;
  client::Replica replica;
  replica.apply(*part->whole);
  CHECK(replica.tick() == part->whole->tick);
  client::Interpolator interpolator;
  interpolator.apply(*part->whole);
  for (const client::EntityView& enter : part->whole->enters) {
    const auto seen = replica.find(enter.id, enter.observer);
    CHECK(seen.has_value() && is_finite(seen->position) && is_finite(seen->velocity));
    CHECK(interpolator.pose(enter.id, 0, enter.observer).has_value());
  }
  return 0;
}
