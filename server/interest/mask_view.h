// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The quick way to bring a view up to date, for observers as most are: a few spheres, fixed or
// attached, without further rules. What such an observer sees is also kept as one bit per entity
// in the groups of a LaneOrder that lie around it:
//
//      group      12    13    40    41
//      in view   0110  0000  1111  0001       now  = inside enter | (inside leave & in view)
//                                             news = now ^ in view
//
// The few that are in view for another reason than where they are, the always relevant, those seen
// from afar and followers, have no bit; they are asked one by one, as update_view() does.
//
// So that query and difference are one pass, and nothing is sorted. The groups are listed with some
// room around the leave spheres; the list is made anew when the observer has moved through that
// room, or when the order has. Results are exactly those of update_view().

#include <cstdint>
#include <span>
#include <vector>

#include "interest/lane_order.h"
#include "interest/observer_events.h"
#include "interest/view.h"

namespace vicinity {

/// Of one block of observers.
struct MaskBuffers {
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> place_of_group;  ///< in the list at hand; anything for others
  std::vector<std::uint32_t> looked_at;       ///< places in the list
  std::vector<std::uint32_t> index;
  std::vector<LaneSphere> spheres;
  std::vector<LaneAnswer> answers;
  std::vector<std::uint16_t> now;
  std::vector<std::uint32_t> entered;
  std::vector<EntityId> left;
  std::vector<EntityId> specials;
  ViewBuffers view;
};

struct MaskInput {
  const ViewInput& view;  ///< `inside` is not looked at
  const LaneOrder& order;
  JudgeLanes judge;
  /// With so many lanes around it an observer goes the long way; on the quick one it has fewer
  /// candidates than this.
  std::uint64_t lanes_max;
};

/// The candidates of an observer that went the quick way in this tick (see interest.h) are no more
/// than this: what touches the box of an area has its lane in one of the groups around it.
std::uint64_t candidates_max(const MaskView& masks, const ViewWorld& world);

/// False when the observer has to go the long way in this tick; then nothing was changed but the
/// places of its areas. Without news `out` stays as it is, but for visible_count.
bool update_by_masks(const MaskInput& input, Observer& observer, MaskBuffers& buffers,
                     ObserverEvents& out);

}  // namespace vicinity
