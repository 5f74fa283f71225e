// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a replay reads: recorded movement and static boxes as CSV, and who observes. Everything a
// user can get wrong is an Error whose text names the file and line, or the option.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "base/vec.h"
#include "client-sim/replay.h"

namespace vicinity::sim {

/// An axis without a column: everybody is at 0 with this half size.
inline constexpr double missing_axis_half_size_m = 1;

/// Id in the file -> where it is.
using Positions = std::map<std::int64_t, Vec3>;

struct Movement {
  std::map<std::int64_t, Positions> rows;  ///< by time
  Vec3 half_extent_m;
};

struct StaticBox {
  std::int64_t id = 0;
  Vec3 position;
  Vec3 half_extent_m;
};

/// Which ids have an area.
class Observers {
 public:
  /// "every:N", "all", "ids:0,7" or "none".
  static Result<Observers, Error> parse(const std::string& text);
  bool contains(std::int64_t id) const;

 private:
  std::int64_t every_ = 0;  ///< id divisible by it; 0 = only the listed ones
  std::set<std::int64_t> ids_;
};

/// All that a replay needs, checked.
struct ReplayInput {
  Movement movement;
  std::vector<StaticBox> statics;
  Observers observers;
  std::vector<std::int64_t> step_times;  ///< ascending
};

Result<ReplayInput, Error> read_replay_input(const ReplayOptions& options);

}  // namespace vicinity::sim
