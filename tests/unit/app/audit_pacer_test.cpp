// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/audit_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vicinity::app {
namespace {

/// A machine that does so many box tests per microsecond, and a world that has work for it.
class Machine {
 public:
  explicit Machine(std::uint64_t budget_us) : pacer_(budget_us, [this] { return now_ns_; }) {}

  /// One tick; what it took, in microseconds.
  double run(double tests_per_us, std::uint64_t wanted = 1'000'000'000) {
    const std::uint64_t allowed = pacer_.begin();
    AuditReport report;
    report.box_tests = allowed == 0 ? wanted : std::min(allowed, wanted);
    const double took_us = static_cast<double>(report.box_tests) / tests_per_us;
    now_ns_ += static_cast<std::int64_t>(took_us * 1000);
    pacer_.end(report);
    return took_us;
  }
  std::uint64_t allowed() { return pacer_.begin(); }

 private:
  std::int64_t now_ns_ = 5;
  AuditPacer pacer_;
};

TEST(AuditPacer, BringsTheAuditToItsTimeOnAnyMachine) {
  for (const double tests_per_us : {0.5, 20.0, 1'500.0}) {
    Machine machine(500);
    double took_us = 0;
    for (int tick = 0; tick < 200; ++tick) took_us = machine.run(tests_per_us);
    EXPECT_LE(took_us, 501);
    EXPECT_GT(took_us, 400);
  }
}

TEST(AuditPacer, IsBackInItsTimeInTheTickAfterASlowOne) {
  Machine machine(500);
  for (int tick = 0; tick < 100; ++tick) machine.run(1'000);
  EXPECT_GT(machine.run(10), 10'000);
  EXPECT_LE(machine.run(10), 501);
}

TEST(AuditPacer, WithoutABoundLetsEverythingPass) {
  Machine machine(0);
  EXPECT_EQ(machine.allowed(), 0u);
  machine.run(0.001, 10);
  EXPECT_EQ(machine.allowed(), 0u);
}

TEST(AuditPacer, NeverSaysThatThereIsNoBoundWhereThereIsOne) {
  Machine machine(1);
  for (int tick = 0; tick < 50; ++tick) machine.run(0.0001, 10);
  EXPECT_EQ(machine.allowed(), 1u);
}

}  // namespace
}  // namespace vicinity::app
