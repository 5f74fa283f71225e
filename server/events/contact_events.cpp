// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_events.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/check.h"

namespace vicinity {
namespace {

template <class A, class B>
bool before(const A& a, const B& b) {
  return std::tie(a.a, a.b) < std::tie(b.a, b.b);
}

OpenContact opened(const Snapshot& snapshot, const Contact& contact) {
  const std::uint32_t a = contact.a.index();
  const std::uint32_t b = contact.b.index();
  return {contact.a,
          contact.b,
          snapshot.tick,
          snapshot.user_data[a],
          snapshot.user_data[b],
          snapshot.owner[a],
          snapshot.owner[b],
          contact.sensor};
}

/// OutOfWorld or Despawned when the entity is gone, else nothing.
std::optional<EndReason> gone(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.contains(entity)) return std::nullopt;
  const auto found =
      std::lower_bound(snapshot.despawned.begin(), snapshot.despawned.end(), entity,
                       [](const Despawn& despawn, EntityId value) { return despawn.id < value; });
  CHECK(found != snapshot.despawned.end() && found->id == entity);
  return found->reason == DespawnReason::LeftWorld ? EndReason::OutOfWorld : EndReason::Despawned;
}

/// Why two living entities no longer touch.
EndReason parted(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b, bool truncated) {
  const Filter& filter_a = snapshot.filter[a];
  const Filter& filter_b = snapshot.filter[b];
  const EntityVersions& changed_a = snapshot.changed[a];
  const EntityVersions& changed_b = snapshot.changed[b];
  const Tick now = snapshot.tick;
  if (!filter_a.enabled || !filter_b.enabled) return EndReason::Disabled;
  if (!accepts(filter_a, filter_b)) return EndReason::FilterChanged;
  if (changed_a.teleported == now || changed_b.teleported == now) return EndReason::Teleported;
  if (changed_a.shape == now || changed_b.shape == now) return EndReason::ShapeChanged;
  if (truncated && overlaps(snapshot.tight_box[a], snapshot.tight_box[b])) {
    return EndReason::PairBudget;
  }
  return EndReason::Separated;
}

class Diff {
 public:
  Diff(const Snapshot& snapshot, bool truncated, ContactEvents& out)
      : snapshot_(snapshot), truncated_(truncated), out_(out) {}

  void begin(const Contact& contact) {
    const OpenContact fresh = opened(snapshot_, contact);
    out_.begins.push_back({fresh, contact.toi});
    if (contact.touching) {
      still_open_.push_back(fresh);
    } else {
      out_.passed.push_back({fresh, EndReason::PassedThrough});
    }
  }

  void end(OpenContact contact) {
    const std::optional<EndReason> gone_a = gone(snapshot_, contact.a);
    const std::optional<EndReason> gone_b = gone(snapshot_, contact.b);
    if (gone_a || gone_b) {
      const bool despawned = gone_a == EndReason::Despawned || gone_b == EndReason::Despawned;
      out_.ends.push_back({contact, despawned ? EndReason::Despawned : EndReason::OutOfWorld});
      return;
    }
    const std::uint32_t a = contact.a.index();
    const std::uint32_t b = contact.b.index();
    contact.user_data_a = snapshot_.user_data[a];
    contact.user_data_b = snapshot_.user_data[b];
    out_.ends.push_back({contact, parted(snapshot_, a, b, truncated_)});
  }

  /// The same pair in both lists.
  void proceed(const OpenContact& old, const Contact& contact) {
    if (!contact.touching) {  // parted by a teleport, then passed through on a path
      end(old);
      begin(contact);
      return;
    }
    OpenContact current = opened(snapshot_, contact);
    current.begin_tick = old.begin_tick;
    if (old.sensor == contact.sensor) {
      still_open_.push_back(current);
      return;
    }
    current.sensor = old.sensor;
    out_.ends.push_back({current, EndReason::FilterChanged});
    begin(contact);
  }

  std::vector<OpenContact> take_open() { return std::move(still_open_); }

 private:
  const Snapshot& snapshot_;
  bool truncated_;
  ContactEvents& out_;
  std::vector<OpenContact> still_open_;
};

}  // namespace

void diff_contacts(const Snapshot& snapshot, const ContactList& contacts, bool pairs_truncated,
                   std::vector<OpenContact>& open, ContactEvents& out) {
  out.ends.clear();
  out.begins.clear();
  out.passed.clear();
  Diff diff(snapshot, pairs_truncated, out);
  auto old = open.begin();
  for (const Contact& contact : contacts) {
    while (old != open.end() && before(*old, contact)) diff.end(*old++);
    if (old == open.end() || before(contact, *old)) {
      diff.begin(contact);
    } else {
      diff.proceed(*old++, contact);
    }
  }
  while (old != open.end()) diff.end(*old++);
  open = diff.take_open();
  DCHECK(std::is_sorted(open.begin(), open.end(), before<OpenContact, OpenContact>));
}

}  // namespace vicinity
