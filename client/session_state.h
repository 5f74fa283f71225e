// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a client must remember of a session to go on with it over another connection. Private to
// the client library. Not thread-safe.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "client/connection.h"
#include "client/frame.h"
#include "client/view_decoder.h"
#include "world/command.h"

namespace vicinity::client {

/// Which observers have areas, from the commands about areas and their acknowledgements: the last
/// area of an observer ends its view without a word from the server.
class AreaBook {
 public:
  /// Notes what commands about areas ask for until they are answered.
  void sent(std::uint64_t first_sequence, const std::vector<CommandBody>& commands);
  /// The observer that has just lost its last area, if any.
  std::optional<ObserverId> answered(const CommandOutcome& outcome);
  bool removal_pending() const { return removals_pending_ > 0; }

 private:
  struct Change {
    AreaId area;
    std::optional<ObserverId> added_to;  ///< absent: a removal
  };
  std::map<std::uint64_t, Change> pending_;  ///< by sequence
  std::map<AreaId, ObserverId> areas_;
  std::map<ObserverId, std::uint32_t> area_counts_;
  std::uint32_t removals_pending_ = 0;
};

class SessionState {
 public:
  ViewDecoder views;
  AreaBook areas;
  std::string resume_token;
  Tick whole_tick = 0;  ///< the last one of which a frame was received whole

  /// Before the first frame of a connection.
  void welcomed(const Welcome& welcome);
};

}  // namespace vicinity::client
