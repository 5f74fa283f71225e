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
    return audit_tick({builder_.snapshot(), bounds_, index_, index_, active_, contacts, truncated_},
                      rate, workers_);
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

TEST_F(Audit, LooksAtNobodyAtRateZeroAndAtSomeInBetween) {
  EXPECT_EQ(run(0).entities, 0u);
  test::SnapshotBuilder many;
  Bounds bounds;
  for (int i = 0; i < 2000; ++i) {
    many.add(test::box_at(10.0 * i, 0, 0));
    bounds.push_back({round_outward(many.snapshot().tight_box.back()), 1, bound_flags(Filter{})});
  }
  SpoiltIndex index(bounds);
  const AuditReport report = audit_tick(
      {many.snapshot(), bounds, index, index, {}, OpenContacts(), false}, 0.25, workers_);
  EXPECT_EQ(report.misses, 0u);
  EXPECT_GT(report.entities, 400u);
  EXPECT_LT(report.entities, 600u);
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

TEST_F(Audit, DoesNotJudgePairsWhenTheBudgetCutThem) {
  active_.clear();
  open_.clear();
  truncated_ = true;
  EXPECT_EQ(run().misses, 0u);
}

}  // namespace
}  // namespace vicinity
