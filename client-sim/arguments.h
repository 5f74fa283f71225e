// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Texts of the command line, read into values. Pure. Errors are sentences for the user.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace vicinity::sim {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
/// "host:port"; an IPv6 address stands in brackets: "[::1]:7420".
Result<Endpoint, std::string> parse_endpoint(std::string_view text);

/// "30s", "500ms", "2m", "1h", "1.5s"; in milliseconds, at most a week.
Result<std::uint32_t, std::string> parse_duration_ms(std::string_view text);

}  // namespace vicinity::sim
