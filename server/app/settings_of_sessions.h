// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The part of the table of settings that is about sessions, their connections and what is sent to
// them. For app/settings_table alone.

#include <vector>

#include "app/settings_table.h"

namespace vicinity::app {

std::vector<Setting> session_settings();
std::vector<Setting> connection_settings();
std::vector<Setting> resume_settings();
std::vector<Setting> stream_settings();

}  // namespace vicinity::app
