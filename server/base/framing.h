// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Length-prefixed frames on a byte stream:
//
//      +----------------+---------------------------+
//      | length: u32 LE | body: `length` bytes      |   length 1 .. limit, prefix not counted
//      +----------------+---------------------------+
//
// The length is checked against the limit of the moment before anything is allocated for the body.
// Used by both ends. Pure; no sockets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"

namespace vicinity {

/// Cuts a stream into frame bodies. Bodies are handed out in memory aligned for FlatBuffers
/// (16 bytes), whatever the position in the stream was. Not thread-safe.
class FrameReader {
 public:
  explicit FrameReader(std::size_t body_bytes_max) : body_bytes_max_(body_bytes_max) {}

  /// The limit for frames whose prefix has not been complete yet.
  void set_body_bytes_max(std::size_t bytes) { body_bytes_max_ = bytes; }

  /// Takes bytes from the front of `input` (and shortens it) until one frame is complete or the
  /// input is used up. Returns the body when a frame is complete; it stays valid until the next
  /// call. Once failed() the reader takes nothing more.
  std::optional<std::span<const std::uint8_t>> next(std::span<const std::uint8_t>& input);

  /// FrameTooLarge or BadFrame (length 0) once the stream is broken, else None.
  ErrorCode failed() const { return failed_; }

  /// Bytes held for a frame that is not complete yet.
  std::size_t buffered_bytes() const { return prefix_size_ + body_size_; }

 private:
  std::size_t body_bytes_max_;
  std::uint8_t prefix_[4] = {0, 0, 0, 0};
  std::size_t prefix_size_ = 0;
  std::size_t body_length_ = 0;
  std::size_t body_size_ = 0;
  std::vector<std::uint8_t> body_;  ///< operator new aligns to 16 bytes
  ErrorCode failed_ = ErrorCode::None;
};

/// Appends prefix and body to `out`.
void append_frame(std::span<const std::uint8_t> body, std::vector<std::uint8_t>& out);

}  // namespace vicinity
