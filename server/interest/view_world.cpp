// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/view_world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "interest/interest_area.h"

namespace vicinity {
namespace {

std::pair<std::uint32_t, std::uint32_t> key(const Follower& follower) {
  return {follower.parent, follower.slot};
}

}  // namespace

void ViewWorld::note_relevance(const Snapshot& snapshot, std::uint32_t slot) {
  const bool is_afar = snapshot.is_alive(slot) && is_seen_from_afar(relevance_of(snapshot, slot));
  if (is_afar == is_afar_.test(slot)) return;
  is_afar_.set(slot, is_afar);
  const auto at = std::lower_bound(afar_.begin(), afar_.end(), slot);
  if (is_afar) {
    afar_.insert(at, slot);
  } else {
    afar_.erase(at);
  }
}

void ViewWorld::replace_followers(const Snapshot& snapshot) {
  for (const Follower& old : by_parent_) {
    follows_.set(old.slot, false);
    is_followed_.set(old.parent, false);
  }
  by_parent_ = snapshot.followers;
  std::sort(by_parent_.begin(), by_parent_.end(),
            [](const Follower& a, const Follower& b) { return key(a) < key(b); });
  for (const Follower& now : by_parent_) {
    CHECK(now.slot < snapshot.slot_count() && now.parent < snapshot.slot_count());
    follows_.set(now.slot, true);
    is_followed_.set(now.parent, true);
  }
}

void ViewWorld::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed) {
  is_afar_.resize(snapshot.slot_count());
  follows_.resize(snapshot.slot_count());
  is_followed_.resize(snapshot.slot_count());
  if (!snapshot.relevance.empty() || !afar_.empty())
    for (const std::uint32_t slot : changed) note_relevance(snapshot, slot);
  if (!by_parent_.empty() || !snapshot.followers.empty()) replace_followers(snapshot);
}

std::span<const Follower> ViewWorld::followers_of(std::uint32_t slot) const {
  if (!has_followers() || !is_followed_.test(slot)) return {};
  const auto first =
      std::lower_bound(by_parent_.begin(), by_parent_.end(), slot,
                       [](const Follower& f, std::uint32_t p) { return f.parent < p; });
  auto last = first;
  while (last != by_parent_.end() && last->parent == slot) ++last;
  return {first, last};
}

}  // namespace vicinity
