// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

/// An index whose answers the test spoils.
class SpoiltIndex final : public Index, public IndexView {
 public:
  explicit SpoiltIndex(const Bounds& bounds) : bounds_(bounds) {}

  std::set<std::uint32_t> unregistered;  ///< found by no search
  std::set<std::uint32_t> misplaced;     ///< found only by searches of everything

  IndexKind kind() const override { return IndexKind::Rows; }
  void update(const IndexInput&, Workers&) override {}
  void find_pairs(const IndexInput&, Workers&, CandidatePairs&) override {}
  std::span<const SlotPair> woken_pairs() const override { return {}; }
  bool at_rest(std::uint32_t) const override { return false; }
  std::shared_ptr<const IndexView> view() const override { return nullptr; }
  IndexVersion version() const override { return 1; }
  const IndexStats& stats() const override { return stats_; }
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const override {
    const bool is_everything = box.max[0] > 1e30f;
    for (std::uint32_t slot = 0; slot < bounds_.size(); ++slot) {
      if (unregistered.contains(slot) || (misplaced.contains(slot) && !is_everything)) continue;
      if (bounds_[slot].is_alive() && touches(bounds_[slot].box, box)) slots.push_back(slot);
    }
  }

  IndexPlaces places_of(std::uint32_t, std::uint32_t) const override { return {}; }

 private:
  const Bounds& bounds_;
  IndexStats stats_;
};

/// Two boxes that overlap and one far away, with everything as it should be.
class Audit : public testing::Test {
 protected:
  Audit() {
    builder_.add(test::box_at(0, 0, 0));
    builder_.add(test::box_at(0.5, 0, 0));
    builder_.add(test::box_at(50, 0, 0));
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      bounds_.push_back({round_outward(builder_.snapshot().tight_box[slot]), 1,
                         bound_flags(builder_.snapshot().filter[slot])});
    }
    active_ = {{0, 1}};
    open_ = {{EntityId(0, 1), EntityId(1, 1), 1, false}};
  }

  AuditReport run(double rate = 1) {
    const OpenContacts contacts(open_);
    return Auditor().run(
        {builder_.snapshot(), bounds_, index_, index_, active_, contacts, truncated_}, rate,
        nullptr, workers_);
  }
  AuditCause cause() {
    const AuditReport report = run();
    return report.first ? report.first->cause : AuditCause::None;
  }

  test::SnapshotBuilder builder_;
  Bounds bounds_;
  SpoiltIndex index_{bounds_};
  std::vector<SlotPair> active_;
  std::vector<OpenContact> open_;
  bool truncated_ = false;
  Workers workers_{2};
};

TEST_F(Audit, FindsNothingWhereNothingIsMissing) {
  const AuditReport report = run();
  EXPECT_EQ(report.entities, 3u);
  EXPECT_EQ(report.misses, 0u);
  EXPECT_FALSE(report.first.has_value());
}

/// Lets the audit do so much in each tick, and keeps what it says of it.
class FixedPace final : public AuditPace {
 public:
  explicit FixedPace(std::uint64_t box_tests_max) : box_tests_max_(box_tests_max) {}
  std::uint64_t begin() override { return box_tests_max_; }
  void end(const AuditReport& report) override { reports.push_back(report); }

  std::vector<AuditReport> reports;

 private:
  std::uint64_t box_tests_max_;
};

/// Boxes in a row, none of which touches another, and an index that has lost one of them.
class AuditOfMany : public testing::Test {
 protected:
  static constexpr std::uint32_t lost = 4'777;

  void make(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      builder_.add(test::box_at(10.0 * i, 0, 0));
      bounds_.push_back(
          {round_outward(builder_.snapshot().tight_box.back()), 1, bound_flags(Filter{})});
    }
  }
  AuditReport run(double rate, AuditPace* pace) {
    return auditor_.run({builder_.snapshot(), bounds_, index_, index_, {}, OpenContacts(), false},
                        rate, pace, workers_);
  }

  test::SnapshotBuilder builder_;
  Bounds bounds_;
  SpoiltIndex index_{bounds_};
  Auditor auditor_;
  Workers workers_{2};
};

TEST_F(AuditOfMany, LooksAtNobodyAtRateZeroAndAtAPartInBetween) {
  make(2000);
  EXPECT_EQ(run(0, nullptr).entities, 0u);
  const AuditReport report = run(0.25, nullptr);
  EXPECT_EQ(report.misses, 0u);
  EXPECT_EQ(report.entities, 500u);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(report.round_ticks, 4u);
}

TEST_F(AuditOfMany, GoesRoundSoThatALostEntityIsFoundWithinTheRound) {
  make(5'000);
  index_.unregistered = {lost};
  for (int round = 0; round < 2; ++round) {
    std::uint64_t entities = 0;
    std::uint64_t misses = 0;
    for (int tick = 0; tick < 8; ++tick) {
      const AuditReport report = run(0.125, nullptr);
      EXPECT_EQ(report.round_ticks, 8u);
      entities += report.entities;
      misses += report.misses;
      if (report.first) {
        EXPECT_EQ(report.first->a.index(), lost);
      }
    }
    EXPECT_EQ(entities, 5'000u);
    EXPECT_EQ(misses, 1u);
  }
}

TEST_F(AuditOfMany, StopsWhereItsTimeEndsAndSaysWhatItSkipped) {
  make(10'000);
  FixedPace pace(35'000);  // three entities against all others, and a stretch of a fourth
  const AuditReport first = run(0.01, &pace);
  EXPECT_EQ(first.entities, 3u);
  EXPECT_EQ(first.skipped, 97u);
  EXPECT_LE(first.box_tests, 35'000u);
  EXPECT_GT(first.box_tests, 30'000u);
  ASSERT_EQ(pace.reports.size(), 1u);
  EXPECT_EQ(pace.reports[0].box_tests, first.box_tests);
}

TEST_F(AuditOfMany, ComparesOneEntityOverSeveralTicksWhereATickHasTimeForAPartOnly) {
  make(10'000);
  FixedPace pace(1);  // three stretches of others
  EXPECT_EQ(run(1, &pace).entities, 0u);
  const AuditReport second = run(1, &pace);
  EXPECT_EQ(second.entities, 0u);
  const AuditReport third = run(1, &pace);
  EXPECT_EQ(third.entities, 1u);
  EXPECT_LT(third.box_tests, second.box_tests);
  EXPECT_EQ(third.round_ticks, (10'000ull * 10'000 + third.box_tests - 1) / third.box_tests);
  for (int tick = 0; tick < 3; ++tick) run(1, &pace);
  std::uint64_t entities = 0;
  for (const AuditReport& report : pace.reports) entities += report.entities;
  EXPECT_EQ(entities, 2u);
}

TEST_F(AuditOfMany, GoesOnWhenTheWorldHasShrunkOrHasHoles) {
  make(100);
  EXPECT_EQ(run(0.9, nullptr).entities, 90u);
  test::SnapshotBuilder few;
  few.add(test::box_at(0, 0, 0));
  few.add(test::box_at(10, 0, 0));
  const AuditReport report = auditor_.run(
      {few.snapshot(), bounds_, index_, index_, {}, OpenContacts(), false}, 1, nullptr, workers_);
  EXPECT_EQ(report.entities, 2u);
}

TEST_F(Audit, NamesCellArithmeticWhenASearchMissesWhatIsRegistered) {
  index_.misplaced = {1};
  EXPECT_EQ(cause(), AuditCause::CellArithmetic);
}

TEST_F(Audit, NamesTheSweptBoundWhenItDoesNotHoldTheEntity) {
  bounds_[1].box.min[0] = 20;
  bounds_[1].box.max[0] = 21;
  EXPECT_EQ(cause(), AuditCause::SweptBound);
}

TEST_F(Audit, NamesTheTransitionWhenAnEntityIsRegisteredNowhere) {
  index_.unregistered = {1};
  EXPECT_EQ(cause(), AuditCause::Transition);
}

TEST_F(Audit, NamesTheFilterWhenThePairIsMissingAndTheBoundKnowsAnotherFilter) {
  active_.clear();
  bounds_[1].flags = bound_alive;  // as if it still were query-only
  EXPECT_EQ(cause(), AuditCause::Filter);
}

TEST_F(Audit, NamesThePairSearchWhenBothAreFoundButNotThePair) {
  active_.clear();
  EXPECT_EQ(cause(), AuditCause::PairSearch);
}

TEST_F(Audit, NamesTheNarrowPhaseWhenACandidateThatTouchesIsNoContact) {
  open_.clear();
  const AuditReport report = run();
  ASSERT_TRUE(report.first.has_value());
  EXPECT_EQ(report.first->cause, AuditCause::NarrowPhase);
  EXPECT_EQ(report.first->a, EntityId(0, 1));
  EXPECT_EQ(report.first->b, EntityId(1, 1));
  EXPECT_EQ(report.misses, 2u);  // seen from both
}

TEST_F(Audit, JudgesContactsUnderARuleWithACooldownToo) {
  ContactPolicy policy;
  policy.replace(std::vector<PolicyRule>{{.cooldown_ticks = 9}}, 1);
  open_.clear();
  const OpenContacts contacts(open_);
  const ContactTracker tracker;  // of which nothing cools down
  const AuditReport report = Auditor().run(
      {builder_.snapshot(), bounds_, index_, index_, active_, contacts, false, &policy, &tracker},
      1, nullptr, workers_);
  EXPECT_EQ(report.misses, 2u);
  ASSERT_TRUE(report.first.has_value());
  EXPECT_EQ(report.first->cause, AuditCause::NarrowPhase);
}

TEST_F(Audit, DoesNotJudgePairsWhenTheBudgetCutThem) {
  active_.clear();
  open_.clear();
  truncated_ = true;
  EXPECT_EQ(run().misses, 0u);
}

}  // namespace
}  // namespace vicinity
