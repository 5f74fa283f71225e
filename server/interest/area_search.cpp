// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/area_search.h"

#include <algorithm>

#include "index/search_box.h"

namespace vicinity {

std::size_t AreaSearch::run(std::span<const InterestArea> areas, CandidateBudget& budget,
                            std::vector<std::uint32_t>& slots) {
  // The answer of the index to one area is ascending and free of doubles: most observers need no
  // marks.
  const std::span<const std::uint32_t> afar = world_.seen_from_afar();
  marking_ = !slots.empty() || areas.size() > 1 || !afar.empty();
  if (marking_ && marks_.empty()) marks_.resize(snapshot_.slot_count() / 64 + 1);
  if (marking_) flip_marks(slots);
  std::size_t searched = 0;
  while (searched < areas.size() && !budget.used_up()) {
    const InterestArea& area = areas[searched++];
    if (!area.placed) continue;
    candidates_.clear();
    const Aabb32 box = search_box(enter_box(area));
    index_.find_in_box(box, candidates_);
    if (budget.is_exact) budget.looks += afar.size() + candidates_.size();
    budget.spent += afar.size() + (budget.is_exact ? count_candidates(box) : candidates_.size());
    candidates_.insert(candidates_.end(), afar.begin(), afar.end());
    add_area(area, slots);
  }
  if (marking_) {
    flip_marks(slots);
    std::sort(slots.begin(), slots.end());
  }
  return searched;
}

std::uint64_t AreaSearch::count_candidates(const Aabb32& box) const {
  return static_cast<std::uint64_t>(std::count_if(
      candidates_.begin(), candidates_.end(),
      [&](std::uint32_t slot) { return touches(round_outward(snapshot_.tight_box[slot]), box); }));
}

/// A slot that another area has found already costs one look at its mark.
void AreaSearch::add_area(const InterestArea& area, std::vector<std::uint32_t>& slots) {
  for (const std::uint32_t slot : candidates_) {
    if (marking_ && is_marked(slot)) continue;
    if (!accepts(area, snapshot_.id[slot], snapshot_.filter[slot]) ||
        !inside_enter(area, snapshot_, slot))
      continue;
    if (marking_) flip_mark(slot);
    slots.push_back(slot);
  }
}

void AreaSearch::flip_marks(const std::vector<std::uint32_t>& slots) {
  for (const std::uint32_t slot : slots) flip_mark(slot);
}

}  // namespace vicinity
