// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a bot needs of its last session to go on with it.

#include <cstdint>
#include <memory>
#include <string>

#include "base/ids.h"
#include "client/connection.h"

namespace vicinity::sim {

/// Of the connection that ended.
struct ResumePoint {
  std::string token;                            ///< empty: there is nothing to go on with
  Tick tick = 0;                                ///< of the last whole frame
  std::shared_ptr<client::SessionState> state;  ///< the library's own memory of the session
};

/// connect() of a new connection that goes on with the session.
inline void connect_to_resume(client::Connection& connection, client::ConnectOptions options,
                              const ResumePoint& point) {
  options.resume_token = point.token;
  options.resume_tick = point.tick;
  connection.connect(options, point.state);
}

}  // namespace vicinity::sim
