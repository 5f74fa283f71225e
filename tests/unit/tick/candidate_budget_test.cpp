// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Views that are cut short because a session looks at more than it may: what of them is kept is a
// matter of the world. Workers, the index, the way that an observer goes and a restart, which gives
// out all lanes anew, have no say in it.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "support/output_bytes.h"
#include "tick/simulation.h"

namespace vicinity {
namespace {

constexpr SessionId session{1};
constexpr SessionId other_session{2};
constexpr std::uint32_t entity_count = 1200;
constexpr double half_size_m = 32;
constexpr std::uint32_t observer_count = 12;
/// Between what an area of each observer looks at while the tide is out, about 670, and while it is
/// in, 2000 and more. An equal share, 95, is five groups of lanes: about what there is around the
/// small areas.
constexpr std::uint64_t candidates_max = 1150;
/// Of an observer; more than there is in a large area while the tide is out.
constexpr std::uint64_t visible_share = 220;
constexpr Tick tide_ticks = 5;
constexpr Tick last_tick = 45;

struct Variant {
  std::string name;
  IndexKind kind;
  int worker_count;
  bool uses_masks;
};
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {{"rows", IndexKind::Rows, 1, true},
                                           {"brute force", IndexKind::BruteForce, 2, false},
                                           {"sweep", IndexKind::Sweep, 8, true},
                                           {"auto", IndexKind::Auto, 2, true},
                                           {"rows, no masks", IndexKind::Rows, 8, false}};
  return all;
}

struct Kind {
  std::string name;
  std::uint32_t area_count = 1;  ///< of each observer; so many times the candidates
  /// Some areas suspend, some count centres, a few shapes are large, entities are disabled for a
  /// tick, and the large areas have no room for the whole tide.
  bool has_rules = false;
  bool has_other_session = false;  ///< which never looks at more than it may
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {.name = "OneAreaEach"},
      {.name = "TwoSessions", .area_count = 2, .has_other_session = true},
      {.name = "Rules", .area_count = 3, .has_rules = true, .has_other_session = true}};
  return all;
}

SimulationSettings settings_of(const Variant& variant, const Kind& kind) {
  SimulationSettings settings;
  settings.dt_s = 0.05;
  settings.entity_count_max = 4096;
  settings.worker_count = variant.worker_count;
  settings.index.kind = variant.kind;
  settings.index.block_size = 7;
  settings.interest.candidates_max = kind.area_count * candidates_max;
  if (kind.has_rules) settings.interest.visible_max = visible_share * observer_count;
  settings.interest.uses_masks = variant.uses_masks;
  return settings;
}

/// Entities that drift and jump, and a tide of three hundred that comes into the large areas, and
/// goes. The first twenty hang on others, and are in view when these are.
class TideScript {
 public:
  TideScript(const Kind& kind, std::uint64_t seed)
      : kind_(kind), prng_(seed), tide_at_(place(12)) {}

  std::vector<Command> commands(Tick tick) {
    out_.clear();
    if (tick == 1) {
      send(OpenSessionCommand{Role::Authority, ContactScope::None});
      for (std::uint32_t i = 0; i < entity_count; ++i) spawn(i);
      if (kind_.has_other_session)
        send(OpenSessionCommand{Role::Authority, ContactScope::None}, other_session);
      return out_;
    }
    if (tick == 2) {
      for (std::uint32_t i = 0; i < observer_count; ++i)
        for (std::uint32_t k = 0; k < kind_.area_count; ++k) add_area(i, k, session);
      for (std::uint32_t i = 0; kind_.has_other_session && i < 5; ++i)
        add_area(i == 0 ? 1 : 2 * i, 0, other_session);
    }
    if (tick % tide_ticks == 0) {
      const bool is_in = tick / tide_ticks % 2 == 1;
      for (std::uint32_t i = 200; i < 500; ++i)
        teleport(i, is_in ? tide_at_ + place(6) : Vec3{500, 0, 0} + place(16));
    }
    // So few that lanes last for some ticks.
    for (int i = 0; i < 4; ++i) teleport(500 + below(500), place(half_size_m));
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t follower = below(20);
      send(DetachCommand{named(follower)});
      AttachCommand attach{named(follower), named(20 + below(40))};
      attach.follow_visibility = true;
      send(attach);
    }
    if (kind_.has_rules && tick > 2) disable_some();
    send(DespawnCommand{named(1000 + static_cast<std::uint32_t>(tick))});
    std::stable_sort(out_.begin(), out_.end(),
                     [](const Command& a, const Command& b) { return a.session < b.session; });
    return out_;
  }

 private:
  static EntityRef named(std::uint32_t slot) { return {EntityId(slot, 1), 0}; }
  std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>(prng_.below(bound));
  }
  Vec3 place(double half_m) {
    const double x = prng_.between(-half_m, half_m);
    return {x, 0, prng_.between(-half_m, half_m)};
  }
  void send(CommandBody body, SessionId of = session) {
    out_.push_back({of, ++sequence_, std::move(body)});
  }
  void enable(std::uint32_t slot, bool enabled) {
    FilterPatch patch;
    patch.enabled = enabled;
    send(SetFilterCommand{named(slot), patch});
  }
  void disable_some() {
    for (const std::uint32_t slot : disabled_) enable(slot, true);
    disabled_.clear();
    for (int i = 0; i < 40; ++i) {
      disabled_.push_back(200 + below(800));
      enable(disabled_.back(), false);
    }
  }
  void teleport(std::uint32_t slot, const Vec3& position) {
    send(TeleportCommand{named(slot), position});
  }
  void spawn(std::uint32_t i) {
    SpawnCommand command;
    command.position = place(half_size_m);
    const bool is_anchor = i >= 100 && i < 112;
    if (i >= 60) command.velocity = place(is_anchor ? 6 : 2);
    command.shape = Shape::sphere(kind_.has_rules && i >= 600 && i < 610 ? 3 : 0.1);
    command.filter.mask = 0;
    if (i >= 60 && i < 65) {
      command.relevance.seen_from_enter_m = 20;
      command.relevance.seen_from_leave_m = 24;
    }
    send(command);
  }
  /// Of an observer of its own: small ones anywhere, and large ones around the tide. Its second and
  /// third one are beside the first.
  void add_area(std::uint32_t i, std::uint32_t k, SessionId of) {
    const bool is_small = i % 2 == 0;
    AreaSpec spec;
    spec.enter_radius_m = is_small ? 4 : 10;
    spec.leave_radius_m = 1.2 * spec.enter_radius_m;
    spec.centre = is_small ? place(26) : tide_at_ + place(5);
    if (i % 4 == 0) {
      spec.anchor = named(100 + i);
      spec.centre = {};
    }
    if (k > 0) spec.centre = spec.centre + place(3);
    if (kind_.has_rules) {
      spec.reach = i % 3 == 0 ? Reach::Centre : Reach::Shape;
      spec.suspend = i % 4 < 2 && (i != 5 || k == 0);
    }
    send(AddAreaCommand{ObserverId{i}, AreaId{100 * k + i}, spec}, of);
  }

  Kind kind_;
  Prng prng_;
  Vec3 tide_at_;
  std::vector<Command> out_;
  std::vector<std::uint32_t> disabled_;
  std::uint64_t sequence_ = 0;
};

std::vector<std::uint8_t> saved(const Simulation& world) {
  ArchiveWriter out;
  world.save(out);
  return out.take();
}

std::unique_ptr<Simulation> restored(const Simulation& world, const Variant& variant,
                                     const Kind& kind) {
  const auto bytes = saved(world);
  ArchiveReader in(bytes);
  auto found = Simulation::restore(settings_of(variant, kind), in);
  if (!found.ok()) ADD_FAILURE() << found.error().text;
  return found.ok() ? std::move(found.value().simulation) : nullptr;
}

/// In ticks; leaves in events of ticks that cut views short.
struct Seen {
  int cut_short = 0;
  int whole = 0;
  int other_is_quick = 0;  ///< beside views that were cut short
  int suspended_leaves = 0;
  int disabled_leaves = 0;

  void note(const Simulation& world, const TickOutput& output) {
    const bool is_cut = output.report.views_truncated > 0;
    ++(is_cut ? cut_short : whole);
    if (!is_cut) return;
    const auto* others = world.interest().observers_of(other_session);
    other_is_quick += others != nullptr &&
                      std::any_of(others->begin(), others->end(),
                                  [](const auto& entry) { return entry.second.masks.is_valid; });
    for (const SessionOutput& of : output.sessions) {
      for (const ObserverEvents& events : of.observers) {
        for (const Leave& leave : events.leaves) {
          suspended_leaves += leave.suspended;
          disabled_leaves += leave.reason == LeaveReason::Disabled;
        }
      }
    }
  }
};

class CandidateBudget : public testing::TestWithParam<std::tuple<Kind, std::uint64_t>> {};

TEST_P(CandidateBudget, CutsTheSameViewsShortWhoeverLooksAndAfterARestart) {
  const auto& [kind, seed] = GetParam();
  TideScript script(kind, seed);
  Simulation original(settings_of(variants()[0], kind));
  std::vector<std::unique_ptr<Simulation>> worlds;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < variants().size(); ++i) {
    worlds.push_back(std::make_unique<Simulation>(settings_of(variants()[i], kind)));
    names.push_back(variants()[i].name);
  }
  Seen seen;
  for (Tick tick = 1; tick <= last_tick; ++tick) {
    const std::vector<Command> commands = script.commands(tick);
    const TickOutput expected = original.run_tick(commands);
    seen.note(original, expected);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      const TickOutput output = worlds[i]->run_tick(commands);
      ASSERT_EQ(output.report.hash, expected.report.hash) << names[i] << ", tick " << tick;
      ASSERT_EQ(test::bytes_of(output), test::bytes_of(expected)) << names[i] << ", tick " << tick;
    }
    if (tick % 11 != 3) continue;  // the tide is out, out, in and in
    const Variant& variant = variants()[tick % variants().size()];
    worlds.push_back(restored(original, variant, kind));
    names.push_back(variant.name + ", restored after tick " + std::to_string(tick));
    ASSERT_NE(worlds.back(), nullptr);
  }
  for (std::size_t i = 0; i < worlds.size(); ++i)
    EXPECT_EQ(saved(*worlds[i]), saved(original)) << names[i];
  EXPECT_GE(seen.cut_short, 10);
  EXPECT_GE(seen.whole, 10);
  EXPECT_TRUE(!kind.has_other_session || seen.other_is_quick > 5) << seen.other_is_quick;
  EXPECT_TRUE(!kind.has_rules || seen.suspended_leaves > 5) << seen.suspended_leaves;
  EXPECT_TRUE(!kind.has_rules || seen.disabled_leaves > 5) << seen.disabled_leaves;
}

INSTANTIATE_TEST_SUITE_P(Of, CandidateBudget,
                         testing::Combine(testing::ValuesIn(kinds()),
                                          testing::Range<std::uint64_t>(0, 3)),
                         [](const auto& param) {
                           return std::get<0>(param.param).name +
                                  std::to_string(std::get<1>(param.param));
                         });

}  // namespace
}  // namespace vicinity
