// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Tables of a QueryAnswer -> explanations, for decode.cpp alone. False: an enumerator that this
// version does not know, or boxes at an address that cannot be read.

#include "query/explain_types.h"
#include "server_generated.h"

namespace vicinity::client {

[[nodiscard]] bool convert(const proto::PairExplanation& in, PairExplanation& out);
[[nodiscard]] bool convert(const proto::ViewExplanation& in, ViewExplanation& out);

}  // namespace vicinity::client
