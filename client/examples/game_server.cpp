// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A game server: owns two guards that walk towards one another, watches the room between them, and
// turns them round when they touch.
//
//   vicinity-example-game-server PORT [CONTACTS]
//
// Ends with 0 after so many contacts.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "client/client.h"

using namespace vicinity;

namespace {

struct Guard {
  EntityId id;
  double speed = 0;  // along x, metres per second
};

class Game {
 public:
  explicit Game(client::ClientOptions options) : server_(with_callback(std::move(options))) {}

  /// Returns whether so many contacts came within the time.
  bool run(int contact_count_max, std::uint32_t timeout_ms) {
    server_.connect();
    const bool done = server_.poll_until(
        [&] {
          while (const auto event = server_.next_event()) react(*event);
          return contact_count_ >= contact_count_max;
        },
        timeout_ms);
    leave();
    return done;
  }

 private:
  client::ClientOptions with_callback(client::ClientOptions options) {
    options.on_new_session = [this](client::Client&, const client::Welcome&) { begin_session(); };
    return options;
  }
  /// A session begins without areas. It may be the second one, when the first could not be
  /// resumed: what an authority spawned is still in the world then.
  void begin_session() {
    for (const auto& [number, guard] : guards_) server_.send({DespawnCommand{{guard.id}}});
    guards_.clear();
    for (const std::uint64_t number : {11u, 12u}) {
      SpawnCommand guard;
      guard.shape = Shape::capsule(0.4, 0.5);
      guard.position = {number == 11 ? -3.0 : 3.0, 0, 0};
      guard.velocity = {number == 11 ? 2.0 : -2.0, 0, 0};
      guard.user_data = number;  // comes back in every event about the guard
      const double speed = guard.velocity.x;
      server_.send({guard}, [this, number, speed](const client::CommandOutcome& outcome) {
        if (outcome.ok()) guards_[number] = {outcome.entity, speed};
      });
    }
    AreaSpec room;
    room.kind = AreaKind::Box;
    room.enter_half_extent_m = {10, 5, 10};
    room.leave_half_extent_m = {11, 6, 11};
    server_.add_area(room, {}, [](const client::CommandOutcome& outcome) {
      if (!outcome.ok()) std::cerr << "no area: " << outcome.error.text << '\n';
    });
  }

  /// An authority's entities stay when it goes, so it ends what is not to stay.
  void leave() {
    bool gone = guards_.empty() || server_.state() != client::ConnectionState::Open;
    for (const auto& [number, guard] : guards_)
      server_.send({DespawnCommand{{guard.id}}}, [&gone](const auto&) { gone = true; });
    server_.poll_until([&] { return gone; }, 1000);
    server_.close();
    server_.poll_until([&] { return server_.state() == client::ConnectionState::Closed; }, 1000);
  }

  void react(const client::ClientEvent& event) {
    if (const auto* begin = std::get_if<client::ContactBeginEvent>(&event)) {
      ++contact_count_;
      std::cout << begin->user_data_a << " touches " << begin->user_data_b << " in tick "
                << begin->begin_tick << std::endl;
      turn_round(begin->user_data_a);
      turn_round(begin->user_data_b);
    } else if (const auto* enter = std::get_if<client::EnterEvent>(&event)) {
      std::cout << enter->entity.user_data << " comes into the room" << std::endl;
    } else if (const auto* refusal = std::get_if<client::RefusalEvent>(&event)) {
      std::cerr << "refused: " << refusal->outcome.error.text << '\n';
    } else if (const auto* change = std::get_if<client::StateEvent>(&event)) {
      if (!change->reason.text.empty()) std::cerr << change->reason.text << '\n';
    }
  }

  void turn_round(std::uint64_t number) {
    const auto found = guards_.find(number);
    if (found == guards_.end()) return;  // not ours
    Guard& guard = found->second;
    guard.speed = -guard.speed;
    server_.send({SetVelocityCommand{{guard.id}, {guard.speed, 0, 0}}});
  }

  client::Client server_;
  std::map<std::uint64_t, Guard> guards_;  // by user data
  int contact_count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  client::ClientOptions options;
  options.connection.port = 7420;
  int contact_count_max = 1;
  CLI::App app(
      "A game server: two guards walk towards one another and turn round when they touch.");
  app.add_option("PORT", options.connection.port, "Port of the server on this machine")
      ->capture_default_str();
  app.add_option("CONTACTS", contact_count_max, "Contacts after which it ends")
      ->capture_default_str();
  app.add_option("--token", options.connection.token,
                 "Token of an authority, where the server asks for one (token_keys)");
  app.footer("Exit code: 0 after so many contacts, 1 without them in 20 s, 2 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : 2;
  }
  options.connection.client_name = "example-game-server";
  options.connection.role = Role::Authority;        // may move everything
  options.connection.contacts = ContactScope::All;  // is told of every contact
  options.own_thread = true;                        // answers pings however long the game is busy
  Game game(options);
  return game.run(contact_count_max, 20'000) ? EXIT_SUCCESS : EXIT_FAILURE;
}
