// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session.h"

#include <utility>

namespace vicinity::app {

Session::Session(SessionId session_id, SessionTraits traits, const ResumeToken& resume_token)
    : SessionTraits(std::move(traits)), id(session_id), token(resume_token) {}

std::shared_ptr<net::Connection> Session::connection() const {
  const std::lock_guard lock(mutex_);
  return connection_;
}

/// Locked up to the push: whoever takes the session up is told the last sequence, and may rely on
/// everything up to it being in the queue before what it sends itself.
Intake Session::take_commands(const net::Connection& from, std::uint64_t first, std::uint64_t last,
                              std::vector<Command> good, CommandQueue& queue) {
  const std::lock_guard lock(mutex_);
  if (is_ended_ || connection_.get() != &from) return Intake::Gone;
  if (first <= last_sequence_) return Intake::NotGrowing;
  last_sequence_ = last;
  return queue.push(id, std::move(good)) ? Intake::Taken : Intake::Full;
}

std::uint64_t Session::last_sequence() const {
  const std::lock_guard lock(mutex_);
  return last_sequence_;
}

void Session::acknowledge(const net::Connection& from, Tick tick, Tick newest) {
  if (tick > newest) return;
  const std::lock_guard lock(mutex_);
  if (connection_.get() == &from && tick > acked_tick.load()) acked_tick.store(tick);
}

std::optional<ResumePoint> Session::take_resume() {
  const std::lock_guard lock(mutex_);
  return std::exchange(resume_, std::nullopt);
}

}  // namespace vicinity::app
