// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/result_hash.h"

#include <array>
#include <concepts>
#include <functional>
#include <type_traits>

#include "base/check.h"
#include "base/hash.h"

namespace vicinity {
namespace {

/// Slots per block of the loop over what changed: some 100 microseconds of work.
constexpr std::size_t slots_per_block = 2048;

/// Hashes the types of the world, word by word into a sink.
template <class Sink>
class ValueHash {
 public:
  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  void add(T value) {
    sink_.add(value);
  }
  void add(double value) { sink_.add(value); }
  void add(EntityId id) { add(id.raw()); }
  void add(SessionId session) { add(session.value); }
  void add(Vec3 v) {
    add(v.x);
    add(v.y);
    add(v.z);
  }
  void add(const Aabb& box) {
    add(box.min);
    add(box.max);
  }
  std::uint64_t digest() { return sink_.digest(); }

 private:
  Sink sink_;
};
using ResultHash = ValueHash<ContentHash>;

/// The few words of one entity, hashed at once.
class FewWords {
 public:
  template <class T>
  void add(T value) {
    DCHECK(count_ < words_.size());
    words_[count_++] = static_cast<std::uint64_t>(value);
  }
  void add(double value) { add(hash_word(value)); }
  std::uint64_t digest() const { return hash_words(std::span(words_).first(count_)); }

 private:
  std::array<std::uint64_t, 48> words_;
  std::size_t count_ = 0;
};

template <class Hash>
void add_turn(const Turn& turn, Hash& hash) {
  for (const Quat& rotation : {turn.rotation, turn.start_rotation}) {
    hash.add(rotation.vector());
    hash.add(rotation.w);
  }
  hash.add(turn.angular_velocity);
  hash.add(turn.rotation_vector);
}

std::uint64_t hash_pose(const Snapshot& snapshot, std::uint32_t slot) {
  ValueHash<FewWords> hash;
  hash.add(snapshot.id[slot]);
  hash.add(snapshot.position[slot]);
  hash.add(snapshot.velocity[slot]);
  hash.add(snapshot.tight_box[slot]);
  hash.add(snapshot.start_box[slot]);
  hash.add(snapshot.motion[slot]);
  if (!snapshot.turn.empty() && snapshot.turn[slot] != Turn{}) add_turn(snapshot.turn[slot], hash);
  hash.add(snapshot.changed[slot].pose);
  hash.add(snapshot.changed[slot].teleported);
  return hash.digest();
}

std::uint64_t hash_details(const Snapshot& snapshot, std::uint32_t slot) {
  ValueHash<FewWords> hash;
  hash.add(snapshot.id[slot]);
  const Shape& shape = snapshot.shape[slot];
  hash.add(shape.kind);
  hash.add(shape.radius_m);
  hash.add(shape.half_height_m);
  hash.add(shape.offset);
  hash.add(shape.box_min);
  hash.add(shape.box_max);
  if (!shape.is_plain()) hash.add(shape.compound->digest);
  const Filter& filter = snapshot.filter[slot];
  hash.add(filter.category);
  hash.add(filter.mask);
  hash.add(filter.group);
  hash.add(filter.instance);
  hash.add(filter.sensor);
  hash.add(filter.is_static);
  hash.add(filter.enabled);
  hash.add(filter.continuous);
  hash.add(snapshot.user_data[slot]);
  hash.add(snapshot.owner[slot]);
  const EntityVersions& changed = snapshot.changed[slot];
  hash.add(changed.spawned);
  hash.add(changed.shape);
  hash.add(changed.filter);
  hash.add(changed.enabled);
  hash.add(changed.user_data);
  return hash.digest();
}

bool details_changed(const EntityVersions& changed, Tick tick) {
  return changed.spawned == tick || changed.shape == tick || changed.filter == tick ||
         changed.enabled == tick || changed.user_data == tick;
}

void add_contact(const EventContact& contact, ResultHash& hash) {
  hash.add(contact.a);
  hash.add(contact.b);
  hash.add(contact.begin_tick);
  hash.add(contact.user_data_a);
  hash.add(contact.user_data_b);
  hash.add(contact.owner_a);
  hash.add(contact.owner_b);
  hash.add(contact.sensor);
}

void add_ends(const std::vector<ContactEnd>& ends, ResultHash& hash) {
  hash.add(ends.size());
  for (const ContactEnd& end : ends) {
    add_contact(end.contact, hash);
    hash.add(end.reason);
  }
}

void add_ids(const Snapshot& snapshot, const std::vector<std::uint32_t>& slots, ResultHash& hash) {
  hash.add(slots.size());
  for (const std::uint32_t slot : slots) hash.add(snapshot.id[slot]);
}

void add_observer(const Snapshot& snapshot, const ObserverEvents& events, ResultHash& hash) {
  hash.add(events.session);
  hash.add(events.observer.value);
  hash.add(events.leaves.size());
  for (const Leave& leave : events.leaves) {
    hash.add(leave.id);
    hash.add(leave.reason);
    hash.add(leave.user_data);
  }
  add_ids(snapshot, events.enters, hash);
  hash.add(events.visible_count);
}

void add_outcomes(const SessionTable& sessions, ResultHash& hash) {
  for (const auto& [id, session] : sessions) {
    if (session.results.empty()) continue;
    hash.add(id);
    hash.add(session.results.size());
    for (const CommandResult& result : session.results) {
      hash.add(result.sequence);
      hash.add(result.code);
      hash.add(result.entity);
    }
  }
}

}  // namespace

/// How much the sum changes.
std::uint64_t EntityHash::update_slot(const Snapshot& snapshot, std::uint32_t slot) {
  Part& part = parts_[slot];
  const std::uint64_t before = part.pose + part.details;
  if (snapshot.is_alive(slot)) {
    part.pose = hash_pose(snapshot, slot);
    if (part.details == 0 || details_changed(snapshot.changed[slot], snapshot.tick))
      part.details = hash_details(snapshot, slot);
  } else {
    part = {};
  }
  return part.pose + part.details - before;
}

void EntityHash::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                        Workers& workers) {
  CHECK(parts_.size() <= snapshot.slot_count());
  parts_.resize(snapshot.slot_count());
  block_changes_.assign(block_count(changed.size(), slots_per_block), 0);
  const auto update_block = [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::uint64_t change = 0;
    for (const std::uint32_t slot : changed.subspan(begin, end - begin))
      change += update_slot(snapshot, slot);
    block_changes_[block] = change;
  };
  workers.parallel_blocks(changed.size(), slots_per_block, std::ref(update_block));
  for (const std::uint64_t change : block_changes_) sum_ += change;
}

std::uint64_t result_hash(const Snapshot& snapshot, const EntityHash& entities,
                          const OpenContacts& open, const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers,
                          const SessionTable& sessions) {
  ResultHash hash;
  hash.add(snapshot.tick);
  hash.add(snapshot.dt_s);
  hash.add(snapshot.entity_count);
  hash.add(entities.digest());
  hash.add(snapshot.despawned.size());
  for (const Despawn& despawn : snapshot.despawned) {
    hash.add(despawn.id);
    hash.add(despawn.owner);
    hash.add(despawn.reason);
    hash.add(despawn.user_data);
    hash.add(despawn.by);
  }
  hash.add(open.size());
  hash.add(open.digest());
  add_ends(contacts.ends, hash);
  hash.add(contacts.begins.size());
  for (const ContactBegin& begin : contacts.begins) {
    add_contact(begin.contact, hash);
    hash.add(begin.toi);
    hash.add(begin.capped);
  }
  add_ends(contacts.passed, hash);
  hash.add(contacts.stays.size());
  for (const ContactStay& stay : contacts.stays) add_contact(stay.contact, hash);
  hash.add(observers.size());
  for (const ObserverEvents& events : observers) add_observer(snapshot, events, hash);
  add_outcomes(sessions, hash);
  return hash.digest();
}

}  // namespace vicinity
