// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the benchmark of the exact tests compares: something that says of each pair whether it
// overlaps. Vicinity itself is one, the peers are the others.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/shape_pairs.h"

namespace vicinity::bench {

class OverlapTester {
 public:
  virtual ~OverlapTester() = default;
  /// Measured. answers[i]: whether pair i overlaps, 0 or 1.
  virtual void test(std::span<std::uint8_t> answers) = 0;
};

struct OverlapTesterInfo {
  std::string name;
  bool is_peer = true;
  /// Closer to touching than this, metres, its answers are not compared with ours. Nothing when it
  /// cannot test such pairs.
  std::function<std::optional<double>(PairKinds)> band_m;
  /// Part of the pairs that it is known to get wrong beyond its band, where all others agree with
  /// ours. More of them, or any of another tester, make a run fail.
  double faults_part_max = 0;
  std::string_view faults_reason = {};
  /// Not measured: whatever can be prepared. The pairs outlive the tester.
  std::function<std::unique_ptr<OverlapTester>(std::span<const ShapePair>)> make;
};

/// Ours first, then those peers whose packages were there when this program was built.
std::vector<OverlapTesterInfo> overlap_testers();

// Each is there only when its package is.
std::vector<OverlapTesterInfo> bullet_overlap_testers();
std::vector<OverlapTesterInfo> fcl_overlap_testers();

}  // namespace vicinity::bench
