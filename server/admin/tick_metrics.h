// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include "admin/sources.h"
#include "admin/tick_telemetry.h"

namespace vicinity::admin {

/// What TickTelemetry knows, as metrics. `ticks` outlives the registry.
void add_tick_metrics(const TickTelemetry& ticks, MetricRegistry& metrics);

}  // namespace vicinity::admin
