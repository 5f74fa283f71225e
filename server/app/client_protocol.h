// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The conversation with one client, from hello to goodbye. Lives on the net threads: decodes what
// arrives, answers at once what needs no tick (pings, queries, refusals), and puts the rest through
// door 1. Never touches world state; queries read the frame that was published last.
//
//      connected ──hello──► welcomed ──goodbye, fault, end of the server──► closed
//          └── anything else: HandshakeExpected, VersionMismatch, Unauthorized, .. ┘
//
// A hello begins a session or goes on with one (app/session.h); what the end of the connection
// means for it is decided by app/session_registry.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "access/gatekeeper.h"
#include "access/query_budget.h"
#include "access/rate_memory.h"
#include "access/session_guard.h"
#include "app/logging.h"
#include "app/memory_guard.h"
#include "app/server_clock.h"
#include "app/session_log.h"
#include "app/session_registry.h"
#include "app/view_questions.h"
#include "net/server_socket.h"
#include "query/query.h"
#include "tick/load_governor.h"
#include "wire/decode.h"
#include "wire/encode.h"
#include "world/command_queue.h"

namespace vicinity::app {

struct ProtocolSettings {
  wire::TickMode tick_mode = wire::TickMode::Timer;
  std::uint32_t tick_rate_hz = 20;
  std::uint32_t entities_per_player_max = 0;
  double world_half_size_m = 0;
  std::uint32_t grace_ms = 0;
  std::uint32_t retry_after_ms = 0;      ///< advice to clients of a server that stops
  double position_resolution_m = 0;      ///< for clients that do not ask for one
  std::uint32_t budget_bytes_per_s = 0;  ///< of players and observers at most; 0 = no bound
  access::SessionRates rates = {};       ///< of players and observers
  double query_us_per_s_total = 0;       ///< of all sessions together; 0 = no bound
  bool limit_loopback = false;           ///< whether addresses of this machine are held to limits
};

/// What was refused and ended for the sake of the others, since the start.
struct ProtocolStats {
  std::uint64_t commands_limited = 0;  ///< refused with RateLimited
  std::uint64_t queries_limited = 0;
  std::uint64_t queries_crowded_out = 0;  ///< the same, for what all sessions together asked
  std::uint64_t query_us = 0;             ///< charged for queries, refused ones and views too
  std::uint64_t floods = 0;               ///< sessions closed with RateLimited
  std::uint64_t expired = 0;              ///< sessions closed with TokenExpired
  std::size_t rates_remembered = 0;       ///< clients that left, now
};

/// Everything the protocol works with; all of it outlives the protocol.
struct ProtocolParts {
  CommandQueue& commands;
  const FramePublisher& frames;
  SessionRegistry& sessions;
  const ServerClock& clock;
  Log& log;
  SessionLog& session_log;
  /// Queues a step request, or says why not. Called in manual mode only.
  std::function<ErrorCode(SessionId, std::uint64_t sequence, std::uint32_t count)> request_step;
  /// Any thread. What the server leaves out at present; absent = nothing.
  std::function<Shedding()> shedding = {};
  /// Takes a question about a view, or says why not; absent = no such question is answered.
  std::function<ErrorCode(ViewQuestion)> ask_view = {};
  /// Null, or without keys: everybody is what they say.
  access::Gatekeeper* gatekeeper = nullptr;
  MemoryGuard* memory = nullptr;  ///< null: memory is without end
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

  /// Any thread. From now on no hello is accepted: who comes is told that the server stops.
  void refuse_newcomers();
  /// Any thread. Tells every client that the server stops, and closes; also those that come later.
  void close_all();
  /// Any thread. Whether either of the two was called.
  bool stopping() const { return stopping_; }

  /// Any thread. Ends the session, whether it has a connection or not. False when there is none.
  bool kick(SessionId session);
  /// Any thread. Connections that ended with this code before they had a session, since the start.
  std::uint64_t turned_away(ErrorCode code) const;

  /// Any thread, about once a second: closes the sessions whose token has ended by then (seconds
  /// since 1970) with TokenExpired. Cost: a look at every session.
  void close_expired(std::int64_t now_s);
  ProtocolStats stats() const;

 private:
  using Clock = access::SessionGuard::Clock;
  using ConnectionPtr = std::shared_ptr<net::Connection>;
  /// A client that is past its hello, and the connection that a message of it came over.
  struct Peer {
    const ConnectionPtr& connection;
    Session& session;
    access::Passage passage = access::Passage::Within;  ///< of the message, by its bytes
    Clock::time_point received_at = {};                 ///< the message, not decoded yet
  };
  /// What a hello is worth.
  struct Credentials {
    std::string subject;
    access::Caps caps;
    std::int64_t ends_at_s = 0;
  };
  struct Counters {
    std::atomic<std::uint64_t> commands_limited{0};
    std::atomic<std::uint64_t> queries_limited{0};
    std::atomic<std::uint64_t> queries_crowded_out{0};
    std::atomic<std::uint64_t> floods{0};
    std::atomic<std::uint64_t> expired{0};
  };

  ErrorCode why_not_build(const Session& session, access::Passage passage, Clock::time_point now);
  void handle(const Peer& peer, const wire::ClientMessage& message);
  void handle_hello(const ConnectionPtr& connection, const wire::HelloMessage& hello);
  void handle_commands(const Peer& peer, const wire::CommandsMessage& message);
  void handle_step(const Peer& peer, const wire::StepMessage& step);
  void handle_query(const Peer& peer, const wire::QueryMessage& message);
  Error check_room_for_answer(const Peer& peer) const;
  void charge_since_received(const Peer& peer);
  void charge(const Session& session, std::chrono::microseconds cost, Clock::time_point now);
  void report_missed(const QueryAnswer& answer);
  Error ask_view(const Peer& peer, std::uint64_t request, ExplainViewQuery query);
  void handle_ping(const Peer& peer, const wire::PingMessage& ping);

  bool sort_out(const Peer& peer, const wire::CommandsMessage& message, std::vector<Command>& good,
                std::vector<wire::RefusedCommand>& refused);

  Result<Credentials, Error> credentials_of(const net::Connection& connection,
                                            const wire::HelloMessage& hello);
  std::uint64_t session_of(const net::Connection& connection) const;
  SessionTraits traits_of(const wire::HelloMessage& hello, const Credentials& credentials) const;
  std::vector<std::uint8_t> greeting(const Session& session,
                                     const SessionRegistry::Admission& admission, Tick tick) const;
  /// Closes the connection for good: the session that it carries ends with it.
  void close(const ConnectionPtr& connection, ErrorCode code, std::string text);
  void reject(const ConnectionPtr& connection, const Error& error);
  void close_flooding(const ConnectionPtr& connection);
  std::uint32_t retry_after_ms(ErrorCode code) const;
  std::string rates_owner(const net::Connection& connection, const std::string& subject) const;
  void remember_rates(const Session& session, const net::Connection& connection);
  Shedding shedding() const { return parts_.shedding ? parts_.shedding() : Shedding::None; }
  bool sheds_query(Tick tick);

  const ProtocolSettings settings_;
  const ProtocolParts parts_;
  const wire::DecodeLimits decode_limits_;
  const std::shared_ptr<access::QueryBudget> query_budget_;  ///< shared with ViewQuestion
  access::RateMemory rate_memory_;
  std::atomic<bool> stopping_{false};
  std::array<std::atomic<std::uint64_t>, 64> turned_away_{};  ///< by ErrorCode
  Counters counters_;
  /// Queries answered under overload, in the tick that the upper 32 bits name (the low 32 of it).
  std::atomic<std::uint64_t> shed_queries_{0};

  RateLimit missed_warnings_{std::chrono::seconds(1)};

  std::mutex mutex_;                                    ///< guards connections_
  std::map<std::uint64_t, ConnectionPtr> connections_;  ///< all, by id, before their hello too
};

}  // namespace vicinity::app
