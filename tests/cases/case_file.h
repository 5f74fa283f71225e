// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Reads case files (cases.json: scripts of commands with the events, pairs and answers they must
// give) and skip lists. Parsing only: what an operation means is in translator.h, what an
// expectation means in expectations.h.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/result.h"

namespace vicinity::cases {

using Json = nlohmann::json;

/// A script that cannot be understood. Caught where a case is run: that case fails.
struct ScriptError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// ["move", {"id": "A", ...}]
struct Operation {
  std::string name;
  Json fields;
};
Operation parse_operation(const Json& pair);

/// ["begin", [["A", "B"]]]
struct Expectation {
  std::string kind;
  Json value;
};

/// One entry of a script: a tick with its operations and what must come of it.
struct Step {
  std::string label;  ///< "7", or "3-102" for a step of several ticks
  std::vector<Operation> operations;
  std::vector<Expectation> expectations;
};

/// Number of ticks a label stands for: 1 for "7", 100 for "3-102".
std::uint32_t ticks_of_label(const std::string& label);

struct Case {
  std::string id;
  std::string title;
  std::string subsystem;
  std::string because;  ///< of a case that must fail: what the report has to say; else empty
  double cell_m = 0;    ///< params.cell: row size of the index; 0 = the index chooses
  /// Keys of the case, its params and its steps that say nothing to this runner: the case fails.
  /// (params.levels is allowed: the index has no levels to set, and what the case expects holds
  /// with any.)
  std::vector<std::string> unknown_keys;
  std::vector<Step> script;
};

/// The error says what is wrong with the file.
Result<std::vector<Case>, std::string> read_case_file(const std::string& path);
/// The same of text that is already here; `name` stands for the file in errors.
Result<std::vector<Case>, std::string> parse_case_file(const std::string& text,
                                                       const std::string& name);

/// Where an entry of the skip list applies.
enum class SkipWhere { Everywhere, InProcess, OverTcp };

struct Skip {
  std::string id;
  std::string reason;
  SkipWhere where = SkipWhere::Everywhere;
};

/// {"format": 1, "skip": [{"id": ..., "reason": ..., "where": ...}]}, where: everywhere (the
/// default), in_process or over_tcp.
Result<std::vector<Skip>, std::string> read_skip_list(const std::string& path);
Result<std::vector<Skip>, std::string> parse_skip_list(const std::string& text,
                                                       const std::string& name);

}  // namespace vicinity::cases
