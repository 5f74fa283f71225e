// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/command_journal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace vicinity::client {

void CommandJournal::add(std::uint64_t first_sequence, std::vector<CommandBody> commands) {
  if (commands.empty()) return;
  if (!entries_.empty()) {
    const Batch& last = entries_.back().batch;
    CHECK(first_sequence >= last.first_sequence + last.commands.size());
  }
  const std::size_t count = commands.size();
  unanswered_count_ += count;
  entries_.push_back({{first_sequence, std::move(commands)}, std::vector<bool>(count), count});
}

bool CommandJournal::answer(std::uint64_t sequence) {
  auto entry =
      std::upper_bound(entries_.begin(), entries_.end(), sequence,
                       [](std::uint64_t s, const Entry& e) { return s < e.batch.first_sequence; });
  if (entry == entries_.begin()) return false;
  --entry;
  const std::uint64_t place = sequence - entry->batch.first_sequence;
  if (place >= entry->answered.size() || entry->answered[place]) return false;
  entry->answered[place] = true;
  --entry->unanswered;
  --unanswered_count_;
  drop_answered();
  return true;
}

void CommandJournal::drop_answered() {
  while (!entries_.empty() && entries_.front().unanswered == 0) entries_.pop_front();
}

std::vector<CommandJournal::Batch> CommandJournal::after(std::uint64_t sequence) const {
  std::vector<Batch> batches;
  for (const Entry& entry : entries_) {
    const Batch& batch = entry.batch;
    const std::uint64_t end = batch.first_sequence + batch.commands.size();
    if (end <= sequence + 1) continue;
    const std::uint64_t first = std::max(batch.first_sequence, sequence + 1);
    const auto skipped = static_cast<std::ptrdiff_t>(first - batch.first_sequence);
    batches.push_back({first, {batch.commands.begin() + skipped, batch.commands.end()}});
  }
  return batches;
}

std::vector<std::uint64_t> CommandJournal::take_up_to(std::uint64_t sequence) {
  std::vector<std::uint64_t> taken;
  for (Entry& entry : entries_) {
    for (std::size_t i = 0; i < entry.answered.size(); ++i) {
      const std::uint64_t own = entry.batch.first_sequence + i;
      if (own > sequence) break;
      if (entry.answered[i]) continue;
      entry.answered[i] = true;
      --entry.unanswered;
      taken.push_back(own);
    }
  }
  unanswered_count_ -= taken.size();
  drop_answered();
  return taken;
}

}  // namespace vicinity::client
