// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the sockets, the sessions and the protocol know, as metrics for operators.

#include "admin/sources.h"
#include "app/client_protocol.h"
#include "app/session_registry.h"
#include "net/server_socket.h"
#include "world/command_queue.h"

namespace vicinity::app {

/// All outlive the registry.
struct ServerMetricSources {
  const net::ServerSocket& socket;
  const net::ServerSocket* web_socket = nullptr;  ///< null: there is none
  const SessionRegistry& sessions;
  const ClientProtocol& protocol;
  const CommandQueue& commands;
  std::uint32_t tick_rate_hz = 0;
};

/// Sessions are counted a page at a time, so that nobody who looks one up waits for it.
void add_server_metrics(const ServerMetricSources& sources, admin::MetricRegistry& metrics);

}  // namespace vicinity::app
