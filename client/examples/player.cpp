// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A player: walks through the world and prints what comes into view.
//
//   vicinity-example-player PORT [SECONDS]
//
// Ends with 0 when it has seen somebody.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <variant>

#include "client/client.h"

using namespace vicinity;

namespace {

/// Called when a session begins: the first time, and whenever the old one could not be resumed.
void begin_session(client::Client& player, const client::Welcome&) {
  SpawnCommand body;
  body.shape = Shape::capsule(0.4, 0.5);
  body.position = {-20, 0, 0};
  body.velocity = {5, 0, 0};
  body.user_data = 1;
  AddAreaCommand sight;  // around the player, which is named by the sequence of its spawn
  sight.area = {1};
  sight.spec.anchor.spawned_by = player.next_sequence();
  sight.spec.enter_radius_m = 30;
  sight.spec.leave_radius_m = 33;
  player.send({body, sight}, [](const client::CommandOutcome& outcome) {
    if (!outcome.ok()) std::cerr << "refused: " << outcome.error.text << '\n';
  });
}

}  // namespace

int main(int argc, char** argv) {
  client::ClientOptions options;
  options.connection.port = 7420;
  double seconds = 10;
  CLI::App app("A player: walks through the world and prints what comes into view.");
  app.add_option("PORT", options.connection.port, "Port of the server on this machine")
      ->capture_default_str();
  app.add_option("SECONDS", seconds, "How long it walks")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--token", options.connection.token,
                 "Token of a player, where the server asks for one (token_keys)");
  app.footer("Exit code: 0 when it has seen somebody, 1 if not, 2 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : 2;
  }
  options.connection.client_name = "example-player";
  options.connection.role = Role::Player;  // may move what it owns, and nothing else

  options.on_new_session = begin_session;
  std::uint64_t move_count = 0;  // what moves is told tick by tick, in lists
  options.on_tick = [&](client::Client&, const client::TickFrame& tick) {
    move_count += tick.moved.size();
  };
  client::Client player(options);
  int seen_count = 0;
  player.connect();
  player.poll_until(
      [&] {
        while (const auto event = player.next_event()) {
          if (const auto* enter = std::get_if<client::EnterEvent>(&*event)) {
            ++seen_count;
            std::cout << "I see " << enter->entity.user_data
                      << " at x = " << enter->entity.position.x << " m\n";
          } else if (const auto* leave = std::get_if<client::LeaveEvent>(&*event)) {
            std::cout << "I lost sight of " << leave->leave.user_data << '\n';
          } else if (const auto* change = std::get_if<client::StateEvent>(&*event)) {
            if (!change->reason.text.empty()) std::cout << change->reason.text << '\n';
          }
        }
        return player.state() == client::ConnectionState::Closed;
      },
      static_cast<std::uint32_t>(seconds * 1000));

  // Where to draw things now: smooth, a little in the past.
  player.for_each([&](const client::EntityView& entity) {
    if (const auto pose = player.pose(entity.id))
      std::cout << entity.user_data << " is drawn at x = " << pose->position.x << " m\n";
  });
  const client::ClientStats stats = player.stats();
  std::cout << stats.ticks << " ticks, " << move_count << " moves, " << stats.bytes_in
            << " bytes, round trip " << stats.round_trip_min_us << " us\n";
  player.close();
  player.poll_until([&] { return player.state() == client::ConnectionState::Closed; }, 1000);
  return seen_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
