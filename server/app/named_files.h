// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether what the settings name can be used: keys, certificate, token of operators, journal. Asked
// once before anything is begun, so that a wrong setting leaves no trace, and ends the process as
// every wrong setting does: trying again would not help.

#include <optional>
#include <string>

#include "app/config.h"

namespace vicinity::app {

/// Names the setting, the file and the reason; nothing when all can be used.
std::optional<std::string> named_files_fault(const Config& config);

/// The part of it that is about journal_dir: a folder with other things in it is no journal, and
/// nobody wants one among them. One that is new, empty or a journal is good.
std::optional<std::string> journal_dir_fault(const std::string& path);

}  // namespace vicinity::app
