// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases that are no script of one authority session: about the clock, about a client's model, about
// clients that break rules or do not read. Each kind has a runner that knows the words of its cases
// and takes a case only when it knows all of them; what nobody takes is a script.

#include <functional>
#include <string>
#include <vector>

#include "cases/case_file.h"
#include "cases/case_run.h"

namespace vicinity::cases {

struct SpecialRunner {
  std::function<bool(const Case&)> takes;
  std::function<CaseOutcome(const Case&)> run;
};

/// Whether these hold for all operations and all expectations of the case, which has some.
bool all_known(const Case& script, const std::function<bool(const Operation&)>& operation,
               const std::function<bool(const Expectation&)>& expectation);
/// Whether an operation with this name is in the case.
bool has_operation(const Case& script, const std::string& name);
/// Whether the object has these keys and no others.
bool has_just(const Json& object, const std::vector<std::string>& keys);
/// "got <relation> limit"; a relation that is not known never holds.
bool holds(double got, const std::string& relation, double limit);

/// Runs the steps one after the other; what a step throws ends the case.
CaseOutcome run_steps(const Case& script,
                      const std::function<void(const Step&, CaseOutcome&)>& run_step);

}  // namespace vicinity::cases
