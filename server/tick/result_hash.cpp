// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/result_hash.h"

#include <bit>
#include <concepts>

#include "base/hash.h"

namespace vicinity {
namespace {

/// Rows per block. Part of the definition of the hash: blocks are hashed apart, then their digests.
constexpr std::size_t rows_per_block = 1024;

/// Collects values as 64-bit words, to be hashed in one go: a call into the hash for every field
/// costs more than the hashing.
class Words {
 public:
  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  void add(T value) {
    words_.push_back(static_cast<std::uint64_t>(value));
  }
  void add(double value) { words_.push_back(std::bit_cast<std::uint64_t>(value + 0.0)); }
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

  std::uint64_t digest() const {
    ContentHash hash;
    hash.add_bytes(words_.data(), words_.size() * sizeof(std::uint64_t));
    return hash.digest();
  }

 private:
  std::vector<std::uint64_t> words_;
};

void add_shape(const Shape& shape, Words& words) {
  words.add(shape.kind);
  words.add(shape.radius_m);
  words.add(shape.half_height_m);
  words.add(shape.offset);
  words.add(shape.box_min);
  words.add(shape.box_max);
}

void add_filter(const Filter& filter, Words& words) {
  words.add(filter.category);
  words.add(filter.mask);
  words.add(filter.group);
  words.add(filter.instance);
  words.add(filter.sensor);
  words.add(filter.is_static);
  words.add(filter.enabled);
}

void add_row(const Snapshot& snapshot, std::size_t row, Words& words) {
  words.add(snapshot.id[row]);
  words.add(snapshot.position[row]);
  words.add(snapshot.velocity[row]);
  words.add(snapshot.tight_box[row]);
  words.add(snapshot.start_box[row]);
  words.add(snapshot.motion[row]);
  add_shape(snapshot.shape[row], words);
  add_filter(snapshot.filter[row], words);
  words.add(snapshot.user_data[row]);
  words.add(snapshot.owner[row]);
  const EntityVersions& changed = snapshot.changed[row];
  words.add(changed.spawned);
  words.add(changed.pose);
  words.add(changed.teleported);
  words.add(changed.shape);
  words.add(changed.filter);
  words.add(changed.enabled);
  words.add(changed.user_data);
}

void add_rows(const Snapshot& snapshot, Workers& workers, Words& words) {
  const std::size_t row_count = snapshot.row_count();
  std::vector<std::uint64_t> digests(block_count(row_count, rows_per_block));
  workers.parallel_blocks(row_count, rows_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            Words rows;
                            for (std::size_t row = begin; row < end; ++row)
                              add_row(snapshot, row, rows);
                            digests[block] = rows.digest();
                          });
  words.add(row_count);
  for (const std::uint64_t digest : digests) words.add(digest);
}

void add_contact(const OpenContact& contact, Words& words) {
  words.add(contact.a);
  words.add(contact.b);
  words.add(contact.begin_tick);
  words.add(contact.user_data_a);
  words.add(contact.user_data_b);
  words.add(contact.owner_a);
  words.add(contact.owner_b);
  words.add(contact.sensor);
}

void add_ends(const std::vector<ContactEnd>& ends, Words& words) {
  words.add(ends.size());
  for (const ContactEnd& end : ends) {
    add_contact(end.contact, words);
    words.add(end.reason);
  }
}

void add_ids(const Snapshot& snapshot, const std::vector<std::uint32_t>& rows, Words& words) {
  words.add(rows.size());
  for (const std::uint32_t row : rows) words.add(snapshot.id[row]);
}

void add_observer(const Snapshot& snapshot, const ObserverEvents& events, Words& words) {
  words.add(events.session);
  words.add(events.observer.value);
  words.add(events.leaves.size());
  for (const Leave& leave : events.leaves) {
    words.add(leave.id);
    words.add(leave.reason);
  }
  add_ids(snapshot, events.enters, words);
  add_ids(snapshot, events.changed, words);
  add_ids(snapshot, events.moved, words);
  words.add(events.visible_count);
}

}  // namespace

std::uint64_t result_hash(const Snapshot& snapshot, const std::vector<OpenContact>& open,
                          const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers, Workers& workers) {
  Words words;
  words.add(snapshot.tick);
  words.add(snapshot.dt_s);
  add_rows(snapshot, workers, words);
  words.add(snapshot.despawned.size());
  for (const Despawn& despawn : snapshot.despawned) {
    words.add(despawn.id);
    words.add(despawn.owner);
    words.add(despawn.reason);
  }
  words.add(open.size());
  for (const OpenContact& contact : open) add_contact(contact, words);
  add_ends(contacts.ends, words);
  words.add(contacts.begins.size());
  for (const ContactBegin& begin : contacts.begins) {
    add_contact(begin.contact, words);
    words.add(begin.toi);
  }
  add_ends(contacts.passed, words);
  words.add(observers.size());
  for (const ObserverEvents& events : observers) add_observer(snapshot, events, words);
  return words.digest();
}

}  // namespace vicinity
