// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/version.h"

namespace vicinity::app {

std::string_view version() { return VICINITY_VERSION; }

std::string_view build_id() { return VICINITY_BUILD_ID; }

std::string full_version() { return std::string(version()) + "+" + std::string(build_id()); }

}  // namespace vicinity::app
