// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The part of the table of settings that is about who may connect, over what, and how much each of
// them may ask. For app/settings_table alone.

#include <vector>

#include "app/settings_table.h"

namespace vicinity::app {

std::vector<Setting> access_settings();
std::vector<Setting> rate_settings();

}  // namespace vicinity::app
