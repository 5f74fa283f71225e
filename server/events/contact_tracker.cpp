// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_tracker.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "narrow/entity_tests.h"

namespace vicinity {
namespace {

/// Contacts per part of the merge. One part costs some ten microseconds.
constexpr std::size_t part_size = 4096;

/// Unused lists of contacts that are kept for coming ticks.
constexpr std::size_t buffers_kept = 2;

/// Contacts of one tick are sorted by this, and so by pair.
template <class AnyContact>
std::uint64_t key_of(const AnyContact& contact) {
  return std::uint64_t{contact.a.index()} << 32 | contact.b.index();
}

template <class T>
std::size_t first_not_before(std::span<const T> contacts, std::uint64_t key) {
  const auto place =
      std::lower_bound(contacts.begin(), contacts.end(), key,
                       [](const T& contact, std::uint64_t end) { return key_of(contact) < end; });
  return static_cast<std::size_t>(place - contacts.begin());
}

template <class T>
std::span<const T> between(std::span<const T> contacts, std::uint64_t first, std::uint64_t end) {
  const std::size_t from = first_not_before(contacts, first);
  return contacts.subspan(from, first_not_before(contacts, end) - from);
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

const ContactPolicy& policy_of(const ContactInput& input) {
  static const ContactPolicy none;
  return input.policy == nullptr ? none : *input.policy;
}

/// Why two living entities are no longer in contact.
EndReason parted(const Snapshot& snapshot, const ContactPolicy& policy, std::uint32_t a,
                 std::uint32_t b, bool truncated) {
  const Filter& filter_a = snapshot.filter[a];
  const Filter& filter_b = snapshot.filter[b];
  const EntityVersions& changed_a = snapshot.changed[a];
  const EntityVersions& changed_b = snapshot.changed[b];
  const Tick now = snapshot.tick;
  if (!filter_a.enabled || !filter_b.enabled) return EndReason::Disabled;
  const bool ignored = policy.rule_of(filter_a, filter_b).action == PolicyAction::Ignore;
  if (ignored || !accepts(filter_a, filter_b) || snapshot.ignore_one_another(a, b)) {
    return EndReason::FilterChanged;
  }
  if (changed_a.teleported == now || changed_b.teleported == now) return EndReason::Teleported;
  if (changed_a.shape == now || changed_b.shape == now) return EndReason::ShapeChanged;
  if (truncated && touch_at_end(snapshot, a, b)) {
    return EndReason::PairBudget;
  }
  return EndReason::Separated;
}

void prefetch(const Snapshot& snapshot, std::uint32_t slot) {
  __builtin_prefetch(&snapshot.id[slot]);
  __builtin_prefetch(&snapshot.user_data[slot]);
  __builtin_prefetch(&snapshot.owner[slot]);
}

/// Two sorted lists without common pairs, read as one.
template <class T>
class TwoLists {
 public:
  TwoLists(std::span<const T> first, std::span<const T> second) : first_(first), second_(second) {
    choose();
  }
  /// The next contact, null at the end.
  const T* next() const { return next_; }
  void advance() {
    if (from_second_)
      second_ = second_.subspan(1);
    else
      first_ = first_.subspan(1);
    choose();
  }

 private:
  void choose() {
    from_second_ =
        !second_.empty() && (first_.empty() || key_of(second_.front()) < key_of(first_.front()));
    if (from_second_)
      next_ = &second_.front();
    else
      next_ = first_.empty() ? nullptr : &first_.front();
  }

  std::span<const T> first_;
  std::span<const T> second_;
  const T* next_ = nullptr;
  bool from_second_ = false;
};

}  // namespace

struct ContactTracker::Part {
  struct Begun {
    OpenContact contact;
    Impact impact;  ///< of those that pass through
    bool touching = true;
  };
  struct Ended {
    OpenContact contact;
    bool sensor_changed = false;  ///< it goes on as another one
  };

  ContactList now;
  ContactList released;                 ///< at rest
  std::span<const OpenContact> active;  ///< of the last tick
  std::span<const OpenContact> woken;
  std::vector<Begun> begun;
  std::vector<Ended> ended;
  std::vector<ContactEnd> ends;
  std::vector<ContactBegin> begins;
  std::vector<ContactEnd> passed;
  std::vector<OpenContact> open;
  std::vector<OpenContact> rested;
  std::vector<OpenContact> reviewed;
  std::uint64_t digest_change = 0;
  std::size_t open_place = 0;  ///< in the list of all active contacts

  void clear() {
    recycle(begun);
    recycle(ended);
    recycle(ends);
    recycle(begins);
    recycle(passed);
    recycle(open);
    recycle(rested);
    recycle(reviewed);
    digest_change = 0;
  }
};

namespace {

/// The merge of one part.
template <class Part>
class Merge {
 public:
  Merge(const ContactInput& input, const ContactTimers& timers, Part& part)
      : input_(input),
        snapshot_(input.snapshot),
        policy_(policy_of(input)),
        timers_(timers),
        part_(part) {}

  void run() {
    part_.open.reserve(part_.now.size());
    TwoLists<OpenContact> old(part_.active, part_.woken);
    for (TwoLists<Contact> now(part_.now, part_.released); now.next() != nullptr; now.advance()) {
      const Contact& contact = *now.next();
      const std::uint64_t key = key_of(contact);
      while (old.next() != nullptr && key_of(*old.next()) < key) {
        vanish(*old.next());
        old.advance();
      }
      if (old.next() == nullptr || key_of(*old.next()) != key) {
        try_begin(contact);
        continue;
      }
      proceed(*old.next(), contact);
      old.advance();
    }
    for (; old.next() != nullptr; old.advance()) vanish(*old.next());
    describe_all();
  }

 private:
  // What is to be told of begins and ends lies anywhere in memory: it is fetched when they are
  // found and read when all have been. 105 000 contacts with 9 300 begins and ends take 1.4 ms on
  // one worker, read at once 2.2 (cloud machine, 2026-11-30).

  const PolicyRule& rule_of(const Contact& contact) const {
    return policy_.rule_of(snapshot_.filter[contact.a.index()],
                           snapshot_.filter[contact.b.index()]);
  }
  static bool is_sensor(const Contact& contact, const PolicyRule& rule) {
    return contact.sensor || rule.action == PolicyAction::Trigger;
  }

  void try_begin(const Contact& contact) {
    const PolicyRule& rule = rule_of(contact);
    if (rule.action == PolicyAction::Ignore) return;
    if (policy_.has_cooldowns() && timers_.is_cooling(contact.a, contact.b)) return;
    begin(contact, is_sensor(contact, rule));
  }

  void begin(const Contact& contact, bool sensor) {
    const OpenContact fresh{contact.a, contact.b, snapshot_.tick, sensor};
    if (contact.touching) {
      part_.open.push_back(fresh);
      part_.digest_change += digest_of(fresh);
    }
    part_.begun.push_back({fresh, contact.impact, contact.touching});
    prefetch(snapshot_, contact.a.index());
    prefetch(snapshot_, contact.b.index());
  }

  void end(const OpenContact& contact, bool sensor_changed = false) {
    part_.digest_change -= digest_of(contact);
    part_.ended.push_back({contact, sensor_changed});
    prefetch(snapshot_, contact.a.index());
    prefetch(snapshot_, contact.b.index());
  }

  void describe_all() {
    for (const auto& [contact, passing, touching] : part_.begun) {
      const EventContact event = describe(contact, snapshot_);
      const Impact first =
          touching ? impact(snapshot_, contact.a.index(), contact.b.index()) : passing;
      part_.begins.push_back({event, first.toi, first.capped, 0});
      if (!touching) part_.passed.push_back({event, EndReason::PassedThrough, 0});
    }
    for (const auto& [contact, sensor_changed] : part_.ended) {
      if (sensor_changed)
        part_.ends.push_back({describe(contact, snapshot_), EndReason::FilterChanged, 0});
      else
        part_.ends.push_back(end_of(contact));
    }
  }

  ContactEnd end_of(const OpenContact& contact) const {
    const std::optional<EndReason> gone_a = gone(snapshot_, contact.a);
    const std::optional<EndReason> gone_b = gone(snapshot_, contact.b);
    if (gone_a || gone_b) {
      const bool despawned = gone_a == EndReason::Despawned || gone_b == EndReason::Despawned;
      return {describe(contact, input_.last),
              despawned ? EndReason::Despawned : EndReason::OutOfWorld};
    }
    return {describe(contact, snapshot_), parted(snapshot_, policy_, contact.a.index(),
                                                 contact.b.index(), input_.pairs_truncated)};
  }

  /// Only in the old list.
  void vanish(const OpenContact& contact) {
    const bool rests =
        input_.index.at_rest(contact.a.index()) && input_.index.at_rest(contact.b.index());
    if (!rests) {
      end(contact);
      return;
    }
    DCHECK(snapshot_.contains(contact.a) && snapshot_.contains(contact.b));
    part_.rested.push_back(contact);
  }

  /// The same slots in both lists.
  void proceed(const OpenContact& old, const Contact& contact) {
    if (old.a != contact.a || old.b != contact.b) {
      end(old);
      try_begin(contact);
      return;
    }
    const PolicyRule& rule = rule_of(contact);
    const bool sensor = is_sensor(contact, rule);
    if (contact.touching && old.sensor == sensor && rule.action != PolicyAction::Ignore) {
      part_.open.push_back(old);
      if (policy_.has_stays() && may_have_another_rule(contact)) part_.reviewed.push_back(old);
      return;
    }
    // Not touching: parted by a teleport, then passed through on a path.
    end(old, contact.touching && rule.action != PolicyAction::Ignore);
    if (rule.action != PolicyAction::Ignore && rule.cooldown_ticks == 0) begin(contact, sensor);
  }

  bool may_have_another_rule(const Contact& contact) const {
    return policy_.changed_in(snapshot_.tick) ||
           snapshot_.changed[contact.a.index()].filter == snapshot_.tick ||
           snapshot_.changed[contact.b.index()].filter == snapshot_.tick;
  }

  const ContactInput& input_;
  const Snapshot& snapshot_;
  const ContactPolicy& policy_;
  const ContactTimers& timers_;
  Part& part_;
};

template <class T>
void append(std::vector<T>& out, const std::vector<T>& items) {
  out.insert(out.end(), items.begin(), items.end());
}

}  // namespace

ContactTracker::ContactTracker() = default;
ContactTracker::~ContactTracker() = default;

void ContactTracker::update(const ContactInput& input, Workers& workers, ContactEvents& out) {
  recycle(woken_);
  resting_.wake(input.index.woken_pairs(), input.snapshot.tick, woken_);
  timers_.begin_tick(input.snapshot, policy_of(input));
  divide(input, find_released(input, workers));
  const auto work = [this, &input](std::size_t part, std::size_t, std::size_t) {
    Merge(input, timers_, parts_[part]).run();
  };
  workers.parallel_blocks(part_count_, 1, work);
  join(out);
  take_over(workers);
  resting_.rest(rested_);
  open_.resting_ = resting_.view(input.snapshot.tick);
  timers_.end_tick(input.snapshot, policy_of(input), reviewed_, out);
  number(out);
}

/// Contacts of the pairs that no longer cool down and that the index does not report, since both
/// rest.
ContactList ContactTracker::find_released(const ContactInput& input, Workers& workers) {
  recycle(released_pairs_);
  for (const SlotPair pair : timers_.released()) {
    const bool rests = input.index.at_rest(pair.a) && input.index.at_rest(pair.b);
    const std::vector<Filter>& filter = input.snapshot.filter;
    if (rests && accepts(filter[pair.a], filter[pair.b])) released_pairs_.push_back(pair);
  }
  if (released_pairs_.empty()) return {};
  return released_finder_.find(input.snapshot, released_pairs_, workers);
}

/// In the order in which they are told.
void ContactTracker::number(ContactEvents& events) {
  const auto number_all = [this](auto& list) {
    for (auto& event : list) event.event_seq = ++event_count_;
  };
  number_all(events.ends);
  number_all(events.begins);
  number_all(events.passed);
  number_all(events.stays);
}

/// Cuts the longer of the two lists into equal parts, and the others at the same pairs.
void ContactTracker::divide(const ContactInput& input, ContactList released) {
  const ContactList now = input.contacts;
  std::span<const OpenContact> active;
  if (open_.active_) active = {open_.active_->data(), open_.active_->size()};
  const std::span<const OpenContact> woken = woken_;
  const bool by_now = now.size() >= active.size();
  part_count_ =
      std::max<std::size_t>(1, block_count(std::max(now.size(), active.size()), part_size));
  if (parts_.size() < part_count_) parts_.resize(part_count_);
  const auto border = [&](std::size_t part) -> std::uint64_t {
    if (part == 0) return 0;
    if (part == part_count_) return ~std::uint64_t{0};  // nothing is in contact with itself
    const std::size_t place = part * part_size;
    return by_now ? key_of(now[place]) : key_of(active[place]);
  };
  for (std::size_t i = 0; i < part_count_; ++i) {
    Part& part = parts_[i];
    part.clear();
    part.now = between(now, border(i), border(i + 1));
    part.released = between(released, border(i), border(i + 1));
    part.active = between(active, border(i), border(i + 1));
    part.woken = between(woken, border(i), border(i + 1));
  }
  for (std::size_t i = part_count_; i < parts_.size(); ++i) parts_[i].clear();
}

/// Joins the small results of all parts.
void ContactTracker::join(ContactEvents& out) {
  recycle(out.ends);
  recycle(out.begins);
  recycle(out.passed);
  recycle(rested_);
  recycle(reviewed_);
  std::size_t open_count = 0;
  for (std::size_t i = 0; i < part_count_; ++i) {
    Part& part = parts_[i];
    append(out.ends, part.ends);
    append(out.begins, part.begins);
    append(out.passed, part.passed);
    append(rested_, part.rested);
    append(reviewed_, part.reviewed);
    open_.digest_ += part.digest_change;
    part.open_place = open_count;
    open_count += part.open.size();
  }
}

/// Makes the open contacts of all parts the active ones. The last list stays as it is for whoever
/// reads it.
void ContactTracker::take_over(Workers& workers) {
  const Part& last = parts_[part_count_ - 1];
  const std::shared_ptr<RawBuffer<OpenContact>> active = pool_.take();
  active->reset(last.open_place + last.open.size());
  OpenContact* const contacts = active->data();
  const auto copy = [this, contacts](std::size_t part, std::size_t, std::size_t) {
    const std::vector<OpenContact>& open = parts_[part].open;
    std::copy(open.begin(), open.end(), contacts + parts_[part].open_place);
  };
  workers.parallel_blocks(part_count_, 1, copy);
  open_.active_ = active;
  pool_.shrink(buffers_kept);
}

}  // namespace vicinity
