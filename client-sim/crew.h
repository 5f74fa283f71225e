// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Who is who in a run: what every bot does, sees, suffers and is judged by. Follows from the
// options alone. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/bot.h"
#include "client-sim/swarm.h"

namespace vicinity::sim {

class Crew {
 public:
  explicit Crew(const SwarmOptions& options);

  BotSettings settings(std::uint32_t bot) const;
  CheckSettings check_settings() const;
  /// "normal 95, flood 5": how many of each there are.
  std::string describe() const;
  std::uint32_t hostile_count() const { return hostile_count_; }
  /// For TruthCheck, see ShapeOf. Entities that are no bots have no user data and plain shapes.
  std::optional<const Shape*> shape_of(std::uint64_t user_data) const;
  /// The ground that bots and other entities share.
  Ground ground() const;
  /// Whether the witness can do with what is around the bots that are checked, because they are few
  /// and the world is much larger. Then it looks around each as far as watch_radius_m().
  bool is_watched_in_parts() const;
  /// Beyond all that the bot may see or touch, metres.
  double watch_radius_m(std::uint32_t bot) const;

 private:
  SwarmOptions options_;
  std::vector<Behaviour> behaviours_;
  std::vector<bool> conditioned_;
  std::vector<bool> checked_;
  std::uint32_t hostile_count_ = 0;
  std::vector<Shape> shapes_;  ///< by bot, what each spawns with
};

/// So many of `count` that `share` (0..1) of them, rounded up, are chosen by the seed.
std::vector<bool> choose_share(std::uint32_t count, double share, std::uint64_t seed);

}  // namespace vicinity::sim
