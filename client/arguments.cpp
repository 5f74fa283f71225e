// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/arguments.h"

#include <array>
#include <charconv>
#include <cmath>

namespace vicinity::client {
namespace {

constexpr double duration_ms_max = 7.0 * 24 * 3600 * 1000;

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};
constexpr std::array time_units = {TimeUnit{"ms", 1}, TimeUnit{"s", 1000}, TimeUnit{"m", 60'000},
                                   TimeUnit{"min", 60'000}, TimeUnit{"h", 3'600'000}};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

Result<Endpoint, std::string> parse_endpoint(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return quoted(text) + " is not host:port: " + why;
  };
  if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
    return wrong("no scheme is expected, leave out " + quoted(text.substr(0, scheme + 3)) +
                 " (for TLS: --tls)");
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("the port is missing");
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']') && host.size() > 2)
    host = host.substr(1, host.size() - 2);
  else if (host.find_first_of(":[]") != std::string_view::npos)
    return wrong("write an IPv6 address in brackets");
  if (host.empty()) return wrong("the host is missing");
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0)
    return wrong("the port is a number from 1 to 65535");
  return Endpoint{std::string(host), port};
}

Result<std::uint32_t, std::string> parse_duration_ms(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const TimeUnit& unit : time_units) {
    if (error != std::errc{} || unit.name != name) continue;
    const double duration_ms = number * unit.milliseconds;
    if (!(duration_ms >= 0 && duration_ms <= duration_ms_max))
      return quoted(text) + " is out of range: 0 to 168h";
    return static_cast<std::uint32_t>(std::lround(duration_ms));
  }
  return quoted(text) + " is not a duration; write a number and ms, s, m, min or h, such as 30s";
}

}  // namespace vicinity::client
