// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/result_hash.h"

#include <concepts>

#include "base/hash.h"

namespace vicinity {
namespace {

/// Rows per block. Part of the definition of the hash: blocks are hashed apart, then their digests.
constexpr std::size_t rows_per_block = 1024;

/// The hash, for the types of the world.
class ResultHash {
 public:
  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  void add(T value) {
    hash_.add(value);
  }
  void add(double value) { hash_.add(value); }
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
  std::uint64_t digest() { return hash_.digest(); }

 private:
  ContentHash hash_;
};

void add_shape(const Shape& shape, ResultHash& hash) {
  hash.add(shape.kind);
  hash.add(shape.radius_m);
  hash.add(shape.half_height_m);
  hash.add(shape.offset);
  hash.add(shape.box_min);
  hash.add(shape.box_max);
}

void add_filter(const Filter& filter, ResultHash& hash) {
  hash.add(filter.category);
  hash.add(filter.mask);
  hash.add(filter.group);
  hash.add(filter.instance);
  hash.add(filter.sensor);
  hash.add(filter.is_static);
  hash.add(filter.enabled);
}

void add_row(const Snapshot& snapshot, std::size_t row, ResultHash& hash) {
  hash.add(snapshot.id[row]);
  hash.add(snapshot.position[row]);
  hash.add(snapshot.velocity[row]);
  hash.add(snapshot.tight_box[row]);
  hash.add(snapshot.start_box[row]);
  hash.add(snapshot.motion[row]);
  add_shape(snapshot.shape[row], hash);
  add_filter(snapshot.filter[row], hash);
  hash.add(snapshot.user_data[row]);
  hash.add(snapshot.owner[row]);
  const EntityVersions& changed = snapshot.changed[row];
  hash.add(changed.spawned);
  hash.add(changed.pose);
  hash.add(changed.teleported);
  hash.add(changed.shape);
  hash.add(changed.filter);
  hash.add(changed.enabled);
  hash.add(changed.user_data);
}

void add_rows(const Snapshot& snapshot, Workers& workers, ResultHash& hash) {
  const std::size_t row_count = snapshot.row_count();
  std::vector<std::uint64_t> digests(block_count(row_count, rows_per_block));
  workers.parallel_blocks(row_count, rows_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            ResultHash rows;
                            for (std::size_t row = begin; row < end; ++row)
                              add_row(snapshot, row, rows);
                            digests[block] = rows.digest();
                          });
  hash.add(row_count);
  for (const std::uint64_t digest : digests) hash.add(digest);
}

void add_contact(const OpenContact& contact, ResultHash& hash) {
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

void add_ids(const Snapshot& snapshot, const std::vector<std::uint32_t>& rows, ResultHash& hash) {
  hash.add(rows.size());
  for (const std::uint32_t row : rows) hash.add(snapshot.id[row]);
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
  add_ids(snapshot, events.changed, hash);
  add_ids(snapshot, events.moved, hash);
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

std::uint64_t result_hash(const Snapshot& snapshot, const std::vector<OpenContact>& open,
                          const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers,
                          const SessionTable& sessions, Workers& workers) {
  ResultHash hash;
  hash.add(snapshot.tick);
  hash.add(snapshot.dt_s);
  add_rows(snapshot, workers, hash);
  hash.add(snapshot.despawned.size());
  for (const Despawn& despawn : snapshot.despawned) {
    hash.add(despawn.id);
    hash.add(despawn.owner);
    hash.add(despawn.reason);
    hash.add(despawn.user_data);
    hash.add(despawn.by);
  }
  hash.add(open.size());
  for (const OpenContact& contact : open) add_contact(contact, hash);
  add_ends(contacts.ends, hash);
  hash.add(contacts.begins.size());
  for (const ContactBegin& begin : contacts.begins) {
    add_contact(begin.contact, hash);
    hash.add(begin.toi);
  }
  add_ends(contacts.passed, hash);
  hash.add(observers.size());
  for (const ObserverEvents& events : observers) add_observer(snapshot, events, hash);
  add_outcomes(sessions, hash);
  return hash.digest();
}

}  // namespace vicinity
