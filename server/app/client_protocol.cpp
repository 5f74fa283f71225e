// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/client_protocol.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "app/admission.h"
#include "app/command_rules.h"
#include "app/refusal_texts.h"
#include "app/version.h"
#include "base/check.h"
#include "base/limits.h"
#include "net/address_limits.h"

namespace vicinity::app {
namespace {

constexpr std::string_view server_stops = "the server stops; connect again in a moment";
constexpr std::string_view flooding = "the client went on above its rate; send less";

/// What a session gets per second of the `wanted` bytes; 0 = no bound, in each of them.
std::uint32_t granted_budget(Role role, std::uint32_t wanted, std::uint32_t setting) {
  if (role == Role::Authority || setting == 0) return wanted;
  return wanted == 0 ? setting : std::min(wanted, setting);
}

/// Authorities are trusted with as much as they need.
access::SessionRates rates_of(Role role, const access::SessionRates& setting) {
  return role == Role::Authority ? access::SessionRates{} : setting;
}

/// Contacts of others than its own would tell of every category.
bool is_within(const access::Caps& caps, ContactScope contacts) {
  return contacts != ContactScope::All || caps.categories == access::Caps{}.categories;
}

}  // namespace

ClientProtocol::ClientProtocol(const ProtocolSettings& settings, ProtocolParts parts)
    : settings_(settings),
      parts_(std::move(parts)),
      decode_limits_{settings.world_half_size_m},
      query_budget_(std::make_shared<access::QueryBudget>(settings.query_us_per_s_total)) {}

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
    const auto received_at = Clock::now();
    const auto session = parts_.sessions.of_connection(*connection);
    const auto passage =
        session ? session->guard->message(body.size() + limits::frame_prefix_bytes, received_at)
                : access::Passage::Within;
    if (passage == access::Passage::Flooding) return close_flooding(connection);
    wire::DecodeLimits limits = decode_limits_;
    limits.hello_only = session == nullptr;
    if (session) limits.refuse_built_shapes = why_not_build(*session, passage, received_at);
    const auto message = wire::decode_client_message(body, limits);
    if (!message.ok()) return close(connection, message.error().code, message.error().text);
    session ? handle({connection, *session, passage, received_at}, message.value())
            : handle_hello(connection, std::get<wire::HelloMessage>(message.value()));
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
    case ErrorCode::SlowConsumer:
    case ErrorCode::RateLimited: return 1'000;
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
  if (lost.loss == SessionRegistry::Loss::Parked || lost.loss == SessionRegistry::Loss::Ended)
    remember_rates(*lost.session, *connection);
  if (lost.loss == SessionRegistry::Loss::Ended)
    parts_.session_log.closed(*lost.session, *connection, cause);
}

void ClientProtocol::on_refused(const net::CloseCause& cause) { parts_.session_log.refused(cause); }

void ClientProtocol::close(const ConnectionPtr& connection, ErrorCode code, std::string text) {
  // At once: whoever is closed for flooding may be back before the connection is gone.
  if (const auto session = parts_.sessions.of_connection(*connection))
    remember_rates(*session, *connection);
  parts_.sessions.end(*connection, code);
  connection->close({code, std::move(text)});
}

void ClientProtocol::reject(const ConnectionPtr& connection, const Error& error) {
  std::vector<std::uint8_t> frames;
  wire::encode_reject(error, frames);
  connection->close({error.code, error.text}, std::move(frames));
}

void ClientProtocol::close_flooding(const ConnectionPtr& connection) {
  ++counters_.floods;
  close(connection, ErrorCode::RateLimited, std::string(flooding));
}

void ClientProtocol::close_expired(std::int64_t now_s) {
  for (const auto& session : parts_.sessions.all()) {
    // The connection first: one that comes with a new token has set the new end before it is there.
    const auto connection = session->connection();
    if (!connection || session->guard->ends_at_s > now_s) continue;
    ++counters_.expired;
    close(connection, ErrorCode::TokenExpired, "the token has expired; come back with a new one");
  }
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

ProtocolStats ClientProtocol::stats() const {
  return {counters_.commands_limited,  counters_.queries_limited, counters_.queries_crowded_out,
          query_budget_->charged_us(), counters_.floods,          counters_.expired,
          rate_memory_.count()};
}

/// By whom rates are remembered; empty: not at all. A subject that nobody proves is only a word.
std::string ClientProtocol::rates_owner(const net::Connection& connection,
                                        const std::string& subject) const {
  const bool is_proven = parts_.gatekeeper && parts_.gatekeeper->enabled();
  if (is_proven && !subject.empty()) return "subject " + subject;
  const auto key = net::address_key(connection.peer(), settings_.limit_loopback);
  return key ? "address " + std::string(key->begin(), key->end()) : std::string();
}

void ClientProtocol::remember_rates(const Session& session, const net::Connection& connection) {
  rate_memory_.remember(rates_owner(connection, session.subject), session.guard->meters(),
                        Clock::now());
}

// --- Messages --------------------------------------------------------------------------------

/// None, or why no hulls are built for the session now. For players they are paid for as queries
/// are: both are work of the net threads, of which a few bytes may ask for much.
ErrorCode ClientProtocol::why_not_build(const Session& session, access::Passage passage,
                                        Clock::time_point now) {
  if (session.role == Role::Authority) return ErrorCode::None;
  if (session.role == Role::Observer) return ErrorCode::WrongRole;
  const bool has_time = passage == access::Passage::Within && session.guard->has_query_time(now) &&
                        query_budget_->admits(false, now);
  return has_time ? ErrorCode::None : ErrorCode::RateLimited;
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
  const auto credentials = credentials_of(*connection, hello);
  if (!credentials.ok()) return reject(connection, credentials.error());
  // Here and when the server is full a Closing instead of a Reject: it says when to come again.
  if (stopping_) return close(connection, ErrorCode::ServerStopping, std::string(server_stops));
  if (hello.resume_token.empty()) {
    const Error full = check_newcomer(shedding(), hello.role, parts_.memory);
    if (full.code != ErrorCode::None) return close(connection, full.code, full.text);
  }
  if (!connection->authenticated()) {
    return close(connection, ErrorCode::ServerFull,
                 "all places are taken; try again later or raise session_count_max");
  }
  const Tick tick = parts_.frames.pin()->tick;
  const auto greet = [&](const Session& session, const SessionRegistry::Admission& admission) {
    // Resumed it may have another token than it began with. It has no connection yet, so that
    // nobody closes it for the old one.
    session.guard->ends_at_s = credentials.value().ends_at_s;
    return greeting(session, admission, tick);
  };
  SessionTraits traits = traits_of(hello, credentials.value());
  const auto now = Clock::now();
  const auto used_up = rate_memory_.recall(rates_owner(*connection, traits.subject), now);
  if (used_up) traits.guard->inherit(*used_up, now);
  const auto admitted =
      hello.resume_token.empty()
          ? parts_.sessions.open(std::move(traits), connection, greet)
          : parts_.sessions.resume(
                {hello.resume_token, hello.resume_tick, hello.resume_event_seq, tick}, traits,
                connection, greet, SessionRegistry::Clock::now());
  if (admitted.ok()) return;
  const Error& error = admitted.error();
  if (error.code != ErrorCode::ServerFull) return reject(connection, error);
  parts_.session_log.refused({error.code, error.text});
  close(connection, error.code, error.text);
}

/// Who the client is and what it is held to. Refusals say little: whoever tries tokens shall learn
/// nothing, and the log has the reason.
Result<ClientProtocol::Credentials, Error> ClientProtocol::credentials_of(
    const net::Connection& connection, const wire::HelloMessage& hello) {
  if (!parts_.gatekeeper || !parts_.gatekeeper->enabled())
    return Credentials{hello.subject, {}, access::SessionGuard::never_s};
  const auto checked = parts_.gatekeeper->check(hello.token);
  Error error;
  std::string reason;
  if (!checked.ok()) {
    error.code = checked.error().code;
    reason = checked.error().reason;
  } else if (hello.role > checked.value().role ||
             !is_within(checked.value().caps, hello.contacts)) {
    error = {ErrorCode::WrongRole, "the token does not allow this role or scope of contacts"};
    reason = "it does not allow the role or scope of contacts of the hello";
  } else if (!hello.subject.empty() && hello.subject != checked.value().subject) {
    error.code = ErrorCode::Unauthorized;
    reason = "it is of another subject than the hello";
  }
  if (error.code == ErrorCode::None)
    return Credentials{checked.value().subject, checked.value().caps, checked.value().ends_at_s};
  if (error.text.empty()) error.text = wire::describe(error.code);
  parts_.session_log.token_refused(connection, error.code, reason);
  return error;
}

SessionTraits ClientProtocol::traits_of(const wire::HelloMessage& hello,
                                        const Credentials& credentials) const {
  SessionTraits traits;
  traits.role = hello.role;
  traits.contacts = hello.contacts;
  traits.contact_details = hello.contact_details;
  traits.client_name = hello.client_name;
  traits.subject = credentials.subject;
  // A finer one than the server's would tell nothing more.
  traits.position_resolution_m =
      std::max(hello.position_resolution_m, settings_.position_resolution_m);
  traits.budget_bytes_per_s =
      granted_budget(hello.role, hello.budget_bytes_per_s, settings_.budget_bytes_per_s);
  if (const auto cap = credentials.caps.bytes_per_s; cap && *cap > 0) {
    auto& budget = traits.budget_bytes_per_s;
    budget = budget == 0 ? *cap : std::min(budget, *cap);
  }
  traits.guard = std::make_shared<access::SessionGuard>(rates_of(hello.role, settings_.rates),
                                                        credentials.caps, credentials.ends_at_s);
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
  if (message.has_built_shapes && session.role != Role::Authority) charge_since_received(peer);
  std::vector<Command> good;
  std::vector<wire::RefusedCommand> refused;
  const std::set<AreaId> areas = session.guard->areas();
  if (!sort_out(peer, message, good, refused)) return close_flooding(peer.connection);
  std::vector<std::uint64_t> sequences;  // the commands are gone, also when the door refuses them
  for (const Command& command : good) sequences.push_back(command.sequence);
  const Intake intake =
      session.take_commands(*peer.connection, message.first_sequence,
                            message.commands.back().sequence, std::move(good), parts_.commands);
  if (intake == Intake::Gone) return;  // with its guard
  if (intake == Intake::NotGrowing) {
    return close(peer.connection, ErrorCode::BadFrame,
                 "command sequences must grow: " + std::to_string(message.first_sequence) +
                     " came after " + std::to_string(session.last_sequence()));
  }
  if (intake == Intake::Full) {
    session.guard->restore_areas(areas);
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

/// Which commands of a message go to the tick. False when the client floods.
bool ClientProtocol::sort_out(const Peer& peer, const wire::CommandsMessage& message,
                              std::vector<Command>& good,
                              std::vector<wire::RefusedCommand>& refused) {
  access::SessionGuard& guard = *peer.session.guard;
  const auto now = Clock::now();
  for (const auto& decoded : message.commands) {
    const auto passage = guard.command(now);
    if (passage == access::Passage::Flooding) return false;
    Error error;
    if (passage == access::Passage::Refused || peer.passage == access::Passage::Refused) {
      ++counters_.commands_limited;
      error = {ErrorCode::RateLimited, std::string(too_fast)};
    } else if (const auto* fault = std::get_if<Error>(&decoded.outcome)) {
      error = *fault;
    } else {
      CommandBody body = std::get<CommandBody>(decoded.outcome);
      error = check_role(peer.session.role, body);
      // Before the caps, which count the areas that a session has.
      if (error.code == ErrorCode::None && parts_.memory)
        error = parts_.memory->check(body, peer.session.role == Role::Authority);
      if (error.code == ErrorCode::None) error = apply_caps(guard, body);
      if (error.code == ErrorCode::None)
        good.push_back({peer.session.id, decoded.sequence, std::move(body)});
    }
    if (error.code != ErrorCode::None) refused.push_back({decoded.sequence, std::move(error)});
  }
  return true;
}

void ClientProtocol::handle_step(const Peer& peer, const wire::StepMessage& step) {
  Error error;
  if (peer.session.role != Role::Authority) {
    error = {ErrorCode::WrongRole, "only an authority may step"};
  } else if (peer.passage == access::Passage::Refused) {
    error = {ErrorCode::RateLimited, std::string(too_fast)};
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

void ClientProtocol::handle_ping(const Peer& peer, const wire::PingMessage& ping) {
  if (peer.passage == access::Passage::Refused) return;  // above its rate nothing is answered
  const Tick tick = parts_.frames.pin()->tick;
  peer.session.acknowledge(*peer.connection, ping.ack_tick, tick);
  std::vector<std::uint8_t> frames;
  wire::encode_pong(ping.nonce, ping.client_time_us, parts_.clock.now_us(), tick, frames);
  peer.connection->send(frames);
}

}  // namespace vicinity::app
