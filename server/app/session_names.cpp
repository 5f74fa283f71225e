// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_names.h"

namespace vicinity::app {

std::string_view name_of(Role role) {
  switch (role) {
    case Role::Observer: return "observer";
    case Role::Player: return "player";
    case Role::Authority: return "authority";
  }
  return "unknown";
}

std::string_view name_of(StreamHealth health) {
  switch (health) {
    case StreamHealth::Ok: return "ok";
    case StreamHealth::Degraded: return "degraded";
    case StreamHealth::Starved: return "starved";
  }
  return "unknown";
}

}  // namespace vicinity::app
