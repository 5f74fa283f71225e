// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The words for explanations (query/explain_types.h), the same in logs and tools. Values; any room,
// and the client library, for which all of it is inline.

#include <string_view>
#include <vector>

#include "query/explain_types.h"

namespace vicinity {

constexpr std::string_view to_string(ExplainStage stage) {
  switch (stage) {
    case ExplainStage::None: return "none";
    case ExplainStage::Gone: return "gone";
    case ExplainStage::CellArithmetic: return "cell_arithmetic";
    case ExplainStage::SweptBound: return "swept_bound";
    case ExplainStage::Filter: return "filter";
    case ExplainStage::Transition: return "transition";
    case ExplainStage::PairSearch: return "pair_search";
    case ExplainStage::NarrowPhase: return "narrow_phase";
    case ExplainStage::Policy: return "policy";
  }
  return "unknown";
}

constexpr std::string_view to_string(PolicyReason reason) {
  switch (reason) {
    case PolicyReason::None: return "none";
    case PolicyReason::Excluded: return "excluded";
    case PolicyReason::Ignored: return "ignored";
    case PolicyReason::CoolingDown: return "cooling_down";
  }
  return "unknown";
}

constexpr std::string_view to_string(IndexPartition partition) {
  switch (partition) {
    case IndexPartition::None: return "none";
    case IndexPartition::Moving: return "moving";
    case IndexPartition::Resting: return "resting";
    case IndexPartition::Static: return "static";
  }
  return "unknown";
}

/// One word for each bit.
inline std::vector<std::string_view> filter_reason_texts(std::uint32_t reasons) {
  constexpr std::string_view words[] = {"disabled_a", "disabled_b",  "mask_zero_a", "mask_zero_b",
                                        "instance",   "both_static", "both_sensor", "group",
                                        "category_a", "category_b"};
  std::vector<std::string_view> out;
  for (std::uint32_t bit = 0; bit < std::size(words); ++bit)
    if ((reasons >> bit & 1) != 0) out.push_back(words[bit]);
  return out;
}

constexpr std::string_view to_string(ViewStage stage) {
  switch (stage) {
    case ViewStage::None: return "none";
    case ViewStage::NoObserver: return "no_observer";
    case ViewStage::Gone: return "gone";
    case ViewStage::Disabled: return "disabled";
    case ViewStage::Follower: return "follower";
    case ViewStage::Visibility: return "visibility";
    case ViewStage::Filter: return "filter";
    case ViewStage::Area: return "area";
    case ViewStage::Nearest: return "nearest";
    case ViewStage::Limit: return "limit";
    case ViewStage::Budget: return "budget";
  }
  return "unknown";
}

constexpr std::string_view to_string(ViewHold hold) {
  switch (hold) {
    case ViewHold::None: return "none";
    case ViewHold::Parent: return "parent";
    case ViewHold::Visibility: return "visibility";
    case ViewHold::Owner: return "owner";
    case ViewHold::Relevance: return "relevance";
    case ViewHold::Area: return "area";
    case ViewHold::Hysteresis: return "hysteresis";
    case ViewHold::Dwell: return "dwell";
  }
  return "unknown";
}

}  // namespace vicinity
