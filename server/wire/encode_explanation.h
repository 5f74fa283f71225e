// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Explanations -> tables of a QueryAnswer, for encode.cpp alone. Pure; any thread. An explanation
// is small: at most limits::areas_per_observer_max areas of some hundred bytes.

#include <optional>

#include "query/explain_types.h"
#include "server_generated.h"

namespace vicinity::wire {

/// Null when there is none.
flatbuffers::Offset<proto::PairExplanation> encode_explanation(
    flatbuffers::FlatBufferBuilder& builder, const std::optional<PairExplanation>& explanation);
flatbuffers::Offset<proto::ViewExplanation> encode_explanation(
    flatbuffers::FlatBufferBuilder& builder, const std::optional<ViewExplanation>& explanation);

}  // namespace vicinity::wire
