// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What operators are told about the journal: metrics, and whether it can be relied on.

#include "admin/sources.h"
#include "store/journal.h"

namespace vicinity::app {

/// While the server is put together. `journal` outlives what reads.
void add_journal_metrics(const store::Journal& journal, admin::MetricRegistry& metrics,
                         admin::ReadyChecks& ready);

}  // namespace vicinity::app
