// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The same session, blocking: for tools, tests and scripts. One thread. Every wait has a deadline.
// The session lives (pings, receives) only while a call waits: a caller with nothing to ask for
// longer than the server's idle timeout uses run_for().

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/frame.h"

namespace vicinity::client {

class BlockingClient {
 public:
  BlockingClient();
  ~BlockingClient();
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  Result<Welcome, Error> connect(const ConnectOptions& options);

  /// Sends and returns the first sequence; outcomes arrive with the tick (take_outcomes).
  std::uint64_t send(const std::vector<CommandBody>& commands);
  std::uint64_t next_sequence() const;

  /// Manual tick mode: runs `count` ticks and waits for StepDone. Frames and outcomes of these
  /// ticks are then available.
  Result<StepOutcome, Error> step(std::uint32_t count = 1);
  /// The oldest frame not taken yet, or waits for the next one (timer mode).
  Result<TickFrame, Error> next_frame();
  Result<QueryAnswer, Error> query(const Query& query);
  Result<PongInfo, Error> ping();
  /// Keeps the session alive and receives for this time, or until it is closed.
  void run_for(std::uint32_t duration_ms);
  /// Says goodbye and waits for the end of the connection.
  void close();

  /// Everything received and not taken yet, in order of arrival.
  std::vector<TickFrame> take_frames();
  std::vector<CommandOutcome> take_outcomes();

  bool is_open() const;
  /// Why the connection ended, once it has.
  const std::optional<Error>& closed() const;
  /// Deadline of every wait, milliseconds. Default 10 s.
  void set_timeout_ms(std::uint32_t timeout_ms);
  TrafficStats traffic() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vicinity::client
