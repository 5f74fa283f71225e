// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/pair_exclusions.h"

#include <algorithm>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {

bool ExcludedPairs::contains(std::uint32_t a, std::uint32_t b) const {
  if (!has_any(a) || !has_any(b)) return false;
  return std::binary_search(pairs_.begin(), pairs_.end(), Pair{std::min(a, b), std::max(a, b)});
}

bool PairExclusions::contains(std::uint32_t a, std::uint32_t b) const {
  const auto found = partners_.find(a);
  return found != partners_.end() &&
         std::binary_search(found->second.begin(), found->second.end(), b);
}

ErrorCode PairExclusions::add(std::uint32_t a, std::uint32_t b) {
  CHECK(a != b);
  if (contains(a, b)) return ErrorCode::None;
  const auto count = [&](std::uint32_t slot) {
    const auto found = partners_.find(slot);
    return found == partners_.end() ? 0 : found->second.size();
  };
  const std::size_t each_max = limits::exclusions_per_entity_max;
  if (count(a) >= each_max || count(b) >= each_max || pair_count_ >= limits::exclusions_max) {
    return ErrorCode::LimitExceeded;
  }
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    std::vector<std::uint32_t>& partners = partners_[from];
    partners.insert(std::upper_bound(partners.begin(), partners.end(), to), to);
  }
  ++pair_count_;
  is_changed_ = true;
  return ErrorCode::None;
}

void PairExclusions::remove(std::uint32_t a, std::uint32_t b) {
  if (!contains(a, b)) return;
  unlink(a, b);
  unlink(b, a);
  --pair_count_;
  is_changed_ = true;
}

void PairExclusions::remove_all(std::uint32_t slot) {
  const auto found = partners_.find(slot);
  if (found == partners_.end()) return;
  for (const std::uint32_t partner : found->second) unlink(partner, slot);
  pair_count_ -= found->second.size();
  partners_.erase(found);
  is_changed_ = true;
}

void PairExclusions::unlink(std::uint32_t from, std::uint32_t to) {
  const auto found = partners_.find(from);
  CHECK(found != partners_.end());
  std::erase(found->second, to);
  if (found->second.empty()) partners_.erase(found);
}

std::shared_ptr<const ExcludedPairs> PairExclusions::freeze() {
  if (!is_changed_) return frozen_;
  is_changed_ = false;
  if (pair_count_ == 0) return frozen_ = nullptr;
  auto frozen = std::make_shared<ExcludedPairs>();
  frozen->pairs_.reserve(pair_count_);
  frozen->marked_.resize(partners_.rbegin()->first / 64 + 1);
  for (const auto& [slot, partners] : partners_) {
    frozen->marked_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    for (const std::uint32_t partner : partners) {
      if (slot < partner) frozen->pairs_.emplace_back(slot, partner);
    }
  }
  return frozen_ = std::move(frozen);
}

}  // namespace vicinity
