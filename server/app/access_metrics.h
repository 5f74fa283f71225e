// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What operators are told about tokens and rates.

#include "access/gatekeeper.h"
#include "admin/sources.h"
#include "app/client_protocol.h"

namespace vicinity::app {

/// While the server is put together. The first two outlive what reads.
void add_access_metrics(const access::Gatekeeper& gatekeeper, const ClientProtocol& protocol,
                        admin::MetricRegistry& metrics);

}  // namespace vicinity::app
