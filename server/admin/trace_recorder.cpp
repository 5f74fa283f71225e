// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/trace_recorder.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cctype>

#include "admin/steady_now.h"
#include "base/check.h"

namespace vicinity::admin {
namespace {

/// Numbers of threads, of all recorders; those beyond threads_max share the last place.
std::atomic<std::uint32_t> threads_seen{0};

}  // namespace

TraceRecorder::~TraceRecorder() { forget_probe(); }

/// Another recorder of the process may have taken the place.
void TraceRecorder::forget_probe() {
  ActivityProbe* self = this;
  activity_probe.compare_exchange_strong(self, nullptr);
}

// --- Recording -------------------------------------------------------------------------------

bool TraceRecorder::request(std::uint32_t ticks) {
  CHECK(ticks >= 1 && ticks <= ticks_max);
  if (state_.load(std::memory_order_acquire) != State::Idle) return false;
  if (!storage_) storage_ = std::make_unique<Event[]>(events_max);
  for (std::size_t i = 0; i < events_max; ++i)
    storage_[i].ready.store(false, std::memory_order_relaxed);
  events_.store(storage_.get(), std::memory_order_relaxed);
  next_.store(0, std::memory_order_relaxed);
  ticks_left_.store(ticks, std::memory_order_relaxed);
  state_.store(State::Requested, std::memory_order_release);
  return true;
}

void TraceRecorder::tick_begins(std::int64_t now_ns) {
  State requested = State::Requested;
  if (state_.load(std::memory_order_acquire) != requested) return;
  begin_ns_.store(now_ns, std::memory_order_relaxed);
  if (!state_.compare_exchange_strong(requested, State::Recording)) return;
  activity_probe.store(this, std::memory_order_release);
}

void TraceRecorder::tick_ends() {
  if (state_.load(std::memory_order_acquire) != State::Recording) {
    // take() may have come while tick_begins() was at it.
    if (activity_probe.load(std::memory_order_relaxed) == this) forget_probe();
    return;
  }
  if (ticks_left_.fetch_sub(1, std::memory_order_relaxed) > 1) return;
  forget_probe();
  State recording = State::Recording;
  state_.compare_exchange_strong(recording, State::Done);
}

std::uint64_t TraceRecorder::begin() noexcept {
  return static_cast<std::uint64_t>(steady_now_ns());
}

void TraceRecorder::end(const char* name, std::uint64_t began) noexcept {
  note(name, static_cast<std::int64_t>(began), steady_now_ns(), 0);
}

void TraceRecorder::note(const char* name, std::int64_t begin_ns, std::int64_t end_ns,
                         Tick tick) noexcept {
  if (state_.load(std::memory_order_acquire) != State::Recording) return;
  if (begin_ns < begin_ns_.load(std::memory_order_relaxed)) return;  // began before
  const std::size_t place = next_.fetch_add(1, std::memory_order_relaxed);
  if (place >= events_max) return;
  Event& event = events_.load(std::memory_order_relaxed)[place];
  event.name.store(name, std::memory_order_relaxed);
  event.begin_ns.store(begin_ns, std::memory_order_relaxed);
  event.end_ns.store(end_ns, std::memory_order_relaxed);
  event.tick.store(tick, std::memory_order_relaxed);
  event.thread.store(thread_number(), std::memory_order_relaxed);
  event.ready.store(true, std::memory_order_release);
}

/// Numbers the present thread, and keeps its name, the first time.
std::uint32_t TraceRecorder::thread_number() noexcept {
  thread_local std::uint32_t number = threads_max;
  if (number == threads_max) {
    number = std::min<std::uint32_t>(threads_seen.fetch_add(1), threads_max - 1);
  }
  Thread& thread = threads_[number];
  if (thread.name[0].load(std::memory_order_relaxed) != 0) return number;
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  for (std::size_t i = sizeof name; i-- > 0;)
    thread.name[i].store(name[i], std::memory_order_relaxed);
  return number;
}

// --- Giving out ------------------------------------------------------------------------------

std::string TraceRecorder::thread_name(std::uint32_t number) const {
  std::string name;
  for (const auto& c : threads_[number].name) {
    if (c.load(std::memory_order_relaxed) == 0) break;
    const char letter = c.load(std::memory_order_relaxed);
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '-';
  }
  return name + " " + std::to_string(number);
}

std::string TraceRecorder::take() {
  state_.store(State::Done, std::memory_order_release);  // a tick thread that stands still
  forget_probe();
  // Also when there is no memory for the text: else no other recording could ever begin.
  const struct Idle {
    std::atomic<State>& state;
    ~Idle() { state.store(State::Idle, std::memory_order_release); }
  } idle_in_the_end{state_};

  // Written piece by piece: as values, so many events would take ten times the memory. Names are
  // words of this code and need no escaping.
  std::string out = R"({"traceEvents":[)";
  std::array<bool, threads_max> seen{};
  const std::int64_t zero_ns = begin_ns_.load(std::memory_order_relaxed);
  const std::size_t claimed = next_.load(std::memory_order_relaxed);
  const std::size_t kept = std::min(claimed, events_max);
  for (std::size_t i = 0; i < kept; ++i) {
    if (!storage_[i].ready.load(std::memory_order_acquire)) continue;
    append_event(storage_[i], zero_ns, out);
    seen[storage_[i].thread.load(std::memory_order_relaxed)] = true;
  }
  for (std::uint32_t thread = 0; thread < threads_max; ++thread) {
    if (!seen[thread]) continue;
    out +=
        fmt::format(R"({{"name":"thread_name","ph":"M","pid":1,"tid":{},"args":{{"name":"{}"}}}},)",
                    thread, thread_name(thread));
  }
  if (out.back() == ',') out.pop_back();
  out += fmt::format(R"(],"displayTimeUnit":"ms","dropped":{}}})", claimed - kept);
  return out;
}

void TraceRecorder::append_event(const Event& event, std::int64_t zero_ns, std::string& out) {
  const std::int64_t begin_ns = event.begin_ns.load(std::memory_order_relaxed);
  const std::int64_t took_ns = event.end_ns.load(std::memory_order_relaxed) - begin_ns;
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1000; };
  const Tick tick = event.tick.load(std::memory_order_relaxed);
  out +=
      fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":1,"tid":{})",
                  event.name.load(std::memory_order_relaxed), tick == 0 ? "activity" : "tick",
                  us(begin_ns - zero_ns), us(std::max<std::int64_t>(took_ns, 0)),
                  event.thread.load(std::memory_order_relaxed));
  if (tick != 0) out += fmt::format(R"(,"args":{{"tick":{}}})", tick);
  out += "},";
}

}  // namespace vicinity::admin
