// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Replay of recorded movement: feeds a CSV file step by step to a server in manual tick mode, as an
// authority session, and writes the contact and interest events that came back over the wire.
//
// Rules. An entity exists in a step exactly when it has a row (a gap in its rows ends one
// incarnation and begins the next). Every move is a teleport. Every entity is a box of the same
// half size around its position; an axis without a column gets the box [-1, 1] at 0. An observer
// is an attached sphere by centre distance: enter at d <= enter, leave at d > leave, not seeing
// itself; when its entity disappears the area is removed and its list is dropped without leaves.
//
// Output: CSV `tick,kind,a,b`, sorted by (tick, kind, a, b); `tick` is the time in the file.
//   B begin, E end of a contact, a < b by file id;  N enter, L leave, a = observer, b = target.

#include <cstdint>
#include <string>

#include "client/access_options.h"

namespace vicinity::sim {

/// The settings as the user wrote them; run_replay checks them.
struct ReplayOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7420;
  client::AccessOptions access;
  std::string movement_file;
  /// Header names in the order time, id, x, y[, z]: "t_s,id,x_m,y_m,z_m". Time and id are integers.
  std::string columns = "t,id,x,y";
  double half_size_m = 0;
  /// Which ids observe: "every:N" (id divisible by N), "all", "ids:0,7" or "none".
  std::string observe = "none";
  double enter_m = 0;
  double leave_m = 0;
  /// "gap": one step for every multiple of the smallest gap between times, from the first time to
  /// one gap past the last; "distinct": one step per distinct time, none past the last.
  std::string steps = "gap";
  /// Optional CSV with the columns id,x,y[,z],half: boxes that exist from the first step to the
  /// last, on axes without a column as above.
  std::string statics_file;
  /// Written; replaced when it exists, and empty from the beginning of the first step on.
  std::string events_file;
};

/// Runs the whole replay. Progress once a second and a last line with the counts go to stderr.
/// Returns the exit code: 0 done, 1 connection, server or stream failure, 2 usage (a wrong option
/// or file, or a server that is not in manual tick mode).
int run_replay(const ReplayOptions& options);

}  // namespace vicinity::sim
