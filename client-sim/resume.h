// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a bot needs of its last session to go on with it, and what the welcome says of that. A
// client library without these fields neither resumes nor rounds. Pure.

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace vicinity::sim {

/// Of the connection that ended.
struct ResumePoint {
  std::string token;  ///< empty: there is nothing to go on with
  Tick tick = 0;      ///< of the last whole frame
  std::uint64_t event_seq = 0;
};

struct ResumeAnswer {
  std::string token;  ///< for the next time
  bool resumed = false;
  bool view_reset = false;
  double position_resolution_m = 0;  ///< 0: positions are exact
};

template <class Options>
void ask_to_resume(const ResumePoint& point, Options& options) {
  if constexpr (requires { options.resume_token; }) {
    options.resume_token = point.token;
    options.resume_tick = point.tick;
    options.resume_event_seq = point.event_seq;
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
