// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/ranking.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity {
namespace {

bool in_order(const RankedHit& a, const RankedHit& b) { return comes_before(a.place(), b.place()); }

}  // namespace

bool comes_before(const QueryPlace& a, const QueryPlace& b) {
  return a.value < b.value || (a.value == b.value && a.id < b.id);
}

Ranking::Ranking(std::size_t limit, const std::optional<QueryPlace>& after, std::size_t count_max)
    : limit_(limit), after_(after), count_max_(count_max) {
  CHECK(limit >= 1);
}

std::size_t Ranking::capacity() const {
  return std::min(limit_ + 1, count_max_ - std::min(passed_, count_max_));
}

void Ranking::drop_last() {
  std::pop_heap(kept_.begin(), kept_.end(), in_order);
  kept_.pop_back();
}

void Ranking::offer(const RankedHit& hit) {
  DCHECK(!std::isnan(hit.surface.value));
  if (after_ && !comes_before(*after_, hit.place())) {
    ++passed_;
  } else if (kept_.size() < capacity() || (!kept_.empty() && in_order(hit, kept_.front()))) {
    kept_.push_back(hit);
    std::push_heap(kept_.begin(), kept_.end(), in_order);
  }
  while (kept_.size() > capacity()) drop_last();
}

bool Ranking::may_take(double bound) const {
  if (kept_.size() < capacity()) return true;
  return !kept_.empty() && bound <= kept_.front().surface.value;
}

std::span<const RankedHit> Ranking::finish(std::optional<double> unknown_from) {
  std::sort_heap(kept_.begin(), kept_.end(), in_order);
  is_complete_ = kept_.size() <= limit_ && !unknown_from;
  std::size_t count = std::min(kept_.size(), limit_);
  while (unknown_from && count > 0 && kept_[count - 1].surface.value >= *unknown_from) --count;
  return {kept_.data(), count};
}

}  // namespace vicinity
