// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The part of the table of settings that is about the journal. For app/settings_table alone.

#include <vector>

#include "app/settings_table.h"

namespace vicinity::app {

std::vector<Setting> journal_settings();

}  // namespace vicinity::app
