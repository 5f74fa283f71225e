// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Puts the pages for operators together and serves them (admin/): what they may see and do of this
// server. Everything runs on the thread of the HTTP server.
//
//      Server::Parts: telemetry, metrics, ready ──► AdminService ──► admin::HttpServer
//                     filled by whoever knows something     pages of sessions, drain, log level

#include <cstdint>
#include <memory>

#include "admin/http_server.h"
#include "admin/router.h"
#include "admin/sources.h"
#include "admin/tick_telemetry.h"
#include "app/client_protocol.h"
#include "app/config.h"
#include "app/logging.h"
#include "app/session_registry.h"
#include "base/error.h"
#include "base/result.h"

namespace vicinity::app {

/// All outlive the service. `metrics` and `ready` get what the service itself knows and must not
/// change any more once it has started.
struct AdminParts {
  admin::TickTelemetry& ticks;
  admin::MetricRegistry& metrics;
  admin::ReadyChecks& ready;
  const SessionRegistry& sessions;
  ClientProtocol& protocol;
  Log& log;
};

class AdminService {
 public:
  /// Reads the token and listens; the error says what could not be had.
  static Result<std::unique_ptr<AdminService>, Error> open(const Config& config,
                                                           const AdminParts& parts);
  ~AdminService();
  AdminService(const AdminService&) = delete;
  AdminService& operator=(const AdminService&) = delete;

  std::uint16_t port() const { return http_->port(); }
  void start() { http_->start(); }
  /// Cuts who asks at the moment.
  void stop() { http_->stop(); }

 private:
  AdminService(const Config& config, const AdminParts& parts);
  void add_own_sources(const Config& config);
  std::vector<admin::Route> routes(const Config& config);
  admin::HttpResponse kick(const std::string& id);
  admin::HttpResponse drain();
  admin::HttpResponse set_log_level(std::string text);

  const AdminParts parts_;
  std::unique_ptr<admin::Router> router_;
  std::unique_ptr<admin::HttpServer> http_;
};

}  // namespace vicinity::app
