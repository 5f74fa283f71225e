// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "client/blocking.h"

using namespace vicinity;

int main(int argc, char** argv) {
  client::ConnectOptions options;
  options.port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 7420);
  options.role = Role::Authority;        // may move everything; a player only what it owns
  options.contacts = ContactScope::All;  // be told of every contact

  client::BlockingClient server;
  const auto welcome = server.connect(options);
  if (!welcome) {
    std::cerr << welcome.error().text << '\n';
    return 1;
  }

  // A guard, a thief who walks towards it, and an interest area of 10 m around the guard.
  SpawnCommand guard;
  guard.shape = Shape::capsule(0.4, 0.5);
  guard.user_data = 1;  // yours; comes back in every event
  SpawnCommand thief = guard;
  thief.position = {14, 0, 0};
  thief.velocity = {-5, 0, 0};
  thief.user_data = 2;
  AddAreaCommand area;
  area.spec.anchor.spawned_by = server.next_sequence();  // the guard: first command below
  area.spec.enter_radius_m = 10;
  area.spec.leave_radius_m = 11;
  server.send({guard, thief, area});

  for (;;) {
    const auto frame = server.next_frame();
    if (!frame) {
      std::cerr << frame.error().text << '\n';
      return 1;
    }
    for (const client::EntityView& view : frame.value().enters)
      std::cout << "tick " << frame.value().tick << ": entity " << view.user_data
                << " comes near, x = " << view.position.x << " m\n";
    for (const client::ContactBeginEvent& contact : frame.value().contact_begins) {
      std::cout << "tick " << contact.begin_tick << ": " << contact.user_data_a << " touches "
                << contact.user_data_b << '\n';
      server.close();
      return 0;
    }
  }
}
