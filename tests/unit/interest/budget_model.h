// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which areas of a session have their turn in a tick, told by looking at every entity: without an
// index, lanes or blocks. For worlds in which nothing is seen from afar.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/aabb.h"
#include "index/search_box.h"
#include "interest/interest.h"

namespace vicinity::test {

inline std::vector<std::uint32_t> candidates_of(const InterestArea& area,
                                                const Snapshot& snapshot) {
  const Aabb32 box = search_box(enter_box(area));
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot)
    if (snapshot.is_alive(slot) && touches(round_outward(snapshot.tight_box[slot]), box))
      slots.push_back(slot);
  return slots;
}

class BudgetModel {
 public:
  BudgetModel(SessionId session, std::uint64_t candidates_max)
      : session_(session), candidates_max_(candidates_max) {}

  struct Turn {
    std::uint32_t cut_short = 0;  ///< observers of which not every area had its turn
    bool began_within = false;    ///< of an observer, so that its first areas came last
    bool came_back = false;       ///< and then some of these still had their turn
  };
  /// To be called once after every update.
  Turn next(const Interest& interest, const Snapshot& snapshot);

 private:
  using Place = std::pair<ObserverId, AreaId>;

  SessionId session_;
  std::uint64_t candidates_max_;
  Place from_;
};

inline BudgetModel::Turn BudgetModel::next(const Interest& interest, const Snapshot& snapshot) {
  std::vector<Place> places;
  std::vector<std::uint64_t> candidates;
  for (const ObserverId observer : interest.observer_ids(session_)) {
    for (const InterestArea& area : interest.areas_of(session_, observer)) {
      places.emplace_back(observer, area.id);
      candidates.push_back(candidates_of(area, snapshot).size());
    }
  }
  const std::size_t count = places.size();
  const auto first = std::lower_bound(places.begin(), places.end(), from_);
  const std::size_t begin =
      first == places.end() ? 0 : static_cast<std::size_t>(first - places.begin());
  std::uint64_t spent = 0;
  std::size_t searched = 0;
  while (searched < count && spent < candidates_max_)
    spent += candidates[(begin + searched++) % count];
  if (searched == count) return {};

  std::set<ObserverId> late;
  for (std::size_t turn = searched; turn < count; ++turn)
    late.insert(places[(begin + turn) % count].first);
  std::size_t skipped = 0;
  while (skipped < begin && places[begin - skipped - 1].first == places[begin].first) ++skipped;
  from_ = places[(begin + searched) % count];
  return {static_cast<std::uint32_t>(late.size()), skipped > 0, searched > count - skipped};
}

}  // namespace vicinity::test
