// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The conversation with one client, from hello to goodbye. Lives on the net threads: decodes what
// arrives, answers at once what needs no tick (pings, queries, refusals), and puts the rest through
// door 1. Never touches world state; queries read the frame that was published last.
//
//      connected ──hello──► welcomed ──goodbye, fault, end of the server──► closed
//          └── anything else: HandshakeExpected, VersionMismatch, WrongRole ──┘

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/logging.h"
#include "app/server_clock.h"
#include "app/session_registry.h"
#include "net/server_socket.h"
#include "query/query.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "world/command_queue.h"

namespace vicinity::app {

struct ProtocolSettings {
  wire::TickMode tick_mode = wire::TickMode::Timer;
  std::uint32_t tick_rate_hz = 20;
  std::uint32_t entities_per_player_max = 0;
  double world_half_size_m = 0;
};

/// Everything the protocol works with; all of it outlives the protocol.
struct ProtocolParts {
  CommandQueue& commands;
  const FramePublisher& frames;
  SessionRegistry& sessions;
  const ServerClock& clock;
  Log& log;
  /// Queues a step request, or says why not. Called in manual mode only.
  std::function<ErrorCode(SessionId, std::uint64_t sequence, std::uint32_t count)> request_step;
};

class ClientProtocol final : public net::ConnectionHandler {
 public:
  ClientProtocol(const ProtocolSettings& settings, ProtocolParts parts);

  void on_open(const std::shared_ptr<net::Connection>& connection) override;
  void on_frame(const std::shared_ptr<net::Connection>& connection,
                std::span<const std::uint8_t> body) override;
  std::vector<std::uint8_t> farewell(const net::CloseCause& cause) override;
  void on_close(const std::shared_ptr<net::Connection>& connection,
                const net::CloseCause& cause) override;
  void on_refused(const net::CloseCause& cause) override;

  /// Any thread. Tells every client that the server stops, and closes; also those that come later.
  void close_all();

 private:
  void handle(Session& session, const wire::ClientMessage& message);
  void handle_hello(Session& session, const wire::HelloMessage& hello);
  void handle_commands(Session& session, const wire::CommandsMessage& message);
  void handle_step(Session& session, const wire::StepMessage& step);
  void handle_query(Session& session, const wire::QueryMessage& query);
  void handle_ping(Session& session, const wire::PingMessage& ping);

  void close(Session& session, ErrorCode code, std::string text);
  void reject(Session& session, ErrorCode code, std::string text);
  void log_open(const Session& session);
  void log_close(const Session& session, const net::CloseCause& cause);

  const ProtocolSettings settings_;
  const ProtocolParts parts_;
  const wire::DecodeLimits decode_limits_;
  std::atomic<bool> stopping_{false};
  // Whoever can connect causes these lines, so they are few.
  RateLimit open_lines_;
  RateLimit close_lines_;
  RateLimit slow_consumer_warnings_;
  RateLimit no_hello_lines_;
  RateLimit server_full_warnings_;
  RateLimit accept_warnings_;
};

}  // namespace vicinity::app
