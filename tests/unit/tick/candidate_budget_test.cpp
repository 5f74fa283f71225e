// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Views that are cut short because a session looks at more than it may: what of them is kept is a
// matter of the world. Workers, the index, the way that an observer goes and a restart, which gives
// out all lanes anew, have no say in it.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "support/output_bytes.h"
#include "tick/simulation.h"

namespace vicinity {
namespace {

constexpr SessionId session{1};
constexpr std::uint32_t entity_count = 1200;
constexpr double half_size_m = 32;
/// Between what the areas look at while the tide is out, about 670, and while it is in, 2000 and
/// more. An equal share, 95, is five groups of lanes: about what there is around the small areas.
constexpr std::uint64_t candidates_max = 1150;
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

SimulationSettings settings_of(const Variant& variant) {
  SimulationSettings settings;
  settings.dt_s = 0.05;
  settings.entity_count_max = 4096;
  settings.worker_count = variant.worker_count;
  settings.index.kind = variant.kind;
  settings.index.block_size = 7;
  settings.interest.candidates_max = candidates_max;
  settings.interest.uses_masks = variant.uses_masks;
  return settings;
}

/// Entities that drift and jump, and a tide of three hundred that comes into the large areas, and
/// goes. The first twenty hang on others, and are in view when these are.
class TideScript {
 public:
  explicit TideScript(std::uint64_t seed) : prng_(seed), tide_at_(place(12)) {}

  std::vector<Command> commands(Tick tick) {
    out_.clear();
    if (tick == 1) {
      send(OpenSessionCommand{Role::Authority, ContactScope::None});
      for (std::uint32_t i = 0; i < entity_count; ++i) spawn(i);
      return out_;
    }
    if (tick == 2)
      for (std::uint32_t i = 0; i < 12; ++i) add_area(i);
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
    send(DespawnCommand{named(1000 + static_cast<std::uint32_t>(tick))});
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
  void send(CommandBody body) { out_.push_back({session, ++sequence_, std::move(body)}); }
  void teleport(std::uint32_t slot, const Vec3& position) {
    send(TeleportCommand{named(slot), position});
  }
  void spawn(std::uint32_t i) {
    SpawnCommand command;
    command.position = place(half_size_m);
    const bool is_anchor = i >= 100 && i < 112;
    if (i >= 60) command.velocity = place(is_anchor ? 6 : 2);
    command.shape = Shape::sphere(0.1);
    command.filter.mask = 0;
    if (i >= 60 && i < 65) {
      command.relevance.seen_from_enter_m = 20;
      command.relevance.seen_from_leave_m = 24;
    }
    send(command);
  }
  /// Of an observer of its own: small ones anywhere, and large ones around the tide.
  void add_area(std::uint32_t i) {
    const bool is_small = i % 2 == 0;
    AreaSpec spec;
    spec.enter_radius_m = is_small ? 4 : 10;
    spec.leave_radius_m = 1.2 * spec.enter_radius_m;
    spec.centre = is_small ? place(26) : tide_at_ + place(5);
    if (i % 4 == 0) {
      spec.anchor = named(100 + i);
      spec.centre = {};
    }
    send(AddAreaCommand{ObserverId{i}, AreaId{i}, spec});
  }

  Prng prng_;
  Vec3 tide_at_;
  std::vector<Command> out_;
  std::uint64_t sequence_ = 0;
};

std::vector<std::uint8_t> saved(const Simulation& world) {
  ArchiveWriter out;
  world.save(out);
  return out.take();
}

std::unique_ptr<Simulation> restored(const Simulation& world, const Variant& variant) {
  const auto bytes = saved(world);
  ArchiveReader in(bytes);
  auto found = Simulation::restore(settings_of(variant), in);
  if (!found.ok()) ADD_FAILURE() << found.error().text;
  return found.ok() ? std::move(found.value().simulation) : nullptr;
}

class CandidateBudget : public testing::TestWithParam<std::uint64_t> {};

TEST_P(CandidateBudget, CutsTheSameViewsShortWhoeverLooksAndAfterARestart) {
  TideScript script(GetParam());
  Simulation original(settings_of(variants()[0]));
  std::vector<std::unique_ptr<Simulation>> worlds;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < variants().size(); ++i) {
    worlds.push_back(std::make_unique<Simulation>(settings_of(variants()[i])));
    names.push_back(variants()[i].name);
  }
  int cut_short = 0;
  int whole = 0;
  for (Tick tick = 1; tick <= last_tick; ++tick) {
    const std::vector<Command> commands = script.commands(tick);
    const TickOutput expected = original.run_tick(commands);
    ++(expected.report.views_truncated > 0 ? cut_short : whole);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      const TickOutput output = worlds[i]->run_tick(commands);
      ASSERT_EQ(output.report.hash, expected.report.hash) << names[i] << ", tick " << tick;
      ASSERT_EQ(test::bytes_of(output), test::bytes_of(expected)) << names[i] << ", tick " << tick;
    }
    if (tick % 11 != 3) continue;  // the tide is out, out, in and in
    const Variant& variant = variants()[tick % variants().size()];
    worlds.push_back(restored(original, variant));
    names.push_back(variant.name + ", restored after tick " + std::to_string(tick));
    ASSERT_NE(worlds.back(), nullptr);
  }
  for (std::size_t i = 0; i < worlds.size(); ++i)
    EXPECT_EQ(saved(*worlds[i]), saved(original)) << names[i];
  EXPECT_GE(cut_short, 10);
  EXPECT_GE(whole, 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CandidateBudget, testing::Range<std::uint64_t>(0, 3));

}  // namespace
}  // namespace vicinity
