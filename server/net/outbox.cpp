// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/outbox.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity::net {
namespace {

/// Frames share a chunk up to this size; a longer frame has one of its own.
constexpr std::size_t chunk_bytes_max = 64 * 1024;
/// One write: as many buffers as one system call of Asio takes, and few enough bytes that
/// drop_waiting() can still drop nearly everything.
constexpr std::size_t in_flight_chunks_max = 64;
constexpr std::size_t in_flight_bytes_max = 256 * 1024;

/// Bytes of the frames at the front of `frames` that share a chunk: at least one frame.
std::size_t front_frames_bytes(std::span<const std::uint8_t> frames) {
  std::size_t taken = 0;
  while (frames.size() - taken > limits::frame_prefix_bytes) {
    const auto* prefix = frames.data() + taken;
    const std::size_t body = prefix[0] | std::size_t{prefix[1]} << 8 |
                             std::size_t{prefix[2]} << 16 | std::size_t{prefix[3]} << 24;
    const std::size_t frame = limits::frame_prefix_bytes + body;
    if (taken > 0 && taken + frame > chunk_bytes_max) return taken;
    CHECK(frame <= frames.size() - taken);  // pushes are complete frames
    taken += frame;
  }
  CHECK(taken == frames.size());
  return taken;
}

}  // namespace

bool Outbox::push(std::span<const std::uint8_t> frames) {
  if (frames.size() > bytes_max_ - std::min(bytes_, bytes_max_)) return false;
  append(frames);
  return true;
}

bool Outbox::push_frame(std::vector<std::uint8_t> frame) {
  const bool joined = chunks_.size() > in_flight_count_;
  if (joined || frame.size() > chunk_bytes_max) return push(frame);
  if (frame.size() > bytes_max_ - std::min(bytes_, bytes_max_)) return false;
  bytes_ += frame.size();
  chunks_.push_back(std::move(frame));
  return true;
}

void Outbox::push_farewell(std::span<const std::uint8_t> frames) { append(frames); }

void Outbox::append(std::span<const std::uint8_t> frames) {
  bytes_ += frames.size();
  while (!frames.empty()) {
    const auto piece = frames.first(front_frames_bytes(frames));
    frames = frames.subspan(piece.size());
    const bool back_waits = chunks_.size() > in_flight_count_;
    if (back_waits && chunks_.back().size() + piece.size() <= chunk_bytes_max) {
      chunks_.back().insert(chunks_.back().end(), piece.begin(), piece.end());
    } else {
      chunks_.emplace_back(piece.begin(), piece.end());
    }
  }
}

void Outbox::drop_waiting() {
  // A chunk of which a part is gone must be kept even when it is not in flight right now: the peer
  // would otherwise see half a frame.
  const std::size_t keep = std::max<std::size_t>(in_flight_count_, front_sent_ > 0 ? 1 : 0);
  while (chunks_.size() > keep) {
    bytes_ -= chunks_.back().size();
    chunks_.pop_back();
  }
}

void Outbox::take_in_flight(std::vector<std::span<const std::uint8_t>>& buffers) {
  CHECK(in_flight_count_ == 0);
  buffers.clear();
  std::size_t bytes = 0;
  for (const auto& chunk : chunks_) {
    if (buffers.size() == in_flight_chunks_max || bytes >= in_flight_bytes_max) break;
    const std::size_t sent = buffers.empty() ? front_sent_ : 0;
    buffers.emplace_back(chunk.data() + sent, chunk.size() - sent);
    bytes += chunk.size() - sent;
  }
  in_flight_count_ = buffers.size();
}

void Outbox::consume(std::size_t size_bytes) {
  CHECK(size_bytes <= bytes_);
  bytes_ -= size_bytes;
  front_sent_ += size_bytes;
  while (!chunks_.empty() && front_sent_ >= chunks_.front().size()) {
    front_sent_ -= chunks_.front().size();
    chunks_.pop_front();
  }
  in_flight_count_ = 0;
  DCHECK(!chunks_.empty() || (front_sent_ == 0 && bytes_ == 0));
}

}  // namespace vicinity::net
