// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The settings of the listener for operators, in the form of app/settings_table.h, and what they
// mean together.

#include <optional>
#include <string>
#include <vector>

#include "app/settings_table.h"
#include "base/error.h"
#include "base/result.h"

namespace vicinity::app {

std::vector<Setting> admin_settings();

/// Why the settings do not go together; nothing when they do.
std::optional<std::string> admin_fault(const Config& config);

/// The token of the file: its one line, without blanks at its ends. Empty when no file is set. The
/// error names the file and what is wrong, never what it holds.
Result<std::string, Error> read_admin_token(const Config& config);

}  // namespace vicinity::app
