// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <string_view>

namespace vicinity::app {

/// Version of the project as CMakeLists.txt states it, for example "0.1.0".
std::string_view version();

}  // namespace vicinity::app
