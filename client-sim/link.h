// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One bot's way to the server, when it is to be worse than loopback: a TCP relay on a port of its
// own on 127.0.0.1. Everything the bot and the server say passes through it, late, slowly or not at
// all. Never holds more than a window of bytes per direction: who is held up stops being read, so
// that the server feels it as it would feel a real client.
//
//   bot ──► accepts ── shaper up ──► server
//   bot ◄── shaper down ◄─────────── server       one connection at a time
//
// Belongs to the thread that runs the io_context.

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/net_conditions.h"

namespace vicinity::sim {

struct LinkSettings {
  std::string host;  ///< of the server
  std::uint16_t port = 0;
  NetConditions conditions;
  std::uint64_t read_bytes_per_s = 0;  ///< from the server; 0 = as the conditions say
  std::uint64_t seed = 1;
};

class Link {
 public:
  /// Throws boost::system::system_error when there is no port to be had.
  Link(boost::asio::io_context& io, const LinkSettings& settings);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// On 127.0.0.1, where the bot connects.
  std::uint16_t port() const;
  /// The present connection reads nothing from the server, until go_on().
  void stall();
  void go_on();
  /// Ends the present connection without a word to either side.
  void cut();
  /// Sends bytes to the server behind what the bot has sent. Before there is a connection: first
  /// of all on the next one.
  void inject(const std::vector<std::uint8_t>& bytes);
  /// Whether cut() or the conditions ended the last connection.
  bool was_cut() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace vicinity::sim
