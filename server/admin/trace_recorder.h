// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Records what all threads do during a few ticks, and gives it as Chrome trace events, which
// Perfetto and chrome://tracing open. While nothing is recorded it costs a load of a pointer per
// activity (base/activity.h).
//
//      admin thread   request(n) ──► wanted                            ◄── take(): JSON
//      tick thread            tick_begins(): from now on ... tick_ends() x n: no more
//      all threads            Activity, note() ──► one of events_max places

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/activity.h"
#include "base/ids.h"

namespace vicinity::admin {

class TraceRecorder final : public ActivityProbe {
 public:
  static constexpr std::uint32_t ticks_max = 1'000;
  /// Events of one recording, 40 bytes each; more are counted and dropped.
  static constexpr std::size_t events_max = 1u << 16;
  static constexpr std::size_t threads_max = 64;

  TraceRecorder() = default;
  ~TraceRecorder() override;

  // Admin thread.
  /// Records the next `ticks`, 1 to ticks_max. False while another recording goes on.
  [[nodiscard]] bool request(std::uint32_t ticks);
  bool done() const { return state_.load(std::memory_order_acquire) == State::Done; }
  /// Ends the recording, whether it is done or not: what there is, as JSON. The next request() may
  /// come then, also when there was no memory for the text.
  std::string take();

  // Tick thread.
  void tick_begins(std::int64_t now_ns);
  void tick_ends();

  // Any thread.
  std::uint64_t begin() noexcept override;
  void end(const char* name, std::uint64_t began) noexcept override;
  /// `name` lives as long as the process. Moments of steady_now_ns().
  void note(const char* name, std::int64_t begin_ns, std::int64_t end_ns, Tick tick) noexcept;

 private:
  enum class State : std::uint8_t { Idle, Requested, Recording, Done };
  /// All atomic: a thread that was interrupted in the middle of an old recording may still write.
  struct Event {
    std::atomic<const char*> name{nullptr};
    std::atomic<std::int64_t> begin_ns{0};
    std::atomic<std::int64_t> end_ns{0};
    std::atomic<Tick> tick{0};
    std::atomic<std::uint32_t> thread{0};
    std::atomic<bool> ready{false};
  };
  struct Thread {
    std::array<std::atomic<char>, 16> name{};
  };

  static void append_event(const Event& event, std::int64_t zero_ns, std::string& out);
  void forget_probe();
  std::uint32_t thread_number() noexcept;
  std::string thread_name(std::uint32_t number) const;

  std::atomic<State> state_{State::Idle};
  std::atomic<std::uint32_t> ticks_left_{0};
  std::atomic<std::int64_t> begin_ns_{0};
  std::atomic<std::size_t> next_{0};
  std::atomic<Event*> events_{nullptr};
  std::unique_ptr<Event[]> storage_;  ///< from the first request on
  std::array<Thread, threads_max> threads_;
};

}  // namespace vicinity::admin
