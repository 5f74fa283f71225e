// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/version.h"

namespace vicinity::app {

std::string_view version() { return VICINITY_VERSION; }

}  // namespace vicinity::app
