// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/blocking.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace vicinity::client {

using Clock = std::chrono::steady_clock;

struct BlockingClient::Impl {
  Handlers make_handlers();
  /// Runs the connection until `done`, the end of the connection or the deadline.
  template <class Done>
  bool wait_until(Clock::time_point until, Done done);
  template <class Done>
  bool wait(Done done) {
    return wait_until(Clock::now() + std::chrono::milliseconds(timeout_ms), done);
  }
  /// Why a wait failed, or cannot begin.
  Error failure();

  boost::asio::io_context io;
  std::unique_ptr<Connection> connection;
  std::uint32_t timeout_ms = 10'000;

  std::optional<Welcome> welcome;
  std::optional<Error> closed;
  std::deque<TickFrame> frames;
  std::vector<CommandOutcome> outcomes;
  // The last answer of each kind; waits look for their own number, late answers are dropped.
  StepOutcome step;
  QueryOutcome query;
  std::optional<PongInfo> pong;
};

Handlers BlockingClient::Impl::make_handlers() {
  Handlers handlers;
  handlers.on_welcome = [this](const Welcome& value) { welcome = value; };
  handlers.on_frame = [this](const TickFrame& value) { frames.push_back(value); };
  handlers.on_command = [this](const CommandOutcome& value) { outcomes.push_back(value); };
  handlers.on_step = [this](const StepOutcome& value) { step = value; };
  handlers.on_query = [this](const QueryOutcome& value) { query = value; };
  handlers.on_pong = [this](const PongInfo& value) { pong = value; };
  handlers.on_closed = [this](const Error& value) { closed = value; };
  return handlers;
}

template <class Done>
bool BlockingClient::Impl::wait_until(Clock::time_point until, Done done) {
  while (!done()) {
    if (closed || connection == nullptr || Clock::now() >= until) return false;
    if (io.stopped()) io.restart();
    io.run_one_until(until);
  }
  return true;
}

Error BlockingClient::Impl::failure() {
  // A connection that broke within a call says why a turn later.
  if (connection != nullptr && !connection->is_open()) wait([this] { return closed.has_value(); });
  if (closed) return *closed;
  if (connection == nullptr) return {ErrorCode::None, "not connected"};
  return {ErrorCode::None, "no answer within " + std::to_string(timeout_ms) + " ms"};
}

BlockingClient::BlockingClient() : impl_(std::make_unique<Impl>()) {}
BlockingClient::~BlockingClient() = default;

Result<Welcome, Error> BlockingClient::connect(const ConnectOptions& options) {
  CHECK(!is_open());
  impl_->welcome.reset();
  impl_->closed.reset();
  impl_->frames.clear();
  impl_->outcomes.clear();
  impl_->step = {};
  impl_->query = {};
  impl_->connection = std::make_unique<Connection>(impl_->io, impl_->make_handlers());
  impl_->connection->connect(options);
  // The connection has a deadline of its own for this.
  impl_->wait_until(Clock::time_point::max(), [this] { return impl_->welcome.has_value(); });
  if (!impl_->welcome) return impl_->failure();
  return *impl_->welcome;
}

std::uint64_t BlockingClient::send(const std::vector<CommandBody>& commands) {
  CHECK(impl_->connection != nullptr);
  return impl_->connection->send(commands);
}

std::uint64_t BlockingClient::next_sequence() const {
  return impl_->connection == nullptr ? 1 : impl_->connection->next_sequence();
}

Result<StepOutcome, Error> BlockingClient::step(std::uint32_t count) {
  if (!is_open()) return impl_->failure();
  const std::uint64_t sequence = impl_->connection->step(count);
  if (!impl_->wait([&] { return impl_->step.sequence == sequence; })) return impl_->failure();
  if (impl_->step.error.code != ErrorCode::None) return impl_->step.error;
  return impl_->step;
}

Result<TickFrame, Error> BlockingClient::next_frame() {
  if (!impl_->wait([&] { return !impl_->frames.empty(); })) return impl_->failure();
  TickFrame frame = std::move(impl_->frames.front());
  impl_->frames.pop_front();
  return frame;
}

Result<QueryAnswer, Error> BlockingClient::query(const Query& query) {
  if (!is_open()) return impl_->failure();
  const std::uint64_t request = impl_->connection->query(query);
  if (!impl_->wait([&] { return impl_->query.request == request; })) return impl_->failure();
  if (impl_->query.error.code != ErrorCode::None) return impl_->query.error;
  return std::move(impl_->query.answer);
}

Result<PongInfo, Error> BlockingClient::ping() {
  if (!is_open()) return impl_->failure();
  impl_->pong.reset();
  impl_->connection->ping();
  if (!impl_->wait([&] { return impl_->pong.has_value(); })) return impl_->failure();
  return *impl_->pong;
}

void BlockingClient::run_for(std::uint32_t duration_ms) {
  impl_->wait_until(Clock::now() + std::chrono::milliseconds(duration_ms), [] { return false; });
}

void BlockingClient::close() {
  if (impl_->connection == nullptr) return;
  impl_->connection->close();
  impl_->wait([&] { return impl_->closed.has_value(); });
}

std::vector<TickFrame> BlockingClient::take_frames() {
  std::vector<TickFrame> taken(std::make_move_iterator(impl_->frames.begin()),
                               std::make_move_iterator(impl_->frames.end()));
  impl_->frames.clear();
  return taken;
}

std::vector<CommandOutcome> BlockingClient::take_outcomes() {
  return std::exchange(impl_->outcomes, {});
}

bool BlockingClient::is_open() const {
  return impl_->connection != nullptr && impl_->connection->is_open();
}

const std::optional<Error>& BlockingClient::closed() const { return impl_->closed; }

void BlockingClient::set_timeout_ms(std::uint32_t timeout_ms) { impl_->timeout_ms = timeout_ms; }

TrafficStats BlockingClient::traffic() const {
  return impl_->connection == nullptr ? TrafficStats{} : impl_->connection->traffic();
}

}  // namespace vicinity::client
