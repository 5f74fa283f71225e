// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <iterator>

#include "bench/overlap_tester.h"
#include "narrow/shape_tests.h"

namespace vicinity::bench {
namespace {

class Vicinity : public OverlapTester {
 public:
  explicit Vicinity(std::span<const ShapePair> pairs) : pairs_(pairs) {}
  void test(std::span<std::uint8_t> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const ShapePair& pair = pairs_[i];
      answers[i] = overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b) ? 1 : 0;
    }
  }

 private:
  std::span<const ShapePair> pairs_;
};

}  // namespace

std::vector<OverlapTesterInfo> overlap_testers() {
  // The band of ours: between the test for yes or no and those for distance and depth.
  std::vector<OverlapTesterInfo> all = {
      {.name = "vicinity",
       .is_peer = false,
       .band_m = [](PairKinds) { return 1e-9; },
       .make = [](std::span<const ShapePair> pairs) { return std::make_unique<Vicinity>(pairs); }}};
#ifdef VICINITY_BENCH_BULLET
  std::ranges::move(bullet_overlap_testers(), std::back_inserter(all));
#endif
#ifdef VICINITY_BENCH_FCL
  std::ranges::move(fcl_overlap_testers(), std::back_inserter(all));
#endif
  return all;
}

}  // namespace vicinity::bench
