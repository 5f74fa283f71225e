// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/client_protocol.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include "app/version.h"
#include "base/activity.h"
#include "base/check.h"
#include "base/limits.h"
#include "query/explain_text.h"

namespace vicinity::app {
namespace {

constexpr std::string_view overloaded = "the server is overloaded; try again in a moment";
constexpr std::string_view server_stops = "the server stops; connect again in a moment";

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

/// What a session gets per second of the `wanted` bytes; 0 = no bound, in each of them.
std::uint32_t granted_budget(Role role, std::uint32_t wanted, std::uint32_t setting) {
  if (role == Role::Authority || setting == 0) return wanted;
  return wanted == 0 ? setting : std::min(wanted, setting);
}

}  // namespace

ClientProtocol::ClientProtocol(const ProtocolSettings& settings, ProtocolParts parts)
    : settings_(settings), parts_(std::move(parts)), decode_limits_{settings.world_half_size_m} {}

// --- Connections -----------------------------------------------------------------------------

void ClientProtocol::on_open(const ConnectionPtr& connection) {
  parts_.sessions.sweep(SessionRegistry::Clock::now());
  {
    const std::lock_guard lock(mutex_);
    const bool added = connections_.emplace(connection->id(), connection).second;
    CHECK(added);
  }
  if (stopping_) close(connection, ErrorCode::ServerStopping, std::string(server_stops));
}

void ClientProtocol::on_frame(const ConnectionPtr& connection, std::span<const std::uint8_t> body) {
  try {
    const auto message = wire::decode_client_message(body, decode_limits_);
    if (!message.ok()) return close(connection, message.error().code, message.error().text);
    const auto session = parts_.sessions.of_connection(*connection);
    session ? handle({connection, *session}, message.value())
            : handle_first(connection, message.value());
  } catch (const std::exception& error) {
    parts_.log.error("a message could not be handled",
                     {{"connection", connection->id()},
                      {"session", session_of(*connection)},
                      {"reason", std::string_view(error.what())}});
    close(connection, ErrorCode::Internal, "the server could not handle the message");
  }
}

/// 0 = none.
std::uint64_t ClientProtocol::session_of(const net::Connection& connection) const {
  const auto session = parts_.sessions.of_connection(connection);
  return session ? session->id.value : 0;
}

std::vector<std::uint8_t> ClientProtocol::farewell(const net::CloseCause& cause) {
  std::vector<std::uint8_t> frames;
  wire::encode_closing({cause.code, cause.text}, retry_after_ms(cause.code), frames);
  return frames;
}

/// Advice in the farewell: how long until a new attempt makes sense. 0 = no advice.
std::uint32_t ClientProtocol::retry_after_ms(ErrorCode code) const {
  switch (code) {
    case ErrorCode::ServerFull: return 5'000;
    case ErrorCode::ServerStopping: return settings_.retry_after_ms;
    case ErrorCode::SlowConsumer: return 1'000;
    default: return 0;
  }
}

void ClientProtocol::on_close(const ConnectionPtr& connection, const net::CloseCause& cause) {
  const auto now = SessionRegistry::Clock::now();
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection->id());
  }
  const auto lost = parts_.sessions.lose(*connection, cause, now);
  parts_.sessions.sweep(now);
  if (lost.loss == SessionRegistry::Loss::NoSession) {
    ++turned_away_.at(static_cast<std::size_t>(cause.code));
    parts_.session_log.closed_before_hello(*connection, cause);
  }
  if (lost.loss == SessionRegistry::Loss::Ended)
    parts_.session_log.closed(*lost.session, *connection, cause);
}

void ClientProtocol::on_refused(const net::CloseCause& cause) { parts_.session_log.refused(cause); }

void ClientProtocol::close(const ConnectionPtr& connection, ErrorCode code, std::string text) {
  parts_.sessions.end(*connection, code);
  connection->close({code, std::move(text)});
}

void ClientProtocol::reject(const ConnectionPtr& connection, const Error& error) {
  std::vector<std::uint8_t> frames;
  wire::encode_reject(error, frames);
  connection->close({error.code, error.text}, std::move(frames));
}

void ClientProtocol::refuse_newcomers() { stopping_ = true; }

bool ClientProtocol::kick(SessionId session) {
  const auto ended = parts_.sessions.end(session, ErrorCode::None);
  if (!ended) return false;
  if (*ended) (*ended)->close({ErrorCode::None, "an operator ended the session"});
  return true;
}

std::uint64_t ClientProtocol::turned_away(ErrorCode code) const {
  return turned_away_.at(static_cast<std::size_t>(code));
}

void ClientProtocol::close_all() {
  stopping_ = true;
  std::vector<ConnectionPtr> connections;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, connection] : connections_) connections.push_back(connection);
  }
  for (const auto& connection : connections)
    close(connection, ErrorCode::ServerStopping, std::string(server_stops));
}

// --- Messages --------------------------------------------------------------------------------

void ClientProtocol::handle_first(const ConnectionPtr& connection,
                                  const wire::ClientMessage& message) {
  const auto* hello = std::get_if<wire::HelloMessage>(&message);
  if (hello != nullptr) return handle_hello(connection, *hello);
  close(connection, ErrorCode::HandshakeExpected, "the first message must be a hello");
}

void ClientProtocol::handle(const Peer& peer, const wire::ClientMessage& message) {
  if (std::holds_alternative<wire::HelloMessage>(message)) {
    return close(peer.connection, ErrorCode::BadFrame,
                 "a second hello; a connection has one session");
  }
  if (const auto* commands = std::get_if<wire::CommandsMessage>(&message))
    return handle_commands(peer, *commands);
  if (const auto* step = std::get_if<wire::StepMessage>(&message)) return handle_step(peer, *step);
  if (const auto* query = std::get_if<wire::QueryMessage>(&message))
    return handle_query(peer, *query);
  if (const auto* ping = std::get_if<wire::PingMessage>(&message)) return handle_ping(peer, *ping);
  static_assert(std::variant_size_v<wire::ClientMessage> == 6, "every kind is handled above");
  close(peer.connection, ErrorCode::None, "goodbye");
}

void ClientProtocol::handle_hello(const ConnectionPtr& connection,
                                  const wire::HelloMessage& hello) {
  constexpr auto version_spoken = wire::protocol_version;
  if (hello.protocol_min > version_spoken || hello.protocol_max < version_spoken) {
    return reject(connection,
                  {ErrorCode::VersionMismatch,
                   "the server speaks protocol version " + std::to_string(version_spoken) +
                       "; the client speaks " + std::to_string(hello.protocol_min) + " to " +
                       std::to_string(hello.protocol_max)});
  }
  if (hello.role == Role::Player && hello.contacts == ContactScope::All) {
    return reject(connection,
                  {ErrorCode::WrongRole,
                   "a player cannot receive the contacts of all entities; ask for Own or None"});
  }
  // Here and when the server is full a Closing instead of a Reject: it says when to come again.
  if (stopping_) return close(connection, ErrorCode::ServerStopping, std::string(server_stops));
  if (hello.resume_token.empty() && shedding() >= Shedding::Sessions)
    return close(connection, ErrorCode::ServerFull, std::string(overloaded));
  if (!connection->authenticated()) {
    return close(connection, ErrorCode::ServerFull,
                 "all places are taken; try again later or raise session_count_max");
  }
  const Tick tick = parts_.frames.pin()->tick;
  const auto greet = [&](const Session& session, const SessionRegistry::Admission& admission) {
    return greeting(session, admission, tick);
  };
  const auto admitted =
      hello.resume_token.empty()
          ? parts_.sessions.open(traits_of(hello), connection, greet)
          : parts_.sessions.resume(
                {hello.resume_token, hello.resume_tick, hello.resume_event_seq, tick},
                traits_of(hello), connection, greet, SessionRegistry::Clock::now());
  if (admitted.ok()) return;
  const Error& error = admitted.error();
  if (error.code != ErrorCode::ServerFull) return reject(connection, error);
  parts_.session_log.refused({error.code, error.text});
  close(connection, error.code, error.text);
}

SessionTraits ClientProtocol::traits_of(const wire::HelloMessage& hello) const {
  SessionTraits traits;
  traits.role = hello.role;
  traits.contacts = hello.contacts;
  traits.contact_details = hello.contact_details;
  traits.client_name = hello.client_name;
  traits.subject = hello.subject;
  // A finer one than the server's would tell nothing more.
  traits.position_resolution_m =
      std::max(hello.position_resolution_m, settings_.position_resolution_m);
  traits.budget_bytes_per_s =
      granted_budget(hello.role, hello.budget_bytes_per_s, settings_.budget_bytes_per_s);
  return traits;
}

std::vector<std::uint8_t> ClientProtocol::greeting(const Session& session,
                                                   const SessionRegistry::Admission& admission,
                                                   Tick tick) const {
  const std::string token = session.token.text();
  const std::string server_version = full_version();
  wire::WelcomeInfo welcome;
  welcome.session = session.id;
  welcome.role = session.role;
  welcome.tick_mode = settings_.tick_mode;
  welcome.tick_rate_hz = settings_.tick_rate_hz;
  welcome.tick = tick;
  welcome.server_version = server_version;
  welcome.server_time_us = parts_.clock.now_us();
  welcome.entities_per_player_max = settings_.entities_per_player_max;
  welcome.world_half_size_m = settings_.world_half_size_m;
  welcome.resume_token = token;
  welcome.resumed = admission.resumed;
  welcome.view_reset = admission.view_reset;
  welcome.last_sequence = admission.last_sequence;
  welcome.grace_ms = settings_.grace_ms;
  welcome.position_resolution_m = session.position_resolution_m;
  welcome.budget_bytes_per_s = session.budget_bytes_per_s;
  std::vector<std::uint8_t> frames;
  wire::encode_welcome(welcome, frames);
  return frames;
}

void ClientProtocol::handle_commands(const Peer& peer, const wire::CommandsMessage& message) {
  Session& session = peer.session;
  session.acknowledge(*peer.connection, message.ack_tick, parts_.frames.pin()->tick);
  if (message.commands.empty()) return;
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
  std::vector<std::uint64_t> sequences;  // the commands are gone, also when the door refuses them
  for (const Command& command : good) sequences.push_back(command.sequence);
  const Intake intake =
      session.take_commands(*peer.connection, message.first_sequence,
                            message.commands.back().sequence, std::move(good), parts_.commands);
  if (intake == Intake::Gone) return;
  if (intake == Intake::NotGrowing) {
    return close(peer.connection, ErrorCode::BadFrame,
                 "command sequences must grow: " + std::to_string(message.first_sequence) +
                     " came after " + std::to_string(session.last_sequence()));
  }
  if (intake == Intake::Full) {
    const Error full{ErrorCode::QueueFull, std::string(wire::describe(ErrorCode::QueueFull))};
    for (const std::uint64_t sequence : sequences) refused.push_back({sequence, full});
  }
  if (refused.empty()) return;
  std::sort(refused.begin(), refused.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  std::vector<std::uint8_t> frames;
  wire::encode_refusals(refused, frames);
  peer.connection->send(frames);
}

void ClientProtocol::handle_step(const Peer& peer, const wire::StepMessage& step) {
  Error error;
  if (peer.session.role != Role::Authority) {
    error = {ErrorCode::WrongRole, "only an authority may step"};
  } else if (settings_.tick_mode != wire::TickMode::Manual) {
    error = {ErrorCode::WrongTickMode,
             "the server ticks by its timer; start it with --tick-mode manual"};
  } else if (step.count < 1 || step.count > limits::step_count_max) {
    error = {ErrorCode::LimitExceeded,
             "count must be from 1 to " + std::to_string(limits::step_count_max)};
  } else {
    error.code = parts_.request_step(peer.session.id, step.sequence, step.count);
    if (error.code == ErrorCode::QueueFull)
      error.text = "too many step requests wait; send one at a time";
    if (error.code == ErrorCode::ServerStopping) error.text = "the server stops";
  }
  if (error.code == ErrorCode::None) return;  // the tick driver answers
  std::vector<std::uint8_t> frames;
  wire::encode_step_done(step.sequence, parts_.frames.pin()->tick, 0, error, frames);
  peer.connection->send(frames);
}

void ClientProtocol::handle_query(const Peer& peer, const wire::QueryMessage& query) {
  const Activity activity("query");
  const auto frame = parts_.frames.pin();
  std::vector<std::uint8_t> frames;
  if (const auto* error = std::get_if<Error>(&query.outcome)) {
    wire::encode_query_error(query.request, frame->tick, frame->index_version, *error, frames);
  } else if (sheds_query(frame->tick)) {
    wire::encode_query_error(query.request, frame->tick, frame->index_version,
                             {ErrorCode::QueueFull, std::string(overloaded)}, frames);
  } else if (const auto* of_view =
                 std::get_if<ExplainViewQuery>(&std::get<Query>(query.outcome).body)) {
    const Error refused = ask_view(peer, query.request, *of_view);
    if (refused.code == ErrorCode::None) return;  // the tick driver answers
    wire::encode_query_error(query.request, frame->tick, frame->index_version, refused, frames);
  } else {
    const QueryAnswer answer = answer_query(*frame, std::get<Query>(query.outcome));
    if (answer.pair && answer.pair->missed) report_missed(answer);
    wire::encode_query_answer(query.request, answer, frames);
  }
  peer.connection->send(frames);
}

/// A defect that somebody's question brought to light.
void ClientProtocol::report_missed(const QueryAnswer& answer) {
  const auto verdict = missed_warnings_.pass(RateLimit::Clock::now());
  if (!verdict.allowed) return;
  parts_.log.error("an explanation found what the index missed",
                   {{"tick", answer.tick},
                    {"a", answer.pair->a.id.raw()},
                    {"b", answer.pair->b.id.raw()},
                    {"stage", to_string(answer.pair->stage)},
                    {"suppressed", verdict.suppressed}});
}

/// Views live in the tick room. What somebody else sees is for an authority to know.
Error ClientProtocol::ask_view(const Peer& peer, std::uint64_t request, ExplainViewQuery query) {
  if (query.session == SessionId{}) query.session = peer.session.id;
  if (query.session != peer.session.id && peer.session.role != Role::Authority)
    return {ErrorCode::WrongRole, "only an authority may ask about the views of other sessions"};
  const ErrorCode code =
      parts_.ask_view ? parts_.ask_view({peer.connection, request, query}) : ErrorCode::QueueFull;
  if (code == ErrorCode::None) return {};
  return {code, "too many questions about views wait; ask one at a time"};
}

/// Under overload only so many queries per tick are answered, of all sessions together.
bool ClientProtocol::sheds_query(Tick tick) {
  if (shedding() < Shedding::Queries) return false;
  const std::uint64_t this_tick = tick << 32;
  std::uint64_t seen = shed_queries_.load();
  for (;;) {
    const std::uint64_t mine = (seen ^ this_tick) >> 32 == 0 ? seen : this_tick;
    if ((mine & 0xFFFF'FFFF) >= limits::queries_per_tick_under_overload) return true;
    if (shed_queries_.compare_exchange_weak(seen, mine + 1)) return false;
  }
}

void ClientProtocol::handle_ping(const Peer& peer, const wire::PingMessage& ping) {
  const Tick tick = parts_.frames.pin()->tick;
  peer.session.acknowledge(*peer.connection, ping.ack_tick, tick);
  std::vector<std::uint8_t> frames;
  wire::encode_pong(ping.nonce, ping.client_time_us, parts_.clock.now_us(), tick, frames);
  peer.connection->send(frames);
}

}  // namespace vicinity::app
