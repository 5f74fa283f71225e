// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Results for people (a table per scene) and for programs (one JSON object per line).

#include <vector>

#include "bench/measure.h"

namespace vicinity::bench {

/// All results of one scene, size and number of threads, on standard output.
void print_table(const std::vector<Result>& results);
/// One line each; those that were skipped say so.
void print_json(const std::vector<Result>& results);

/// What a million static entities add to the tick of those that move: static_1m in units of
/// moving_1k_alone, for every implementation and number of threads that measured both.
void print_static_ratios(const std::vector<Result>& results, bool as_json);

}  // namespace vicinity::bench
