// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_origins.h"

#include <algorithm>

namespace vicinity::net {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Of ASCII letters only, whatever the locale.
std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& letter : out)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return out;
}

}  // namespace

WebSocketOrigins::WebSocketOrigins(std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view origin = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (origin == "*") all_ = true;
    if (!origin.empty()) origins_.push_back(lowered(origin));
  }
}

/// An origin is `null`, or scheme://host and perhaps a port: never a path, never a pattern.
std::string WebSocketOrigins::unusable() const {
  for (const std::string& origin : origins_) {
    if (origin == "*" || origin == "null") continue;
    const std::size_t colon = origin.find("://");
    const bool has_scheme = colon != std::string::npos && colon > 0;
    const std::string host = has_scheme ? origin.substr(colon + 3) : std::string();
    if (host.empty() || host.find_first_of("/*?# \t@") != std::string::npos) return origin;
  }
  return {};
}

bool WebSocketOrigins::allows(std::string_view origin) const {
  return all_ ||
         std::find(origins_.begin(), origins_.end(), lowered(trimmed(origin))) != origins_.end();
}

}  // namespace vicinity::net
