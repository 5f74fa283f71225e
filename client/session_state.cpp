// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/session_state.h"

namespace vicinity::client {

void AreaBook::sent(std::uint64_t first_sequence, const std::vector<CommandBody>& commands) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Change change;
    if (const auto* add = std::get_if<AddAreaCommand>(&commands[i])) {
      change = {add->area, add->observer};
    } else if (const auto* remove = std::get_if<RemoveAreaCommand>(&commands[i])) {
      change = {remove->area, std::nullopt};
    } else {
      continue;
    }
    const bool is_new = pending_.try_emplace(first_sequence + i, change).second;
    if (is_new && !change.added_to) ++removals_pending_;
  }
}

std::optional<ObserverId> AreaBook::answered(const CommandOutcome& outcome) {
  const auto found = pending_.find(outcome.sequence);
  if (found == pending_.end()) return std::nullopt;
  const Change change = found->second;
  pending_.erase(found);
  if (!change.added_to) --removals_pending_;
  if (outcome.error.code != ErrorCode::None) return std::nullopt;
  if (change.added_to) {
    if (areas_.emplace(change.area, *change.added_to).second) ++area_counts_[*change.added_to];
    return std::nullopt;
  }
  const auto area = areas_.find(change.area);
  if (area == areas_.end()) return std::nullopt;
  const ObserverId observer = area->second;
  areas_.erase(area);
  if (--area_counts_[observer] > 0) return std::nullopt;
  area_counts_.erase(observer);
  return observer;
}

void SessionState::welcomed(const Welcome& welcome) {
  if (!welcome.resumed) *this = {};
  if (welcome.view_reset) {
    views.clear();
    whole_tick = 0;
  }
  views.roll_back();
  views.set_resolution_m(welcome.position_resolution_m);
  resume_token = welcome.resume_token;
}

}  // namespace vicinity::client
