// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "query/explain_text.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

using test::TestWorld;
using testing::ElementsAre;

/// What the view of a world says, spoilt by a test.
class SpoiltView final : public IndexView {
 public:
  explicit SpoiltView(std::shared_ptr<const IndexView> whole) : whole_(std::move(whole)) {}

  std::function<void(std::vector<std::uint32_t>&)> spoil_search = [](auto&) {};
  std::function<void(IndexPlaces&)> spoil_places = [](auto&) {};

  IndexVersion version() const override { return whole_->version(); }
  IndexKind kind() const override { return whole_->kind(); }
  const IndexStats& stats() const override { return whole_->stats(); }
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const override {
    whole_->find_in_box(box, slots);
    spoil_search(slots);
  }
  IndexPlaces places_of(std::uint32_t a, std::uint32_t b) const override {
    IndexPlaces places = whole_->places_of(a, b);
    spoil_places(places);
    return places;
  }

 private:
  std::shared_ptr<const IndexView> whole_;
};

/// Two balls that overlap, in slots 0 and 1, and one far away in slot 2.
class Explain : public testing::Test {
 protected:
  Explain() {
    for (const double x : {0.0, 1.5, 90.0})
      ids_.push_back(world_.spawn(Shape::sphere(1), {x, 0, 0}));
    step();
    contacts_ = {{ids_[0], ids_[1], 1, false}};
  }
  void step() {
    world_.step();
    view_ = std::make_shared<SpoiltView>(world_.index());
  }
  PairExplanation ask(EntityId a, EntityId b) const {
    PublishedFrame frame;
    frame.tick = world_.tick();
    frame.index_version = world_.index()->version();
    frame.snapshot = world_.snapshot();
    frame.index = view_;
    frame.contacts = OpenContacts(contacts_);
    frame.pairs_truncated = truncated_;
    return explain_pair(frame, a, b);
  }
  PairExplanation ask() const { return ask(ids_[0], ids_[1]); }

  TestWorld world_{IndexKind::Rows};
  std::shared_ptr<SpoiltView> view_;
  std::vector<EntityId> ids_;
  std::vector<OpenContact> contacts_;
  bool truncated_ = false;
};

TEST_F(Explain, ContactsWithAllThatTheyRestOn) {
  const PairExplanation pair = ask(ids_[1], ids_[0]);
  EXPECT_EQ(pair.stage, ExplainStage::None);
  EXPECT_TRUE(pair.candidate);
  EXPECT_TRUE(pair.touches);
  EXPECT_FALSE(pair.missed);
  EXPECT_TRUE(pair.in_contact);
  EXPECT_EQ(pair.begin_tick, 1u);
  EXPECT_NEAR(pair.gap_m.value(), -0.5, 1e-9);
  EXPECT_EQ(pair.a.id, ids_[0]);
  EXPECT_EQ(pair.b.id, ids_[1]);
  EXPECT_EQ(pair.b.position, (Vec3{1.5, 0, 0}));
  EXPECT_EQ(pair.b.tight_box, (Aabb{{0.5, -1, -1}, {2.5, 1, 1}}));
  EXPECT_EQ(pair.b.place.box, pair.b.bound);
  EXPECT_EQ(pair.b.place.partition, IndexPartition::Moving);
  EXPECT_EQ(pair.b.spawned, 1u);
  EXPECT_EQ(pair.b.filtered, 1u);
}

TEST_F(Explain, WhoIsNotThere) {
  for (const EntityId nobody : {EntityId(0, 2), EntityId(77, 1), EntityId::from_raw(~0ull)}) {
    const PairExplanation pair = ask(nobody, ids_[1]);
    EXPECT_EQ(pair.stage, ExplainStage::Gone);
    EXPECT_FALSE(pair.missed);
    EXPECT_NE(pair.a.lives, pair.b.lives);
    const ExplainedEntity& there = pair.a.lives ? pair.a : pair.b;
    EXPECT_EQ(there.place.partition, IndexPartition::Moving);
    EXPECT_EQ(there.place.box, there.bound);
    const ExplainedEntity& not_there = pair.a.lives ? pair.b : pair.a;
    EXPECT_FALSE(not_there.place.is_registered());
  }
  EXPECT_EQ(ask(ids_[0], ids_[0]).stage, ExplainStage::Gone);
  EXPECT_EQ(ask(EntityId(0, 1), EntityId(0, 2)).stage, ExplainStage::Gone);
}

TEST_F(Explain, ShapesThatAreApartInBoundsThatOverlap) {
  const EntityId corner = world_.spawn(Shape::sphere(1), {1.5, 1.5, 1.5});
  step();
  const PairExplanation pair = ask(ids_[0], corner);
  EXPECT_EQ(pair.stage, ExplainStage::NarrowPhase);
  EXPECT_TRUE(pair.candidate);
  EXPECT_NEAR(pair.gap_m.value(), 1.5 * std::sqrt(3.0) - 2, 1e-9);
}

TEST_F(Explain, EveryReasonOfAFilter) {
  const auto reasons = [this](const Filter& a, const Filter& b) {
    const EntityId id_a = world_.spawn(Shape::sphere(1), {500, 0, 0}, a);
    const EntityId id_b = world_.spawn(Shape::sphere(1), {500, 0, 0}, b);
    step();
    const PairExplanation pair = ask(id_a, id_b);
    EXPECT_EQ(pair.stage, ExplainStage::Filter);
    EXPECT_FALSE(pair.candidate);
    EXPECT_FALSE(pair.missed);
    return filter_reason_texts(pair.filter_reasons);
  };
  const auto with = [](auto change) {
    Filter filter;
    change(filter);
    return filter;
  };
  const Filter plain;
  const Filter disabled = with([](Filter& f) { f.enabled = false; });
  EXPECT_THAT(reasons(disabled, plain), ElementsAre("disabled_a"));
  EXPECT_THAT(reasons(plain, disabled), ElementsAre("disabled_b"));
  const Filter looked_for = with([](Filter& f) { f.mask = 0; });
  EXPECT_THAT(reasons(looked_for, plain), ElementsAre("mask_zero_a", "category_b"));
  EXPECT_THAT(reasons(plain, looked_for), ElementsAre("mask_zero_b", "category_a"));
  EXPECT_THAT(reasons(plain, with([](Filter& f) { f.instance = 3; })), ElementsAre("instance"));
  const Filter fixed = with([](Filter& f) { f.is_static = true; });
  EXPECT_THAT(reasons(fixed, fixed), ElementsAre("both_static"));
  const Filter sensor = with([](Filter& f) { f.sensor = true; });
  EXPECT_THAT(reasons(sensor, sensor), ElementsAre("both_sensor"));
  const Filter team = with([](Filter& f) { f.group = -5; });
  EXPECT_THAT(reasons(team, team), ElementsAre("group"));
  EXPECT_THAT(reasons(with([](Filter& f) { f.category = 2; }), with([](Filter& f) { f.mask = 5; })),
              ElementsAre("category_a"));
  EXPECT_THAT(reasons(with([](Filter& f) { f.mask = 4; }), with([](Filter& f) { f.category = 2; })),
              ElementsAre("category_b"));
}

// --- Faults of the index -------------------------------------------------------------------------

TEST_F(Explain, WhatASearchMissesThoughItIsRegistered) {
  view_->spoil_search = [](auto& slots) { std::erase(slots, 1u); };
  const PairExplanation pair = ask();
  EXPECT_TRUE(pair.missed);
  EXPECT_FALSE(pair.candidate);
  EXPECT_EQ(pair.stage, ExplainStage::CellArithmetic);
}

TEST_F(Explain, WhatIsRegisteredInCellsThatItDoesNotReach) {
  view_->spoil_search = [](auto& slots) { std::erase(slots, 1u); };
  view_->spoil_places = [](IndexPlaces& places) { places.share_cell = false; };
  EXPECT_EQ(ask().stage, ExplainStage::CellArithmetic);
  EXPECT_TRUE(ask().missed);
}

TEST_F(Explain, WhatIsRegisteredWithABoundThatDoesNotHoldIt) {
  view_->spoil_search = [](auto& slots) { std::erase(slots, 1u); };
  view_->spoil_places = [](IndexPlaces& places) { places.b.box.min[0] = 2; };
  EXPECT_EQ(ask().stage, ExplainStage::SweptBound);
  EXPECT_TRUE(ask().missed);
}

TEST_F(Explain, WhatIsLostBetweenTwoPlaces) {
  view_->spoil_search = [](auto& slots) { std::erase(slots, 1u); };
  view_->spoil_places = [](IndexPlaces& places) { places.b = {}; };
  EXPECT_EQ(ask().stage, ExplainStage::Transition);
  EXPECT_TRUE(ask().missed);
  view_->spoil_places = [](IndexPlaces& places) { places.b.until = 9; };
  EXPECT_EQ(ask().stage, ExplainStage::Transition);
}

TEST_F(Explain, ACandidateThatTouchesAndWasNotReported) {
  contacts_.clear();
  EXPECT_EQ(ask().stage, ExplainStage::PairSearch);
  EXPECT_TRUE(ask().missed);
  truncated_ = true;  // by the budget: that is no fault
  EXPECT_EQ(ask().stage, ExplainStage::PairSearch);
  EXPECT_FALSE(ask().missed);
  EXPECT_TRUE(ask().budget_cut);
}

TEST_F(Explain, IsAQueryToo) {
  PublishedFrame frame;
  frame.tick = world_.tick();
  frame.snapshot = world_.snapshot();
  frame.index = world_.index();
  frame.contacts = OpenContacts(contacts_);
  const QueryAnswer answer = answer_query(frame, {ExplainPairQuery{ids_[0], ids_[2]}});
  EXPECT_EQ(answer.tick, 1u);
  EXPECT_TRUE(answer.hits.empty());
  ASSERT_TRUE(answer.pair.has_value());
  EXPECT_FALSE(answer.pair->candidate);
}

template <typename Enum>
void expect_words_in(const std::string& guide) {
  for (std::uint8_t value = 1; to_string(Enum{value}) != "unknown"; ++value) {
    const std::string word = '`' + std::string(to_string(Enum{value})) + '`';
    EXPECT_NE(guide.find(word), std::string::npos) << word;
  }
}

TEST(ExplainWords, AreAllInTheGuideForOperators) {
  std::ifstream file(std::string(VICINITY_SOURCE_DIR) + "/docs/OPERATIONS.md");
  std::string guide{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = guide.find("## Why is it so?");
  ASSERT_NE(begin, std::string::npos);
  guide = guide.substr(begin, guide.find("\n## ", begin) - begin);
  expect_words_in<ExplainStage>(guide);
  expect_words_in<PolicyReason>(guide);
  expect_words_in<IndexPartition>(guide);
  expect_words_in<ViewStage>(guide);
  expect_words_in<ViewHold>(guide);
  for (const std::string_view word : filter_reason_texts(~0u))
    EXPECT_NE(guide.find('`' + std::string(word) + '`'), std::string::npos) << word;
}

}  // namespace
}  // namespace vicinity
