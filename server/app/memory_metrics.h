// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include "admin/sources.h"
#include "app/memory_guard.h"

namespace vicinity::app {

/// What operators are told of max_memory; a check of readiness only where there is a cap. The guard
/// outlives what reads.
void add_memory_metrics(const MemoryGuard& memory, admin::MetricRegistry& metrics,
                        admin::ReadyChecks& ready);

}  // namespace vicinity::app
