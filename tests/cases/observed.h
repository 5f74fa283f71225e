// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What came of one step of a script, in the script's own names; and the comparison with what the
// step expects.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cases/case_file.h"

namespace vicinity::cases {

/// Two names, the alphabetically smaller one first.
using NamePair = std::pair<std::string, std::string>;
NamePair name_pair(std::string a, std::string b);

struct NamedHit {
  std::string name;
  double value = 0;  ///< fraction or distance
};

struct Observed {
  std::vector<NamePair> begins;  ///< may hold a pair twice: that is a defect, and is compared
  std::vector<NamePair> ends;
  std::map<NamePair, double> impact_times;                 ///< of the begins
  std::map<std::string, std::vector<std::string>> enters;  ///< by observer
  std::map<std::string, std::vector<std::string>> leaves;
  std::vector<std::pair<int, std::string>> errors;       ///< (operation, error name), ascending
  std::map<std::string, std::vector<NamedHit>> answers;  ///< by tag; refused queries have none
  std::set<NamePair> pairs;                              ///< open after the step
  std::map<std::string, std::set<std::string>> visible;  ///< by observer, after the step
  std::map<std::string, double> metrics;                 ///< measured ones, by name
  /// Wrong whatever the script expects.
  std::vector<std::string> faults;
};

struct Verdict {
  std::vector<std::string> differences;  ///< "begin: expected ..., got ..."
  std::vector<std::string> unmeasured;   ///< names of metrics that this kind of world does not show
};

/// Everything that is listed must be there, and no begin, end, enter, leave, error or answer that
/// is not listed.
Verdict compare(const Step& step, const Observed& observed);

/// What no version of compare() understands, as sentences.
std::vector<std::string> unknown_expectations(const Case& script);

}  // namespace vicinity::cases
