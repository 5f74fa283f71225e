// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/audit_pacer.h"

#include <algorithm>
#include <utility>

namespace vicinity::app {
namespace {

/// Until something was measured; one worker of an ordinary machine does this or more.
constexpr double tests_per_us_at_first = 100;
constexpr double tests_per_us_min = 0.001;
constexpr double tests_per_us_max = 100'000;
/// Part of the way to a higher pace that one tick goes: a single lucky one must not cost the next.
constexpr double growth = 0.125;

}  // namespace

AuditPacer::AuditPacer(std::uint64_t budget_us, std::function<std::int64_t()> now_ns)
    : budget_us_(budget_us), now_ns_(std::move(now_ns)), tests_per_us_(tests_per_us_at_first) {}

std::uint64_t AuditPacer::begin() {
  if (budget_us_ == 0) return 0;
  began_ns_ = now_ns_();
  const double tests = static_cast<double>(budget_us_) * tests_per_us_;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(tests));
}

/// Down at once, up slowly.
void AuditPacer::end(const AuditReport& report) {
  if (budget_us_ == 0 || report.box_tests == 0) return;
  const double took_us = std::max(static_cast<double>(now_ns_() - began_ns_) / 1000, 0.001);
  const double pace = static_cast<double>(report.box_tests) / took_us;
  tests_per_us_ = pace < tests_per_us_ ? pace : tests_per_us_ + growth * (pace - tests_per_us_);
  tests_per_us_ = std::clamp(tests_per_us_, tests_per_us_min, tests_per_us_max);
}

}  // namespace vicinity::app
