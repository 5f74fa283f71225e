// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/frame_selection.h"

namespace vicinity {

void MoveLists::clear() {
  near.clear();
  wide.clear();
  far.clear();
  turns.clear();
  velocities.clear();
  spins.clear();
  jumps.clear();
}

std::size_t MoveLists::size_bytes() const {
  return near.size() * sizeof(NearMove) + wide.size() * sizeof(WideMove) +
         far.size() * streamed_bytes::far_move + turns.size() * sizeof(TurnUpdate) +
         (velocities.size() + spins.size()) * sizeof(VelocityUpdate) +
         jumps.size() * sizeof(std::uint16_t);
}

void FrameSelection::clear() {
  leaves.clear();
  enters.clear();
  changed.clear();
  for (std::size_t i = 0; i < move_count; ++i) moves[i].clear();
  move_count = 0;
  enters_waiting = 0;
  health = StreamHealth::Ok;
}

MoveLists& FrameSelection::add_moves(ObserverId observer, std::uint32_t page,
                                     const QuantisedPosition& origin) {
  if (move_count == moves.size()) moves.emplace_back();
  MoveLists& lists = moves[move_count++];
  lists.observer = observer;
  lists.page = page;
  lists.origin = origin;
  return lists;
}

}  // namespace vicinity
