// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <string>
#include <string_view>

namespace vicinity::app {

/// Version of the project as CMakeLists.txt states it, for example "0.1.0".
std::string_view version();
/// Which sources were built: what git said when the build was configured, or "unknown".
std::string_view build_id();
/// Both, as semantic versions are written: "0.1.0+1a2b3c4d5e6f".
std::string full_version();

}  // namespace vicinity::app
