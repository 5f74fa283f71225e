// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/outbox.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vicinity::net {
namespace {

/// Pushes are joined up to this size; above it a copy costs more than one more buffer in a write.
constexpr std::size_t joined_chunk_bytes_max = 16 * 1024;
/// One write: as many buffers as one system call of Asio takes, and few enough bytes that
/// drop_waiting() can still drop nearly everything.
constexpr std::size_t in_flight_chunks_max = 64;
constexpr std::size_t in_flight_bytes_max = 256 * 1024;

}  // namespace

bool Outbox::push(std::vector<std::uint8_t> frames) {
  if (frames.size() > bytes_max_ - std::min(bytes_, bytes_max_)) return false;
  append(std::move(frames));
  return true;
}

void Outbox::push_farewell(std::vector<std::uint8_t> frames) { append(std::move(frames)); }

void Outbox::append(std::vector<std::uint8_t> frames) {
  if (frames.empty()) return;
  bytes_ += frames.size();
  const bool back_waits = chunks_.size() > in_flight_count_;
  if (back_waits && chunks_.back().size() + frames.size() <= joined_chunk_bytes_max) {
    chunks_.back().insert(chunks_.back().end(), frames.begin(), frames.end());
    return;
  }
  chunks_.push_back(std::move(frames));
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

std::vector<std::span<const std::uint8_t>> Outbox::take_in_flight() {
  CHECK(in_flight_count_ == 0);
  std::vector<std::span<const std::uint8_t>> buffers;
  std::size_t bytes = 0;
  for (const auto& chunk : chunks_) {
    if (buffers.size() == in_flight_chunks_max || bytes >= in_flight_bytes_max) break;
    const std::size_t sent = buffers.empty() ? front_sent_ : 0;
    buffers.emplace_back(chunk.data() + sent, chunk.size() - sent);
    bytes += chunk.size() - sent;
  }
  in_flight_count_ = buffers.size();
  return buffers;
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
