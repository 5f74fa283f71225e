// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The part of the protocol that answers questions, or says why not.

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/client_protocol.h"
#include "app/command_rules.h"
#include "app/refusal_texts.h"
#include "base/activity.h"
#include "base/limits.h"
#include "query/explain_text.h"

namespace vicinity::app {

void ClientProtocol::handle_query(const Peer& peer, const wire::QueryMessage& message) {
  const Activity activity("query");
  access::SessionGuard& guard = *peer.session.guard;
  const auto asked_at = Clock::now();
  auto passage = guard.query(asked_at);
  if (passage == access::Passage::Flooding) return close_flooding(peer.connection);
  if (peer.passage == access::Passage::Refused) passage = access::Passage::Refused;
  const auto frame = parts_.frames.pin();
  Error error;
  Query query;
  if (const auto* fault = std::get_if<Error>(&message.outcome)) {
    error = *fault;
  } else {
    query = std::get<Query>(message.outcome);
    error = apply_caps(guard.caps, query);
  }
  if (error.code == ErrorCode::None && passage == access::Passage::Refused) {
    ++counters_.queries_limited;
    error = {ErrorCode::RateLimited, std::string(too_fast)};
  } else if (error.code == ErrorCode::None &&
             !query_budget_->admits(peer.session.role == Role::Authority, asked_at)) {
    ++counters_.queries_crowded_out;
    error = {ErrorCode::RateLimited, std::string(crowded_out)};
  } else if (error.code == ErrorCode::None && sheds_query(frame->tick)) {
    error = {ErrorCode::QueueFull, std::string(overloaded)};
  } else if (error.code == ErrorCode::None) {
    error = check_room_for_answer(peer);
  }
  if (error.code == ErrorCode::None) {
    if (const auto* of_view = std::get_if<ExplainViewQuery>(&query.body)) {
      error = ask_view(peer, message.request, *of_view);
      if (error.code == ErrorCode::None) return;  // the tick driver answers
    }
  }
  std::vector<std::uint8_t> frames;
  if (error.code == ErrorCode::None) {
    const QueryAnswer answer = answer_query(*frame, query);
    if (answer.pair && answer.pair->missed) report_missed(answer);
    wire::encode_query_answer(message.request, answer, frames);
  } else {
    wire::encode_query_error(message.request, frame->tick, frame->index_version, error, frames);
  }
  // Decoding counts: what a frustum or a shape says is work, too.
  charge_since_received(peer);
  peer.connection->send(frames);
}

/// None, or why an answer would find no room. Answers that nobody reads lie in the outbox, where a
/// few bytes of question become many; who commands the world is not kept from asking.
Error ClientProtocol::check_room_for_answer(const Peer& peer) const {
  if (peer.session.role == Role::Authority) return {};
  if (peer.connection->outbox_bytes() > limits::unread_answers_bytes_max)
    return {ErrorCode::RateLimited, std::string(unread)};
  if (!parts_.memory || parts_.memory->why_closed().empty()) return {};
  return {ErrorCode::ServerFull, std::string(short_of_memory)};
}

void ClientProtocol::charge_since_received(const Peer& peer) {
  const auto now = Clock::now();
  charge(peer.session,
         std::chrono::duration_cast<std::chrono::microseconds>(now - peer.received_at), now);
}

void ClientProtocol::charge(const Session& session, std::chrono::microseconds cost,
                            Clock::time_point now) {
  session.guard->charge_query(cost, now);
  query_budget_->charge(cost, session.role == Role::Authority, now);
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
  const bool is_authority = peer.session.role == Role::Authority;
  const ErrorCode code = parts_.ask_view
                             ? parts_.ask_view({peer.connection, request, query, peer.session.guard,
                                                query_budget_, is_authority})
                             : ErrorCode::QueueFull;
  // At once for the place in the queue; the tick thread adds what the answer takes.
  if (code == ErrorCode::None) {
    charge(peer.session, std::chrono::microseconds(limits::view_question_price_us), Clock::now());
    return {};
  }
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

}  // namespace vicinity::app
