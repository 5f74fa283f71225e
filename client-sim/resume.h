// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a bot needs of its last session to go on with it, and what the welcome says of that. Pure.

#include <cstdint>
#include <memory>
#include <string>

#include "base/ids.h"

namespace vicinity::sim {

/// Of the connection that ended.
struct ResumePoint {
  std::string token;  ///< empty: there is nothing to go on with
  Tick tick = 0;      ///< of the last whole frame
  std::uint64_t event_seq = 0;
  std::shared_ptr<void> state;  ///< the library's own memory of the session
};

struct ResumeAnswer {
  std::string token;  ///< for the next time
  bool resumed = false;
  bool view_reset = false;
  double position_resolution_m = 0;  ///< 0: positions are exact
};

template <class Connection>
void remember_session(const Connection& connection, ResumePoint& point) {
  if constexpr (requires { connection.session(); }) point.state = connection.session();
}

/// connect() of a new connection that goes on with the session.
template <class Connection, class Options>
void connect_to_resume(Connection& connection, Options options, const ResumePoint& point) {
  if constexpr (requires { options.resume_token; }) {
    options.resume_token = point.token;
    options.resume_tick = point.tick;
    options.resume_event_seq = point.event_seq;
  }
  if constexpr (requires { connection.session(); }) {
    using State = typename decltype(connection.session())::element_type;
    connection.connect(options, std::static_pointer_cast<State>(point.state));
  } else {
    connection.connect(options);
  }
}

template <class Welcome>
ResumeAnswer resume_answer_of(const Welcome& welcome) {
  ResumeAnswer out;
  if constexpr (requires { welcome.resume_token; }) {
    out.token = welcome.resume_token;
    out.resumed = welcome.resumed;
    out.view_reset = welcome.view_reset;
  }
  if constexpr (requires { welcome.position_resolution_m; })
    out.position_resolution_m = welcome.position_resolution_m;
  return out;
}

}  // namespace vicinity::sim
