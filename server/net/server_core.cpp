// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/server_core.h"

#include <chrono>

#include "base/check.h"
#include "base/thread_name.h"
#include "base/thread_slice.h"

namespace vicinity::net {
namespace {

std::uint64_t lateness_p99_us(const SocketCounters& counters) {
  std::array<std::uint64_t, SocketCounters::lateness_steps> counts{};
  std::uint64_t total = 0;
  for (std::size_t step = 0; step < counts.size(); ++step)
    total += counts[step] = counters.lateness[step].load(std::memory_order_relaxed);
  std::uint64_t below = 0;
  for (std::size_t step = 0; step < counts.size(); ++step) {
    below += counts[step];
    if (total > 0 && below * 100 >= total * 99)
      return (step + 1) * static_cast<std::uint64_t>(SocketCounters::lateness_step_us);
  }
  return 0;
}

FrameLateness lateness_of(const SocketCounters& counters) {
  FrameLateness lateness;
  constexpr auto step_us = static_cast<std::uint64_t>(SocketCounters::lateness_step_us);
  for (std::size_t step = 0; step < SocketCounters::lateness_steps; ++step) {
    const std::uint64_t frames = counters.lateness[step].load(std::memory_order_relaxed);
    lateness.count += frames;
    for (std::size_t i = 0; i < FrameLateness::bounds_us.size(); ++i)
      if ((step + 1) * step_us <= FrameLateness::bounds_us[i]) lateness.within[i] += frames;
  }
  lateness.sum_us = counters.lateness_sum_us.load(std::memory_order_relaxed);
  return lateness;
}

}  // namespace

ServerCore::ServerCore(const SocketSettings& settings, ConnectionHandler& handler)
    : settings_(settings),
      registry_(settings_, handler, counters_),
      context_{settings_, handler, counters_, registry_} {
  CHECK(settings.thread_count > 0);
  CHECK(settings.unauthenticated_count_max > 0);
}

void ServerCore::start() {
  CHECK(threads_.empty());
  begin_accepting();
  for (int i = 0; i < settings_.thread_count; ++i) {
    NetLoop& own = loop(static_cast<std::size_t>(i));
    threads_.emplace_back([&own] {
      name_thread("net");
      ask_for_short_slices();
      own.run();
    });
  }
}

void ServerCore::stop_accepting() {
  registry_.stop_accepting();
  if (!threads_.empty()) end_accepting();
}

void ServerCore::stop(std::uint32_t deadline_ms) {
  stop_accepting();
  if (threads_.empty()) return;
  registry_.wait_for_end(std::chrono::milliseconds(deadline_ms));
  for (std::size_t i = 0; i < threads_.size(); ++i) loop(i).quit();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

SocketStats ServerCore::stats() const {
  SocketStats stats;
  stats.accepted = counters_.accepted;
  stats.refused = counters_.refused;
  stats.evicted = counters_.evicted;
  stats.turned_away = counters_.turned_away;
  stats.accept_errors = counters_.accept_errors;
  stats.open = registry_.open_count();
  stats.bytes_in = counters_.bytes_in;
  stats.bytes_out = counters_.bytes_out;
  stats.frames_offered = counters_.frames_offered;
  stats.frames_sent = counters_.frames_sent;
  stats.frame_lateness_p99_us = lateness_p99_us(counters_);
  stats.lateness = lateness_of(counters_);
  stats.slow_consumers = counters_.slow_consumers;
  return stats;
}

}  // namespace vicinity::net
