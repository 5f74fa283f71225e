// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which setting was meant by a name that is none. Pure; used at start-up only.

#include <string_view>

#include "app/settings_table.h"

namespace vicinity::app {

/// `given`: a key, a flag with its dashes or a variable, as somebody wrote it. The setting that it
/// is another name of, or the beginning, or whose key differs in the fewest letters; null when none
/// is near.
const Setting* nearest_setting(std::string_view given);

}  // namespace vicinity::app
