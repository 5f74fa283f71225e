// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <stdexcept>

#include "app/index_settings.h"
#include "app/settings_table.h"
#include "settings_observed.h"
#include "settings_rows.h"
#include "tick/simulation.h"

namespace vicinity::test {
namespace {

/// A world in this process, with the index as the settings have it: its report says more of the
/// index than a server does.
class IndexedWorld {
 public:
  explicit IndexedWorld(const Variables& settings) : simulation_(settings_of(settings)) {}

  void add(const Shape& shape, const Vec3& position) {
    SpawnCommand spawn;
    spawn.shape = shape;
    spawn.position = position;
    commands_.push_back({authority, ++sequence_, spawn});
  }
  void set_shape(EntityId entity, const Shape& shape) {
    commands_.push_back({authority, ++sequence_, SetShapeCommand{{entity, 0}, shape}});
  }
  IndexStats run(int ticks) {
    for (; ticks > 1; --ticks) run_one();
    return run_one().index;
  }
  TickReport run_one() { return simulation_.run_tick(std::exchange(commands_, {})).report; }

 private:
  static constexpr SessionId authority{1};

  static SimulationSettings settings_of(const Variables& settings) {
    app::Config config;
    for (const app::Setting& setting : app::settings_table()) {
      const auto at = settings.find(app::variable_name(setting));
      if (at == settings.end()) continue;
      const auto value = app::parse_value(setting, at->second);
      if (!value || !app::assign(setting, *value, config)) throw std::runtime_error(at->first);
    }
    SimulationSettings all;
    all.worker_count = 1;
    all.index = app::index_settings(config);
    return all;
  }

  Simulation simulation_;
  std::uint64_t sequence_ = 1;
  std::vector<Command> commands_ = {{authority, 1, OpenSessionCommand{Role::Authority}}};
};

std::string row_size(const Variables& settings) {
  IndexedWorld world(settings);
  for (int i = 0; i < 2000; ++i)
    world.add(Shape::sphere(1), {i * 5.0, i % 37 * 20.0, i % 41 * 20.0});
  return std::to_string(std::lround(world.run(20).row_size_m)) + " m";
}

std::string rest(const Variables& settings) {
  IndexedWorld world(settings);
  for (int i = 0; i < 1000; ++i) world.add(Shape::sphere(1), {i * 5.0, i % 7 * 3.0, i % 5 * 3.0});
  return world.run(200).resting > 0 ? "some rest" : "none rest";
}

/// One that was as large as the world is as small as the others; ten ticks later.
std::string way_back_from_the_list(const Variables& settings) {
  IndexedWorld world(settings);
  world.add(Shape::sphere(1e6), {});
  for (int i = 0; i < 100; ++i) world.add(Shape::sphere(1), {i * 5.0, i % 7 * 3.0, i % 5 * 3.0});
  if (world.run(20).sweep_listed == 0) return "it was never in the list";
  world.set_shape(EntityId{0, 1}, Shape::sphere(1));
  return world.run(10).sweep_listed == 0 ? "it left the list" : "it is in the list";
}

std::string audited(const Variables& settings) {
  ObservedServer server(settings);
  server.made({spawn(0, 0, 0), spawn(5, 0, 0)});
  server.step(10);
  return server.logged_at_end("audited");
}

/// 200 entities against 200 others in each of ten ticks, or as many of them as there is time for.
std::string audited_of_many(const Variables& settings) {
  ObservedServer server(settings);
  std::vector<MakeCommand> spawns;
  for (int i = 0; i < 200; ++i) spawns.push_back(spawn(i * 5.0, 0, 0));
  server.made(spawns);
  server.step(9);
  return server.logged_at_end("audited") == "2000" ? "all" : "some";
}

std::string spawn_at_1000_m(const Variables& settings) {
  ObservedServer server(settings);
  server.made({spawn(1000, 0, 0)});
  return std::string(to_string(server.last_code()));
}

std::string three_spawns(const Variables& settings) {
  ObservedServer server(settings);
  const auto ids = server.made({spawn(0, 0, 0), spawn(10, 0, 0), spawn(20, 0, 0)});
  return std::to_string(ids.size()) + ", " + std::string(to_string(server.last_code()));
}

std::string player_spawns(const Variables& settings) {
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  if (!player.send(commands_frame(1, {spawn(0, 0, 0), spawn(10, 0, 0)}))) return "gone";
  if (!player.is_served()) return "gone";
  server.step();
  const auto* results = player.next_of<proto::CommandResults>();
  if (results == nullptr) return "no results";
  return std::to_string(results->acks() == nullptr ? 0 : results->acks()->size());
}

std::string contacts_of_four(const Variables& settings) {
  ObservedServer server(settings);
  WireClient all = server.client();
  if (!all.join({proto::Role::Authority, proto::ContactScope::All})) return "no welcome";
  server.made({spawn(0, 0, 0), spawn(0.1, 0, 0), spawn(0.2, 0, 0), spawn(0.3, 0, 0)});
  std::size_t begins = 0;
  while (const auto* frame = all.next_of<proto::Frame>()) {
    begins += frame->contact_begins() == nullptr ? 0 : frame->contact_begins()->size();
    if (frame->tick() == 1 && frame->last()) break;
  }
  return std::to_string(begins);
}

std::string slot_five_ticks_later(const Variables& settings) {
  ObservedServer server(settings);
  const auto first = server.made({spawn(0, 0, 0)});
  server.made({despawn(first.at(0))});
  server.step(5);
  const auto second = server.made({spawn(0, 0, 0)});
  const bool same =
      static_cast<std::uint32_t>(first.at(0)) == static_cast<std::uint32_t>(second.at(0));
  return same ? "the same slot" : "another slot";
}

}  // namespace

void add_world_rows(std::map<std::string, SettingRow>& rows) {
  const Variables in_rows = {{"VICINITY_INDEX", "rows"}};
  Variables without_rest = in_rows;
  without_rest["VICINITY_REST_AFTER_TICKS"] = "0";
  rows["row_size_m"] = {without_rest, {"8", "8 m"}, {"32", "32 m"}, row_size};
  rows["rest_after_ticks"] = {in_rows, {"0", "none rest"}, {"4", "some rest"}, rest};
  rows["demote_after_ticks"] = {without_rest,
                                {"1", "it left the list"},
                                {"1000", "it is in the list"},
                                way_back_from_the_list};
  rows["audit_rate"] = {{{"VICINITY_AUDIT_BUDGET_US", "0"}}, {"0", "0"}, {"1", "22"}, audited};
  rows["audit_budget_us"] = {
      {{"VICINITY_AUDIT_RATE", "1"}}, {"0", "all"}, {"1", "some"}, audited_of_many};
  rows["world_half_size_m"] = {{}, {"500", "OutOfWorld"}, {"2000", "None"}, spawn_at_1000_m};
  rows["entity_count_max"] = {{}, {"2", "2, EntityLimit"}, {"3", "3, None"}, three_spawns};
  rows["entities_per_player_max"] = {{}, {"1", "1"}, {"2", "2"}, player_spawns};
  rows["player_shape_extent_max_m"] = {{}, {"0.5", "0"}, {"1.5", "2"}, player_spawns};
  rows["candidate_pairs_max"] = {{}, {"2", "2"}, {"100", "6"}, contacts_of_four};
  rows["reuse_delay_ticks"] = {
      {}, {"2", "the same slot"}, {"64", "another slot"}, slot_five_ticks_later};
}

}  // namespace vicinity::test
