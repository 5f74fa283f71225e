// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The smallest game: it links the installed client library and nothing else. No server runs here,
// so the right outcome of connecting is an error that says so.

#include <iostream>

#include "client/blocking.h"
#include "client/client.h"
#include "client/connection.h"
#include "client/replica.h"

int main() {
  vicinity::client::TickFrame frame;
  frame.tick = 7;
  frame.enters.push_back({.id = vicinity::EntityId(3, 1)});
  vicinity::client::Replica replica;
  if (!replica.apply(frame).empty() || replica.view().size() != 1) {
    std::cerr << "the replica did not take the frame\n";
    return 1;
  }
  vicinity::client::BlockingClient client;
  vicinity::client::ConnectOptions options;
  options.port = 1;  // nobody listens there
  const auto welcome = client.connect(options);
  if (welcome.ok()) {
    std::cerr << "connected to nobody\n";
    return 1;
  }
  vicinity::client::ClientOptions client_options;
  client_options.connection.port = 1;
  client_options.own_thread = true;
  client_options.reconnect.enabled = false;
  vicinity::client::Client game(client_options);
  game.connect();
  const auto is_closed = [&] { return game.state() == vicinity::client::ConnectionState::Closed; };
  if (!game.poll_until(is_closed, 10'000)) {
    std::cerr << "the client did not give up\n";
    return 1;
  }
  std::cout << "refused as expected: " << welcome.error().text << '\n';
}
