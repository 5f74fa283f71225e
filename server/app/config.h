// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What an operator can set. One table (app/settings_table.h) lists every setting with its unit,
// range and meaning; file, environment, flags, --help and --print-config all come from it.
//
//      flag  >  environment variable  >  file  >  default        the first that is given wins
//
// The contact policy, a list of tables, is in the file only (app/policy_settings.h).
//
// Used once at start-up, before any thread runs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "index/index.h"
#include "world/command.h"

namespace vicinity::app {

/// The effective settings; ranges in app/settings_table.cpp. The initialisers are the defaults.
struct Config {
  std::string listen_address = "127.0.0.1";
  std::uint64_t port = 7420;
  std::string port_file;
  bool insecure = false;
  std::string token_keys;
  std::string token_audience;
  std::uint64_t token_skew_s = 30;
  std::string tls_certificate;
  std::string tls_private_key;
  std::uint64_t connections_per_address_max = 256;
  std::uint64_t connects_per_address_per_s = 50;
  bool limit_loopback = false;
  std::uint64_t commands_per_s = 10'000;
  std::uint64_t bytes_in_per_s = 4'194'304;
  std::uint64_t query_us_per_s = 250'000;
  std::uint64_t query_us_per_s_total = 1'000'000;

  std::string tick_mode = "timer";
  std::uint64_t tick_rate_hz = 20;
  std::uint64_t workers = 0;
  std::uint64_t net_threads = 2;
  std::uint64_t max_memory = 0;

  std::string index = "auto";
  std::string index_kernel = "auto";
  double row_size_m = 0;
  std::uint64_t rest_after_ticks = IndexSettings{}.rest_after_ticks;
  std::uint64_t demote_after_ticks = IndexSettings{}.demote_after_ticks;
  double audit_rate = 0;
  std::uint64_t audit_budget_us = 500;
  double world_half_size_m = limits::world_half_size_m;
  std::uint64_t entity_count_max = 1u << 20;
  std::uint64_t entities_per_player_max = 16;
  double player_shape_extent_max_m = limits::player_shape_extent_default_m;
  std::uint64_t candidate_pairs_max = limits::candidate_pairs_default;
  std::uint64_t reuse_delay_ticks = limits::reuse_delay_ticks_default;

  std::uint64_t session_count_max = limits::sessions_default;
  std::uint64_t outbox_bytes_max = limits::outbox_bytes_default;
  std::uint64_t send_buffer_bytes = 0;
  std::uint64_t handshake_deadline_ms = limits::handshake_deadline_ms_default;
  std::uint64_t idle_timeout_ms = limits::idle_timeout_ms_default;
  std::uint64_t user_timeout_ms = 30'000;  ///< longer than slow_consumer_ms, which says why
  std::uint64_t unauthenticated_count_max = 256;
  std::uint64_t notsent_lowat_bytes = 16'384;
  std::string socket_engine = "auto";
  bool websocket = false;
  std::uint64_t websocket_port = 7421;
  std::string websocket_port_file;
  std::string websocket_origins;

  std::uint64_t grace_ms = 30'000;
  std::string on_disconnect = "grace";
  std::uint64_t retry_after_ms = 2'000;

  std::uint64_t budget_bytes_per_s = 1'048'576;
  std::uint64_t egress_bytes_per_s = 0;
  double position_resolution_m = 0.003'906'25;
  std::uint64_t update_max_age_ms = 1'000;
  std::uint64_t slow_consumer_ms = 10'000;
  std::uint64_t send_slots = 25;
  std::uint64_t pending_events_max = 65'536;
  bool shed_load = true;

  bool admin = false;
  std::string admin_address = "127.0.0.1";
  std::uint64_t admin_port = 7422;
  std::string admin_port_file;
  std::string admin_token_file;

  std::string journal_dir;
  std::string sync = "interval";
  std::uint64_t sync_interval_ms = 100;
  std::uint64_t snapshot_interval_s = 60;
  std::string on_journal_error = "continue";
  bool journal_accept_loss = false;
  std::uint64_t journal_bytes_max = std::uint64_t{16} << 30;
  std::uint64_t journal_queue_bytes_max = std::uint64_t{64} << 20;

  std::string log_level = "info";
  std::string log_format = "text";

  std::vector<PolicyRule> policy;  ///< in force from the first tick on

  friend bool operator==(const Config&, const Config&) = default;
};

/// Why the server does not start: names the source (file and line, flag or variable), the key and
/// what is allowed.
struct ConfigError {
  std::string text;
};

/// What the command line asks for.
struct Invocation {
  Config config;
  /// Not empty: print this to standard output and end (--help, --version, --print-config).
  std::string print_and_exit;
  /// Variables with the prefix of the settings that a container platform made for a service named
  /// vicinity; they say nothing about the server and are ignored.
  std::vector<std::string> ignored_variables;
};

using Environment = std::map<std::string, std::string>;

/// The variables of this process that begin with VICINITY_.
Environment process_environment();

Result<Invocation, ConfigError> configure(int argc, const char* const* argv,
                                          const Environment& environment);

/// The settings as TOML that --config reads back to the same values, each with its meaning.
std::string print_config(const Config& config);

/// What a server that others can reach should have and this one has not: "token_keys (who may
/// connect)", "tls_certificate (encryption)", both, or nothing.
std::string missing_protection(const Config& config);

/// True when only programs of this machine can reach the address (an IP literal).
bool is_loopback(const std::string& address);

}  // namespace vicinity::app
