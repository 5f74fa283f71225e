// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The lines about connections and sessions that come and go. Whoever can connect causes them, so
// each kind is rate-limited: a few hundred at once are all seen, a loop of connections gets four
// lines a second. Any thread; never from within a tick.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "app/logging.h"
#include "base/ids.h"
#include "net/server_socket.h"

namespace vicinity::app {

class Session;

class SessionLog {
 public:
  /// `tick`: the last one that was published, from any thread and under any lock of a session;
  /// absent = lines without it.
  explicit SessionLog(Log& log, std::function<Tick()> tick = {})
      : log_(log), tick_(std::move(tick)) {}

  void opened(const Session& session, const net::Connection& connection);
  void resumed(const Session& session, const net::Connection& connection, bool view_reset);
  /// Its connection is lost; it waits for another for as long as it is granted.
  void parked(const Session& session, const net::CloseCause& cause);
  /// Nobody came for it, or its place was needed.
  void expired(const Session& session, std::string_view why);
  /// A newcomer of the same subject replaces it.
  void taken_over(const Session& session);
  void closed(const Session& session, const net::Connection& connection,
              const net::CloseCause& cause);
  void closed_before_hello(const net::Connection& connection, const net::CloseCause& cause);
  void refused(const net::CloseCause& cause);
  /// A hello was refused for its token; the reason says why, and the client is not told.
  void token_refused(const net::Connection& connection, ErrorCode code, std::string_view reason);

 private:
  /// Of one kind of line.
  struct Lines : RateLimit {
    Lines() : RateLimit(std::chrono::milliseconds(250), 256) {}
  };
  struct Warnings : RateLimit {
    Warnings() : RateLimit(std::chrono::seconds(1)) {}
  };

  Tick tick() const { return tick_ ? tick_() : 0; }

  Log& log_;
  const std::function<Tick()> tick_;
  Lines opened_;
  Lines resumed_;
  Lines parked_;
  Lines expired_;
  Lines taken_over_;
  Lines closed_;
  Warnings slow_consumer_;
  /// By ErrorCode: those who leave by themselves, as probes do, hide nobody who was refused.
  std::array<Warnings, 64> no_hello_;
  Warnings server_full_;
  Warnings accept_;
  Lines token_refused_;
};

}  // namespace vicinity::app
