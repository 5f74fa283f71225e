// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// One frame for one session, cut into parts. Items are written in the order in which a client must
// apply them; a part takes as many as fit, the next part goes on where it stopped:
//
//      leaves | enters | changed | moves | ends | begins | details | passed | stays | lost
//      [------ part 0 ------][-------- part 1 --------][------ part 2, last ------]
#include <algorithm>
#include <array>
#include <span>
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

/// The moves of the selection, list after list.
class MoveItems {
 public:
  explicit MoveItems(const FrameSelection& selection) : selection_(selection) {}
  /// Bytes of the items and of the tables around them; an upper end.
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (std::size_t i = list_; i < selection_.move_count; ++i)
      bytes += selection_.moves[i].size_bytes() + streamed_bytes::moves_table;
    return bytes - written_bytes_;
  }
  /// The items alone; a lower end.
  std::size_t item_bytes() const {
    return bytes() - (selection_.move_count - list_) * streamed_bytes::moves_table;
  }
  bool done() const { return list_ == selection_.move_count; }
  const MoveLists& list() const { return selection_.moves[list_]; }
  /// From where the items of each kind of the present list go on.
  std::size_t& place(std::size_t kind) { return places_[kind]; }
  void note_written(std::size_t bytes) { written_bytes_ += bytes; }
  void next_list() {
    ++list_;
    written_bytes_ = 0;
    places_ = {};
  }

  static constexpr std::size_t kind_count = 7;

 private:
  const FrameSelection& selection_;
  std::size_t list_ = 0;
  std::size_t written_bytes_ = 0;  ///< of the items of the present list
  std::array<std::size_t, kind_count> places_ = {};
};

const SessionOutput no_events;
const FrameSelection no_selection;

/// Everything of the frame that has not been written yet.
struct Rest {
  explicit Rest(const FrameContent& content)
      : Rest(content.events != nullptr ? *content.events : no_events,
             content.selection != nullptr ? *content.selection : no_selection) {}
  Rest(const SessionOutput& session, const FrameSelection& selection)
      : leaves(selection.leaves),
        enters(selection.enters),
        changed(selection.changed),
        moves(selection),
        contact_ends(session.contact_ends),
        contact_begins(session.contact_begins),
        begin_details(session),
        contact_passed(session.contact_passed),
        contact_stays(session.contact_stays),
        lost(session.lost) {}

  std::size_t bytes() const {
    return leaves.remaining() * sizeof(proto::Leave) +
           (enters.remaining() + changed.remaining()) * sizeof(proto::EntityState) + moves.bytes() +
           (contact_ends.remaining() + contact_passed.remaining()) * sizeof(proto::ContactEnd) +
           contact_begins.remaining() * sizeof(proto::ContactBegin) +
           begin_details.remaining() * sizeof(proto::ContactDetail) +
           contact_stays.remaining() * sizeof(proto::ContactStay) +
           lost.remaining() * sizeof(proto::Lost);
  }

  Items<StreamedLeave> leaves;
  Items<StreamedEntity> enters;
  Items<StreamedEntity> changed;
  MoveItems moves;
  Items<ContactEnd> contact_ends;
  Items<ContactBegin> contact_begins;
  DetailItems begin_details;
  Items<ContactEnd> contact_passed;
  Items<ContactStay> contact_stays;
  Items<Despawn> lost;
};

proto::Leave to_proto_leave(const StreamedLeave& item) {
  const Leave& leave = item.leave;
  return {leave.id.raw(), leave.user_data, item.observer.value,
          static_cast<proto::LeaveReason>(leave.reason), leave.suspended};
}

proto::EntityState to_proto_state(const Snapshot& s, const StreamedEntity& item) {
  const std::uint32_t slot = item.slot;
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
          item.observer.value,
          filter.category,
          filter.mask,
          filter.group,
          filter.instance,
          static_cast<proto::ShapeKind>(s.shape[slot].kind),
          filter.sensor,
          filter.is_static,
          item.alias};
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

/// A state is written from many arrays: all are fetched before the first is read.
void fetch_states(const Snapshot* snapshot, const std::vector<StreamedEntity>& items) {
  if (items.empty()) return;
  const Snapshot& s = *snapshot;
  for (const StreamedEntity& item : items) {
    __builtin_prefetch(&s.shape[item.slot]);
    __builtin_prefetch(&s.id[item.slot]);
    __builtin_prefetch(&s.user_data[item.slot]);
    __builtin_prefetch(&s.position[item.slot]);
    __builtin_prefetch(&s.velocity[item.slot]);
    __builtin_prefetch(&s.filter[item.slot]);
  }
  asm volatile("");  // a function that only fetches may be left out
}

/// Room for the builder of one part; most parts are small, and then nothing is allocated.
class PartMemory : public flatbuffers::Allocator {
 public:
  std::uint8_t* allocate(std::size_t size_bytes) override {
    return size_bytes <= sizeof(small_) ? small_ : new std::uint8_t[size_bytes];
  }
  void deallocate(std::uint8_t* memory, std::size_t) override {
    if (memory != small_) delete[] memory;
  }
  /// What is too small for a builder, which may not grow within the same memory.
  std::uint8_t* reallocate_downward(std::uint8_t* old, std::size_t old_bytes, std::size_t new_bytes,
                                    std::size_t back_bytes, std::size_t front_bytes) override {
    auto* const grown = new std::uint8_t[new_bytes];
    memcpy_downward(old, old_bytes, grown, new_bytes, back_bytes, front_bytes);
    deallocate(old, old_bytes);
    return grown;
  }

 private:
  alignas(std::max_align_t) std::uint8_t small_[4096];
};

/// Writes the vectors of one part within its space.
class PartWriter {
 public:
  explicit PartWriter(std::size_t space_bytes)
      : builder_(space_bytes + frame_overhead_bytes, &memory_), space_bytes_(space_bytes) {}

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

  /// The same of the moves, which are copied as they are. One table per list and part.
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<proto::Moves>>> write_moves(
      MoveItems& items, const Snapshot* snapshot) {
    std::vector<flatbuffers::Offset<proto::Moves>> tables;
    while (!items.done() && space_bytes_ > streamed_bytes::moves_table) {
      space_bytes_ -= streamed_bytes::moves_table;
      tables.push_back(write_list(items, *snapshot));
    }
    if (!items.done()) space_bytes_ = 0;
    return tables.empty() ? 0 : builder_.CreateVector(tables);
  }

  FlatBufferBuilder& builder() { return builder_; }

 private:
  /// What fits of one kind of item; `complete` becomes false when that is not all.
  template <class Proto, class Item>
  flatbuffers::Offset<flatbuffers::Vector<const Proto*>> copy(const std::vector<Item>& from,
                                                              std::size_t kind, MoveItems& items,
                                                              bool& complete) {
    static_assert(sizeof(Proto) == sizeof(Item) && alignof(Proto) == alignof(Item));
    std::size_t& place = items.place(kind);
    const std::size_t count = fitting(from.size() - place, sizeof(Item), complete);
    if (count == 0) return 0;
    const auto* first = reinterpret_cast<const Proto*>(from.data() + place);
    place += count;
    items.note_written(count * sizeof(Item));
    return builder_.CreateVectorOfStructs(first, count);
  }
  std::size_t fitting(std::size_t waiting, std::size_t item_bytes, bool& complete) {
    const std::size_t count = std::min(waiting, space_bytes_ / item_bytes);
    complete = complete && count == waiting;
    space_bytes_ -= count * item_bytes;
    return count;
  }

  flatbuffers::Offset<proto::Moves> write_list(MoveItems& items, const Snapshot& snapshot) {
    const MoveLists& list = items.list();
    bool complete = true;
    const auto near = copy<proto::NearMove>(list.near, 0, items, complete);
    const auto wide = copy<proto::WideMove>(list.wide, 1, items, complete);
    const auto turns = copy<proto::TurnUpdate>(list.turns, 2, items, complete);
    const auto velocities = copy<proto::VelocityUpdate>(list.velocities, 3, items, complete);
    const auto spins = copy<proto::VelocityUpdate>(list.spins, 4, items, complete);
    const auto far = write_far(items, snapshot, complete);
    flatbuffers::Offset<flatbuffers::Vector<std::uint16_t>> jumps = 0;
    std::size_t& jump = items.place(6);
    const std::size_t jump_count =
        fitting(list.jumps.size() - jump, sizeof(std::uint16_t), complete);
    if (jump_count > 0) jumps = builder_.CreateVector(list.jumps.data() + jump, jump_count);
    jump += jump_count;
    items.note_written(jump_count * sizeof(std::uint16_t));
    if (complete) items.next_list();
    return proto::CreateMoves(builder_, list.observer.value, list.page, list.origin.x,
                              list.origin.y, list.origin.z, near, wide, far, turns, velocities,
                              spins, jumps);
  }

  flatbuffers::Offset<flatbuffers::Vector<const proto::FarMove*>> write_far(
      MoveItems& items, const Snapshot& snapshot, bool& complete) {
    const std::vector<FarMove>& list = items.list().far;
    std::size_t& place = items.place(5);
    const std::size_t count = fitting(list.size() - place, sizeof(proto::FarMove), complete);
    if (count == 0) return 0;
    std::vector<proto::FarMove> moves;
    for (const FarMove& move : std::span(list).subspan(place, count))
      moves.emplace_back(move.alias, to_proto(snapshot.position[move.slot]));
    place += count;
    items.note_written(count * sizeof(proto::FarMove));
    return builder_.CreateVectorOfStructs(moves);
  }

  PartMemory memory_;  // before the builder, which gives it back
  FlatBufferBuilder builder_;
  std::size_t space_bytes_;
};

void encode_part(const FrameContent& content, std::uint32_t part, Rest& rest,
                 std::vector<std::uint8_t>& out) {
  constexpr std::size_t space_bytes = limits::server_frame_bytes_max - frame_overhead_bytes;
  const auto state = [&](const StreamedEntity& item) {
    return to_proto_state(*content.snapshot, item);
  };
  PartWriter w(std::min(space_bytes, rest.bytes()));
  const auto leaves = w.write<proto::Leave>(rest.leaves, to_proto_leave);
  const auto enters = w.write<proto::EntityState>(rest.enters, state);
  const auto changed = w.write<proto::EntityState>(rest.changed, state);
  const auto moves = w.write_moves(rest.moves, content.snapshot);
  const auto ends = w.write<proto::ContactEnd>(rest.contact_ends, to_proto_end);
  const auto begins = w.write<proto::ContactBegin>(rest.contact_begins, to_proto_begin);
  const auto details = w.write<proto::ContactDetail>(rest.begin_details, to_proto_detail);
  const auto passed = w.write<proto::ContactEnd>(rest.contact_passed, to_proto_end);
  const auto stays = w.write<proto::ContactStay>(rest.contact_stays, to_proto_stay);
  const auto lost = w.write<proto::Lost>(rest.lost, to_proto_lost);
  const FrameSelection& view = content.selection != nullptr ? *content.selection : no_selection;
  const auto body = proto::CreateFrame(
      w.builder(), content.tick, content.index_version, content.server_time_us, content.result_hash,
      part, rest.bytes() == 0, leaves, enters, changed, ends, begins, passed, lost, details, stays,
      view.enters_waiting, static_cast<proto::StreamHealth>(view.health),
      static_cast<proto::Shedding>(content.shedding), moves, content.selection == nullptr);
  finish_frame(w.builder(), proto::ServerBody::Frame, body.Union(), out);
}

}  // namespace

bool encode_frame(const FrameContent& content, std::size_t bytes_max,
                  std::vector<std::uint8_t>& out) {
  const std::size_t out_bytes_max = out.size() + bytes_max;
  if (content.events != nullptr &&
      !encode_results(content.tick, content.events->results, out_bytes_max, out))
    return false;
  if (content.selection != nullptr) {
    fetch_states(content.snapshot, content.selection->enters);
    fetch_states(content.snapshot, content.selection->changed);
  }
  Rest rest(content);
  // The items alone say most of it, before any of them is written.
  const std::size_t item_bytes = rest.bytes() - rest.moves.bytes() + rest.moves.item_bytes();
  if (item_bytes > out_bytes_max - out.size()) return false;
  std::uint32_t part = 0;
  do {
    encode_part(content, part++, rest, out);
    if (out.size() > out_bytes_max) return false;
  } while (rest.bytes() != 0);
  return true;
}

}  // namespace vicinity::wire
