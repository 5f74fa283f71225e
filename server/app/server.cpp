// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/server.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "access/gatekeeper.h"
#include "admin/sources.h"
#include "admin/tick_telemetry.h"
#include "app/access_metrics.h"
#include "app/admin_service.h"
#include "app/audit_pacer.h"
#include "app/client_protocol.h"
#include "app/index_settings.h"
#include "app/journal_metrics.h"
#include "app/journaled_world.h"
#include "app/memory_metrics.h"
#include "app/memory_watch.h"
#include "app/periodic.h"
#include "app/port_file.h"
#include "app/server_clock.h"
#include "app/server_metrics.h"
#include "app/session_log.h"
#include "app/session_registry.h"
#include "app/tick_driver.h"
#include "app/tick_journal.h"
#include "app/version.h"
#include "base/limits.h"
#include "net/address_limits.h"
#include "net/server_socket.h"
#include "net/tls_context.h"
#include "net/web_socket_server.h"
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

/// For a port that a killed server still holds: what the kernel takes to end it, many times over.
constexpr std::uint32_t port_patience_ms = 3'000;
/// What a pair takes where all that may be are there (docs/SIZING.md).
constexpr std::uint64_t pair_bytes = 300;

// The ranges of the settings (settings_table.cpp) make these casts safe.

wire::TickMode tick_mode(const Config& config) {
  return config.tick_mode == "manual" ? wire::TickMode::Manual : wire::TickMode::Timer;
}

/// What a world reports to while it runs.
struct Instruments {
  Instruments(const Config& config, ServerHooks hooks_in)
      : hooks(std::move(hooks_in)),
        audit_pacer(config.audit_budget_us, [this] { return clock.now_ns(); }) {}

  const ServerHooks hooks;
  ServerClock clock;
  admin::TickTelemetry telemetry;
  AuditPacer audit_pacer;
};

/// Empty when nobody is there to look at what it would measure.
StageProbe stage_probe(const Config& config, Instruments& instruments) {
  const StageProbe& hook = instruments.hooks.on_stage;
  if (!config.admin) return hook;
  return [&hook, &telemetry = instruments.telemetry](TickStage stage) {
    telemetry.stage(stage);
    if (hook) hook(stage);
  };
}

SimulationSettings simulation_settings(const Config& config, Instruments& instruments) {
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
  settings.audit_pace = &instruments.audit_pacer;
  settings.on_stage = stage_probe(config, instruments);
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
  settings.rates = {static_cast<double>(config.commands_per_s),
                    static_cast<double>(config.bytes_in_per_s),
                    static_cast<double>(config.query_us_per_s)};
  settings.query_us_per_s_total = static_cast<double>(config.query_us_per_s_total);
  settings.limit_loopback = config.limit_loopback;
  return settings;
}

access::GatekeeperSettings gatekeeper_settings(const Config& config) {
  return {config.token_keys, {config.token_audience, std::chrono::seconds(config.token_skew_s)}};
}

SessionSettings session_settings(const Config& config) {
  SessionSettings settings;
  settings.grace = std::chrono::milliseconds(config.grace_ms);
  settings.on_disconnect = on_disconnect_of(config.on_disconnect);
  settings.session_count_max = static_cast<std::size_t>(config.session_count_max);
  return settings;
}

TickDriverSettings driver_settings(const Config& config, Instruments& instruments) {
  TickDriverSettings settings;
  settings.mode = tick_mode(config);
  settings.tick_rate_hz = static_cast<std::uint32_t>(config.tick_rate_hz);
  settings.sender.outbox_bytes_max = static_cast<std::size_t>(config.outbox_bytes_max);
  settings.sender.worker_count = static_cast<std::uint32_t>(config.workers);
  settings.sender.send_slots =
      settings.mode == wire::TickMode::Timer ? static_cast<std::uint32_t>(config.send_slots) : 1;
  settings.sender.observers_noted_ticks =
      settings.mode == wire::TickMode::Timer ? settings.tick_rate_hz : 1;
  settings.shed_load = config.shed_load;
  settings.sender.on_stage = stage_probe(config, instruments);
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
  settings.frame_mark_bytes = limits::frame_mark_bytes;
  settings.port_patience_ms = port_patience_ms;
  settings.handshake_deadline_ms = static_cast<std::uint32_t>(config.handshake_deadline_ms);
  settings.idle_timeout_ms = static_cast<std::uint32_t>(config.idle_timeout_ms);
  settings.send_buffer_bytes = static_cast<std::uint32_t>(config.send_buffer_bytes);
  return settings;
}

net::AddressLimitSettings address_settings(const Config& config) {
  net::AddressLimitSettings settings;
  settings.connections_max = static_cast<std::uint32_t>(config.connections_per_address_max);
  settings.connects_per_s = static_cast<std::uint32_t>(config.connects_per_address_per_s);
  settings.loopback = config.limit_loopback;
  return settings;
}

}  // namespace

/// Declared so that each part is destroyed before everything it refers to: the sockets, whose
/// threads call the protocol, go first.
struct Server::Parts {
  Parts(const Config& config, Log& log_in, std::unique_ptr<Instruments> instruments_in,
        JournaledWorld&& world_in)
      : log(log_in),
        instruments(std::move(instruments_in)),
        clock(instruments->clock),
        telemetry(instruments->telemetry),
        session_log(log_in,
                    [this] {
                      const auto frame = frames.pin();
                      return frame ? frame->tick : Tick{0};
                    }),
        memory(config.max_memory, instruments->hooks.memory_bytes, log_in),
        world(std::move(world_in)),
        sessions(session_settings(config), commands, &session_log),
        tick_journal(make_tick_journal(config)),
        gatekeeper(gatekeeper_settings(config)),
        driver(driver_settings(config, *instruments),
               {*world.simulation, commands, frames, sessions, clock, log,
                config.admin ? &telemetry : nullptr, tick_journal.get(), &memory.guard()}),
        protocol(protocol_settings(config),
                 {commands, frames, sessions, clock, log, session_log,
                  [this](SessionId session, std::uint64_t sequence, std::uint32_t count) {
                    return driver.request_step(session, sequence, count);
                  },
                  [this] { return driver.shedding(); },
                  [this](ViewQuestion question) { return driver.ask_view(std::move(question)); },
                  &gatekeeper, &memory.guard()}) {
    frames.publish(world.simulation->frame());
    if (!world.journal) return;
    sessions.restore(world.sessions, world.last_session_id, SessionRegistry::Clock::now(),
                     [this](SessionId id) { return world.simulation->interest().area_ids(id); });
    driver.begin_with(world.sessions);
  }

  std::unique_ptr<TickJournal> make_tick_journal(const Config& config);

  /// None, or why a listener cannot be had.
  Error listen(const Config& config);
  Error listen_for_operators(const Config& config);
  /// What is written to the files when others may connect.
  Error write_port_files(const Config& config) const;
  void log_start(const Config& config);
  void reload_token_keys();
  void reload_certificate();
  /// Both within one deadline.
  void stop_sockets();

  Log& log;
  const std::unique_ptr<Instruments> instruments;
  const ServerClock& clock;
  admin::TickTelemetry& telemetry;
  admin::MetricRegistry metrics;
  admin::ReadyChecks ready;
  SessionLog session_log;
  CommandQueue commands;
  FramePublisher frames;
  MemoryWatch memory;
  JournaledWorld world;
  SessionRegistry sessions;
  std::unique_ptr<TickJournal> tick_journal;  ///< null without a journal
  access::Gatekeeper gatekeeper;
  TickDriver driver;
  ClientProtocol protocol;
  std::shared_ptr<net::TlsContext> tls;  ///< null unless configured
  std::unique_ptr<net::ServerSocket> socket;
  std::unique_ptr<net::ServerSocket> web_socket;  ///< null unless configured
  std::unique_ptr<AdminService> admin;            ///< null unless configured
  Periodic every_second;
  bool stopped = false;
};

std::unique_ptr<TickJournal> Server::Parts::make_tick_journal(const Config& config) {
  if (!world.journal) return nullptr;
  const store::SnapshotSchedule schedule(config.snapshot_interval_s,
                                         static_cast<std::uint32_t>(config.tick_rate_hz),
                                         world.snapshot_tick);
  return std::make_unique<TickJournal>(*world.journal, schedule, world.restarts,
                                       world.lost_ticks_max, sessions, log);
}

Error Server::Parts::listen(const Config& config) {
  net::SocketSettings settings = socket_settings(config);
  settings.ids = std::make_shared<net::ConnectionIds>();
  settings.on_port_wait = [this](const Error& error) {
    log.warning("the port is taken; waiting for it", {{"reason", std::string_view(error.text)},
                                                      {"ms", std::uint64_t{port_patience_ms}}});
  };
  settings.addresses = std::make_shared<net::AddressLimits>(address_settings(config));
  if (!config.tls_certificate.empty()) {
    auto loaded = net::TlsContext::load(config.tls_certificate, config.tls_private_key);
    if (!loaded.ok()) return loaded.error();
    settings.tls = tls = std::move(loaded.value());
  }
  auto opened = net::ServerSocket::open(settings, protocol);
  if (!opened.ok()) return opened.error();
  socket = std::move(opened.value());
  if (!config.websocket) return {};

  net::WebSocketSettings web_settings{settings, config.websocket_origins};
  web_settings.port = static_cast<std::uint16_t>(config.websocket_port);
  opened = net::open_web_socket(web_settings, protocol);
  if (!opened.ok()) return {opened.error().code, "WebSocket: " + opened.error().text};
  web_socket = std::move(opened.value());
  return {};
}

/// When the sockets are there.
Error Server::Parts::listen_for_operators(const Config& config) {
  if (!config.admin) return {};
  add_server_metrics({*socket, web_socket.get(), sessions, protocol, commands,
                      static_cast<std::uint32_t>(config.tick_rate_hz)},
                     metrics);
  add_access_metrics(gatekeeper, protocol, metrics);
  add_memory_metrics(memory.guard(), metrics, ready);
  if (world.journal) add_journal_metrics(*world.journal, metrics, ready);
  auto opened = AdminService::open(config, {telemetry, metrics, ready, sessions, protocol, log});
  if (!opened.ok()) return opened.error();
  admin = std::move(opened.value());
  return {};
}

Error Server::Parts::write_port_files(const Config& config) const {
  Error error;
  if (web_socket && !config.websocket_port_file.empty())
    error = write_port_file(config.websocket_port_file, web_socket->port());
  if (error.code == ErrorCode::None && admin && !config.admin_port_file.empty())
    error = write_port_file(config.admin_port_file, admin->port());
  if (error.code == ErrorCode::None && !config.port_file.empty())
    error = write_port_file(config.port_file, socket->port());
  return error;
}

void Server::Parts::log_start(const Config& config) {
  if (web_socket) {
    log.info("listening for WebSocket clients",
             {{"address", std::string_view(config.listen_address)},
              {"port", std::uint64_t{web_socket->port()}},
              {"origins", std::string_view(config.websocket_origins)}});
  }
  if (admin) {
    log.info("listening for operators",
             {{"address", std::string_view(config.admin_address)},
              {"port", std::uint64_t{admin->port()}},
              {"token", std::string_view(config.admin_token_file.empty() ? "none" : "needed")}});
  }
  log.info("server started", {{"version", version()},
                              {"build", build_id()},
                              {"address", std::string_view(config.listen_address)},
                              {"port", std::uint64_t{socket->port()}},
                              {"tick_mode", std::string_view(config.tick_mode)},
                              {"tick_rate_hz", config.tick_rate_hz},
                              {"index", std::string_view(config.index)},
                              {"index_kernel", to_string(kernel_in_use(config))},
                              {"socket_engine", socket->engine()},
                              {"engine_reason", socket->engine_reason()},
                              {"tls", std::string_view(tls ? "yes" : "no")},
                              {"token_keys", gatekeeper.key_count()},
                              {"workers", config.workers}});
}

void Server::Parts::stop_sockets() {
  const auto began_at = std::chrono::steady_clock::now();
  socket->stop(limits::drain_deadline_ms);
  if (!web_socket) return;
  const auto took_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_at);
  const auto left_ms = std::chrono::milliseconds(limits::drain_deadline_ms) - took_ms;
  web_socket->stop(static_cast<std::uint32_t>(std::max<std::int64_t>(left_ms.count(), 0)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>, Error> Server::start(const Config& config, Log& log,
                                                     std::function<void()> on_failure,
                                                     ServerHooks hooks) {
  auto instruments = std::make_unique<Instruments>(config, std::move(hooks));
  auto world = open_world(config, simulation_settings(config, *instruments), log, on_failure);
  if (!world.ok()) return world.error();
  auto parts =
      std::make_unique<Parts>(config, log, std::move(instruments), std::move(world.value()));
  if (parts->gatekeeper.enabled()) {
    const std::string fault = parts->gatekeeper.reload();
    if (!fault.empty()) return Error{ErrorCode::Internal, "token_keys: " + fault};
  }
  Error error = parts->memory.start();
  if (error.code == ErrorCode::None) error = parts->listen(config);
  if (error.code == ErrorCode::None) error = parts->listen_for_operators(config);
  // Not before: what cannot listen tells nobody anything, and its start was none.
  if (error.code == ErrorCode::None && parts->world.journal)
    error = parts->world.journal->begin_run();
  if (error.code != ErrorCode::None) return error;

  const std::string missing = missing_protection(config);
  if (!is_loopback(config.listen_address) && !missing.empty()) {
    log.warning("insecure: others can connect, and there is protection missing",
                {{"address", std::string_view(config.listen_address)},
                 {"missing", std::string_view(missing)}});
  }
  if (config.max_memory > 0 && config.candidate_pairs_max > config.max_memory / 3 / pair_bytes) {
    log.warning("candidate_pairs_max allows pairs that take more than a third of max_memory",
                {{"candidate_pairs_max", config.candidate_pairs_max},
                 {"bytes", config.candidate_pairs_max * pair_bytes},
                 {"max_memory", config.max_memory}});
  }
  parts->driver.start(std::move(on_failure));
  if (parts->admin) parts->admin->start();
  parts->socket->start();
  if (parts->web_socket) parts->web_socket->start();
  parts->every_second.start(std::chrono::seconds(1), [protocol = &parts->protocol] {
    protocol->close_expired(access::Gatekeeper::now_s());
  });
  std::unique_ptr<Server> server(new Server(std::move(parts)));
  // Who waits for a file, or for the line below, may connect at once.
  error = server->parts_->write_port_files(config);
  if (error.code != ErrorCode::None) return error;
  server->parts_->log_start(config);
  return server;
}

std::uint16_t Server::port() const { return parts_->socket->port(); }

std::optional<store::JournalStatus> Server::journal_status() const {
  if (!parts_->world.journal) return std::nullopt;
  return parts_->world.journal->status();
}

void Server::Parts::reload_token_keys() {
  const std::string fault = gatekeeper.reload();
  if (fault.empty()) return log.info("token keys reloaded", {{"keys", gatekeeper.key_count()}});
  log.error("the token keys stay as they were", {{"reason", std::string_view(fault)}});
}

void Server::Parts::reload_certificate() {
  const Error error = tls->reload();
  if (error.code == ErrorCode::None) return log.info("certificate reloaded");
  log.error("the certificate stays as it was", {{"reason", std::string_view(error.text)}});
}

void Server::reload() {
  const bool has_keys = parts_->gatekeeper.enabled();
  if (has_keys) parts_->reload_token_keys();
  if (parts_->tls) parts_->reload_certificate();
  if (!has_keys && !parts_->tls) parts_->log.info("there is nothing to reload");
}

void Server::stop() {
  if (std::exchange(parts_->stopped, true)) return;
  parts_->protocol.refuse_newcomers();
  parts_->log.info("server stops");
  parts_->every_second.stop();
  parts_->memory.stop();
  parts_->socket->stop_accepting();
  if (parts_->web_socket) parts_->web_socket->stop_accepting();
  parts_->driver.stop();
  if (parts_->tick_journal)
    parts_->tick_journal->close(*parts_->world.simulation, !parts_->driver.has_failed());
  parts_->protocol.close_all();
  parts_->stop_sockets();
  if (parts_->admin) parts_->admin->stop();
  const net::SocketStats web =
      parts_->web_socket ? parts_->web_socket->stats() : net::SocketStats();
  const net::SocketStats stats = net::sum(parts_->socket->stats(), web);
  const SessionStats sessions = parts_->sessions.stats();
  const FrameSenderStats& sent = parts_->driver.sent();
  const TickTimes& times = parts_->driver.times();
  const std::uint64_t ticks = std::max<std::uint64_t>(times.ticks, 1);
  const ProtocolStats limited = parts_->protocol.stats();
  const MemoryStats short_of = parts_->memory.guard().stats();
  const access::GatekeeperStats tokens = parts_->gatekeeper.stats();
  parts_->log.info("server stopped",
                   {{"connections", stats.accepted},
                    {"websocket_connections", web.accepted},
                    {"refused", stats.refused},
                    {"turned_away", stats.turned_away},
                    {"accept_errors", stats.accept_errors},
                    {"slow_consumers", stats.slow_consumers},
                    {"ticks", times.ticks},
                    {"ticks_skipped", times.skipped},
                    {"tick_compute_mean_us", times.compute_us / ticks},
                    {"tick_send_mean_us", times.send_us / ticks},
                    {"frames", sent.frames},
                    {"audited", parts_->driver.audited_count()},
                    {"audit_skipped", parts_->driver.audit_skipped_count()},
                    {"outbox_peak_bytes", sent.outbox_peak_bytes},
                    {"outboxes_peak_bytes", sent.outboxes_peak_bytes},
                    {"bytes_in", stats.bytes_in},
                    {"frames_sent", stats.frames_sent},
                    {"frame_lateness_p99_us", stats.frame_lateness_p99_us},
                    {"bytes_out", stats.bytes_out},
                    {"sessions", sessions.opened},
                    {"resumed", sessions.resumed},
                    {"taken_over", sessions.taken_over},
                    {"expired", sessions.expired},
                    {"tokens_refused", tokens.unauthorized + tokens.expired},
                    {"tokens_ended", limited.expired},
                    {"commands_limited", limited.commands_limited},
                    {"queries_limited", limited.queries_limited},
                    {"queries_crowded_out", limited.queries_crowded_out},
                    {"memory_refused", short_of.sessions_refused + short_of.commands_refused},
                    {"floods", limited.floods}});
}

}  // namespace vicinity::app
