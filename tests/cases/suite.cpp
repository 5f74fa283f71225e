// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/suite.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "cases/case_run.h"

namespace vicinity::cases {

namespace {

constexpr std::size_t differences_shown = 3;

bool names(const std::string& word, const Case& script) {
  return word == script.subsystem || word == script.id;
}

bool is_wanted(const Case& script, const std::vector<std::string>& only) {
  const auto matches = [&](const std::string& word) { return names(word, script); };
  return only.empty() || std::any_of(only.begin(), only.end(), matches);
}

bool applies(SkipWhere where, bool over_tcp) {
  return where == SkipWhere::Everywhere || (where == SkipWhere::OverTcp) == over_tcp;
}

const Skip* find_skip(const std::vector<Skip>& skips, const Case& script, bool over_tcp) {
  for (const Skip& skip : skips)
    if (skip.id == script.id && applies(skip.where, over_tcp)) return &skip;
  return nullptr;
}

CaseOutcome run_in(const NamedWorlds& named, const Case& script) {
  for (const SpecialRunner& runner : named.special)
    if (runner.takes(script)) return runner.run(script);
  return run_case(script, named.make);
}

CaseOutcome run_everywhere(const Case& script, const std::vector<NamedWorlds>& worlds) {
  CaseOutcome all;
  for (const NamedWorlds& named : worlds) {
    CaseOutcome outcome = run_in(named, script);
    for (const std::string& difference : outcome.differences)
      all.differences.push_back("[" + named.name + "] " + difference);
    all.unmeasured = std::move(outcome.unmeasured);
    if (!all.differences.empty()) break;
  }
  return all;
}

/// What is wrong with the way in which a wrong case failed.
std::vector<std::string> wrong_failure(const Case& script,
                                       const std::vector<std::string>& differences) {
  const auto says_why = [&](const std::string& difference) {
    return difference.find(script.because) != std::string::npos;
  };
  if (!script.because.empty() && std::any_of(differences.begin(), differences.end(), says_why))
    return {};
  std::vector<std::string> wrong = {"did not fail because of \"" + script.because + '"'};
  wrong.insert(wrong.end(), differences.begin(), differences.end());
  return wrong;
}

std::string joined(const std::vector<std::string>& items, std::size_t count_max) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), count_max); ++i)
    out += (i == 0 ? "" : "; ") + items[i];
  if (items.size() > count_max)
    out += "; and " + std::to_string(items.size() - count_max) + " more";
  return out;
}

/// Entries that name no case of the file. A filter does not matter here.
std::vector<std::string> entries_without_case(const std::vector<Case>& cases,
                                              const std::vector<Skip>& skips) {
  std::vector<std::string> ids;
  for (const Skip& skip : skips) {
    const auto same = [&](const Case& script) { return script.id == skip.id; };
    if (std::none_of(cases.begin(), cases.end(), same)) ids.push_back(skip.id);
  }
  return ids;
}

}  // namespace

std::vector<std::string> unmatched_words(const std::vector<Case>& cases,
                                         const std::vector<std::string>& only) {
  std::vector<std::string> unmatched;
  for (const std::string& word : only) {
    const auto matches = [&](const Case& script) { return names(word, script); };
    if (std::none_of(cases.begin(), cases.end(), matches)) unmatched.push_back(word);
  }
  return unmatched;
}

SuiteResult run_suite(const std::vector<Case>& cases, const std::vector<Skip>& skips,
                      const std::vector<NamedWorlds>& worlds, const SuiteOptions& options,
                      std::ostream& report) {
  SuiteResult result;
  for (const Case& script : cases) {
    if (!is_wanted(script, options.only)) continue;
    const Skip* skip = find_skip(skips, script, options.over_tcp);
    const std::string heading = script.id + " " + script.title;
    if (std::find(options.except.begin(), options.except.end(), script.id) !=
        options.except.end()) {
      ++result.skipped;
      report << "SKIP " << heading << ": left out by --except\n";
      continue;
    }
    CaseOutcome outcome = run_everywhere(script, worlds);
    if (options.must_fail) outcome.differences = wrong_failure(script, outcome.differences);
    const bool passed = outcome.differences.empty();
    if (skip != nullptr) {
      ++result.skipped;
      report << "SKIP " << heading << ": " << skip->reason << '\n';
      if (!passed) continue;
      report << "warning: " << script.id << " passes; take it off the skip list\n";
      if (options.strict) ++result.failed;
    } else if (passed) {
      ++result.passed;
      report << "PASS " << heading;
      if (!outcome.unmeasured.empty())
        report << " (not measured here: " << joined(outcome.unmeasured, differences_shown) << ")";
      report << '\n';
    } else {
      ++result.failed;
      report << "FAIL " << heading << ": " << joined(outcome.differences, differences_shown)
             << '\n';
    }
    report.flush();
  }
  if (options.strict) {
    for (const std::string& id : entries_without_case(cases, skips)) {
      report << "warning: the skip list names " << id << ", which is no case of the file\n";
      ++result.failed;
    }
  }
  report << result.passed << " passed, " << result.failed << " failed, " << result.skipped
         << " skipped\n";
  return result;
}

}  // namespace vicinity::cases
