// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_registry.h"

#include <limits>
#include <utility>

#include "base/check.h"

namespace vicinity::app {
namespace {

// Invariant: opening sorts before, and closing behind, every command of the session in its tick.
constexpr std::uint64_t open_sequence = 0;
constexpr std::uint64_t close_sequence = std::numeric_limits<std::uint64_t>::max();

/// The client may not even know that the connection is gone, and comes back. All other causes are
/// somebody's decision to end the session.
bool is_loss(const net::CloseCause& cause) {
  return cause.code == ErrorCode::None || cause.code == ErrorCode::IdleTimeout;
}

store::SessionRecord record_of(const Session& session) {
  store::SessionRecord record;
  record.id = session.id;
  record.token = session.token.text();
  record.role = session.role;
  record.contacts = session.contacts;
  record.contact_details = session.contact_details;
  record.client_name = session.client_name;
  record.subject = session.subject;
  record.position_resolution_m = session.position_resolution_m;
  record.budget_bytes_per_s = session.budget_bytes_per_s;
  record.caps = session.guard->caps;
  return record;
}

SessionTraits traits_of(const store::SessionRecord& record) {
  SessionTraits traits;
  traits.role = record.role;
  traits.contacts = record.contacts;
  traits.contact_details = record.contact_details;
  traits.client_name = record.client_name;
  traits.subject = record.subject;
  traits.position_resolution_m = record.position_resolution_m;
  traits.budget_bytes_per_s = record.budget_bytes_per_s;
  // Rates, and the end of its token, come with who resumes it.
  traits.guard = std::make_shared<access::SessionGuard>(access::SessionRates{}, record.caps);
  return traits;
}

void close_taken_over(const std::shared_ptr<net::Connection>& connection, std::string text) {
  if (connection) connection->close({ErrorCode::TakenOver, std::move(text)});
}

}  // namespace

SessionRegistry::SessionRegistry(const SessionSettings& settings, CommandQueue& commands,
                                 SessionLog* log)
    : settings_(settings), commands_(commands), log_(log), token_key_(random_key()) {}

// --- Coming ----------------------------------------------------------------------------------

SessionRegistry::Admitted SessionRegistry::open(SessionTraits traits,
                                                const std::shared_ptr<net::Connection>& connection,
                                                const Greeting& greeting) {
  const ResumeToken token = ResumeToken::random();
  std::shared_ptr<net::Connection> replaced;
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto same = by_subject_.find(traits.subject);
    if (same != by_subject_.end()) {
      const auto old = entries_.find(same->second);
      CHECK(old != entries_.end());
      replaced = old->second.session->connection();
      keep_rates(*old->second.session, traits, Clock::now());
      if (log_ != nullptr) log_->taken_over(*old->second.session);
      ++stats_.taken_over;
      end_locked(old, ErrorCode::TakenOver, false);
    }
    if (!make_room()) {
      return Error{ErrorCode::ServerFull, "all " + std::to_string(settings_.session_count_max) +
                                              " sessions are taken; try again later or raise "
                                              "session_count_max"};
    }
    session = std::make_shared<Session>(SessionId{++last_id_}, std::move(traits), token);
    const auto greeted = greeting(*session, {});
    connection->send(greeted);
    session->connection_ = connection;  // nobody else has the session yet
    entries_.emplace(session->id, Entry{session, false, {}, ErrorCode::None});
    by_connection_.emplace(connection->id(), session);
    by_token_.emplace(token.place(token_key_), session->id);
    if (!session->subject.empty()) by_subject_.emplace(session->subject, session->id);
    ++stats_.opened;
    if (keeps_welcomed_) welcomed_.emplace(session->id, record_of(*session));
    push(session->id, open_sequence,
         OpenSessionCommand{session->role, session->contacts, session->contact_details});
  }
  if (log_ != nullptr) log_->opened(*session, *connection);
  close_taken_over(replaced, "a new session of the same subject takes the place of this one");
  return session;
}

SessionRegistry::Admitted SessionRegistry::resume(
    const ResumeRequest& request, const SessionTraits& traits,
    const std::shared_ptr<net::Connection>& connection, const Greeting& greeting,
    Clock::time_point now) {
  const auto token = ResumeToken::parse(request.token);
  std::shared_ptr<net::Connection> replaced;
  std::shared_ptr<Session> session;
  Admission admission{true, false, 0};
  {
    const std::lock_guard lock(mutex_);
    sweep_locked(now);
    const auto found = token ? find_token(*token) : entries_.end();
    if (found == entries_.end())
      return refuse_resume("no session has this resume token, or it has ended; begin a new one");
    session = found->second.session;
    if (traits.role != session->role || traits.contacts != session->contacts ||
        traits.contact_details != session->contact_details) {
      return refuse_resume(
          "role, contacts and contact_details must be those that the session began with");
    }
    if (!traits.subject.empty() && traits.subject != session->subject)
      return refuse_resume("subject must be empty or the one that the session began with");
    const std::lock_guard session_lock(session->mutex_);
    if (traits.guard->caps != session->guard->caps)
      return refuse_resume("the token must have the caps of the one that the session began with");
    if (session->is_restored_) {  // the rates of an earlier run were not kept
      traits.guard->keep_areas(session->guard->areas());
      session->guard = traits.guard;
    }
    const Tick oldest = session->resumable_from.load();
    // A client that was told of a reset has nothing of before, even if it was lost right after.
    admission.view_reset = request.tick < oldest || request.tick <= session->reset_after_ ||
                           request.tick > request.newest || session->is_restored_;
    // Ticks that an earlier run told and lost are no ticks of this one.
    const Tick told_in_vain = session->is_restored_ ? request.tick : 0;
    session->is_restored_ = false;
    if (admission.view_reset) {
      session->reset_after_ = std::max(request.newest, told_in_vain);
      // The tick room tells the client of all open contacts again.
      push(session->id, open_sequence,
           OpenSessionCommand{session->role, session->contacts, session->contact_details,
                              ++session->view_number_});
    }
    admission.last_sequence = session->last_sequence_;
    const auto greeted = greeting(*session, admission);
    connection->send(greeted);
    session->acked_tick.store(admission.view_reset ? 0 : request.tick);
    session->resume_ =
        ResumePoint{request.tick, request.event_seq, admission.view_reset, session->view_number_};
    replaced = std::exchange(session->connection_, connection);
    by_connection_.emplace(connection->id(), session);
    unpark(found->second);
    ++stats_.resumed;
  }
  if (log_ != nullptr) log_->resumed(*session, *connection, admission.view_reset);
  close_taken_over(replaced, "another connection goes on with this session");
  return session;
}

/// Who takes the place of its own session finds its rates as it left them.
/// The guard is a new one: what still comes in for the old session is not the new one's.
void SessionRegistry::keep_rates(Session& old, SessionTraits& traits, Clock::time_point now) {
  const std::lock_guard session_lock(old.mutex_);
  traits.guard->inherit(old.guard->meters(), now);
}

/// False when all places are taken by live sessions. The longest parked goes first.
bool SessionRegistry::make_room() {
  if (entries_.size() < settings_.session_count_max) return true;
  if (parked_.empty()) return false;
  expire(entries_.find(parked_.begin()->second), "its place was needed");
  return true;
}

SessionRegistry::Entries::iterator SessionRegistry::find_token(const ResumeToken& token) {
  const auto [first, last] = by_token_.equal_range(token.place(token_key_));
  for (auto entry = first; entry != last; ++entry) {
    const auto found = entries_.find(entry->second);
    CHECK(found != entries_.end());
    if (found->second.session->token.same_as(token)) return found;
  }
  return entries_.end();
}

Error SessionRegistry::refuse_resume(std::string text) {
  ++stats_.resume_refused;
  return {ErrorCode::ResumeRefused, std::move(text)};
}

// --- Going -----------------------------------------------------------------------------------

SessionRegistry::Lost SessionRegistry::lose(const net::Connection& connection,
                                            const net::CloseCause& cause, Clock::time_point now) {
  Lost lost;
  const std::lock_guard lock(mutex_);
  const auto bound = by_connection_.find(connection.id());
  if (bound == by_connection_.end()) return lost;
  lost.session = bound->second;
  by_connection_.erase(bound);
  const auto found = entries_.find(lost.session->id);
  if (found == entries_.end()) {
    lost.loss = Loss::Ended;
  } else if (lost.session->connection().get() != &connection) {
    lost.loss = Loss::Elsewhere;
  } else if (is_loss(cause) && settings_.grace.count() > 0) {
    lost.loss = Loss::Parked;
    park(found->second, cause, now);
  } else {
    lost.loss = Loss::Ended;
    end_locked(found, cause.code, settings_.on_disconnect == OnDisconnect::Keep);
  }
  return lost;
}

void SessionRegistry::park(Entry& entry, const net::CloseCause& cause, Clock::time_point now) {
  Session& session = *entry.session;
  const std::lock_guard session_lock(session.mutex_);
  session.connection_.reset();
  session.resume_.reset();  // of a connection that no tick has seen
  entry.is_parked = true;
  entry.grace_ends = now + settings_.grace;
  entry.lost_with = cause.code;
  parked_.emplace(entry.grace_ends, session.id);
  ++stats_.parked;
  // Behind everything that was received, and before all that comes after a resume.
  if (session.role == Role::Player && settings_.on_disconnect == OnDisconnect::Despawn)
    push(session.id, session.last_sequence_, DespawnOwnedCommand{});
  if (log_ != nullptr) log_->parked(session, cause);
}

void SessionRegistry::unpark(Entry& entry) {
  if (!std::exchange(entry.is_parked, false)) return;
  parked_.erase({entry.grace_ends, entry.session->id});
}

void SessionRegistry::expire(Entries::iterator entry, std::string_view why) {
  CHECK(entry != entries_.end() && entry->second.is_parked);
  if (log_ != nullptr) log_->expired(*entry->second.session, why);
  ++stats_.expired;
  end_locked(entry, entry->second.lost_with, settings_.on_disconnect == OnDisconnect::Keep);
}

void SessionRegistry::end_locked(Entries::iterator entry, ErrorCode code, bool keep_entities) {
  const std::shared_ptr<Session> session = entry->second.session;
  unpark(entry->second);
  entries_.erase(entry);
  welcomed_.erase(session->id);
  const auto [first, last] = by_token_.equal_range(session->token.place(token_key_));
  for (auto place = first; place != last; ++place) {
    if (place->second != session->id) continue;
    by_token_.erase(place);
    break;
  }
  if (!session->subject.empty()) by_subject_.erase(session->subject);
  const auto index = static_cast<std::size_t>(code);
  CHECK(index < stats_.ended.size());
  ++stats_.ended[index];
  const std::lock_guard session_lock(session->mutex_);
  session->is_ended_ = true;
  session->connection_.reset();
  push(session->id, close_sequence, CloseSessionCommand{keep_entities});
}

void SessionRegistry::end(const net::Connection& carrier, ErrorCode code) {
  const std::lock_guard lock(mutex_);
  const auto bound = by_connection_.find(carrier.id());
  if (bound == by_connection_.end()) return;
  const auto entry = entries_.find(bound->second->id);
  if (entry == entries_.end() || bound->second->connection().get() != &carrier) return;
  end_locked(entry, code, settings_.on_disconnect == OnDisconnect::Keep);
}

std::optional<std::shared_ptr<net::Connection>> SessionRegistry::end(SessionId session,
                                                                     ErrorCode code) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(session);
  if (entry == entries_.end()) return std::nullopt;
  auto connection = entry->second.session->connection();
  end_locked(entry, code, settings_.on_disconnect == OnDisconnect::Keep);
  return connection;
}

void SessionRegistry::sweep(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  sweep_locked(now);
}

void SessionRegistry::sweep_locked(Clock::time_point now) {
  while (!parked_.empty() && parked_.begin()->first <= now)
    expire(entries_.find(parked_.begin()->second), "nobody resumed it in time");
}

void SessionRegistry::push(SessionId session, std::uint64_t sequence, CommandBody body) {
  std::vector<Command> commands;
  commands.push_back({session, sequence, std::move(body)});
  const bool taken = commands_.push(session, std::move(commands));
  CHECK(taken);  // the queue always takes what the server itself says
}

// --- An earlier run --------------------------------------------------------------------------

void SessionRegistry::restore(const std::vector<store::SessionRecord>& sessions,
                              std::uint64_t last_id, Clock::time_point now,
                              const AreasOf& areas_of) {
  const std::lock_guard lock(mutex_);
  CHECK(entries_.empty());
  last_id_ = last_id;
  for (const store::SessionRecord& record : sessions) {
    const auto token = ResumeToken::parse(record.token);
    if (!token) {
      push(record.id, close_sequence,
           CloseSessionCommand{settings_.on_disconnect == OnDisconnect::Keep});
      continue;
    }
    const auto session = std::make_shared<Session>(record.id, traits_of(record), *token);
    session->last_sequence_ = record.last_sequence;
    session->view_number_ = record.view_number;
    session->is_restored_ = true;
    if (areas_of) session->guard->keep_areas(areas_of(session->id));
    by_token_.emplace(token->place(token_key_), session->id);
    if (!session->subject.empty()) by_subject_.emplace(session->subject, session->id);
    Entry& entry = entries_[session->id];
    entry.session = session;
    park(entry, {ErrorCode::ServerStopping, "the server began anew"}, now);
  }
}

void SessionRegistry::keep_welcomed() {
  const std::lock_guard lock(mutex_);
  keeps_welcomed_ = true;
}

std::vector<store::SessionRecord> SessionRegistry::take_welcomed(
    const std::vector<Command>& drained) {
  std::vector<store::SessionRecord> out;
  const std::lock_guard lock(mutex_);
  if (welcomed_.empty()) return out;
  for (const Command& command : drained) {
    if (welcomed_.empty()) break;  // others wait for the mutex
    if (!std::holds_alternative<OpenSessionCommand>(command.body)) continue;
    const auto found = welcomed_.find(command.session);
    if (found == welcomed_.end()) continue;
    out.push_back(std::move(found->second));
    welcomed_.erase(found);
  }
  return out;
}

// --- Looking up ------------------------------------------------------------------------------

std::shared_ptr<Session> SessionRegistry::find(SessionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.session;
}

std::shared_ptr<Session> SessionRegistry::of_connection(const net::Connection& connection) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_connection_.find(connection.id());
  return found == by_connection_.end() ? nullptr : found->second;
}

std::vector<SessionRegistry::Listed> SessionRegistry::page(SessionId after,
                                                           std::size_t count_max) const {
  std::vector<Listed> listed;
  listed.reserve(count_max);
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.upper_bound(after);
       entry != entries_.end() && listed.size() < count_max; ++entry)
    listed.push_back({entry->second.session, entry->second.is_parked});
  return listed;
}

std::vector<std::shared_ptr<Session>> SessionRegistry::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Session>> sessions;
  sessions.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) sessions.push_back(entry.session);
  return sessions;
}

SessionStats SessionRegistry::stats() const {
  const std::lock_guard lock(mutex_);
  SessionStats stats = stats_;
  stats.parked_now = parked_.size();
  stats.live = entries_.size() - parked_.size();
  return stats;
}

}  // namespace vicinity::app
