// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/server.h"

#include <chrono>
#include <string>
#include <utility>

#include "app/client_protocol.h"
#include "app/index_settings.h"
#include "app/port_file.h"
#include "app/server_clock.h"
#include "app/session_log.h"
#include "app/session_registry.h"
#include "app/tick_driver.h"
#include "app/version.h"
#include "base/limits.h"
#include "net/server_socket.h"
#include "query/query.h"
#include "tick/simulation.h"
#include "wire/encode.h"
#include "world/command_queue.h"

namespace vicinity::app {
namespace {

OnDisconnect on_disconnect_of(const std::string& name) {
  if (name == "despawn") return OnDisconnect::Despawn;
  return name == "keep" ? OnDisconnect::Keep : OnDisconnect::Grace;
}

net::Engine engine_of(const std::string& name) {
  if (name == "epoll") return net::Engine::Epoll;
  return name == "io_uring" ? net::Engine::IoUring : net::Engine::Auto;
}

// The ranges of the settings (settings_table.cpp) make these casts safe.

wire::TickMode tick_mode(const Config& config) {
  return config.tick_mode == "manual" ? wire::TickMode::Manual : wire::TickMode::Timer;
}

IndexKernel kernel_in_use(const Config& config) {
  const IndexKernel wanted = index_settings(config).kernel;
  if (wanted != IndexKernel::Auto) return wanted;
  for (const IndexKernel widest : {IndexKernel::Avx512, IndexKernel::Avx2})
    if (is_supported(widest)) return widest;
  return IndexKernel::Scalar;
}

SimulationSettings simulation_settings(const Config& config) {
  SimulationSettings settings;
  settings.dt_s = 1.0 / static_cast<double>(config.tick_rate_hz);
  settings.world_half_size_m = config.world_half_size_m;
  settings.entity_count_max = static_cast<std::uint32_t>(config.entity_count_max);
  settings.entities_per_player_max = static_cast<std::uint32_t>(config.entities_per_player_max);
  settings.player_shape_extent_max_m = config.player_shape_extent_max_m;
  settings.reuse_delay_ticks = static_cast<std::uint32_t>(config.reuse_delay_ticks);
  settings.worker_count = static_cast<int>(config.workers);
  settings.index = index_settings(config);
  settings.policy = config.policy;
  settings.audit_rate = config.audit_rate;
  return settings;
}

ProtocolSettings protocol_settings(const Config& config) {
  ProtocolSettings settings;
  settings.tick_mode = tick_mode(config);
  settings.tick_rate_hz = static_cast<std::uint32_t>(config.tick_rate_hz);
  settings.entities_per_player_max = static_cast<std::uint32_t>(config.entities_per_player_max);
  settings.world_half_size_m = config.world_half_size_m;
  settings.grace_ms = static_cast<std::uint32_t>(config.grace_ms);
  settings.retry_after_ms = static_cast<std::uint32_t>(config.retry_after_ms);
  settings.position_resolution_m = config.position_resolution_m;
  settings.budget_bytes_per_s = static_cast<std::uint32_t>(config.budget_bytes_per_s);
  return settings;
}

SessionSettings session_settings(const Config& config) {
  SessionSettings settings;
  settings.grace = std::chrono::milliseconds(config.grace_ms);
  settings.on_disconnect = on_disconnect_of(config.on_disconnect);
  settings.session_count_max = static_cast<std::size_t>(config.session_count_max);
  return settings;
}

TickDriverSettings driver_settings(const Config& config) {
  TickDriverSettings settings;
  settings.mode = tick_mode(config);
  settings.tick_rate_hz = static_cast<std::uint32_t>(config.tick_rate_hz);
  settings.sender.outbox_bytes_max = static_cast<std::size_t>(config.outbox_bytes_max);
  settings.sender.worker_count = static_cast<std::uint32_t>(config.workers);
  settings.sender.send_slots =
      settings.mode == wire::TickMode::Timer ? static_cast<std::uint32_t>(config.send_slots) : 1;
  settings.shed_load = config.shed_load;
  StreamSettings& stream = settings.sender.stream;
  stream.tick_rate_hz = settings.tick_rate_hz;
  stream.position_resolution_m = config.position_resolution_m;
  stream.budget_bytes_per_s = config.budget_bytes_per_s;
  stream.egress_bytes_per_s = config.egress_bytes_per_s;
  stream.update_max_age_ms = static_cast<std::uint32_t>(config.update_max_age_ms);
  stream.slow_consumer_ms = static_cast<std::uint32_t>(config.slow_consumer_ms);
  stream.pending_events_max = static_cast<std::size_t>(config.pending_events_max);
  stream.resumable = config.grace_ms > 0;
  return settings;
}

net::SocketSettings socket_settings(const Config& config) {
  net::SocketSettings settings;
  settings.address = config.listen_address;
  settings.port = static_cast<std::uint16_t>(config.port);
  settings.thread_count = static_cast<int>(config.net_threads);
  // More connections than sessions: who takes up or takes over a session needs none of its own. The
  // registry counts the sessions.
  settings.connection_count_max =
      static_cast<std::uint32_t>(config.session_count_max + config.unauthenticated_count_max);
  settings.unauthenticated_count_max = static_cast<std::uint32_t>(config.unauthenticated_count_max);
  settings.notsent_lowat_bytes = static_cast<std::uint32_t>(config.notsent_lowat_bytes);
  settings.user_timeout_ms = static_cast<std::uint32_t>(config.user_timeout_ms);
  settings.engine = engine_of(config.socket_engine);
  settings.outbox_bytes_max = static_cast<std::size_t>(config.outbox_bytes_max);
  settings.handshake_deadline_ms = static_cast<std::uint32_t>(config.handshake_deadline_ms);
  settings.idle_timeout_ms = static_cast<std::uint32_t>(config.idle_timeout_ms);
  settings.send_buffer_bytes = static_cast<std::uint32_t>(config.send_buffer_bytes);
  return settings;
}

}  // namespace

/// Declared so that each part is destroyed before everything it refers to: the socket, whose
/// threads call the protocol, goes first.
struct Server::Parts {
  Parts(const Config& config, Log& log_in)
      : log(log_in),
        session_log(log_in),
        sessions(session_settings(config), commands, &session_log),
        simulation(simulation_settings(config)),
        driver(driver_settings(config), {simulation, commands, frames, sessions, clock, log}),
        protocol(protocol_settings(config),
                 {commands, frames, sessions, clock, log, session_log,
                  [this](SessionId session, std::uint64_t sequence, std::uint32_t count) {
                    return driver.request_step(session, sequence, count);
                  },
                  [this] { return driver.shedding(); }}) {
    frames.publish(simulation.frame());
  }

  Log& log;
  SessionLog session_log;
  ServerClock clock;
  CommandQueue commands;
  FramePublisher frames;
  SessionRegistry sessions;
  Simulation simulation;
  TickDriver driver;
  ClientProtocol protocol;
  std::unique_ptr<net::ServerSocket> socket;
  bool stopped = false;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>, Error> Server::start(const Config& config, Log& log,
                                                     std::function<void()> on_failure) {
  auto parts = std::make_unique<Parts>(config, log);
  auto socket = net::ServerSocket::open(socket_settings(config), parts->protocol);
  if (!socket.ok()) return socket.error();
  parts->socket = std::move(socket.value());
  const std::uint16_t port = parts->socket->port();

  if (!is_loopback(config.listen_address)) {
    log.warning("insecure: others can connect, without authentication or encryption",
                {{"address", std::string_view(config.listen_address)}});
  }
  parts->driver.start(std::move(on_failure));
  parts->socket->start();
  std::unique_ptr<Server> server(new Server(std::move(parts)));
  if (!config.port_file.empty()) {
    // Who waits for the file, or for the line below, may connect at once.
    Error error = write_port_file(config.port_file, port);
    if (error.code != ErrorCode::None) return error;
  }
  log.info("server started", {{"version", version()},
                              {"address", std::string_view(config.listen_address)},
                              {"port", std::uint64_t{port}},
                              {"tick_mode", std::string_view(config.tick_mode)},
                              {"tick_rate_hz", config.tick_rate_hz},
                              {"index", std::string_view(config.index)},
                              {"index_kernel", to_string(kernel_in_use(config))},
                              {"socket_engine", server->parts_->socket->engine()},
                              {"engine_reason", server->parts_->socket->engine_reason()},
                              {"workers", config.workers}});
  return server;
}

std::uint16_t Server::port() const { return parts_->socket->port(); }

void Server::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  parts_->log.info("server stops");
  parts_->protocol.refuse_newcomers();
  parts_->socket->stop_accepting();
  parts_->driver.stop();
  parts_->protocol.close_all();
  parts_->socket->stop(limits::drain_deadline_ms);
  const net::SocketStats stats = parts_->socket->stats();
  const SessionStats sessions = parts_->sessions.stats();
  const FrameSenderStats& sent = parts_->driver.sent();
  parts_->log.info("server stopped", {{"connections", stats.accepted},
                                      {"refused", stats.refused},
                                      {"accept_errors", stats.accept_errors},
                                      {"slow_consumers", stats.slow_consumers},
                                      {"frames", sent.frames},
                                      {"audited", parts_->driver.audited_count()},
                                      {"outbox_peak_bytes", sent.outbox_peak_bytes},
                                      {"outboxes_peak_bytes", sent.outboxes_peak_bytes},
                                      {"bytes_in", stats.bytes_in},
                                      {"frames_sent", stats.frames_sent},
                                      {"frame_lateness_p99_us", stats.frame_lateness_p99_us},
                                      {"bytes_out", stats.bytes_out},
                                      {"sessions", sessions.opened},
                                      {"resumed", sessions.resumed},
                                      {"taken_over", sessions.taken_over},
                                      {"expired", sessions.expired}});
}

}  // namespace vicinity::app
