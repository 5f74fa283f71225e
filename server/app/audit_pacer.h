// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// How much the audit may do in a tick, so that it takes about so long: from what it took before.
// The audit changes nothing, so that a clock may decide about it. Tick thread.

#include <cstdint>
#include <functional>

#include "tick/audit.h"

namespace vicinity::app {

class AuditPacer final : public AuditPace {
 public:
  /// `now_ns`: a monotonic clock. `budget_us` 0: no bound.
  AuditPacer(std::uint64_t budget_us, std::function<std::int64_t()> now_ns);

  std::uint64_t begin() override;
  void end(const AuditReport& report) override;

 private:
  const std::uint64_t budget_us_;
  const std::function<std::int64_t()> now_ns_;
  std::int64_t began_ns_ = 0;
  double tests_per_us_;
};

}  // namespace vicinity::app
