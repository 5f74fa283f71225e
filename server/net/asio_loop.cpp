// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/asio_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <thread>

namespace vicinity::net {
namespace {

/// What happens may wait so long for more, but no frame that is due.
constexpr std::chrono::microseconds batch_time(1000);
/// Handlers in one turn, below which nothing waits.
constexpr std::size_t busy_count = 8;

}  // namespace

AsioLoop::AsioLoop() : io_(1), work_(boost::asio::make_work_guard(io_)), timer_(io_) {}

void AsioLoop::run() {
  while (true) {
    std::size_t count = io_.run_one();
    if (count == 0) return;
    const TimePoint begin = Clock::now();
    count += io_.poll();
    if (io_.stopped()) return;
    if (count >= busy_count) std::this_thread::sleep_until(std::min(begin + batch_time, timer_at_));
  }
}

void AsioLoop::wake() {
  boost::asio::post(io_, [this] { turn(); });
}

void AsioLoop::turn() {
  const TimePoint next = run_turn();
  // Tasks that were posted meanwhile come with a wake() of their own.
  if (quitting_ || next == TimePoint::min() || next == timer_at_) return;
  timer_at_ = next;
  if (next == TimePoint::max()) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(next);
  timer_.async_wait([this, next](const boost::system::error_code& error) {
    if (error || next != timer_at_) return;  // another moment was set
    timer_at_ = TimePoint::max();
    turn();
  });
}

void AsioLoop::quit() {
  post([this] {
    quitting_ = true;
    timer_.cancel();
    work_.reset();  // nothing is pending any more, so run() has no work left
  });
}

}  // namespace vicinity::net
