// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include "admin/sources.h"

namespace vicinity::admin {

/// The standard metrics of a process, as the clients of Prometheus name them: processor time,
/// memory, descriptors, threads, start. Read from the system when they are asked for.
void add_process_metrics(MetricRegistry& metrics);

}  // namespace vicinity::admin
