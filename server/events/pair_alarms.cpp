// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/pair_alarms.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace vicinity {
namespace {

/// Entries of the calendar that may be left behind in any case.
constexpr std::size_t stale_entries_max = 1024;

}  // namespace

std::vector<PairAlarm> PairAlarms::sorted() const {
  std::vector<PairAlarm> all;
  for (const EntityPair& pair : alarms_.sorted_pairs()) {
    const Setting& found = *alarms_.find(pair);
    all.push_back({pair, found.at, found.since, found.sensor});
  }
  return all;
}

void PairAlarms::set(const PairAlarm& alarm) {
  DCHECK(alarm.pair.a.index() < alarm.pair.b.index());
  alarms_.set(alarm.pair, {alarm.at, alarm.since, alarm.sensor});
  calendar_[alarm.at].push_back(alarm.pair);
  ++calendar_size_;
  clean_up();
}

void PairAlarms::cancel(const EntityPair& pair) {
  if (alarms_.erase(pair)) clean_up();
}

void PairAlarms::take_due(Tick tick, std::vector<PairAlarm>& out) {
  const std::size_t first = out.size();
  while (!calendar_.empty() && calendar_.begin()->first <= tick) {
    const auto day = calendar_.begin();
    for (const EntityPair& pair : day->second) {
      const Setting* const found = alarms_.find(pair);
      if (found == nullptr || found->at != day->first) continue;
      out.push_back({pair, found->at, found->since, found->sensor});
      alarms_.erase(pair);
    }
    calendar_size_ -= day->second.size();
    calendar_.erase(day);
  }
  if (out.size() == first) return;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
            [](const PairAlarm& x, const PairAlarm& y) { return x.pair < y.pair; });
  clean_up();
}

void PairAlarms::take_all(std::vector<PairAlarm>& out) {
  take_due(std::numeric_limits<Tick>::max(), out);
  CHECK(alarms_.empty() && calendar_size_ == 0);
}

/// Each alarm once. Its cost is paid by the entries that go.
void PairAlarms::write_calendar_anew() {
  calendar_size_ = 0;
  for (auto day = calendar_.begin(); day != calendar_.end();) {
    std::vector<EntityPair>& pairs = day->second;
    std::erase_if(pairs, [&](const EntityPair& pair) {
      const Setting* const found = alarms_.find(pair);
      return found == nullptr || found->at != day->first;
    });
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    calendar_size_ += pairs.size();
    day = pairs.empty() ? calendar_.erase(day) : std::next(day);
  }
  CHECK(calendar_size_ == alarms_.size());
}

/// After every change.
void PairAlarms::clean_up() {
  if (calendar_size_ > 2 * alarms_.size() + stale_entries_max) write_calendar_anew();
}

}  // namespace vicinity
