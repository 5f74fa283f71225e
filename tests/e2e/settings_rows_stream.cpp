// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <algorithm>
#include <chrono>
#include <memory>

#include "settings_observed.h"
#include "settings_rows.h"

namespace vicinity::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Frames of one tick, as one.
struct Told {
  std::size_t enters = 0;
  std::uint32_t waiting = 0;
  std::string updates;  ///< aliases that moved, in the order of the frame
  proto::Shedding shedding = proto::Shedding::None;
  bool good = false;
};

template <class List>
void add_aliases(const List* list, std::string& updates) {
  if (list == nullptr) return;
  for (const auto* move : *list) updates += std::to_string(move->alias()) + " ";
}

Told read_tick(WireClient& client, std::uint64_t tick) {
  Told told;
  while (const auto* frame = client.next_of<proto::Frame>()) {
    if (frame->enters() != nullptr) told.enters += frame->enters()->size();
    if (frame->moves() != nullptr)
      for (const auto* moves : *frame->moves()) {
        add_aliases(moves->near(), told.updates);
        add_aliases(moves->wide(), told.updates);
      }
    told.waiting = frame->enters_waiting();
    told.shedding = std::max(told.shedding, frame->shedding());
    told.good = true;
    if (frame->tick() >= tick && frame->last()) return told;
  }
  told.good = false;
  return told;
}

/// A player that looks at a row of 400 from one end; what it is told of the first tick.
std::string first_frame(const Variables& settings) {
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  if (!player.send(commands_frame(1, {add_area(1, 1e5)})) || !player.is_served()) return "gone";
  std::vector<MakeCommand> row;
  for (int i = 0; i < 400; ++i) row.push_back(spawn(i * 3.0, 0, 0));
  server.made(row);
  const Told told = read_tick(player, 1);
  return told.waiting == 0 && told.enters == 400 ? "all at once" : "some wait";
}

std::string position_told(const Variables& settings) {
  ObservedServer server(settings);
  WireClient player = server.client();
  const Greeted greeted = greet(player, {});
  if (!greeted.welcomed) return "no welcome";
  if (!player.send(commands_frame(1, {add_area(1, 1e3)})) || !player.is_served()) return "gone";
  server.made({spawn(0, 0, 0, 8)});
  server.step(3);
  while (const auto* frame = player.next_of<proto::Frame>()) {
    if (frame->moves() == nullptr || frame->moves()->size() == 0) continue;
    const auto* moves = frame->moves()->Get(0);
    if (moves->near() == nullptr) return "not near";
    const auto whole = moves->origin_x() + moves->near()->Get(0)->x();
    return std::to_string(static_cast<double>(whole) * greeted.position_resolution_m);
  }
  return "no frame";
}

/// Half within 450 m, in whose ring everything is due at every tick, the others in a slow ring.
MakeCommand add_ringed_area() {
  return [](Builder& b) {
    const proto::Vec3 centre(0, 0, 0);
    const std::vector<proto::Ring> rings = {proto::Ring(450, 1), proto::Ring(1e5, 20)};
    const auto built_rings = b.CreateVectorOfStructs(rings);
    proto::AreaBuilder spec(b);
    spec.add_kind(proto::AreaKind::Sphere);
    spec.add_centre(&centre);
    spec.add_enter_radius_m(1e4);
    spec.add_rings(built_rings);
    const auto built = spec.Finish();
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::AddArea);
    command.add_observer(1);
    command.add_area(1);
    command.add_spec(built);
    return command.Finish();
  };
}

/// Who of a row of 300 that all move is told in forty ticks, to a player with room for a few.
std::string told_in_a_tight_budget(const Variables& settings) {
  ObservedServer server(settings);
  WireClient player = server.client();
  if (!player.join({proto::Role::Player})) return "no welcome";
  if (!player.send(commands_frame(1, {add_ringed_area()})) || !player.is_served()) return "gone";
  std::vector<MakeCommand> row;
  for (int i = 0; i < 300; ++i) row.push_back(spawn(i * 3.0, 0, 0, 1));
  server.made(row);
  std::uint64_t tick = 1;
  while (read_tick(player, tick).waiting > 0) {
    server.step();
    if (++tick > 2'000) return "the view is never complete";
  }
  std::string updates;
  for (int i = 0; i < 40; ++i) {
    server.step();
    updates += read_tick(player, ++tick).updates;
  }
  std::set<std::string> different;
  std::istringstream words(updates);
  for (std::string alias; words >> alias;) different.insert(alias);
  if (different.empty()) return "no updates";
  return different.size() > 250 ? "all come" : "few of the outer ring";
}

/// Time between the first and the last of twenty clients that are told of the same tick: the least
/// of some ticks, for a busy machine only adds to it.
std::string spread(const Variables& settings) {
  ObservedServer server(settings);
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<WireClient>(server.port()));
    if (!clients.back()->join({proto::Role::Observer})) return "no welcome";
  }
  const auto* pong = clients[0]->send(ping_frame(1)) ? clients[0]->next_of<proto::Pong>() : nullptr;
  if (pong == nullptr) return "not served";
  const std::uint64_t begin = pong->tick() + 2;
  auto least = Clock::duration::max();
  for (std::uint64_t tick = begin; tick < begin + 6; ++tick) {
    // In the order of their sessions, which is the order of their moments.
    if (!read_tick(*clients.front(), tick).good) return "no frame";
    const auto first = Clock::now();
    for (const auto& client : clients)
      if (client != clients.front() && !read_tick(*client, tick).good) return "no frame";
    least = std::min(least, Clock::now() - first);
  }
  return least > std::chrono::milliseconds(100) ? "spread" : "at once";
}

/// A client without connection, in whose world more contacts begin than some may wait.
std::string resumed_view(const Variables& settings) {
  ObservedServer server(settings);
  SessionWish wish;
  wish.role = proto::Role::Authority;
  wish.contacts = proto::ContactScope::All;
  WireClient first = server.client();
  const Greeted begun = greet(first, wish);
  if (!begun.welcomed) return "no welcome";
  server.step(2);
  if (!read_tick(first, 2).good) return "no frame";
  first.socket().reset();
  if (!server.logs("session parked")) return "not parked";
  for (int i = 0; i < 30; ++i) {
    const auto pair = server.made({spawn(0, 0, 0), spawn(0.5, 0, 0)});
    server.made({despawn(pair.at(0)), despawn(pair.at(1))});
  }
  WireClient second = server.client();
  SessionWish back = again(begun, wish);
  back.tick = 2;
  const Greeted greeted = greet(second, back);
  if (!greeted.resumed) return "not resumed";
  return greeted.view_reset ? "begins anew" : "goes on";
}

/// Ticks that no machine gets done in time.
std::string shed(const Variables& settings) {
  ObservedServer server(settings);
  WireClient authority = server.client();
  if (!authority.join()) return "no welcome";
  for (std::uint64_t batch = 0; batch < 30; ++batch) {
    std::vector<MakeCommand> some;
    for (int i = 0; i < 500; ++i)
      some.push_back(spawn(i * 5.0, static_cast<double>(batch) * 5.0, 0, 1));
    if (!authority.send(commands_frame(1 + batch * 500, some))) return "gone";
  }
  auto shedding = proto::Shedding::None;
  for (int i = 0; i < 60 && shedding == proto::Shedding::None; ++i) {
    const Told told = read_tick(authority, 0);
    if (!told.good) return "no frame";
    shedding = told.shedding;
  }
  return shedding == proto::Shedding::None ? "nothing is shed" : "something is shed";
}

}  // namespace

void add_stream_rows(std::map<std::string, SettingRow>& rows) {
  rows["budget_bytes_per_s"] = {
      {}, {"20000", "some wait"}, {"4000000", "all at once"}, first_frame};
  rows["egress_bytes_per_s"] = {
      {}, {"20000", "some wait"}, {"8000000", "all at once"}, first_frame};
  rows["position_resolution_m"] = {{}, {"0.25", "0.500000"}, {"1", "1.000000"}, position_told};
  rows["update_max_age_ms"] = {{{"VICINITY_BUDGET_BYTES_PER_S", "9000"}},
                               {"1000", "all come"},
                               {"3600000", "few of the outer ring"},
                               told_in_a_tight_budget};
  rows["send_slots"] = {{{"VICINITY_TICK_MODE", "timer"}, {"VICINITY_TICK_RATE_HZ", "4"}},
                        {"1", "at once"},
                        {"25", "spread"},
                        spread};
  rows["pending_events_max"] = {{}, {"8", "begins anew"}, {"1000", "goes on"}, resumed_view};
  rows["shed_load"] = {{{"VICINITY_TICK_MODE", "timer"},
                        {"VICINITY_TICK_RATE_HZ", "240"},
                        {"VICINITY_INDEX", "brute_force"}},
                       {"true", "something is shed"},
                       {"false", "nothing is shed"},
                       shed};
}

}  // namespace vicinity::test
