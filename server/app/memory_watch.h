// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A MemoryGuard with a thread that has it look at the memory of this process.

#include "app/logging.h"
#include "app/memory_guard.h"
#include "app/periodic.h"
#include "base/error.h"

namespace vicinity::app {

class MemoryWatch {
 public:
  /// `cap_bytes` 0: there is nothing to watch. `read`: what to look at instead; absent = the system
  /// is asked. `log` outlives this.
  MemoryWatch(std::uint64_t cap_bytes, MemoryGuard::Reader read, Log& log);

  /// Looks once and begins to watch; or why that cannot be done.
  Error start();
  void stop() { periodic_.stop(); }

  MemoryGuard& guard() { return guard_; }

 private:
  const std::uint64_t cap_bytes_;
  MemoryGuard guard_;
  Periodic periodic_;
};

}  // namespace vicinity::app
