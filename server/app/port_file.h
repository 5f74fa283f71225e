// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace vicinity::app {

/// Writes the number and a line end to `path`. A reader sees the whole number or no file: it is
/// written beside and renamed. The error names the file and the system's reason.
Error write_port_file(const std::string& path, std::uint16_t port);

}  // namespace vicinity::app
