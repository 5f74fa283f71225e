// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Runs the cases of a file, each against every world that was asked for, and reports one line per
// case:
//
//   PASS IX-01 Negative coordinates fall in the wrong cell
//   FAIL IX-03 Cell index overflows ...: [rows] tick 1: begin: expected [B-C, K-L], got [K-L]
//   SKIP BP-01 Client stops reading ...: needs a client that stalls; see ...
//
// A case passes only when it passes in every world. Cases on the skip list are run all the same:
// one that passes does not belong there any more.

#include <iosfwd>
#include <string>
#include <vector>

#include "cases/case_file.h"
#include "cases/case_run.h"
#include "cases/special_case.h"
#include "cases/world.h"

namespace vicinity::cases {

struct NamedWorlds {
  std::string name;
  WorldFactory make;
  /// Asked in order before a case is run as a script.
  std::vector<SpecialRunner> special = {};
};

struct SuiteOptions {
  std::vector<std::string> only;    ///< subsystems or case ids; empty = all
  bool over_tcp = false;            ///< entries of the skip list for TCP apply
  bool strict = false;              ///< a wrong skip list is a failure
  std::vector<std::string> except;  ///< case ids that are not run; counted as skipped
  /// For files of wrong cases: each must differ, and say what its "because" says.
  bool must_fail = false;
};

struct SuiteResult {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
};

/// Words of `only` that name neither a subsystem nor a case of the file.
std::vector<std::string> unmatched_words(const std::vector<Case>& cases,
                                         const std::vector<std::string>& only);

/// Writes the report, the summary line included. In strict mode the faults of the skip list count
/// as failed.
SuiteResult run_suite(const std::vector<Case>& cases, const std::vector<Skip>& skips,
                      const std::vector<NamedWorlds>& worlds, const SuiteOptions& options,
                      std::ostream& report);

}  // namespace vicinity::cases
