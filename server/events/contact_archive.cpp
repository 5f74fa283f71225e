// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Contacts and what the policy remembers of pairs, as bytes.

#include <algorithm>
#include <utility>

#include "base/archive_blocks.h"
#include "events/contact_timers.h"
#include "events/contact_tracker.h"
#include "world/archive_values.h"

namespace vicinity {
namespace {

constexpr std::size_t contacts_per_block = 4096;
constexpr std::size_t contact_bytes = 2 * sizeof(EntityId) + sizeof(Tick) + 1;
constexpr std::size_t cooldown_bytes = 2 * sizeof(EntityId) + 2 * sizeof(Tick);
/// Far from where numbers overflow.
constexpr std::uint64_t events_max = std::uint64_t{1} << 62;

}  // namespace

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, OpenContact>& contact) {
  a(contact.a), a(contact.b), a(contact.begin_tick), a(contact.sensor);
}

void ContactTimers::save(ArchiveWriter& out) const {
  out(truncated_), out(next_clearing_);
  const std::vector<PairAlarm> cooldowns = cooldowns_.sorted();
  out(static_cast<std::uint64_t>(cooldowns.size()));
  for (const PairAlarm& alarm : cooldowns)
    out(alarm.pair.a), out(alarm.pair.b), out(alarm.at), out(alarm.since);
}

void ContactTimers::load(ArchiveReader& in, const RestoredEntities& entities,
                         const ContactPolicy& policy, std::span<const OpenContact> open) {
  const Snapshot& snapshot = entities.snapshot();
  const Tick now = snapshot.tick;
  in(truncated_), in(next_clearing_);
  const std::uint64_t count = in.count(cooldown_bytes);
  in.require(count <= cooldowns_max_);
  EntityPair before;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    PairAlarm alarm;
    in(alarm.pair.a), in(alarm.pair.b), in(alarm.at), in(alarm.since);
    in.require(before < alarm.pair && alarm.pair.a && alarm.pair.a.index() < alarm.pair.b.index() &&
               alarm.since <= now && alarm.at > now &&
               alarm.at - alarm.since <= limits::policy_ticks_max);
    before = alarm.pair;
    if (!in.ok()) return;
    // Those of entities that ended hold their places until they are due.
    if (!entities.is_quarantined(alarm.pair.a) && !entities.is_quarantined(alarm.pair.b))
      cooldowns_.set(alarm);
  }
  if (!policy.has_stays()) return;
  for (const OpenContact& contact : open) {
    const Filter& filter_a = snapshot.filter[contact.a.index()];
    const Filter& filter_b = snapshot.filter[contact.b.index()];
    const Tick interval = policy.rule_of(filter_a, filter_b).stay_interval_ticks;
    if (interval == 0) continue;
    const Tick at = contact.begin_tick + ((now - contact.begin_tick) / interval + 1) * interval;
    stays_.set({{contact.a, contact.b}, at, contact.begin_tick, contact.sensor});
  }
}

void ContactTracker::save(ArchiveWriter& out, Workers& workers) const {
  out(event_count_);
  const std::vector<OpenContact> open = open_.to_vector();
  out(static_cast<std::uint64_t>(open.size()));
  write_in_blocks(workers, open.size(), contacts_per_block, out,
                  [&](ArchiveWriter& to, std::size_t, std::size_t begin, std::size_t end) {
                    for (; begin < end; ++begin) to(open[begin]);
                  });
  timers_.save(out);
}

void ContactTracker::load(ArchiveReader& in, const RestoredEntities& entities,
                          const ContactPolicy& policy) {
  in(event_count_);
  in.require(event_count_ <= events_max);
  const std::uint64_t count = in.count(contact_bytes);
  std::vector<OpenContact> open;
  SlotPair before;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    OpenContact contact;
    in(contact);
    in.require(before < slots_of(contact) && contact.a.index() < contact.b.index() &&
               entities.is_known(contact.a) && entities.is_known(contact.b) &&
               contact.begin_tick > 0 && contact.begin_tick <= entities.snapshot().tick);
    before = slots_of(contact);
    if (in.ok() && entities.is_alive(contact.a) && entities.is_alive(contact.b))
      open.push_back(contact);
  }
  if (!in.ok()) return;
  timers_.load(in, entities, policy, open);
  open_ = OpenContacts(open);
}

}  // namespace vicinity
