// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/memory_watch.h"

#include <malloc.h>

#include <chrono>
#include <utility>

#include "admin/process_memory.h"
#include "base/limits.h"

namespace vicinity::app {
namespace {

std::optional<std::uint64_t> anonymous_bytes() {
  const auto memory = admin::read_process_memory();
  if (!memory) return std::nullopt;
  return memory->anonymous_bytes;
}

void give_back() {
#ifdef __GLIBC__
  (void)malloc_trim(0);
#endif
}

}  // namespace

MemoryWatch::MemoryWatch(std::uint64_t cap_bytes, MemoryGuard::Reader read, Log& log)
    : cap_bytes_(cap_bytes),
      guard_(cap_bytes, read ? std::move(read) : anonymous_bytes, give_back, log) {}

Error MemoryWatch::start() {
  if (cap_bytes_ == 0) return {};
  guard_.look(MemoryGuard::Clock::now());
  if (guard_.stats().used_bytes == 0) {
    return {ErrorCode::Internal,
            "max_memory: the system does not say how much is in use (/proc/self/statm); without "
            "that there can be no cap"};
  }
  periodic_.start(std::chrono::milliseconds(limits::memory_look_ms),
                  [this] { guard_.look(MemoryGuard::Clock::now()); });
  return {};
}

}  // namespace vicinity::app
