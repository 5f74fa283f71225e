// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/framing.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {

static_assert(limits::frame_prefix_bytes == 4);
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16,
              "frame bodies must be aligned for FlatBuffers");

std::optional<std::span<const std::uint8_t>> FrameReader::next(
    std::span<const std::uint8_t>& input) {
  if (failed_ != ErrorCode::None) return std::nullopt;
  if (prefix_size_ == 4 && body_size_ == body_length_) {  // the last body was handed out
    prefix_size_ = body_length_ = body_size_ = 0;
  }
  while (prefix_size_ < 4) {
    if (input.empty()) return std::nullopt;
    prefix_[prefix_size_++] = input.front();
    input = input.subspan(1);
    if (prefix_size_ < 4) continue;
    body_length_ =
        static_cast<std::size_t>(prefix_[0]) | static_cast<std::size_t>(prefix_[1]) << 8 |
        static_cast<std::size_t>(prefix_[2]) << 16 | static_cast<std::size_t>(prefix_[3]) << 24;
    if (body_length_ == 0 || body_length_ > body_bytes_max_) {
      failed_ = body_length_ == 0 ? ErrorCode::BadFrame : ErrorCode::FrameTooLarge;
      return std::nullopt;
    }
    body_.clear();
  }
  // Grow only by what has arrived: an announced length alone costs the server nothing.
  const std::size_t take = std::min(input.size(), body_length_ - body_size_);
  body_.insert(body_.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(take));
  body_size_ += take;
  input = input.subspan(take);
  if (body_size_ < body_length_) return std::nullopt;
  DCHECK(body_.size() == body_length_);
  return std::span<const std::uint8_t>(body_);
}

void append_frame(std::span<const std::uint8_t> body, std::vector<std::uint8_t>& out) {
  CHECK(!body.empty() && body.size() <= 0xFFFF'FFFFu);
  const auto length = static_cast<std::uint32_t>(body.size());
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<std::uint8_t>(length >> shift));
  out.insert(out.end(), body.begin(), body.end());
}

}  // namespace vicinity
