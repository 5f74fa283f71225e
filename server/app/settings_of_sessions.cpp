// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/settings_of_sessions.h"

#include "base/limits.h"

namespace vicinity::app {
namespace {

constexpr double hour_ms = 3'600'000;
constexpr double finest_resolution_m = 1.0 / 4096;

}  // namespace

std::vector<Setting> session_settings() {
  return {
      {"session_count_max",
       &Config::session_count_max,
       1,
       limits::sessions_max,
       "sessions",
       {},
       "Sessions at the same time, those included that wait for their client; more are refused."},
      {"outbox_bytes_max",
       &Config::outbox_bytes_max,
       2 * limits::server_frame_bytes_max,
       limits::outbox_bytes_max,
       "bytes",
       {},
       "Bytes that may wait for one session; beyond, it is closed with SlowConsumer."},
      {"send_buffer_bytes",
       &Config::send_buffer_bytes,
       0,
       64 << 20,
       "bytes",
       {},
       "Send buffer of the kernel for each connection; 0: as the system chooses."},
      {"handshake_deadline_ms",
       &Config::handshake_deadline_ms,
       10,
       hour_ms,
       "ms",
       {},
       "Time for the first message to arrive."},
      {"idle_timeout_ms",
       &Config::idle_timeout_ms,
       100,
       hour_ms,
       "ms",
       {},
       "Silence after which a connection is closed; its session waits for grace_ms."},
  };
}

std::vector<Setting> connection_settings() {
  return {
      {"user_timeout_ms",
       &Config::user_timeout_ms,
       0,
       hour_ms,
       "ms",
       {},
       "Time that sent bytes may stay unacknowledged before the system gives a connection up; 0: "
       "its own."},
      {"unauthenticated_count_max",
       &Config::unauthenticated_count_max,
       1,
       limits::sessions_max,
       "connections",
       {},
       "Connections that may be open before their hello; beyond, the oldest make room."},
      {"notsent_lowat_bytes",
       &Config::notsent_lowat_bytes,
       0,
       64 << 20,
       "bytes",
       {},
       "Bytes that the system may hold unsent for a connection, so that frames stay fresh; 0: its "
       "own."},
      {"socket_engine",
       &Config::socket_engine,
       0,
       0,
       "",
       {"auto", "epoll", "io_uring"},
       "How sockets are served; auto: io_uring where the system allows it."},
      {"websocket", &Config::websocket, 0, 0, "", {}, "Listen for WebSocket clients as well."},
      {"websocket_port",
       &Config::websocket_port,
       0,
       65535,
       "",
       {},
       "TCP port for WebSocket clients; 0 takes any free one."},
      {"websocket_origins",
       &Config::websocket_origins,
       0,
       0,
       "",
       {},
       "Origins that browsers may come from, separated by commas; empty: none but clients without "
       "one."},
  };
}

std::vector<Setting> resume_settings() {
  return {
      {"grace_ms",
       &Config::grace_ms,
       0,
       24 * hour_ms,
       "ms",
       {},
       "Time that a session is kept for a client that lost its connection; 0: it ends at once."},
      {"on_disconnect",
       &Config::on_disconnect,
       0,
       0,
       "",
       {"grace", "despawn", "keep"},
       "Entities of a player that lost its connection: end with its session, end at once, or "
       "stay."},
      {"retry_after_ms",
       &Config::retry_after_ms,
       0,
       hour_ms,
       "ms",
       {},
       "When clients of a server that stops are told to try again."},
  };
}

std::vector<Setting> stream_settings() {
  return {
      {"budget_bytes_per_s",
       &Config::budget_bytes_per_s,
       0,
       1 << 30,
       "bytes/s",
       {},
       "Frames that one player or observer gets at most; 0: no bound."},
      {"egress_bytes_per_s",
       &Config::egress_bytes_per_s,
       0,
       1LL << 40,
       "bytes/s",
       {},
       "Frames that all sessions together get at most; 0: no bound."},
      {"position_resolution_m",
       &Config::position_resolution_m,
       finest_resolution_m,
       1,
       "m",
       {},
       "Resolution of the positions of what moves, for clients that do not ask for one."},
      {"update_max_age_ms",
       &Config::update_max_age_ms,
       1,
       hour_ms,
       "ms",
       {},
       "Age of the state of an entity in view beyond which its update goes before all others."},
      {"slow_consumer_ms",
       &Config::slow_consumer_ms,
       100,
       hour_ms,
       "ms",
       {},
       "Time without any progress after which a client that does not read is closed."},
      {"send_slots",
       &Config::send_slots,
       1,
       100,
       "slots",
       {},
       "Parts of a tick over which the frames of the sessions are spread; 1: all at once."},
      {"pending_events_max",
       &Config::pending_events_max,
       1,
       1 << 24,
       "events",
       {},
       "Enters, leaves and contacts that may wait for one session; beyond, its view begins anew."},
      {"shed_load",
       &Config::shed_load,
       0,
       0,
       "",
       {},
       "Leave out outer rings, then queries, then newcomers when ticks take too long."},
  };
}

}  // namespace vicinity::app
