// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Explanations as vicinity-query prints them: lines for people, one JSON object for programs.

#include "query/query_types.h"

namespace vicinity::client {

/// Of an answer to ExplainPairQuery or ExplainViewQuery. To standard output.
void print_explanation_text(const QueryAnswer& answer);
void print_explanation_json(const QueryAnswer& answer);

}  // namespace vicinity::client
