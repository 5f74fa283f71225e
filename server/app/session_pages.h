// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include "admin/router.h"
#include "app/session_registry.h"

namespace vicinity::app {

/// Sessions as JSON, ascending by id: up to `limit` of those behind `after`, both parameters of the
/// request. Says nothing that would let anybody resume one. Admin thread.
admin::HttpResponse sessions_page(const SessionRegistry& sessions,
                                  const admin::HttpRequest& request);

}  // namespace vicinity::app
