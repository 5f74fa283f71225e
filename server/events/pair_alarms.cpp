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

std::size_t EntityPairHash::operator()(const EntityPair& pair) const {
  std::uint64_t hash = pair.a.raw() * 0x9E37'79B9'7F4A'7C15u;
  hash = (hash ^ hash >> 32 ^ pair.b.raw()) * 0xD6E8'FEB8'6659'FD93u;
  return static_cast<std::size_t>(hash ^ hash >> 32);
}

void PairAlarms::set(const PairAlarm& alarm) {
  DCHECK(alarm.pair.a.index() < alarm.pair.b.index());
  alarms_.insert_or_assign(alarm.pair, alarm);
  calendar_[alarm.at].push_back(alarm.pair);
  ++calendar_size_;
  clean_up();
}

void PairAlarms::cancel(const EntityPair& pair) {
  if (alarms_.erase(pair) != 0) clean_up();
}

void PairAlarms::take_due(Tick tick, std::vector<PairAlarm>& out) {
  const std::size_t first = out.size();
  while (!calendar_.empty() && calendar_.begin()->first <= tick) {
    const auto day = calendar_.begin();
    for (const EntityPair& pair : day->second) {
      const auto found = alarms_.find(pair);
      if (found == alarms_.end() || found->second.at != day->first) continue;
      out.push_back(found->second);
      alarms_.erase(found);
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
      const auto found = alarms_.find(pair);
      return found == alarms_.end() || found->second.at != day->first;
    });
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    calendar_size_ += pairs.size();
    day = pairs.empty() ? calendar_.erase(day) : std::next(day);
  }
  CHECK(calendar_size_ == alarms_.size());
}

/// After every change. A table keeps its buckets when what was in it goes; a peak must not stay for
/// ever.
void PairAlarms::clean_up() {
  if (calendar_size_ > 2 * alarms_.size() + stale_entries_max) write_calendar_anew();
  if (alarms_.empty() && alarms_.bucket_count() > stale_entries_max) alarms_ = {};
}

}  // namespace vicinity
