// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a run must fulfil, as the user wrote it: "wrong_views==0,update_age_p99<150ms". Pure.
//
//   requirements = requirement *("," requirement)
//   requirement  = metric op number [unit]         spaces are allowed between the parts
//   op           = "==" | "!=" | "<" | "<=" | ">" | ">="
//   unit         = "us" | "ms" | "s" | "kbit"      as fits the metric; none: the metric's own unit
//
// A metric may be named without the unit at its end (update_age_p99 for update_age_p99_ms).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client-sim/report.h"

namespace vicinity::sim {

enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct Requirement {
  std::string text;    ///< as written, trimmed
  std::string metric;  ///< full name
  Comparison comparison = Comparison::Equal;
  double limit = 0;  ///< in the metric's unit
};

/// The error is a sentence for the user; for an unknown metric it lists the known ones.
Result<std::vector<Requirement>, std::string> parse_requirements(std::string_view text);

/// A metric without a sample fulfils nothing, and one of the truth check nothing when no view was
/// checked.
std::vector<Verdict> judge(const std::vector<Requirement>& requirements, const RunReport& report);

}  // namespace vicinity::sim
