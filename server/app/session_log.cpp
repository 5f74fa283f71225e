// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_log.h"

#include <cstddef>
#include <string>

#include "app/session_names.h"
#include "app/session_registry.h"

namespace vicinity::app {
namespace {

RateLimit::Verdict pass(RateLimit& limit) { return limit.pass(RateLimit::Clock::now()); }

}  // namespace

void SessionLog::opened(const Session& session, const net::Connection& connection) {
  const auto verdict = pass(opened_);
  if (!verdict.allowed) return;
  const std::string peer = connection.peer();
  log_.info("session open", {{"session", session.id.value},
                             {"tick", tick()},
                             {"role", name_of(session.role)},
                             {"peer", std::string_view(peer)},
                             {"client", std::string_view(session.client_name)},
                             {"subject", std::string_view(session.subject)},
                             {"suppressed", verdict.suppressed}});
}

void SessionLog::resumed(const Session& session, const net::Connection& connection,
                         bool view_reset) {
  const auto verdict = pass(resumed_);
  if (!verdict.allowed) return;
  const std::string peer = connection.peer();
  log_.info("session resumed", {{"session", session.id.value},
                                {"tick", tick()},
                                {"role", name_of(session.role)},
                                {"peer", std::string_view(peer)},
                                {"view", std::string_view(view_reset ? "begins anew" : "goes on")},
                                {"suppressed", verdict.suppressed}});
}

void SessionLog::parked(const Session& session, const net::CloseCause& cause) {
  const auto verdict = pass(parked_);
  if (!verdict.allowed) return;
  log_.info("session parked", {{"session", session.id.value},
                               {"tick", tick()},
                               {"role", name_of(session.role)},
                               {"code", to_string(cause.code)},
                               {"cause", std::string_view(cause.text)},
                               {"suppressed", verdict.suppressed}});
}

void SessionLog::expired(const Session& session, std::string_view why) {
  const auto verdict = pass(expired_);
  if (!verdict.allowed) return;
  log_.info("session expired", {{"session", session.id.value},
                                {"tick", tick()},
                                {"role", name_of(session.role)},
                                {"cause", why},
                                {"suppressed", verdict.suppressed}});
}

void SessionLog::taken_over(const Session& session) {
  const auto verdict = pass(taken_over_);
  if (!verdict.allowed) return;
  log_.info("session taken over", {{"session", session.id.value},
                                   {"tick", tick()},
                                   {"role", name_of(session.role)},
                                   {"subject", std::string_view(session.subject)},
                                   {"suppressed", verdict.suppressed}});
}

void SessionLog::closed(const Session& session, const net::Connection& connection,
                        const net::CloseCause& cause) {
  const std::string peer = connection.peer();
  if (cause.code == ErrorCode::SlowConsumer) {
    const auto verdict = pass(slow_consumer_);
    if (verdict.allowed) {
      log_.warning("a session was closed: its outbox is full",
                   {{"session", session.id.value},
                    {"tick", tick()},
                    {"peer", std::string_view(peer)},
                    {"cause", std::string_view(cause.text)},
                    {"suppressed", verdict.suppressed}});
    }
  }
  const auto verdict = pass(closed_);
  if (!verdict.allowed) return;
  log_.info("session closed", {{"session", session.id.value},
                               {"tick", tick()},
                               {"role", name_of(session.role)},
                               {"peer", std::string_view(peer)},
                               {"code", to_string(cause.code)},
                               {"cause", std::string_view(cause.text)},
                               {"suppressed", verdict.suppressed}});
}

void SessionLog::closed_before_hello(const net::Connection& connection,
                                     const net::CloseCause& cause) {
  const auto verdict = pass(no_hello_.at(static_cast<std::size_t>(cause.code)));
  if (!verdict.allowed) return;
  const std::string peer = connection.peer();
  log_.info("connection closed before its hello", {{"peer", std::string_view(peer)},
                                                   {"code", to_string(cause.code)},
                                                   {"cause", std::string_view(cause.text)},
                                                   {"suppressed", verdict.suppressed}});
}

void SessionLog::token_refused(const net::Connection& connection, ErrorCode code,
                               std::string_view reason) {
  const auto verdict = pass(token_refused_);
  if (!verdict.allowed) return;
  const std::string peer = connection.peer();
  log_.info("a token was refused", {{"peer", std::string_view(peer)},
                                    {"code", to_string(code)},
                                    {"reason", reason},
                                    {"suppressed", verdict.suppressed}});
}

void SessionLog::refused(const net::CloseCause& cause) {
  const bool full = cause.code == ErrorCode::ServerFull;
  const auto verdict = pass(full ? static_cast<RateLimit&>(server_full_) : accept_);
  if (!verdict.allowed) return;
  log_.warning(full ? "connections are refused" : "connections cannot be accepted",
               {{"code", to_string(cause.code)},
                {"cause", std::string_view(cause.text)},
                {"suppressed", verdict.suppressed}});
}

}  // namespace vicinity::app
