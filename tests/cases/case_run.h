// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Runs one case against one world: every step is one tick (or as many as it idles), its queries are
// asked when its tick has run, and what came of it is compared with what was expected.

#include <string>
#include <vector>

#include "cases/case_file.h"
#include "cases/world.h"

namespace vicinity::cases {

struct CaseOutcome {
  std::vector<std::string> differences;  ///< empty = passed
  std::vector<std::string> unmeasured;   ///< bounds that this kind of world does not show
};

CaseOutcome run_case(const Case& script, const WorldFactory& make_world);

}  // namespace vicinity::cases
