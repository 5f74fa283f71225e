// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/measure.h"

#include <gtest/gtest.h>

namespace vicinity::bench {
namespace {

constexpr std::uint32_t entities = 200;
constexpr int faulty_tick = 4;
constexpr MeasureOptions options = {.rounds = 2, .warm_up_ticks = 2, .ticks = 5};

/// Compares all with all, and does one thing wrong in one tick.
class AllPairs : public Implementation {
 public:
  enum class Fault { None, Loses, Repeats, Invents, Complains };

  explicit AllPairs(Fault fault) : fault_(fault) {}

  void tick(const SceneState& state, StageClock& clock) override {
    ++tick_;
    pairs_.clear();
    for (std::uint32_t a = 0; a < state.slot_count(); ++a)
      for (std::uint32_t b = a + 1; b < state.slot_count(); ++b)
        if (is_pair(state, {a, b})) pairs_.push_back({a, b});
    clock.end_stage("find");
  }
  std::string collect(const SceneState& state, std::vector<SlotPair>& pairs) override {
    pairs = pairs_;
    if (tick_ != faulty_tick) return "";
    if (fault_ == Fault::Loses) pairs.pop_back();
    if (fault_ == Fault::Repeats) pairs.push_back(pairs.front());
    for (std::uint32_t b = 1; fault_ == Fault::Invents && pairs == pairs_; ++b)
      if (!is_pair(state, {0, b})) pairs.push_back({0, b});
    return fault_ == Fault::Complains ? "complaint" : "";
  }
  TickCounts counts() const override { return {.candidates = pairs_.size()}; }

 private:
  Fault fault_;
  int tick_ = -1;  ///< 0 is the one in which all appear
  std::vector<SlotPair> pairs_;
};

ImplementationInfo all_pairs(AllPairs::Fault fault, bool is_peer) {
  return {.name = "all pairs", .is_peer = is_peer, .make = [fault](const SceneState&, int) {
            return std::make_unique<AllPairs>(fault);
          }};
}

Result measure_one(const ImplementationInfo& info) {
  const std::optional<SceneTruth> truth =
      find_truth("uniform", entities, options.seed, options.warm_up_ticks + options.ticks);
  return measure("uniform", entities, *truth, {info}, options).front();
}

TEST(Measure, AcceptsThePairsOfTheOracle) {
  const Result result = measure_one(all_pairs(AllPairs::Fault::None, false));
  EXPECT_EQ(result.mismatch, "");
  EXPECT_EQ(result.skipped, "");
  EXPECT_EQ(result.entities, entities);
  EXPECT_EQ(result.ticks, options.ticks);
  EXPECT_EQ(result.rounds, options.rounds);
  EXPECT_EQ(result.candidates, result.pairs);
  EXPECT_GT(result.pairs, 0);
  EXPECT_GT(result.p50_ms, 0);
  EXPECT_GE(result.p99_ms, result.p50_ms);
  EXPECT_FALSE(result.ratio_to_best_peer.has_value());
}

TEST(Measure, NamesTheTickThatIsWrong) {
  for (const auto fault : {AllPairs::Fault::Loses, AllPairs::Fault::Repeats,
                           AllPairs::Fault::Invents, AllPairs::Fault::Complains}) {
    const Result result = measure_one(all_pairs(fault, false));
    EXPECT_TRUE(result.mismatch.starts_with("tick 4: ")) << result.mismatch;
  }
}

TEST(Measure, LetsPeersReportMoreThanThePairsButNotLess) {
  EXPECT_EQ(measure_one(all_pairs(AllPairs::Fault::Invents, true)).mismatch, "");
  EXPECT_NE(measure_one(all_pairs(AllPairs::Fault::Loses, true)).mismatch, "");
  EXPECT_NE(measure_one(all_pairs(AllPairs::Fault::Repeats, true)).mismatch, "");
}

TEST(Measure, ComparesWithTheFastestPeerThatIsRight) {
  const std::optional<SceneTruth> truth =
      find_truth("uniform", entities, options.seed, options.warm_up_ticks + options.ticks);
  const std::vector<Result> results =
      measure("uniform", entities, *truth,
              {all_pairs(AllPairs::Fault::None, false), all_pairs(AllPairs::Fault::None, true),
               all_pairs(AllPairs::Fault::Loses, true)},
              options);
  EXPECT_EQ(results[0].ratio_to_best_peer, results[1].p50_ms / results[0].p50_ms);
  EXPECT_EQ(results[1].ratio_to_best_peer, 1.0);
}

TEST(Measure, SkipsWhatIsTooLarge) {
  ImplementationInfo info = all_pairs(AllPairs::Fault::Loses, true);
  info.entities_max = entities - 1;
  info.entities_max_reason = "too many";
  EXPECT_EQ(measure_one(info).skipped, "too many");
  info.entities_max = entities;
  info.pairs_max = 1;
  info.pairs_max_reason = "too dense";
  EXPECT_EQ(measure_one(info).skipped, "too dense");
}

TEST(Measure, CutsWhatIsTooSlow) {
  const std::optional<SceneTruth> truth = find_truth("uniform", entities, options.seed, 1'002);
  MeasureOptions hurried = options;
  hurried.ticks = 1'000;
  hurried.budget_s = 1e-9;
  const Result result =
      measure("uniform", entities, *truth, {all_pairs(AllPairs::Fault::None, true)}, hurried)
          .front();
  EXPECT_EQ(result.ticks, ticks_min);
  EXPECT_EQ(result.rounds, 1u);
}

}  // namespace
}  // namespace vicinity::bench
