// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What ServerSocket does whatever engine moves the bytes: owns the net threads and the connections,
// spreads these over those, starts and stops in order. Net room.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/connection_core.h"
#include "net/connection_registry.h"
#include "net/net_loop.h"
#include "net/server_socket.h"

namespace vicinity::net {

class ServerCore : public ServerSocket {
 public:
  ServerCore(const SocketSettings& settings, ConnectionHandler& handler);

  std::uint16_t port() const final { return port_; }
  std::string_view engine_reason() const final { return engine_reason_; }
  void set_engine_reason(std::string reason) { engine_reason_ = std::move(reason); }
  void start() final;
  void stop_accepting() final;
  void stop(std::uint32_t deadline_ms) final;
  SocketStats stats() const final;

 protected:
  /// Any thread. Before the net threads run, and while they do.
  virtual void begin_accepting() = 0;
  virtual void end_accepting() = 0;

  const SocketSettings settings_;
  SocketCounters counters_;
  ConnectionRegistry registry_;
  const ConnectionContext context_;
  std::uint16_t port_ = 0;

  // The engine's destructor calls stop(0) before anything of it goes.
 private:
  virtual NetLoop& loop(std::size_t index) = 0;

  std::string engine_reason_ = "asked for";
  std::vector<std::thread> threads_;
};

}  // namespace vicinity::net
