// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What goes into one frame of one session: chosen in stream/, written by wire/. Values. The move
// records have the layout of those in proto/server.fbs, so that they are copied as they are.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "interest/observer_events.h"
#include "stream/quantised.h"

namespace vicinity {

struct NearMove {
  std::uint16_t alias = 0;
  std::int16_t x = 0;
  std::int16_t y = 0;
  std::int16_t z = 0;
};
struct WideMove {
  std::uint16_t alias = 0;
  std::uint16_t bits[4] = {0, 0, 0, 0};
};
struct FarMove {
  std::uint16_t alias = 0;
  std::uint32_t slot = 0;
};
struct TurnUpdate {
  std::uint16_t alias = 0;
  std::uint16_t low = 0;
  std::uint16_t high = 0;
};
struct VelocityUpdate {
  std::uint16_t alias = 0;
  std::uint16_t x = 0;
  std::uint16_t y = 0;
  std::uint16_t z = 0;
};
static_assert(sizeof(NearMove) == 8 && sizeof(WideMove) == 10 && sizeof(TurnUpdate) == 6 &&
              sizeof(VelocityUpdate) == 8);

/// New motion of entities in one view, all with the same upper half of the alias.
struct MoveLists {
  ObserverId observer;
  std::uint32_t page = 0;
  QuantisedPosition origin;  ///< in units of the session's resolution
  std::vector<NearMove> near;
  std::vector<WideMove> wide;
  std::vector<FarMove> far;
  std::vector<TurnUpdate> turns;
  std::vector<VelocityUpdate> velocities;
  std::vector<VelocityUpdate> spins;
  std::vector<std::uint16_t> jumps;

  void clear();
  std::size_t size_bytes() const;
};

struct StreamedLeave {
  Leave leave;
  ObserverId observer;
};
/// An entity whose full state goes out.
struct StreamedEntity {
  std::uint32_t slot = 0;
  std::uint32_t alias = 0;
  ObserverId observer;
};

/// How well a session gets rid of what it has to tell; see proto/server.fbs.
enum class StreamHealth : std::uint8_t { Ok = 0, Degraded = 1, Starved = 2 };

struct FrameSelection {
  std::vector<StreamedLeave> leaves;
  std::vector<StreamedEntity> enters;
  std::vector<StreamedEntity> changed;
  std::vector<MoveLists> moves;  ///< the first `move_count`; the others are kept for their memory
  std::size_t move_count = 0;
  std::uint32_t enters_waiting = 0;
  StreamHealth health = StreamHealth::Ok;

  void clear();
  /// An empty list at the end of `moves`.
  MoveLists& add_moves(ObserverId observer, std::uint32_t page, const QuantisedPosition& origin);
};

/// Bytes that the items take in a frame, without the tables around them; wire/ holds them to be
/// true.
namespace streamed_bytes {
inline constexpr std::size_t leave = 24;
inline constexpr std::size_t state = 200;
inline constexpr std::size_t far_move = 32;
/// Frame and message around the lists, and one Moves table; upper ends.
inline constexpr std::size_t frame = 256;
inline constexpr std::size_t moves_table = 160;
}  // namespace streamed_bytes

}  // namespace vicinity
