// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/memory_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/limits.h"

namespace vicinity::app {
namespace {

/// A server at its limit may open and close often, and nobody wants to read of each.
constexpr std::chrono::seconds line_interval(1);
constexpr std::uint32_t lines_at_once = 8;
/// What one command makes: an entity with its rows in all tables, or an area with a long outline.
constexpr std::uint64_t making_bytes = 2048;
/// So many are taken in any case, so that a server does not stay just below the mark for ever.
constexpr std::uint64_t makings_min = 1024;

std::uint64_t part(std::uint64_t cap_bytes, double share) {
  return static_cast<std::uint64_t>(static_cast<double>(cap_bytes) * share);
}

struct MakesSomething {
  bool operator()(const SpawnCommand&) const { return true; }
  bool operator()(const SetShapeCommand& command) const { return !command.shape.is_plain(); }
  bool operator()(const AddAreaCommand&) const { return true; }
  bool operator()(const SubscribeCommand&) const { return true; }
  bool operator()(const AttachCommand&) const { return true; }
  bool operator()(const ExcludePairCommand& command) const { return command.excluded; }
  bool operator()(const SetPolicyCommand& command) const { return !command.rules.empty(); }
  bool operator()(const SetVisibilityCommand& command) const {
    return command.visibility != Visibility::Default;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

bool makes_something(const CommandBody& body) { return std::visit(MakesSomething{}, body); }

MemoryGuard::MemoryGuard(std::uint64_t cap_bytes, Reader read, std::function<void()> give_back,
                         Log& log)
    : cap_bytes_(cap_bytes),
      read_(std::move(read)),
      give_back_(std::move(give_back)),
      log_(log),
      lines_(line_interval, lines_at_once) {}

void MemoryGuard::look(Clock::time_point now) {
  if (cap_bytes_ == 0) return;
  const auto used_bytes = read_();
  if (!used_bytes) return;  // it stays as it is
  used_bytes_ = *used_bytes;
  if (!is_closed_ && *used_bytes > part(cap_bytes_, limits::memory_closing_part)) {
    change(true, *used_bytes, now);
  } else if (is_closed_ && *used_bytes < part(cap_bytes_, limits::memory_opening_part)) {
    change(false, *used_bytes, now);
  }
  if (is_closed_) {
    trim(now);
  } else if (has_ticked_.exchange(false)) {
    grant(*used_bytes);
  }
}

/// Half of the room: what came while a tick ran is granted once more before the next one makes it.
void MemoryGuard::grant(std::uint64_t used_bytes) {
  const std::uint64_t mark = part(cap_bytes_, limits::memory_closing_part);
  const std::uint64_t room = mark - std::min(mark, used_bytes);
  makings_left_ = static_cast<std::int64_t>(std::max(makings_min, room / 2 / making_bytes));
}

void MemoryGuard::change(bool closed, std::uint64_t used_bytes, Clock::time_point now) {
  is_closed_ = closed;
  if (!lines_.pass(now).allowed) return;
  if (closed) {
    log_.warning("memory is short: newcomers, and commands that make something, are refused",
                 {{"used_bytes", used_bytes}, {"max_memory", cap_bytes_}});
  } else {
    log_.info("memory is there again: newcomers are taken",
              {{"used_bytes", used_bytes},
               {"max_memory", cap_bytes_},
               {"sessions_refused", sessions_refused_.load()},
               {"commands_refused", commands_refused_.load()}});
  }
}

/// What ended since is often free in the allocator only, and would keep the guard closed for ever.
void MemoryGuard::trim(Clock::time_point now) {
  constexpr std::chrono::milliseconds interval(limits::memory_trim_ms);
  if (trimmed_at_ && now - *trimmed_at_ < interval) return;
  trimmed_at_ = now;
  give_back_();
}

/// What was taken since the last tick may or may not be in the slots that this tick has left: it
/// counts as if it were not.
void MemoryGuard::note_tick(std::uint64_t reusable_slots) {
  slots_left_ = static_cast<std::int64_t>(reusable_slots) - slots_taken_.exchange(0);
  has_ticked_ = true;
}

bool MemoryGuard::takes_slot() {
  if (slots_left_.fetch_sub(1) > 0) {
    ++slots_taken_;
    return true;
  }
  ++slots_left_;
  return false;
}

Error MemoryGuard::check_session() {
  if (!is_closed_) return {};
  ++sessions_refused_;
  return {ErrorCode::ServerFull, "the server is short of memory; try again later"};
}

Error MemoryGuard::check(const CommandBody& body, bool reuses_slots) {
  if (cap_bytes_ == 0 || !makes_something(body)) return {};
  const auto* spawn = std::get_if<SpawnCommand>(&body);
  const bool is_open = !is_closed_;
  // While it is open those of players take slots as well, and are in no report of a tick yet should
  // it close now.
  if (spawn != nullptr && spawn->shape.is_plain() && (is_open || reuses_slots) && takes_slot())
    return {};
  if (is_open && makings_left_.fetch_sub(1) > 0) return {};
  ++commands_refused_;
  return {ErrorCode::ServerFull,
          "the server is short of memory and makes nothing new; end something, or try later"};
}

std::string MemoryGuard::why_closed() const {
  if (!is_closed_) return {};
  return fmt::format("{} of the {} bytes of max_memory are in use", used_bytes_.load(), cap_bytes_);
}

MemoryStats MemoryGuard::stats() const {
  const std::uint64_t used_bytes = cap_bytes_ == 0 ? read_().value_or(0) : used_bytes_.load();
  return {cap_bytes_, used_bytes, is_closed_, sessions_refused_, commands_refused_};
}

}  // namespace vicinity::app
