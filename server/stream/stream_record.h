// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a stream remembers of one entity in view. A value of 32 bytes, two to a cache line.

#include <cstdint>

#include "base/ids.h"

namespace vicinity {

/// What the client has of an entity.
enum class Standing : std::uint8_t {
  Waiting,  ///< nothing: it has not been announced
  Told,     ///< how it was in the tick in which it was told last
  Stale     ///< something that only a full state makes right again
};

struct StreamRecord {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t alias = 0;
  float priority = 0;          ///< grows while an update waits
  Tick told = 0;               ///< tick of the last state or motion that went out
  std::uint16_t interval = 0;  ///< of its ring, ticks; 0 = not looked at yet
  Standing standing = Standing::Waiting;

  EntityId id() const { return EntityId(slot, generation); }
  bool announced() const { return standing != Standing::Waiting; }
};
static_assert(sizeof(StreamRecord) == 32);

}  // namespace vicinity
