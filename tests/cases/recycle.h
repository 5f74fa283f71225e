// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// recycle_slot: despawn the entity and spawn one in the same slot, many million times, in ticks of
// its own. The world has to use slots again at once.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "cases/metrics.h"
#include "cases/translator.h"
#include "cases/world.h"

namespace vicinity::cases {

class Recycler {
 public:
  using RunTick =
      std::function<std::vector<CommandReply>(const std::vector<CommandBody>& commands)>;

  /// `name` is dead afterwards; the last incarnation has no name and goes on with the next call.
  /// Throws ScriptError when a command is refused or the slot is not used again.
  void recycle(const std::string& name, std::uint64_t times, const World& world,
               Translator& translator, Metrics& metrics, const RunTick& run_tick);

 private:
  struct Slot {
    EntityId first;   ///< id of the name
    EntityId latest;  ///< incarnation that lives now
    SpawnCommand spawn;
  };
  void take(const std::vector<CommandReply>& replies, const std::string& name, Metrics& metrics);

  std::map<std::string, Slot> slots_;
};

}  // namespace vicinity::cases
