// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Outcomes of commands -> CommandResults frames, for encode_frame alone. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tick/simulation.h"

namespace vicinity::wire {

/// Appends as many CommandResults frames as the results need, none for no results. Order is kept
/// within the acknowledgements and within the refusals. Stops and returns false once `out` is
/// longer than `out_bytes_max`.
[[nodiscard]] bool encode_results(Tick tick, std::span<const CommandResult> results,
                                  std::size_t out_bytes_max, std::vector<std::uint8_t>& out);

}  // namespace vicinity::wire
