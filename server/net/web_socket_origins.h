// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which pages may connect: the setting websocket_origins. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace vicinity::net {

class WebSocketOrigins {
 public:
  /// Origins separated by commas, spaces around them do not count; `*` allows all. Empty: none.
  explicit WebSocketOrigins(std::string_view list);

  /// The first entry that no browser can ever send; empty: there is none.
  std::string unusable() const;

  /// Whether a request with this Origin header is let in. Letters match whatever their case, as
  /// schemes and host names do.
  bool allows(std::string_view origin) const;

 private:
  bool all_ = false;
  std::vector<std::string> origins_;
};

}  // namespace vicinity::net
