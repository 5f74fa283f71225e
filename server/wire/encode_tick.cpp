// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// One tick for one session, cut into parts. Items are written in the order in which a client must
// apply them; a part takes as many as fit, the next part goes on where it stopped:
//
//      leaves of all observers | enters | changed | moved | ends | begins | details | passed |
//      stays | lost
//      [------ part 0 ------][-------- part 1 --------][------ part 2, last ------]
#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "wire/encode.h"
#include "wire/encode_results.h"
#include "wire/finish_frame.h"

namespace vicinity::wire {
namespace {

using flatbuffers::FlatBufferBuilder;

/// The rest of a list that may take several parts.
template <class Item>
class Items {
 public:
  explicit Items(const std::vector<Item>& items) : items_(items) {}
  std::size_t remaining() const { return items_.size() - next_; }
  const Item& take() { return items_[next_++]; }

 private:
  const std::vector<Item>& items_;
  std::size_t next_ = 0;
};

/// The same over one list of every observer, observer after observer.
template <class Item>
class ObserverItems {
 public:
  using List = std::vector<Item> ObserverEvents::*;

  ObserverItems(const std::vector<ObserverEvents>& observers, List list)
      : observers_(observers), list_(list) {
    for (const ObserverEvents& observer : observers) remaining_ += (observer.*list).size();
  }
  std::size_t remaining() const { return remaining_; }
  std::pair<ObserverId, Item> take() {
    while (item_ == (observers_[observer_].*list_).size()) {
      ++observer_;
      item_ = 0;
    }
    --remaining_;
    return {observers_[observer_].observer, (observers_[observer_].*list_)[item_++]};
  }

 private:
  const std::vector<ObserverEvents>& observers_;
  List list_;
  std::size_t observer_ = 0;
  std::size_t item_ = 0;
  std::size_t remaining_ = 0;
};

/// The details of the begins, each with the name of its contact.
class DetailItems {
 public:
  explicit DetailItems(const SessionOutput& session) : session_(session) {
    CHECK(session.begin_details.empty() ||
          session.begin_details.size() == session.contact_begins.size());
  }
  std::size_t remaining() const { return session_.begin_details.size() - next_; }
  std::pair<const EventContact&, const ImpactDetail&> take() {
    const std::size_t item = next_++;
    return {session_.contact_begins[item].contact, session_.begin_details[item]};
  }

 private:
  const SessionOutput& session_;
  std::size_t next_ = 0;
};

/// Everything of the tick that has not been written yet.
struct Rest {
  explicit Rest(const SessionOutput& session)
      : leaves(session.observers, &ObserverEvents::leaves),
        enters(session.observers, &ObserverEvents::enters),
        changed(session.observers, &ObserverEvents::changed),
        moved(session.observers, &ObserverEvents::moved),
        contact_ends(session.contact_ends),
        contact_begins(session.contact_begins),
        begin_details(session),
        contact_passed(session.contact_passed),
        contact_stays(session.contact_stays),
        lost(session.lost) {}

  std::size_t bytes() const {
    return leaves.remaining() * sizeof(proto::Leave) +
           (enters.remaining() + changed.remaining()) * sizeof(proto::EntityState) +
           moved.remaining() * sizeof(proto::EntityMotion) +
           (contact_ends.remaining() + contact_passed.remaining()) * sizeof(proto::ContactEnd) +
           contact_begins.remaining() * sizeof(proto::ContactBegin) +
           begin_details.remaining() * sizeof(proto::ContactDetail) +
           contact_stays.remaining() * sizeof(proto::ContactStay) +
           lost.remaining() * sizeof(proto::Lost);
  }

  ObserverItems<Leave> leaves;
  ObserverItems<std::uint32_t> enters;
  ObserverItems<std::uint32_t> changed;
  ObserverItems<std::uint32_t> moved;
  Items<ContactEnd> contact_ends;
  Items<ContactBegin> contact_begins;
  DetailItems begin_details;
  Items<ContactEnd> contact_passed;
  Items<ContactStay> contact_stays;
  Items<Despawn> lost;
};

proto::Leave to_proto_leave(const std::pair<ObserverId, Leave>& item) {
  const auto& [observer, leave] = item;
  return {leave.id.raw(), leave.user_data, observer.value,
          static_cast<proto::LeaveReason>(leave.reason), leave.suspended};
}

proto::EntityState to_proto_state(const Snapshot& s, std::pair<ObserverId, std::uint32_t> item) {
  const auto [observer, slot] = item;
  DCHECK(s.is_alive(slot));
  const Aabb local = local_box(s.shape[slot]);
  const Filter& filter = s.filter[slot];
  return {s.id[slot].raw(),
          s.user_data[slot],
          to_proto(s.position[slot]),
          to_proto(s.velocity[slot]),
          to_proto(s.pose(slot).rotation),
          to_proto(s.angular_velocity(slot)),
          to_proto(local.min),
          to_proto(local.max),
          observer.value,
          filter.category,
          filter.mask,
          filter.group,
          filter.instance,
          static_cast<proto::ShapeKind>(s.shape[slot].kind),
          filter.sensor,
          filter.is_static,
          0};
}

proto::EntityMotion to_proto_motion(const Snapshot& s, std::pair<ObserverId, std::uint32_t> item) {
  const auto [observer, slot] = item;
  DCHECK(s.is_alive(slot));
  return {s.id[slot].raw(),
          s.user_data[slot],
          to_proto(s.position[slot]),
          to_proto(s.velocity[slot]),
          to_proto(s.pose(slot).rotation),
          to_proto(s.angular_velocity(slot)),
          observer.value};
}

proto::ContactBegin to_proto_begin(const ContactBegin& begin) {
  const EventContact& c = begin.contact;
  return {c.a.raw(), c.b.raw(),       c.begin_tick, c.user_data_a, c.user_data_b,
          begin.toi, begin.event_seq, c.sensor,     begin.capped};
}

proto::ContactDetail to_proto_detail(
    const std::pair<const EventContact&, const ImpactDetail&>& item) {
  const auto& [c, detail] = item;
  return {c.a.raw(),
          c.b.raw(),
          c.begin_tick,
          to_proto(detail.point),
          to_proto(detail.normal),
          detail.penetration_m,
          to_proto(detail.pose_a.position),
          to_proto(detail.pose_a.rotation),
          to_proto(detail.pose_b.position),
          to_proto(detail.pose_b.rotation)};
}

proto::ContactStay to_proto_stay(const ContactStay& stay) {
  const EventContact& c = stay.contact;
  return {c.a.raw(),     c.b.raw(),      c.begin_tick, c.user_data_a,
          c.user_data_b, stay.event_seq, c.sensor};
}

proto::ContactEnd to_proto_end(const ContactEnd& end) {
  const EventContact& c = end.contact;
  return {c.a.raw(),
          c.b.raw(),
          c.begin_tick,
          c.user_data_a,
          c.user_data_b,
          end.event_seq,
          static_cast<proto::EndReason>(end.reason),
          c.sensor};
}

proto::Lost to_proto_lost(const Despawn& despawn) {
  return {despawn.id.raw(), despawn.user_data, static_cast<proto::DespawnReason>(despawn.reason)};
}

/// Writes the vectors of one part within its space.
class PartWriter {
 public:
  explicit PartWriter(std::size_t space_bytes)
      : builder_(space_bytes + frame_overhead_bytes), space_bytes_(space_bytes) {}

  /// Takes what fits from `items`; no vector at all when that is nothing. What does not fit closes
  /// the part for the lists behind it: a client applies them in order.
  template <class Proto, class List, class Convert>
  flatbuffers::Offset<flatbuffers::Vector<const Proto*>> write(List& items, Convert convert) {
    const std::size_t waiting = items.remaining();
    const std::size_t count = std::min(waiting, space_bytes_ / sizeof(Proto));
    space_bytes_ = count < waiting ? 0 : space_bytes_ - count * sizeof(Proto);
    if (count == 0) return 0;
    struct State {
      List& items;
      Convert& convert;
    } state{items, convert};
    // Not CreateUninitializedVectorOfStructs: it aligns to the size of the struct, which goes wrong
    // unless that is a power of two (FlatBuffers 2.0.8).
    return builder_.CreateVectorOfStructs<Proto>(
        count,
        [](std::size_t, Proto* slot, State* from) { *slot = from->convert(from->items.take()); },
        &state);
  }

  FlatBufferBuilder& builder() { return builder_; }

 private:
  FlatBufferBuilder builder_;
  std::size_t space_bytes_;
};

void encode_part(const TickOutput& output, std::uint64_t server_time_us, std::uint32_t part,
                 Rest& rest, std::vector<std::uint8_t>& out) {
  constexpr std::size_t space_bytes = limits::server_frame_bytes_max - frame_overhead_bytes;
  const Snapshot& snapshot = *output.frame->snapshot;
  const auto state = [&](auto item) { return to_proto_state(snapshot, item); };
  const auto motion = [&](auto item) { return to_proto_motion(snapshot, item); };
  PartWriter w(std::min(space_bytes, rest.bytes()));
  const auto leaves = w.write<proto::Leave>(rest.leaves, to_proto_leave);
  const auto enters = w.write<proto::EntityState>(rest.enters, state);
  const auto changed = w.write<proto::EntityState>(rest.changed, state);
  const auto moved = w.write<proto::EntityMotion>(rest.moved, motion);
  const auto ends = w.write<proto::ContactEnd>(rest.contact_ends, to_proto_end);
  const auto begins = w.write<proto::ContactBegin>(rest.contact_begins, to_proto_begin);
  const auto details = w.write<proto::ContactDetail>(rest.begin_details, to_proto_detail);
  const auto passed = w.write<proto::ContactEnd>(rest.contact_passed, to_proto_end);
  const auto stays = w.write<proto::ContactStay>(rest.contact_stays, to_proto_stay);
  const auto lost = w.write<proto::Lost>(rest.lost, to_proto_lost);
  const auto body =
      proto::CreateFrame(w.builder(), output.report.tick, output.report.index_version,
                         server_time_us, output.report.hash, part, rest.bytes() == 0, leaves,
                         enters, changed, moved, ends, begins, passed, lost, details, stays);
  finish_frame(w.builder(), proto::ServerBody::Frame, body.Union(), out);
}

}  // namespace

bool encode_tick(const TickOutput& output, const SessionOutput& session,
                 std::uint64_t server_time_us, std::size_t bytes_max,
                 std::vector<std::uint8_t>& out) {
  const std::size_t out_bytes_max = out.size() + bytes_max;
  if (!encode_results(output.report.tick, session.results, out_bytes_max, out)) return false;
  Rest rest(session);
  // The items alone say most of it, before any of them is written.
  if (rest.bytes() > out_bytes_max - out.size()) return false;
  std::uint32_t part = 0;
  do {
    encode_part(output, server_time_us, part++, rest, out);
    if (out.size() > out_bytes_max) return false;
  } while (rest.bytes() != 0);
  return true;
}

}  // namespace vicinity::wire
