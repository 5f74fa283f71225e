// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Strong identifiers. Both rooms use them; they are plain values that never own anything.
// An id is compared, hashed and ordered by its raw value only.

#include <compare>
#include <cstdint>

namespace vicinity {

/// Number of a tick. Tick N describes the world at time N * dt. Tick 0 is the empty world before
/// the first step; the first tick that runs is 1.
using Tick = std::uint64_t;

/// Version of the spatial index that answered. Grows by one with every published index.
using IndexVersion = std::uint64_t;

/// Name of an entity: slot index (low 32 bits) and generation (high 32 bits).
/// Generations start at 1, so the raw value 0 is "no entity". A slot that is used again carries a
/// higher generation; an id therefore names one incarnation and is never valid twice.
class EntityId {
 public:
  constexpr EntityId() = default;
  constexpr EntityId(std::uint32_t index, std::uint32_t generation)
      : raw_((static_cast<std::uint64_t>(generation) << 32) | index) {}
  /// From the 64 bits that travel on the wire. Any value is accepted; liveness is checked where
  /// used.
  static constexpr EntityId from_raw(std::uint64_t raw) {
    EntityId id;
    id.raw_ = raw;
    return id;
  }

  constexpr std::uint64_t raw() const { return raw_; }
  constexpr std::uint32_t index() const { return static_cast<std::uint32_t>(raw_); }
  constexpr std::uint32_t generation() const { return static_cast<std::uint32_t>(raw_ >> 32); }
  constexpr explicit operator bool() const { return raw_ != 0; }

  friend constexpr bool operator==(EntityId, EntityId) = default;
  /// Canonical order: by slot index, then by generation.
  friend constexpr std::strong_ordering operator<=>(EntityId a, EntityId b) {
    if (a.index() != b.index()) return a.index() <=> b.index();
    return a.generation() <=> b.generation();
  }

 private:
  std::uint64_t raw_ = 0;
};

/// Name of a client session, unique in its world. 0 is "no session" (the server).
struct SessionId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(SessionId, SessionId) = default;
};

/// Name of an observer within its session, chosen by the client.
struct ObserverId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(ObserverId, ObserverId) = default;
};

/// Name of an interest area within its session, chosen by the client.
struct AreaId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(AreaId, AreaId) = default;
};

static_assert(sizeof(EntityId) == 8, "ids travel as 64 bits");

}  // namespace vicinity
