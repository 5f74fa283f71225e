// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/link.h"

#include <chrono>
#include <utility>

#include "client/session_state.h"

namespace vicinity::client {
namespace {

using std::chrono::milliseconds;

/// How long after a resume the answers of commands that the server has received may take.
constexpr milliseconds lost_answers_delay{2'000};

}  // namespace

std::int64_t local_time_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

bool Inbox::push(News news) {
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<TickFrame>(news)) ++frame_count_;
  news_.push_back(std::move(news));
  return frame_count_ < frame_count_max;
}

std::deque<News> Inbox::take() {
  const std::lock_guard lock(mutex_);
  frame_count_ = 0;
  return std::exchange(news_, {});
}

Link::Link(boost::asio::io_context& io, const ConnectOptions& options,
           const ReconnectOptions& reconnect, Inbox& inbox, LinkCounters& counters)
    : io_(io),
      options_(options),
      backoff_(reconnect),
      may_retry_(reconnect.enabled),
      inbox_(inbox),
      counters_(counters),
      retry_timer_(io),
      lost_answers_timer_(io) {}

void Link::start() {
  if (state_ != ConnectionState::Idle && state_ != ConnectionState::Closed) return;
  closing_ = false;
  backoff_.reset();
  session_ = nullptr;
  connect();
}

void Link::close() {
  if (state_ == ConnectionState::Idle || state_ == ConnectionState::Closed) return;
  closing_ = true;
  if (state_ == ConnectionState::Waiting) return end({ErrorCode::None, "closed by the client"});
  connection_->set_reading(true);  // the answer to the goodbye is behind what waits
  connection_->close();
}

void Link::connect() {
  count_traffic();
  counted_ = {};
  connection_ = std::make_unique<Connection>(io_, make_handlers());
  tell_state(ConnectionState::Connecting);
  connection_->connect(options_, session_);
}

Handlers Link::make_handlers() {
  Handlers handlers;
  handlers.on_welcome = [this](const Welcome& value) { on_welcome(value); };
  handlers.on_frame = [this](const TickFrame& value) { tell(value); };
  handlers.on_command = [this](const CommandOutcome& value) { on_command(value); };
  handlers.on_observer_dropped = [this](const ObserverId& value) { tell(DropNews{value}); };
  handlers.on_pong = [this](const PongInfo& value) {
    const std::int64_t now_us = local_time_us();
    tell(PongNews{now_us - static_cast<std::int64_t>(value.round_trip_us), now_us,
                  static_cast<std::int64_t>(value.server_time_us)});
  };
  handlers.on_query = [this](const QueryOutcome& value) {
    answer(queries_, value, &QueryOutcome::request);
  };
  handlers.on_step = [this](const StepOutcome& value) {
    answer(steps_, value, &StepOutcome::sequence);
  };
  handlers.on_closed = [this](const Error& reason) { on_closed(reason); };
  return handlers;
}

/// Gives an answer its number of the application, and to who asked.
template <class Outcome>
void Link::answer(std::map<std::uint64_t, Asked<Outcome>>& asked, Outcome outcome,
                  std::uint64_t Outcome::*number) {
  const auto found = asked.find(outcome.*number);
  if (found == asked.end()) return;
  outcome.*number = found->second.number;
  deliver(std::move(outcome), found->second.promise);
  asked.erase(found);
}

template <class Outcome>
void Link::deliver(Outcome outcome, std::optional<std::promise<Outcome>>& promise) {
  if (promise) return promise->set_value(std::move(outcome));
  tell(std::move(outcome));
}

void Link::on_welcome(const Welcome& welcome) {
  const bool is_first = session_ == nullptr;
  backoff_.reset();
  ++counters_.connects;
  if (welcome.resumed) {
    ++counters_.resumes;
    received_before_ = welcome.last_sequence;
    lost_answers_timer_.expires_after(lost_answers_delay);
    lost_answers_timer_.async_wait([this](const boost::system::error_code& code) {
      if (!code) lose_answers_of_before();
    });
  } else {
    received_before_ = 0;
    // What waited for the first connection knows of no session; later it means the one of before.
    if (!is_first)
      lose_commands(journal_.take_all(), {ErrorCode::ResumeRefused, "the session has ended"});
  }
  session_ = connection_->session();
  tell(WelcomeNews{welcome});
  tell_state(ConnectionState::Open);
  const std::uint64_t received = welcome.resumed ? welcome.last_sequence : 0;
  for (const CommandJournal::Batch& batch : journal_.after(received))
    connection_->send(batch.first_sequence, batch.commands);
}

void Link::on_command(const CommandOutcome& outcome) {
  // Answers of ticks come in the order of the commands: those of before will not come any more.
  if (received_before_ != 0 && outcome.tick != 0 && outcome.sequence > received_before_)
    lose_answers_of_before();
  if (journal_.answer(outcome.sequence)) settle(outcome);
}

void Link::on_closed(const Error& reason) {
  count_traffic();
  lost_answers_timer_.cancel();
  const CloseDetails details = connection_->close_details();
  lose_asked(queries_, reason, &QueryOutcome::request);
  lose_asked(steps_, reason, &StepOutcome::sequence);
  if (closing_ || !may_retry_ || !may_reconnect(reason.code, details) || backoff_.exhausted())
    return end(reason);
  if (reason.code == ErrorCode::ResumeRefused && session_ != nullptr &&
      !session_->resume_token.empty()) {
    // The server is there: a new session at once. An empty state has no token to resume with.
    session_ = std::make_shared<SessionState>();
    return wait(reason, 0);
  }
  wait(reason, backoff_.next_delay_ms(details.retry_after_ms));
}

void Link::wait(const Error& reason, std::uint32_t delay_ms) {
  tell_state(ConnectionState::Waiting, reason, delay_ms);
  retry_timer_.expires_after(milliseconds(delay_ms));
  retry_timer_.async_wait([this](const boost::system::error_code& code) {
    if (!code && state_ == ConnectionState::Waiting) connect();
  });
}

void Link::end(const Error& reason) {
  retry_timer_.cancel();
  lose_commands(journal_.take_all(), reason);
  tell_state(ConnectionState::Closed, reason);
}

void Link::send(std::uint64_t first_sequence, std::vector<CommandBody> commands,
                std::optional<std::promise<CommandOutcome>> promise) {
  if (promise) promises_.emplace(first_sequence, std::move(*promise));
  if (state_ == ConnectionState::Open) connection_->send(first_sequence, commands);
  const bool is_over = state_ == ConnectionState::Closed;
  journal_.add(first_sequence, std::move(commands));
  if (is_over) lose_commands(journal_.take_all(), {ErrorCode::None, "the client is closed"});
}

void Link::query(std::uint64_t request, const Query& query,
                 std::optional<std::promise<QueryOutcome>> promise) {
  if (state_ == ConnectionState::Open && connection_->is_open()) {
    queries_[connection_->query(query)] = {request, std::move(promise)};
    return;
  }
  QueryOutcome outcome;
  outcome.request = request;
  outcome.error.text = "there is no connection";
  outcome.answered = false;
  deliver(std::move(outcome), promise);
}

void Link::step(std::uint64_t sequence, std::uint32_t count,
                std::optional<std::promise<StepOutcome>> promise) {
  if (state_ == ConnectionState::Open && connection_->is_open()) {
    steps_[connection_->step(count)] = {sequence, std::move(promise)};
    return;
  }
  StepOutcome outcome;
  outcome.sequence = sequence;
  outcome.error.text = "there is no connection";
  outcome.answered = false;
  deliver(std::move(outcome), promise);
}

void Link::on_inbox_taken() {
  if (connection_ != nullptr && state_ == ConnectionState::Open) connection_->set_reading(true);
}

void Link::tell(News news) {
  count_traffic();
  if (!inbox_.push(std::move(news)) && !closing_) connection_->set_reading(false);
}

void Link::tell_state(ConnectionState state, const Error& reason, std::uint32_t retry_in_ms) {
  state_ = state;
  inbox_.push(StateEvent{state, reason, retry_in_ms});
}

void Link::settle(const CommandOutcome& outcome) {
  --counters_.commands_unanswered;
  const auto promise = promises_.find(outcome.sequence);
  if (promise == promises_.end()) return tell(outcome);
  promise->second.set_value(outcome);
  promises_.erase(promise);
}

void Link::lose_commands(const std::vector<std::uint64_t>& sequences, const Error& reason) {
  for (const std::uint64_t sequence : sequences) {
    CommandOutcome outcome;
    outcome.sequence = sequence;
    outcome.error = reason;
    outcome.answered = false;
    settle(outcome);
  }
}

void Link::lose_answers_of_before() {
  lost_answers_timer_.cancel();
  lose_commands(journal_.take_up_to(std::exchange(received_before_, 0)),
                {ErrorCode::None, "the answer was lost with the connection"});
}

template <class Outcome>
void Link::lose_asked(std::map<std::uint64_t, Asked<Outcome>>& asked, const Error& reason,
                      std::uint64_t Outcome::*number) {
  for (auto& entry : asked) {
    Outcome outcome;
    outcome.*number = entry.second.number;
    outcome.error = reason;
    outcome.answered = false;
    deliver(std::move(outcome), entry.second.promise);
  }
  asked.clear();
}

void Link::count_traffic() {
  if (connection_ == nullptr) return;
  const TrafficStats now = connection_->traffic();
  counters_.bytes_in += now.bytes_in - counted_.bytes_in;
  counters_.bytes_out += now.bytes_out - counted_.bytes_out;
  counters_.frames_in += now.frames_in - counted_.frames_in;
  counted_ = now;
}

}  // namespace vicinity::client
