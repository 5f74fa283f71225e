// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A byte stream cut into pieces: the frames do not depend on the pieces, nothing is longer than the
// limit, and no more is held than has arrived.
//
// Input: size of the pieces (1 byte, 0 = all at once), limit / 16 (1 byte), stream.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/framing.h"
#include "base/limits.h"

namespace {

using namespace vicinity;
using Bytes = std::vector<std::uint8_t>;

/// The frames of the stream, with their prefixes, and how it ended.
std::pair<Bytes, ErrorCode> read(std::span<const std::uint8_t> stream, std::size_t piece_bytes,
                                 std::size_t limit) {
  FrameReader reader(limit);
  Bytes frames;
  std::size_t arrived = 0;
  while (arrived < stream.size() && reader.failed() == ErrorCode::None) {
    auto piece = stream.subspan(arrived, std::min(piece_bytes, stream.size() - arrived));
    arrived += piece.size();
    while (const auto body = reader.next(piece)) {
      CHECK(!body->empty() && body->size() <= limit);
      CHECK(reinterpret_cast<std::uintptr_t>(body->data()) % 16 == 0);
      append_frame(*body, frames);
    }
    CHECK(piece.empty() || reader.failed() != ErrorCode::None);
    CHECK(reader.buffered_bytes() <= limit + limits::frame_prefix_bytes);
    CHECK(reader.buffered_bytes() <= arrived);
  }
  return {std::move(frames), reader.failed()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::uint8_t> stream(data + 2, size - 2);
  const std::size_t piece_bytes = data[0] == 0 ? std::max<std::size_t>(stream.size(), 1) : data[0];
  const std::size_t limit = 16 * (1 + std::size_t{data[1]});
  const auto [frames, failed] = read(stream, piece_bytes, limit);
  CHECK((std::pair{frames, failed} == read(stream, 1, limit)));
  CHECK(frames.size() <= stream.size());
  CHECK(std::equal(frames.begin(), frames.end(), stream.begin()));
  return 0;
}
