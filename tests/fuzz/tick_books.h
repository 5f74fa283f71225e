// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What somebody knows who hears everything that ticks tell, and believes nothing that does not fit
// to what was told before: contacts end once, and only when they began; nobody leaves a view
// without having entered it; who ended is told of. Every promise is CHECKed.

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tick/simulation.h"

namespace vicinity::fuzz {

class TickBooks {
 public:
  /// After every tick, in order. `world` is the one that gave it.
  void take(const TickOutput& output, const Simulation& world);

 private:
  using Pair = std::pair<EntityId, EntityId>;
  using Open = std::map<Pair, Tick>;  ///< with the tick of the begin
  using ObserverName = std::pair<SessionId, ObserverId>;
  struct Told {
    std::uint32_t view_number = 0;
    Open open;
  };

  void take_entities(const TickOutput& output, double world_half_size_m);
  void take_contacts(const TickOutput& output);
  void take_told(const SessionOutput& output, Tick tick);
  void take_views(const SessionOutput& output, const Snapshot& snapshot);
  void compare_views(const TickOutput& output, const Interest& interest) const;
  void forget_closed(const TickOutput& output);
  void number(std::uint64_t event_seq);

  std::set<EntityId> alive_;
  Open open_;
  std::uint64_t begins_ = 0;
  std::uint64_t ends_ = 0;
  std::uint64_t last_event_ = 0;
  std::map<SessionId, Told> told_;
  std::map<ObserverName, std::set<EntityId>> views_;
};

}  // namespace vicinity::fuzz
