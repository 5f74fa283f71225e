// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/cooldown_list.h"

#include <algorithm>
#include <utility>

namespace vicinity {
namespace {

bool before(const Cooldown& x, const Cooldown& y) { return x.pair < y.pair; }

/// What is over may be this many times what is not, before all runs are merged.
constexpr std::size_t stale_factor = 4;
constexpr std::size_t stale_min = 1024;

}  // namespace

std::optional<Cooldown> CooldownView::find(const EntityPair& pair) const {
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    const auto place = std::lower_bound((*run)->begin(), (*run)->end(), Cooldown{pair}, before);
    if (place == (*run)->end() || place->pair != pair) continue;
    if (place->until <= tick_) return std::nullopt;
    return *place;
  }
  return std::nullopt;
}

std::size_t CooldownView::size() const {
  std::size_t sum = 0;
  for (const auto& run : runs_) sum += run->size();
  return sum;
}

void CooldownList::clear() {
  noted_.clear();
  view_.runs_.clear();
}

void CooldownList::publish(Tick tick, std::size_t count) {
  view_.tick_ = tick;
  if (count == 0) return clear();
  auto& runs = view_.runs_;
  if (!noted_.empty()) {
    std::sort(noted_.begin(), noted_.end(), before);
    runs.push_back(std::make_shared<const CooldownView::Run>(std::exchange(noted_, {})));
  }
  while (runs.size() > 1 && 2 * runs.back()->size() >= runs[runs.size() - 2]->size())
    merge_last_two();
  if (view_.size() <= stale_factor * count + stale_min) return;
  if (runs.size() == 1) runs.push_back(std::make_shared<const CooldownView::Run>());
  while (runs.size() > 1) merge_last_two();
}

/// The later of two cooldowns of a pair counts.
void CooldownList::merge_last_two() {
  auto& runs = view_.runs_;
  const CooldownView::Run& newer = *runs.back();
  const CooldownView::Run& older = *runs[runs.size() - 2];
  auto merged = std::make_shared<CooldownView::Run>();
  merged->reserve(newer.size() + older.size());
  const auto add = [&](const Cooldown& cooldown) {
    if (cooldown.until > view_.tick_) merged->push_back(cooldown);
  };
  auto old = older.begin();
  for (const Cooldown& cooldown : newer) {
    while (old != older.end() && before(*old, cooldown)) add(*old++);
    if (old != older.end() && old->pair == cooldown.pair) ++old;
    add(cooldown);
  }
  while (old != older.end()) add(*old++);
  runs.pop_back();
  runs.back() = std::move(merged);
}

}  // namespace vicinity
