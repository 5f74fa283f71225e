// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The table of operations that scripts may use: names, fields, and who carries them out.

#include <string>
#include <string_view>
#include <vector>

#include "cases/translator.h"

namespace vicinity::cases {

struct OperationRule {
  std::string_view name;
  std::vector<std::string_view> needed;
  std::vector<std::string_view> optional;
  /// Null: nothing to translate; the case runner carries it out, or it says nothing to a server.
  void (Translator::*translate)(const Json& fields);
  bool any_fields = false;  ///< remarks: whatever they hold
};

/// Null when there is no such operation.
const OperationRule* find_operation(std::string_view name);

/// What the runner does not understand in the operations of a case, as sentences: unknown names,
/// missing and unknown fields. Looked at before a case is run.
std::vector<std::string> unknown_operations(const Case& script);

}  // namespace vicinity::cases
