// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// That the runner can fail: wrong expectations against a right world, and wrong worlds against
// right expectations.

#include "cases/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cases/case_run.h"
#include "cases/clock_case.h"
#include "cases/mutations.h"
#include "cases/view_case.h"

namespace vicinity::cases {
namespace {

using testing::HasSubstr;

std::vector<Case> cases_of(const std::string& steps) {
  const std::string text =
      R"({"format": 1, "cases": [{"id": "T-1", "title": "t", "subsystem": "s", "script": [)" +
      steps + "]}]}";
  auto parsed = parse_case_file(text, "text");
  EXPECT_TRUE(parsed.ok());
  return parsed.ok() ? parsed.value() : std::vector<Case>{};
}

const std::string two_overlap = R"(["spawn", {"id": "A", "min": [0, 0, 0], "max": [2, 1, 1]}],
                                   ["spawn", {"id": "B", "min": [1, 0, 0], "max": [3, 1, 1]}])";

std::string step(const std::string& operations, const std::string& expectations) {
  return R"({"tick": 1, "ops": [)" + operations + R"(], "expect": [)" + expectations + "]}";
}

std::string first_difference(const CaseOutcome& outcome) {
  return outcome.differences.empty() ? "passed" : outcome.differences.front();
}

class BrokenCases : public testing::TestWithParam<IndexKind> {};

TEST_P(BrokenCases, AllFailForTheirReason) {
  const auto cases = read_case_file(VICINITY_SOURCE_DIR "/tests/cases/broken.json");
  ASSERT_TRUE(cases.ok()) << cases.error();
  for (const Case& script : cases.value()) {
    const CaseOutcome outcome = run_case(script, in_process_worlds(GetParam()));
    ASSERT_FALSE(script.because.empty()) << script.id;
    EXPECT_THAT(outcome.differences, testing::Contains(HasSubstr(script.because))) << script.id;
  }
}

INSTANTIATE_TEST_SUITE_P(AllIndexes, BrokenCases,
                         testing::Values(IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep,
                                         IndexKind::Auto),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST(CaseRun, MeasuresTheRecordsOfTheIndex) {
  const std::string four = R"(["spawn_many", {"prefix": "N", "count": 4, "min": [0, 0, 0],
                                              "max": [1, 1, 1], "step": [2, 0, 0]}])";
  for (const IndexKind kind :
       {IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto}) {
    const auto few = cases_of(step(four, R"(["bound", {"metric": "cells_touched", "max": 3}])"));
    EXPECT_THAT(first_difference(run_case(few.front(), in_process_worlds(kind))),
                HasSubstr("cells_touched: expected <= 3, got"));
  }
}

/// A world that tells what a test makes of the truth.
class LyingWorld final : public World {
 public:
  using Lie = std::function<void(TickSeen&)>;
  LyingWorld(std::unique_ptr<World> truth, Lie lie)
      : truth_(std::move(truth)), lie_(std::move(lie)) {}
  std::uint64_t next_sequence() const override { return truth_->next_sequence(); }
  Result<TickSeen, std::string> run_tick(const std::vector<CommandBody>& commands) override {
    auto seen = truth_->run_tick(commands);
    if (seen.ok()) lie_(seen.value());
    return seen;
  }
  std::string run_idle_ticks(std::uint32_t count,
                             const std::function<void(const TickSeen&)>& take) override {
    return truth_->run_idle_ticks(count, take);
  }
  Result<QuerySeen, std::string> ask(const Query& query) override { return truth_->ask(query); }
  std::string stop() override { return truth_->stop(); }

 private:
  std::unique_ptr<World> truth_;
  Lie lie_;
};

CaseOutcome run_with(const LyingWorld::Lie& lie, const std::string& steps) {
  const WorldFactory honest = in_process_worlds(IndexKind::BruteForce);
  const WorldFactory lying =
      [&](const WorldOptions& options) -> Result<std::unique_ptr<World>, std::string> {
    return std::unique_ptr<World>(
        std::make_unique<LyingWorld>(std::move(honest(options).value()), lie));
  };
  return run_case(cases_of(steps).front(), lying);
}

const std::string begins = step(two_overlap, R"(["begin", [["A", "B"]]])");

TEST(CaseRun, PassesWhatIsRight) {
  EXPECT_EQ(first_difference(run_with([](TickSeen&) {}, begins)), "passed");
}

TEST(CaseRun, NoticesABeginThatComesTwice) {
  const auto outcome = run_with(
      [](TickSeen& seen) {
        seen.begins.push_back(seen.begins.front());
        seen.open.reset();
      },
      begins);
  EXPECT_THAT(outcome.differences, testing::Contains(HasSubstr("got [A-B, A-B]")));
}

TEST(CaseRun, NoticesAnEndWithoutABegin) {
  const auto outcome = run_with(
      [](TickSeen& seen) {
        seen.ends = std::exchange(seen.begins, {});
        seen.open.reset();
      },
      step(two_overlap, R"(["end", [["A", "B"]]])"));
  EXPECT_THAT(first_difference(outcome), HasSubstr("end of a contact that is not open A-B"));
}

TEST(CaseRun, NoticesAContactThatWasNeverTold) {
  const auto outcome = run_with([](TickSeen& seen) { seen.begins.clear(); }, step(two_overlap, ""));
  EXPECT_THAT(first_difference(outcome), HasSubstr("not the sum of begins and ends"));
}

TEST(CaseRun, NoticesAnEnterThatComesTwice) {
  const std::string observed =
      R"(["observer_add", {"obs": "O", "at": [0, 0, 0], "r_in": 5, "r_out": 6}],
         ["spawn", {"id": "A", "min": [0, 0, 0], "max": [1, 1, 1]}])";
  const auto outcome = run_with([](TickSeen& seen) { seen.enters.push_back(seen.enters.front()); },
                                step(observed, R"(["enter", {"obs": "O", "ids": ["A"]}])"));
  EXPECT_THAT(first_difference(outcome), HasSubstr("enter of A, which O sees already"));
}

TEST(CaseRun, NoticesAMoveThatWasAppliedInPart) {
  const std::string grow = R"(["spawn", {"id": "A", "min": [0, 0, 0], "max": [1, 1, 1]}],
                              ["move", {"id": "A", "min": [5, 0, 0], "max": [7, 1, 1]}])";
  const auto outcome =
      run_with([](TickSeen& seen) { seen.replies.back().code = ErrorCode::OutOfWorld; },
               step(grow, R"(["error", [[1, "out_of_world"]]])"));
  EXPECT_THAT(first_difference(outcome), HasSubstr("operation 1 was applied in part"));
}

TEST(CaseRun, NoticesAnAnswerOfAnotherTick) {
  const auto outcome =
      run_with([](TickSeen& seen) { ++seen.tick; },
               step(R"(["query_box", {"tag": "q", "min": [0, 0, 0], "max": [1, 1, 1]}])",
                    R"(["result", {"tag": "q", "ids": []}])"));
  EXPECT_THAT(first_difference(outcome), HasSubstr("the answer to q is of another tick"));
}

TEST(CaseRun, RecyclesASlotAndNoOther) {
  const std::string script =
      step(R"(["spawn", {"id": "A", "min": [0, 0, 0], "max": [1, 1, 1]}])", "") + "," +
      step(R"(["recycle_slot", {"of": "A", "times": 20000}])",
           R"(["assert", {"metric": "handles_equal_to_A", "cmp": "==", "value": 0}])") +
      "," +
      step(R"(["move", {"id": "A", "min": [5, 0, 0], "max": [6, 1, 1]}])",
           R"(["error", [[0, "stale"]]])");
  EXPECT_EQ(first_difference(run_with([](TickSeen&) {}, script)), "passed");
  const auto elsewhere = [](TickSeen& seen) {
    if (seen.replies.size() > 2) seen.replies[3].entity = EntityId(77, 1);
  };
  EXPECT_THAT(first_difference(run_with(elsewhere, script)), HasSubstr("another slot was used"));
}

// --- Cases that are no scripts -----------------------------------------------------------------

Case case_of_file(const std::string& id) {
  const auto cases = read_case_file(VICINITY_SOURCE_DIR "/tests/cases/cases.json");
  EXPECT_TRUE(cases.ok());
  for (const Case& script : cases.value())
    if (script.id == id) return script;
  ADD_FAILURE() << "no case " << id;
  return {};
}

TEST(ClockCase, CountsTicksAndDroppedTicks) {
  const Case script = case_of_file("TL-01");
  ASSERT_TRUE(clock_cases().takes(script));
  EXPECT_EQ(first_difference(clock_cases().run(script)), "passed");
  for (const std::string metric : {"ticks run", "ticks reported as dropped"}) {
    Case wrong = script;
    for (Expectation& expectation : wrong.script.front().expectations)
      if (expectation.kind == "assert" && expectation.value["metric"] == metric)
        expectation.value["cmp"] = metric == "ticks run" ? ">=" : "<=";
    for (Expectation& expectation : wrong.script.front().expectations)
      if (expectation.kind == "assert")
        expectation.value["value"] = metric == "ticks run" ? 127 : 72;
    EXPECT_THAT(first_difference(clock_cases().run(wrong)), HasSubstr("expected")) << metric;
  }
}

TEST(ClockCase, TakesNoCaseWithWordsItDoesNotKnow) {
  Case script = case_of_file("TL-01");
  script.script.front().operations.front().fields["leap_seconds"] = 1;
  EXPECT_FALSE(clock_cases().takes(script));
}

CaseOutcome run_views_with(const LyingWorld::Lie& lie) {
  const WorldFactory honest = in_process_worlds(IndexKind::Rows);
  const WorldFactory lying =
      [&](const WorldOptions& options) -> Result<std::unique_ptr<World>, std::string> {
    return std::unique_ptr<World>(
        std::make_unique<LyingWorld>(std::move(honest(options).value()), lie));
  };
  return view_cases(lying).run(case_of_file("WR-08"));
}

TEST(ViewCase, NoticesALeaveThatWasNeverTold) {
  const auto lie = [](TickSeen& seen) {
    if (seen.tick > 100 && !seen.leaves.empty()) seen.leaves.pop_back();
  };
  EXPECT_NE(first_difference(run_views_with(lie)), "passed");
}

TEST(ViewCase, NoticesAnUpdateOfAnUnknownEntity) {
  const auto lie = [](TickSeen& seen) {
    if (seen.tick == 500) seen.updates.push_back({ObserverId{2}, EntityId(77, 7)});
  };
  EXPECT_THAT(run_views_with(lie).differences,
              testing::Contains(HasSubstr("in tick 500: update of")));
}

TEST(ViewCase, NoticesAnUpdateAfterTheLeave) {
  const auto lie = [](TickSeen& seen) {
    if (!seen.leaves.empty()) seen.updates.push_back(seen.leaves.front());
  };
  EXPECT_THAT(run_views_with(lie).differences, testing::Contains(HasSubstr("not_delivered")));
}

TEST(Mutations, AreTheSameForTheSameSeed) {
  Prng first(1);
  Prng second(1);
  std::uint64_t sequence = 1;
  std::uint64_t same_sequence = 1;
  std::set<std::vector<std::uint8_t>> frames;
  for (int i = 0; i < 1000; ++i) {
    const Mutation mutation = make_mutation(first, sequence);
    EXPECT_EQ(mutation.frame, make_mutation(second, same_sequence).frame);
    frames.insert(mutation.frame);
  }
  EXPECT_GT(frames.size(), 900u);
}

class Suite : public testing::Test {
 protected:
  SuiteResult run(const std::vector<Skip>& skips, const std::string& expectations) {
    return run_suite(cases_of(step(two_overlap, expectations)), skips,
                     {{"rows", in_process_worlds(IndexKind::Rows)}}, options_, report_);
  }
  SuiteOptions options_;
  std::ostringstream report_;
  const std::string right_ = R"(["begin", [["A", "B"]]])";
};

TEST_F(Suite, ReportsOneLineForEachCaseAndTheSums) {
  EXPECT_EQ(run({}, right_).passed, 1u);
  EXPECT_EQ(report_.str(), "PASS T-1 t\n1 passed, 0 failed, 0 skipped\n");
}

TEST_F(Suite, ReportsWhatDiffersAndWhere) {
  EXPECT_EQ(run({}, "").failed, 1u);
  EXPECT_EQ(report_.str(),
            "FAIL T-1 t: [rows] tick 1: begin: expected [], got [A-B]\n"
            "0 passed, 1 failed, 0 skipped\n");
}

TEST_F(Suite, SkipsWithTheReason) {
  EXPECT_EQ(run({{"T-1", "comes later"}}, "").skipped, 1u);
  EXPECT_EQ(report_.str(), "SKIP T-1 t: comes later\n0 passed, 0 failed, 1 skipped\n");
}

TEST_F(Suite, DoesNotSkipInProcessWhatIsSkippedOverTcp) {
  const std::vector<Skip> skips = {{"T-1", "too slow", SkipWhere::OverTcp}};
  EXPECT_EQ(run(skips, right_).passed, 1u);
  options_.over_tcp = true;
  EXPECT_EQ(run(skips, right_).skipped, 1u);
}

TEST_F(Suite, StrictFailsWhenASkippedCasePasses) {
  EXPECT_EQ(run({{"T-1", "comes later"}}, right_).failed, 0u);
  options_.strict = true;
  EXPECT_EQ(run({{"T-1", "comes later"}}, right_).failed, 1u);
}

TEST_F(Suite, StrictFailsWhenTheSkipListNamesNoCase) {
  const std::vector<Skip> skips = {{"T-9", "comes later"}};
  EXPECT_EQ(run(skips, right_).failed, 0u);
  options_.strict = true;
  EXPECT_EQ(run(skips, right_).failed, 1u);
}

TEST_F(Suite, LeavesOutWhatItIsToldTo) {
  options_.except = {"T-1"};
  EXPECT_EQ(run({}, "").skipped, 1u);
  EXPECT_EQ(report_.str(), "SKIP T-1 t: left out by --except\n0 passed, 0 failed, 1 skipped\n");
}

TEST_F(Suite, HoldsAWrongCaseToItsReason) {
  options_.must_fail = true;
  std::vector<Case> wrong = cases_of(step(two_overlap, ""));
  const auto run_wrong = [&](const std::string& because) {
    wrong.front().because = because;
    return run_suite(wrong, {}, {{"rows", in_process_worlds(IndexKind::Rows)}}, options_, report_);
  };
  EXPECT_EQ(run_wrong("begin: expected [], got [A-B]").passed, 1u);
  EXPECT_EQ(run_wrong("the server did not start").failed, 1u);
  EXPECT_EQ(run_wrong("").failed, 1u);
  EXPECT_EQ(run({}, right_).failed, 1u);
}

TEST(CaseRun, RefusesParametersThatItWouldIgnore) {
  std::vector<Case> cases = cases_of(step("", ""));
  cases.front().unknown_keys = {"tick_hz"};
  EXPECT_EQ(first_difference(run_case(cases.front(), in_process_worlds(IndexKind::Rows))),
            "unknown key tick_hz");
  const auto inside = cases_of(step(R"(["param", {"tick_hz": 20}])", ""));
  EXPECT_THAT(first_difference(run_case(inside.front(), in_process_worlds(IndexKind::Rows))),
              HasSubstr("unknown operation param"));
}

TEST(CaseRun, RefusesToCountBytes) {
  const auto bytes = [](const std::string& relation) {
    const auto cases = cases_of(
        step("", R"(["assert", {"metric": "bytes_to_O_about_c*", "cmp": ")" + relation + "}]"));
    return first_difference(run_case(cases.front(), in_process_worlds(IndexKind::Rows)));
  };
  EXPECT_EQ(bytes(R"(==", "value": 0)"), "passed");
  EXPECT_THAT(bytes(R"(==", "value": 8)"), HasSubstr("can only be asserted to be 0"));
  EXPECT_THAT(bytes(R"(<=", "value": 0)"), HasSubstr("can only be asserted to be 0"));
}

TEST_F(Suite, FindsWordsThatNameNothing) {
  const std::vector<Case> cases = cases_of(step(two_overlap, right_));
  EXPECT_THAT(unmatched_words(cases, {"s", "T-1", "sapp"}), testing::ElementsAre("sapp"));
}

}  // namespace
}  // namespace vicinity::cases
