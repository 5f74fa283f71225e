// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// max_memory: looks at the memory of the process and, before the system runs out of it and ends the
// process, takes nothing new any more. Net room; the tick room knows nothing of it.
//
//      share of max_memory   85 %                90 %               100 %
//      ───────────────────────┼───────────────────┼───────────────────┼──
//             open            │ as it was before  │      closed       │
//
// Closed, new sessions and commands that make something that lasts are refused, each with
// ServerFull and why, before door 1, so that the journal and its replay know nothing of it. What is
// there goes on: sessions (a resume is none that is new), moves, ends, ticks, streams. So do spawns
// of authorities as long as slots are there that ended entities have left: the tables keep those,
// so that a world in which things come and go all the time goes on as well.
//
// Memory is seen only when a tick has made what it was told to make. So while it is open, too, no
// more is taken from tick to tick than would fill half of what is left up to the mark.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/logging.h"
#include "base/error.h"
#include "world/command.h"

namespace vicinity::app {

struct MemoryStats {
  std::uint64_t cap_bytes = 0;   ///< 0: none
  std::uint64_t used_bytes = 0;  ///< when it was looked at last; without a cap now
  bool is_closed = false;
  std::uint64_t sessions_refused = 0;
  std::uint64_t commands_refused = 0;
};

class MemoryGuard {
 public:
  using Clock = std::chrono::steady_clock;
  /// Bytes in use; nothing when nobody can say.
  using Reader = std::function<std::optional<std::uint64_t>()>;

  /// `cap_bytes` 0: it never closes. `give_back` has the allocator return what is free in it to the
  /// system. `log` outlives the guard.
  MemoryGuard(std::uint64_t cap_bytes, Reader read, std::function<void()> give_back, Log& log);

  /// One thread at a time, every limits::memory_look_ms; not the tick thread.
  void look(Clock::time_point now);

  /// Tick thread, after each tick: slots that spawns may take without any memory being made. What
  /// the tick has made is part of what is in use from now on.
  void note_tick(std::uint64_t reusable_slots);

  /// Any thread. None, or ServerFull for a new session; counted.
  Error check_session();
  /// Any thread. None, or ServerFull for a command that would make something that lasts; counted.
  /// `reuses_slots`: by who may have the slots that ended entities left, which are not for players:
  /// one who spawns on and on would keep them from all others.
  Error check(const CommandBody& body, bool reuses_slots);

  /// Any thread. Empty, or why newcomers should go elsewhere.
  std::string why_closed() const;
  MemoryStats stats() const;

 private:
  bool takes_slot();
  void grant(std::uint64_t used_bytes);
  void change(bool closed, std::uint64_t used_bytes, Clock::time_point now);
  void trim(Clock::time_point now);

  const std::uint64_t cap_bytes_;
  const Reader read_;
  const std::function<void()> give_back_;
  Log& log_;
  RateLimit lines_;
  std::optional<Clock::time_point> trimmed_at_;  ///< of look()

  std::atomic<bool> is_closed_{false};
  std::atomic<std::uint64_t> used_bytes_{0};
  std::atomic<std::int64_t> slots_left_{0};
  std::atomic<std::int64_t> slots_taken_{0};   ///< since the last note_tick()
  std::atomic<std::int64_t> makings_left_{0};  ///< commands, until the next tick was seen
  std::atomic<bool> has_ticked_{true};
  std::atomic<std::uint64_t> sessions_refused_{0};
  std::atomic<std::uint64_t> commands_refused_{0};
};

/// Whether the command makes something that lasts: an entity, a shape that is not plain, an area, a
/// subscription, an exclusion, an exception from areas, an attachment, a policy.
bool makes_something(const CommandBody& body);

}  // namespace vicinity::app
