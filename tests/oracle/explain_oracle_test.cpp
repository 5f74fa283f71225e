// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What explain_pair() says of every pair of random worlds, with every kind of index, against rules
// that are written out here once more: the stage it names must be the first that rejects the pair,
// its candidates must be those of the index and its contacts those that are open.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "narrow/shape_tests.h"
#include "oracle/random_script.h"
#include "oracle/seeds.h"
#include "oracle/world_model.h"
#include "query/explain.h"
#include "query/explain_text.h"
#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

constexpr SessionId rule_maker{1'000'000};
constexpr int ticks_per_world = 25;

using Pair = std::pair<EntityId, EntityId>;
using Stages = std::map<ExplainStage, std::size_t>;

std::vector<PolicyRule> rules() {
  PolicyRule ignore;
  ignore.categories_a = ignore.categories_b = 2;
  ignore.action = PolicyAction::Ignore;
  PolicyRule cool;
  cool.categories_a = cool.categories_b = 1;
  cool.cooldown_ticks = 6;
  return {ignore, cool};
}
const PolicyRule* rule_of(const std::vector<PolicyRule>& all, const Filter& a, const Filter& b) {
  for (const PolicyRule& rule : all) {
    const bool fits =
        (a.category & rule.categories_a) != 0 && (b.category & rule.categories_b) != 0;
    const bool turned =
        (b.category & rule.categories_a) != 0 && (a.category & rule.categories_b) != 0;
    if (fits || turned) return &rule;
  }
  return nullptr;
}

/// Nothing turns in these worlds: the box around both ends holds the way between them.
std::array<std::array<float, 2>, 3> swept(const Snapshot& snapshot, std::uint32_t slot) {
  std::array<std::array<float, 2>, 3> out;
  const Aabb boxes[] = {snapshot.start_box[slot], snapshot.begin_box(slot),
                        snapshot.tight_box[slot]};
  for (int axis = 0; axis < 3; ++axis) {
    double low = boxes[0].min[axis];
    double high = boxes[0].max[axis];
    for (const Aabb& box : boxes) {
      low = std::min(low, box.min[axis]);
      high = std::max(high, box.max[axis]);
    }
    auto below = static_cast<float>(low);
    if (static_cast<double>(below) > low) below = std::nextafter(below, -INFINITY);
    auto above = static_cast<float>(high);
    if (static_cast<double>(above) < high) above = std::nextafter(above, INFINITY);
    out[static_cast<std::size_t>(axis)] = {below, above};
  }
  return out;
}

bool bounds_overlap(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  const auto box_a = swept(snapshot, a);
  const auto box_b = swept(snapshot, b);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!(box_a[axis][0] < box_b[axis][1] && box_b[axis][0] < box_a[axis][1])) return false;
  return true;
}

bool shapes_overlap(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  bool found = false;
  for_each_part(snapshot.shape[a], [&](const Primitive& part_a) {
    for_each_part(snapshot.shape[b], [&](const Primitive& part_b) {
      found |= overlaps(part_a, snapshot.pose(a), part_b, snapshot.pose(b));
    });
  });
  return found;
}

bool meet(int first_a, int last_a, int first_b, int last_b, int wrap) {
  for (int a = first_a; a <= last_a; ++a)
    for (int b = first_b; b <= last_b; ++b)
      if (a == b || (wrap != 0 && (a - b) % wrap == 0)) return true;
  return false;
}

/// Whether what the two are said to reach into has nothing in common.
bool is_apart_by_cells(const PairExplanation& pair) {
  const IndexSpan& a = pair.span_a;
  const IndexSpan& b = pair.span_b;
  if (!meet(a.cell_first, a.cell_last, b.cell_first, b.cell_last, 0)) return true;
  for (int i = 0; i < 2; ++i) {
    const auto wrap = static_cast<int>(pair.grid.wrap[i]);
    if (!meet(a.row_first[i], a.row_last[i], b.row_first[i], b.row_last[i], wrap)) return true;
  }
  return false;
}

/// What the world remembers of pairs, kept here from what it tells.
struct Memory {
  std::vector<PolicyRule> policy;
  std::set<Pair> excluded;
  std::map<Pair, Tick> cooling;  ///< until

  void learn(const TickOutput& output) {
    const Snapshot& snapshot = *output.frame->snapshot;
    std::erase_if(cooling, [&](const auto& entry) { return entry.second <= snapshot.tick; });
    for (const auto* ends : {&output.contacts.ends, &output.contacts.passed}) {
      for (const ContactEnd& end : *ends) {
        const Pair pair{end.contact.a, end.contact.b};
        if (!snapshot.contains(pair.first) || !snapshot.contains(pair.second)) continue;
        const PolicyRule* rule = rule_of(policy, snapshot.filter[pair.first.index()],
                                         snapshot.filter[pair.second.index()]);
        if (rule != nullptr && rule->cooldown_ticks > 0)
          cooling[pair] = snapshot.tick + rule->cooldown_ticks;
      }
    }
  }
};

class Judge {
 public:
  Judge(const TickOutput& output, const Memory& memory, Stages& stages)
      : output_(output),
        frame_(*output.frame),
        snapshot_(*output.frame->snapshot),
        memory_(memory),
        stages_(stages) {
    for (const ContactEnd& end : output.contacts.passed)
      passed_.emplace(end.contact.a, end.contact.b);
  }

  void judge_all() {
    std::uint64_t candidates = 0;
    std::uint64_t contacts = 0;
    for (std::uint32_t a = 0; a < snapshot_.slot_count(); ++a) {
      for (std::uint32_t b = a + 1; b < snapshot_.slot_count(); ++b) {
        if (!snapshot_.is_alive(a) || !snapshot_.is_alive(b)) continue;
        const PairExplanation pair = explain_pair(frame_, snapshot_.id[b], snapshot_.id[a]);
        candidates += pair.candidate;
        contacts += pair.in_contact;
        ++stages_[pair.stage];
        ASSERT_NO_FATAL_FAILURE(judge(pair, a, b)) << a << " " << b;
        if (testing::Test::HasFailure()) return;
      }
    }
    if (!output_.report.pairs_truncated) {
      EXPECT_EQ(candidates, output_.report.candidate_pairs);
    }
    EXPECT_EQ(contacts, frame_.contacts.size());
  }

 private:
  void judge(const PairExplanation& pair, std::uint32_t a, std::uint32_t b) {
    SCOPED_TRACE("pair " + std::to_string(a) + " " + std::to_string(b) + " said " +
                 std::string(to_string(pair.stage)));
    EXPECT_EQ(pair.a.id, snapshot_.id[a]);
    EXPECT_EQ(pair.b.id, snapshot_.id[b]);
    EXPECT_FALSE(pair.missed);
    const bool overlap = bounds_overlap(snapshot_, a, b);
    const bool accepted = may_meet(snapshot_.filter[a], snapshot_.filter[b]);
    EXPECT_EQ(pair.candidate, overlap && accepted);
    EXPECT_EQ(pair.in_contact, frame_.contacts.contains(pair.a.id, pair.b.id));
    for (const ExplainedEntity* entity : {&pair.a, &pair.b}) {
      const auto bound = swept(snapshot_, entity->id.index());
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(entity->place.box.min[axis], bound[static_cast<std::size_t>(axis)][0]);
        EXPECT_EQ(entity->place.box.max[axis], bound[static_cast<std::size_t>(axis)][1]);
      }
    }
    const bool apart = is_apart_by_cells(pair);
    if (apart) {
      EXPECT_FALSE(overlap);
    }
    EXPECT_EQ(pair.stage, expected(pair, a, b, apart, overlap, accepted));
    EXPECT_EQ(pair.filter_reasons == 0, accepted);
  }

  ExplainStage expected(const PairExplanation& pair, std::uint32_t a, std::uint32_t b, bool apart,
                        bool overlap, bool accepted) {
    if (apart) return ExplainStage::CellArithmetic;
    if (!overlap) return ExplainStage::SweptBound;
    if (!accepted) return ExplainStage::Filter;
    const Pair name{pair.a.id, pair.b.id};
    const bool touches = shapes_overlap(snapshot_, a, b);
    EXPECT_EQ(pair.touches, touches);
    if (touches) {
      EXPECT_LE(*pair.gap_m, 0);
    }
    if (passed_.contains(name)) {
      EXPECT_TRUE(pair.passes_through);
      return ExplainStage::None;
    }
    if (frame_.contacts.contains(name.first, name.second)) {
      EXPECT_TRUE(touches);
      return ExplainStage::None;
    }
    if (!touches && !pair.passes_through) {
      EXPECT_GE(*pair.gap_m, 0);
      return ExplainStage::NarrowPhase;
    }
    return withheld(pair, name, touches);
  }

  ExplainStage withheld(const PairExplanation& pair, const Pair& name, bool touches) {
    const PolicyRule* rule = rule_of(memory_.policy, pair.a.filter, pair.b.filter);
    const auto cooling = memory_.cooling.find(name);
    if (memory_.excluded.contains(name)) {
      EXPECT_EQ(pair.policy, PolicyReason::Excluded);
    } else if (rule != nullptr && rule->action == PolicyAction::Ignore) {
      EXPECT_EQ(pair.policy, PolicyReason::Ignored);
    } else if (cooling != memory_.cooling.end()) {
      EXPECT_EQ(pair.policy, PolicyReason::CoolingDown);
      EXPECT_EQ(pair.cooling_until, cooling->second);
    } else {
      EXPECT_TRUE(output_.report.pairs_truncated);
      EXPECT_TRUE(pair.budget_cut);
      // Of what passes through, nothing is left in a frame that says whether it was told.
      return touches ? ExplainStage::PairSearch : ExplainStage::None;
    }
    return ExplainStage::Policy;
  }

  const TickOutput& output_;
  const PublishedFrame& frame_;
  const Snapshot& snapshot_;
  const Memory& memory_;
  Stages& stages_;
  std::set<Pair> passed_;
};

/// A view that has lost one entity.
class LossyView final : public IndexView {
 public:
  LossyView(std::shared_ptr<const IndexView> whole, std::uint32_t lost)
      : whole_(std::move(whole)), lost_(lost) {}

  IndexVersion version() const override { return whole_->version(); }
  IndexKind kind() const override { return whole_->kind(); }
  const IndexStats& stats() const override { return whole_->stats(); }
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const override {
    whole_->find_in_box(box, slots);
    std::erase(slots, lost_);
  }
  IndexPlaces places_of(std::uint32_t a, std::uint32_t b) const override {
    IndexPlaces places = whole_->places_of(a, b);
    if (a == lost_) places.a = {};
    if (b == lost_) places.b = {};
    return places;
  }

 private:
  std::shared_ptr<const IndexView> whole_;
  std::uint32_t lost_;
};

/// What the index loses is not taken for apart.
void judge_a_loss(const TickOutput& output, std::uint32_t lost, Stages& stages) {
  PublishedFrame broken = *output.frame;
  const Snapshot& snapshot = *broken.snapshot;
  if (snapshot.slot_count() == 0 || !snapshot.is_alive(lost % snapshot.slot_count())) return;
  lost %= snapshot.slot_count();
  broken.index = std::make_shared<LossyView>(broken.index, lost);
  for (std::uint32_t other = 0; other < snapshot.slot_count(); ++other) {
    if (other == lost || !snapshot.is_alive(other)) continue;
    const PairExplanation pair = explain_pair(broken, snapshot.id[lost], snapshot.id[other]);
    const bool should_be = bounds_overlap(snapshot, lost, other) &&
                           may_meet(snapshot.filter[lost], snapshot.filter[other]);
    EXPECT_EQ(pair.missed, should_be);
    EXPECT_FALSE(pair.candidate);
    if (!should_be) continue;
    EXPECT_EQ(pair.stage, ExplainStage::Transition);
    ++stages[pair.stage];
  }
}

struct Variant {
  IndexKind kind;
  bool has_policy;
  std::uint64_t pairs_max;
};

void run_world(std::uint64_t seed, const Variant& variant, Stages& stages) {
  RandomScript script(seed);
  Memory memory;
  SimulationSettings settings = script.settings();
  settings.worker_count = 1;
  settings.index.kind = variant.kind;
  settings.index.rest_eagerly = seed % 2 == 0;
  settings.index.rest_after_ticks = static_cast<std::uint32_t>(1 + seed % 3);
  settings.index.candidate_pairs_max = variant.pairs_max;
  if (variant.has_policy) settings.policy = memory.policy = rules();
  Simulation simulation(settings);
  Prng prng(seed);
  std::vector<EntityId> living;
  std::uint64_t sequence = 0;
  for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick) {
    SCOPED_TRACE("tick " + std::to_string(tick + 1));
    std::vector<Command> commands = script.next_tick();
    if (tick == 0)
      commands.push_back({rule_maker, ++sequence, OpenSessionCommand{Role::Authority}});
    if (living.size() > 1) {
      const EntityId a = living[prng.below(living.size())];
      const EntityId b = living[prng.below(living.size())];
      if (a != b) commands.push_back({rule_maker, ++sequence, ExcludePairCommand{{a}, {b}, true}});
      if (a != b) memory.excluded.insert(std::minmax(a, b));
    }
    const TickOutput output = simulation.run_tick(commands);
    script.learn(output);
    memory.learn(output);
    Judge(output, memory, stages).judge_all();
    judge_a_loss(output, static_cast<std::uint32_t>(prng.below(64)), stages);
    living.clear();
    for (const EntityId id : output.frame->snapshot->id)
      if (id) living.push_back(id);
  }
}

class ExplainPair : public testing::TestWithParam<IndexKind> {};

TEST_P(ExplainPair, NamesTheFirstStageThatRejects) {
  Stages stages;
  constexpr std::uint64_t seeds = 40;
  for_each_seed(0, seeds, [&](std::uint64_t seed) {
    run_world(seed, {GetParam(), seed % 4 != 0, limits::candidate_pairs_default}, stages);
  });
  for_each_seed(1, seeds, [&](std::uint64_t seed) {
    if (seed % 8 == 0) run_world(seed, {GetParam(), false, 20}, stages);
  });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  for (int i = 0; i <= static_cast<int>(ExplainStage::Policy); ++i) {
    const auto stage = static_cast<ExplainStage>(i);
    if (stage == ExplainStage::Gone) continue;  // pairs of the living are asked about
    if (stage == ExplainStage::CellArithmetic && GetParam() == IndexKind::BruteForce) continue;
    EXPECT_GT(stages[stage], 0u) << to_string(stage) << " was never reached";
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExplainPair,
                         testing::Values(IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep,
                                         IndexKind::Auto),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace vicinity::oracle
