// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/special_case.h"

#include <algorithm>

namespace vicinity::cases {

bool all_known(const Case& script, const std::function<bool(const Operation&)>& operation,
               const std::function<bool(const Expectation&)>& expectation) {
  if (script.script.empty() || !script.unknown_keys.empty()) return false;
  return std::all_of(script.script.begin(), script.script.end(), [&](const Step& step) {
    return std::all_of(step.operations.begin(), step.operations.end(), operation) &&
           std::all_of(step.expectations.begin(), step.expectations.end(), expectation);
  });
}

bool has_operation(const Case& script, const std::string& name) {
  for (const Step& step : script.script)
    for (const Operation& operation : step.operations)
      if (operation.name == name) return true;
  return false;
}

bool has_just(const Json& object, const std::vector<std::string>& keys) {
  const auto there = [&](const std::string& key) { return object.contains(key); };
  return object.is_object() && object.size() == keys.size() &&
         std::all_of(keys.begin(), keys.end(), there);
}

bool holds(double got, const std::string& relation, double limit) {
  if (relation == "==") return got == limit;
  if (relation == "<=") return got <= limit;
  return relation == ">=" && got >= limit;
}

CaseOutcome run_steps(const Case& script,
                      const std::function<void(const Step&, CaseOutcome&)>& run_step) {
  CaseOutcome outcome;
  try {
    for (const Step& step : script.script) {
      CaseOutcome added;
      run_step(step, added);
      for (const std::string& difference : added.differences)
        outcome.differences.push_back("tick " + step.label + ": " + difference);
      outcome.unmeasured.insert(outcome.unmeasured.end(), added.unmeasured.begin(),
                                added.unmeasured.end());
    }
  } catch (const std::exception& error) {
    outcome.differences.push_back(error.what());
  }
  return outcome;
}

}  // namespace vicinity::cases
