// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One run: a witness, a population and N bots against a real server, from the first connection to
// the report.
//
//   Witness ──► Populating ──► Joining ──► Measuring ──► Draining ──► Closing ──► report
//   connects    entities       bots join   --duration    until every  goodbyes
//               are made       at a rate                 view is
//                                                        checked
//
// SIGINT and SIGTERM go on to Draining at once, and a second one ends the run as it is. One thread
// runs everything.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "client-sim/behaviour.h"
#include "client-sim/net_conditions.h"
#include "client-sim/report.h"
#include "client-sim/scenario.h"
#include "client-sim/truth_check.h"
#include "client/access_options.h"
#include "world/command.h"

namespace vicinity::sim {

struct SwarmOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7420;
  /// Each session takes a token of its own: the witness, the other entities if there are any, the
  /// bots, in this order.
  client::AccessOptions access;
  std::uint32_t bots = 100;
  std::uint32_t entities = 0;  ///< that walk about besides the bots
  Scenario scenario = Scenario::Crowd;
  BehaviourMix behaviours;
  std::uint32_t duration_ms = 30'000;
  std::uint64_t seed = 1;
  AreaKind area_kind = AreaKind::Sphere;
  double enter_radius_m = 20;
  double leave_radius_m = 22;
  double spectator_radius_m = 200;
  std::vector<Ring> rings;
  std::uint32_t query_interval_ms = 2'000;  ///< per bot; 0 = no queries
  std::uint32_t connects_per_s = 250;       ///< rate at which bots join
  bool is_open_loop = false;                ///< bots act by the clock, not by frames
  std::optional<NetConditions> conditions;
  double conditions_share = 1;  ///< part of the bots that they hold for, 0..1
  bool checks = true;           ///< false: no truth, nothing is compared
  double check_share = 1;       ///< part of the bots whose views are compared, above 0, to 1
  std::uint32_t allowed_delay_ms = 2'000;
};

/// Sessions of authorities, which take the first tokens: the witness, and who moves the others.
inline std::size_t authorities_of(const SwarmOptions& options) {
  return options.entities > 0 ? 2 : 1;
}

/// Once a second.
struct Progress {
  std::string phase;  ///< what the run is doing, one word for people
  double elapsed_s = 0;
  std::uint32_t bots = 0;
  std::uint32_t bots_joined = 0;
  std::uint32_t bots_lost = 0;
  Tick tick = 0;
  std::uint64_t entities = 0;
  CheckStats check;
  std::uint64_t evictions = 0;
  double kbit_per_s = 0;  ///< all bots together, in the last second
  std::optional<double> update_age_p99_ms;
};

/// Blocks until the run is over. What went wrong is in the report's `failures`. `on_progress` may
/// be empty.
RunReport run_swarm(const SwarmOptions& options,
                    const std::function<void(const Progress&)>& on_progress);

}  // namespace vicinity::sim
