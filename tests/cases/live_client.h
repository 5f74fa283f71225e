// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A client of a case that runs in real time against a real server, and what it knows: the entities
// in view as the stream tells, the frames it got, how it was closed. It reads when pump() is called
// and never waits, so that one thread serves hundreds of them; it can be told to fall silent, to
// stop reading or to have a narrow link.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/limits.h"
#include "client/connection.h"
#include "client/decode.h"
#include "support/raw_socket.h"
#include "world/command.h"

namespace vicinity::cases {

using Clock = std::chrono::steady_clock;

/// What is between the client and the server.
struct LinkOptions {
  int receive_buffer_bytes = 0;        ///< 0 = as the system chooses
  double bytes_per_s = 0;              ///< 0 = no bound
  std::chrono::milliseconds delay{0};  ///< of what the client sends
};

class LiveClient {
 public:
  /// Who it is, what it looked at, and when.
  struct Seen {
    Tick tick = 0;
    std::uint64_t server_time_us = 0;
  };

  LiveClient(std::uint16_t port, const LinkOptions& link);

  void send_hello(const client::ConnectOptions& options);
  void send(const CommandBody& command) { send(std::span(&command, 1)); }
  void send(std::span<const CommandBody> commands);
  void send_bytes(std::span<const std::uint8_t> bytes);
  /// Reads what has come, and sends what is due: pings, acknowledgements and what was delayed.
  void pump();
  /// Sends nothing any more, not even that it is gone.
  void fall_silent() { silent_ = true; }
  void stop_reading() { stalled_ = true; }
  void start_reading() { stalled_ = false; }

  bool welcomed() const { return welcome_.has_value(); }
  const client::Welcome& welcome() const { return *welcome_; }
  Clock::duration welcomed_after() const { return welcomed_at_ - connected_at_; }
  Clock::time_point connected_at() const { return connected_at_; }
  /// Read to its end, by whoever ended it.
  bool closed() const { return ended_; }
  /// What the server said last; None when it said nothing.
  ErrorCode close_code() const { return close_code_; }
  bool may_serve() const { return welcomed() && !ended_ && !silent_; }

  /// In view, of those with this user data.
  std::uint64_t known_of(std::uint64_t user_data) const;
  /// Counted since the last forget_counts().
  std::uint64_t enters() const { return enters_; }
  std::uint64_t most_of(std::uint64_t user_data) const;
  void forget_counts();
  /// Enters of what was known, leaves and moves of what was not.
  std::uint64_t view_errors() const { return view_errors_; }
  std::uint64_t verify_failures() const { return verify_failures_; }
  std::size_t largest_message_bytes() const { return largest_message_bytes_; }
  /// The last frames, oldest first.
  const std::deque<Seen>& frames() const { return frames_; }
  /// Enters that the server says it still owes.
  std::uint32_t enters_waiting() const { return enters_waiting_; }
  std::uint64_t commands_answered() const { return answered_; }
  std::uint64_t commands_sent() const { return next_sequence_ - 1; }
  std::uint64_t commands_refused() const { return refused_; }
  std::optional<EntityId> made_by(std::uint64_t sequence) const;
  /// Newest answer to a ping: the server's clock and its last tick.
  const std::optional<client::PongMessage>& pong() const { return pong_; }
  void ping();

 private:
  void flush();
  void read(const std::vector<std::uint8_t>& body);
  void take(const client::TickFrame& frame);
  bool may_read();

  test::RawSocket socket_;
  const LinkOptions link_;
  Clock::time_point connected_at_ = Clock::now();
  Clock::time_point welcomed_at_{};
  Clock::time_point last_ping_{};
  Clock::time_point refilled_at_ = Clock::now();
  double link_tokens_ = 0;
  std::deque<std::pair<Clock::time_point, test::Bytes>> outgoing_;
  bool silent_ = false;
  bool stalled_ = false;
  bool ended_ = false;

  client::ViewDecoder views_;
  client::FrameJoiner joiner_{limits::outbox_bytes_max};
  std::optional<client::Welcome> welcome_;
  std::optional<client::PongMessage> pong_;
  ErrorCode close_code_ = ErrorCode::None;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t answered_ = 0;
  std::uint64_t refused_ = 0;
  std::map<std::uint64_t, EntityId> made_;
  Tick whole_tick_ = 0;

  std::map<EntityId, std::uint64_t> known_;
  std::map<std::uint64_t, std::uint64_t> now_of_;   ///< in view, by user data
  std::map<std::uint64_t, std::uint64_t> most_of_;  ///< at the same tick
  std::uint64_t enters_ = 0;
  std::uint64_t view_errors_ = 0;
  std::uint64_t verify_failures_ = 0;
  std::uint32_t enters_waiting_ = 0;
  std::size_t largest_message_bytes_ = 0;
  std::deque<Seen> frames_;
};

}  // namespace vicinity::cases
