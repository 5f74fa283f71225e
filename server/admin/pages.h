// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The pages that need nothing but what this module has: metrics, health, ticks, traces, version.

#include <string>
#include <vector>

#include "admin/health.h"
#include "admin/router.h"
#include "admin/sources.h"
#include "admin/tick_telemetry.h"

namespace vicinity::admin {

/// All outlive the routes.
struct PageSources {
  const MetricRegistry& metrics;
  const ReadyChecks& ready;
  TickTelemetry& ticks;
  TickPace pace;
  std::string version;  ///< the answer of /version
};

std::vector<Route> standard_routes(const PageSources& sources);

}  // namespace vicinity::admin
