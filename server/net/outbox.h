// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Door 2: the bytes that wait for one peer. Bounded: what does not fit is refused and the caller
// ends the connection. Net room; no sockets and no locks (the connection holds one around it).
//
//      [ chunk | chunk | chunk ][ chunk | chunk ]  <- push
//        front   in flight        waiting
//
// A chunk holds whole frames and is bounded: a long push is cut at the borders of its frames, so
// that little is in flight and the rest can still be dropped in favour of a farewell. Small pushes
// are joined into the last waiting chunk, so that many tiny answers cost neither one allocation nor
// one system call each.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace vicinity::net {

class Outbox {
 public:
  explicit Outbox(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Copies complete frames. False when the limit would be passed; then nothing is taken.
  [[nodiscard]] bool push(std::span<const std::uint8_t> frames);
  /// The same for one frame, without a copy when nothing waits that it could be joined to.
  [[nodiscard]] bool push_frame(std::vector<std::uint8_t> frame);

  /// The last words of a connection. Always taken: there is one per connection and it is small.
  void push_farewell(std::span<const std::uint8_t> frames);

  /// Forgets what is not in flight. What is left ends at the border of a frame.
  void drop_waiting();

  /// Puts the next chunks in flight and lists them in `buffers`; none when nothing waits. Their
  /// memory stays where it is until consume(). Invariant: nothing is in flight before the call.
  void take_in_flight(std::vector<std::span<const std::uint8_t>>& buffers);

  /// The kernel took `size_bytes` of what was in flight. Nothing is in flight afterwards.
  void consume(std::size_t size_bytes);

  bool empty() const { return chunks_.empty(); }
  /// Bytes in flight and waiting.
  std::size_t bytes() const { return bytes_; }
  std::size_t bytes_max() const { return bytes_max_; }

 private:
  void append(std::span<const std::uint8_t> frames);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<std::vector<std::uint8_t>> chunks_;
  std::size_t front_sent_ = 0;       ///< bytes of the front chunk that are gone already
  std::size_t in_flight_count_ = 0;  ///< chunks, from the front
};

}  // namespace vicinity::net
