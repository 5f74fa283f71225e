// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Texts of a command line, read into values: the same grammar for every tool that talks to a
// server. Private to the tools. Pure; any thread. Errors are sentences for the user.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace vicinity::client {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};
/// "host:port" with a port of 1 to 65535; an IPv6 address stands in brackets: "[::1]:7420". No
/// scheme: what is spoken is always the protocol of the server, over TCP or, with --tls, over TLS.
Result<Endpoint, std::string> parse_endpoint(std::string_view text);

/// A number and a unit, nothing between them; in milliseconds, at most a week. The units are ms, s,
/// m or min, and h: "500ms", "1.5s", "2m", "2min", "1h".
Result<std::uint32_t, std::string> parse_duration_ms(std::string_view text);

}  // namespace vicinity::client
