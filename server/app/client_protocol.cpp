// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/client_protocol.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/version.h"
#include "base/check.h"
#include "base/limits.h"

namespace vicinity::app {
namespace {

using namespace std::chrono_literals;

/// Advice in the farewell: how long until a new attempt makes sense. 0 = no advice.
std::uint32_t retry_after_ms(ErrorCode code) {
  switch (code) {
    case ErrorCode::ServerFull: return 5'000;
    case ErrorCode::ServerStopping: return 2'000;
    case ErrorCode::SlowConsumer: return 1'000;
    default: return 0;
  }
}

/// Lines of sessions that open and close: a few hundred at once are all seen, a loop of connections
/// gets four lines a second.
constexpr auto session_line_interval = 250ms;
constexpr std::uint32_t session_line_burst = 256;
constexpr auto warning_interval = 1s;

// Invariant: opening sorts before, and closing behind, every command of the session in its tick.
constexpr std::uint64_t open_sequence = 0;
constexpr std::uint64_t close_sequence = std::numeric_limits<std::uint64_t>::max();

bool is_for_observers(const CommandBody& body) {
  return std::holds_alternative<AddAreaCommand>(body) ||
         std::holds_alternative<ChangeAreaCommand>(body) ||
         std::holds_alternative<RemoveAreaCommand>(body) ||
         std::holds_alternative<SetVisibilityCommand>(body) ||
         std::holds_alternative<SubscribeCommand>(body) ||
         std::holds_alternative<UnsubscribeCommand>(body);
}

const Shape* shape_of(const CommandBody& body) {
  if (const auto* spawn = std::get_if<SpawnCommand>(&body)) return &spawn->shape;
  const auto* reshape = std::get_if<SetShapeCommand>(&body);
  return reshape ? &reshape->shape : nullptr;
}

/// Why a session of this role may not send the command, whatever the world is like.
Error refusal(Role role, const CommandBody& body) {
  if (role == Role::Authority) return {};
  if (role == Role::Observer && !is_for_observers(body)) {
    return {ErrorCode::WrongRole, "an observer may send commands about areas and subscriptions"};
  }
  if (std::holds_alternative<SetPolicyCommand>(body))
    return {ErrorCode::WrongRole, "only an authority may set the policy"};
  const Shape* shape = shape_of(body);
  if (shape != nullptr && wire::has_mesh(*shape))
    return {ErrorCode::InvalidShape, "shape has a mesh; allowed: for an authority only"};
  return {};
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::Observer: return "observer";
    case Role::Player: return "player";
    case Role::Authority: return "authority";
  }
  return "unknown";
}

void push_session_command(CommandQueue& queue, SessionId session, std::uint64_t sequence,
                          CommandBody body) {
  std::vector<Command> commands;
  commands.push_back({session, sequence, std::move(body)});
  const bool taken = queue.push(session, std::move(commands));
  CHECK(taken);  // the queue always takes these two kinds
}

}  // namespace

ClientProtocol::ClientProtocol(const ProtocolSettings& settings, ProtocolParts parts)
    : settings_(settings),
      parts_(std::move(parts)),
      decode_limits_{settings.world_half_size_m},
      open_lines_(session_line_interval, session_line_burst),
      close_lines_(session_line_interval, session_line_burst),
      slow_consumer_warnings_(warning_interval),
      no_hello_lines_(warning_interval),
      server_full_warnings_(warning_interval),
      accept_warnings_(warning_interval) {}

// --- Connections -----------------------------------------------------------------------------

void ClientProtocol::on_open(const std::shared_ptr<net::Connection>& connection) {
  const auto session = parts_.sessions.add(connection);
  if (stopping_) close(*session, ErrorCode::ServerStopping, "the server stops");
}

void ClientProtocol::on_frame(const std::shared_ptr<net::Connection>& connection,
                              std::span<const std::uint8_t> body) {
  const auto session = parts_.sessions.find(SessionId{connection->id()});
  CHECK(session != nullptr);
  try {
    const auto message = wire::decode_client_message(body, decode_limits_);
    if (!message.ok()) return close(*session, message.error().code, message.error().text);
    handle(*session, message.value());
  } catch (const std::exception& error) {
    parts_.log.error("a message could not be handled",
                     {{"session", session->id.value}, {"reason", std::string_view(error.what())}});
    close(*session, ErrorCode::Internal, "the server could not handle the message");
  }
}

std::vector<std::uint8_t> ClientProtocol::farewell(const net::CloseCause& cause) {
  std::vector<std::uint8_t> frames;
  wire::encode_closing({cause.code, cause.text}, retry_after_ms(cause.code), frames);
  return frames;
}

void ClientProtocol::on_close(const std::shared_ptr<net::Connection>& connection,
                              const net::CloseCause& cause) {
  const auto session = parts_.sessions.find(SessionId{connection->id()});
  CHECK(session != nullptr);
  parts_.sessions.remove(session->id);
  if (session->welcomed)
    push_session_command(parts_.commands, session->id, close_sequence, CloseSessionCommand{});
  log_close(*session, cause);
}

void ClientProtocol::on_refused(const net::CloseCause& cause) {
  const bool full = cause.code == ErrorCode::ServerFull;
  const auto verdict =
      (full ? server_full_warnings_ : accept_warnings_).pass(RateLimit::Clock::now());
  if (!verdict.allowed) return;
  parts_.log.warning(full ? "connections are refused" : "connections cannot be accepted",
                     {{"code", to_string(cause.code)},
                      {"cause", std::string_view(cause.text)},
                      {"suppressed", verdict.suppressed}});
}

void ClientProtocol::log_open(const Session& session) {
  const auto verdict = open_lines_.pass(RateLimit::Clock::now());
  if (!verdict.allowed) return;
  const std::string peer = session.connection->peer();
  parts_.log.info("session open", {{"session", session.id.value},
                                   {"role", name_of(session.role)},
                                   {"peer", std::string_view(peer)},
                                   {"client", std::string_view(session.client_name)},
                                   {"suppressed", verdict.suppressed}});
}

void ClientProtocol::log_close(const Session& session, const net::CloseCause& cause) {
  const std::string peer = session.connection->peer();
  const auto now = RateLimit::Clock::now();
  if (!session.welcomed) {
    const auto verdict = no_hello_lines_.pass(now);
    if (verdict.allowed) {
      parts_.log.info("connection closed before its hello",
                      {{"peer", std::string_view(peer)},
                       {"code", to_string(cause.code)},
                       {"cause", std::string_view(cause.text)},
                       {"suppressed", verdict.suppressed}});
    }
    return;
  }
  if (cause.code == ErrorCode::SlowConsumer) {
    const auto verdict = slow_consumer_warnings_.pass(now);
    if (verdict.allowed) {
      parts_.log.warning("a session was closed: its outbox is full",
                         {{"session", session.id.value},
                          {"peer", std::string_view(peer)},
                          {"cause", std::string_view(cause.text)},
                          {"suppressed", verdict.suppressed}});
    }
  }
  const auto verdict = close_lines_.pass(now);
  if (!verdict.allowed) return;
  parts_.log.info("session closed", {{"session", session.id.value},
                                     {"role", name_of(session.role)},
                                     {"peer", std::string_view(peer)},
                                     {"code", to_string(cause.code)},
                                     {"cause", std::string_view(cause.text)},
                                     {"suppressed", verdict.suppressed}});
}

void ClientProtocol::close(Session& session, ErrorCode code, std::string text) {
  session.connection->close({code, std::move(text)});
}

void ClientProtocol::reject(Session& session, ErrorCode code, std::string text) {
  std::vector<std::uint8_t> frames;
  wire::encode_reject({code, text}, frames);
  session.connection->close({code, std::move(text)}, std::move(frames));
}

void ClientProtocol::close_all() {
  stopping_ = true;
  for (const auto& session : parts_.sessions.all())
    close(*session, ErrorCode::ServerStopping, "the server stops; connect again in a moment");
}

// --- Messages --------------------------------------------------------------------------------

void ClientProtocol::handle(Session& session, const wire::ClientMessage& message) {
  const auto* hello = std::get_if<wire::HelloMessage>(&message);
  if (!session.welcomed) {
    if (hello != nullptr) return handle_hello(session, *hello);
    return close(session, ErrorCode::HandshakeExpected, "the first message must be a hello");
  }
  if (hello != nullptr)
    return close(session, ErrorCode::BadFrame, "a second hello; a connection has one session");
  if (const auto* commands = std::get_if<wire::CommandsMessage>(&message))
    return handle_commands(session, *commands);
  if (const auto* step = std::get_if<wire::StepMessage>(&message))
    return handle_step(session, *step);
  if (const auto* query = std::get_if<wire::QueryMessage>(&message))
    return handle_query(session, *query);
  if (const auto* ping = std::get_if<wire::PingMessage>(&message))
    return handle_ping(session, *ping);
  static_assert(std::variant_size_v<wire::ClientMessage> == 6, "every kind is handled above");
  close(session, ErrorCode::None, "goodbye");
}

void ClientProtocol::handle_hello(Session& session, const wire::HelloMessage& hello) {
  constexpr auto version_spoken = wire::protocol_version;
  if (hello.protocol_min > version_spoken || hello.protocol_max < version_spoken) {
    return reject(session, ErrorCode::VersionMismatch,
                  "the server speaks protocol version " + std::to_string(version_spoken) +
                      "; the client speaks " + std::to_string(hello.protocol_min) + " to " +
                      std::to_string(hello.protocol_max));
  }
  if (hello.role == Role::Player && hello.contacts == ContactScope::All) {
    return reject(session, ErrorCode::WrongRole,
                  "a player cannot receive the contacts of all entities; ask for Own or None");
  }
  session.role = hello.role;
  session.client_name = hello.client_name;
  session.welcomed = true;
  session.connection->authenticated();

  wire::WelcomeInfo welcome;
  welcome.session = session.id;
  welcome.role = session.role;
  welcome.tick_mode = settings_.tick_mode;
  welcome.tick_rate_hz = settings_.tick_rate_hz;
  welcome.tick = parts_.frames.pin()->tick;
  welcome.server_version = version();
  welcome.server_time_us = parts_.clock.now_us();
  welcome.entities_per_player_max = settings_.entities_per_player_max;
  welcome.world_half_size_m = settings_.world_half_size_m;
  std::vector<std::uint8_t> frames;
  wire::encode_welcome(welcome, frames);
  // The welcome goes first: from the push on, a tick may send this session its first frame.
  session.connection->send(frames);
  push_session_command(parts_.commands, session.id, open_sequence,
                       OpenSessionCommand{hello.role, hello.contacts, hello.contact_details});
  log_open(session);
}

void ClientProtocol::handle_commands(Session& session, const wire::CommandsMessage& message) {
  if (message.commands.empty()) return;
  if (message.first_sequence <= session.last_sequence) {
    return close(session, ErrorCode::BadFrame,
                 "command sequences must grow: " + std::to_string(message.first_sequence) +
                     " came after " + std::to_string(session.last_sequence));
  }
  session.last_sequence = message.commands.back().sequence;

  std::vector<Command> good;
  std::vector<wire::RefusedCommand> refused;
  for (const auto& decoded : message.commands) {
    const auto* body = std::get_if<CommandBody>(&decoded.outcome);
    if (body == nullptr) {
      refused.push_back({decoded.sequence, std::get<Error>(decoded.outcome)});
    } else if (Error error = refusal(session.role, *body); error.code != ErrorCode::None) {
      refused.push_back({decoded.sequence, std::move(error)});
    } else {
      good.push_back({session.id, decoded.sequence, *body});
    }
  }
  std::vector<std::uint64_t> sequences;  // push() takes the commands also when it refuses them
  for (const Command& command : good) sequences.push_back(command.sequence);
  if (!good.empty() && !parts_.commands.push(session.id, std::move(good))) {
    const Error full{ErrorCode::QueueFull, std::string(wire::describe(ErrorCode::QueueFull))};
    for (const std::uint64_t sequence : sequences) refused.push_back({sequence, full});
  }
  if (refused.empty()) return;
  std::sort(refused.begin(), refused.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  std::vector<std::uint8_t> frames;
  wire::encode_refusals(refused, frames);
  session.connection->send(frames);
}

void ClientProtocol::handle_step(Session& session, const wire::StepMessage& step) {
  Error error;
  if (session.role != Role::Authority) {
    error = {ErrorCode::WrongRole, "only an authority may step"};
  } else if (settings_.tick_mode != wire::TickMode::Manual) {
    error = {ErrorCode::WrongTickMode,
             "the server ticks by its timer; start it with --tick-mode manual"};
  } else if (step.count < 1 || step.count > limits::step_count_max) {
    error = {ErrorCode::LimitExceeded,
             "count must be from 1 to " + std::to_string(limits::step_count_max)};
  } else {
    error.code = parts_.request_step(session.id, step.sequence, step.count);
    if (error.code == ErrorCode::QueueFull)
      error.text = "too many step requests wait; send one at a time";
    if (error.code == ErrorCode::ServerStopping) error.text = "the server stops";
  }
  if (error.code == ErrorCode::None) return;  // the tick driver answers
  std::vector<std::uint8_t> frames;
  wire::encode_step_done(step.sequence, parts_.frames.pin()->tick, 0, error, frames);
  session.connection->send(frames);
}

void ClientProtocol::handle_query(Session& session, const wire::QueryMessage& query) {
  const auto frame = parts_.frames.pin();
  std::vector<std::uint8_t> frames;
  if (const auto* error = std::get_if<Error>(&query.outcome)) {
    wire::encode_query_error(query.request, frame->tick, frame->index_version, *error, frames);
  } else {
    wire::encode_query_answer(query.request, answer_query(*frame, std::get<Query>(query.outcome)),
                              frames);
  }
  session.connection->send(frames);
}

void ClientProtocol::handle_ping(Session& session, const wire::PingMessage& ping) {
  std::vector<std::uint8_t> frames;
  wire::encode_pong(ping.nonce, ping.client_time_us, parts_.clock.now_us(),
                    parts_.frames.pin()->tick, frames);
  session.connection->send(frames);
}

}  // namespace vicinity::app
