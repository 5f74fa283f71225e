// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/view_stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "stream/near_kernel.h"

namespace vicinity {
namespace {

bool by_slot(const StreamRecord& a, const StreamRecord& b) { return a.slot < b.slot; }

/// Three signed 21-bit numbers.
constexpr std::int64_t wide_max = (std::int64_t{1} << 20) - 1;
constexpr std::int64_t near_max = 32'767;

bool within(const QuantisedPosition& offset, std::int64_t max) {
  return offset.x >= -max && offset.x <= max && offset.y >= -max && offset.y <= max &&
         offset.z >= -max && offset.z <= max;
}

WideMove wide_move(std::uint16_t alias, const QuantisedPosition& offset) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
  const std::uint64_t bits = (static_cast<std::uint64_t>(offset.x) & mask) |
                             ((static_cast<std::uint64_t>(offset.y) & mask) << 21) |
                             ((static_cast<std::uint64_t>(offset.z) & mask) << 42);
  WideMove move{alias, {}};
  for (int i = 0; i < 4; ++i) move.bits[i] = static_cast<std::uint16_t>(bits >> (16 * i));
  return move;
}

void put_position(const SelectContext& context, const MotionRow& row,
                  const QuantisedPosition& origin, const StreamRecord& record, MoveLists& lists) {
  const auto alias = static_cast<std::uint16_t>(record.alias);
  QuantisedPosition offset = {row.motion.position[0] - origin.x, row.motion.position[1] - origin.y,
                              row.motion.position[2] - origin.z};
  if (context.resolution_m != context.motions.resolution_m() || row.motion.far) {
    const QuantisedPosition position =
        quantise_position(context.snapshot.position[record.slot], context.resolution_m);
    offset = {position.x - origin.x, position.y - origin.y, position.z - origin.z};
  }
  if (within(offset, near_max)) {
    lists.near.push_back({alias, static_cast<std::int16_t>(offset.x),
                          static_cast<std::int16_t>(offset.y),
                          static_cast<std::int16_t>(offset.z)});
  } else if (within(offset, wide_max)) {
    lists.wide.push_back(wide_move(alias, offset));
  } else {
    lists.far.push_back({alias, record.slot});
  }
}

/// The same of one whose position is the only news. False: it is not near.
bool put_near(const MotionHead& head, const QuantisedPosition& origin, std::uint32_t alias,
              NearRun& run) {
  const std::int64_t x = head.position[0] - origin.x;
  const std::int64_t y = head.position[1] - origin.y;
  const std::int64_t z = head.position[2] - origin.z;
  constexpr auto span = static_cast<std::uint64_t>(2 * near_max);
  const bool is_near = (static_cast<std::uint64_t>(x + near_max) <= span) &
                       (static_cast<std::uint64_t>(y + near_max) <= span) &
                       (static_cast<std::uint64_t>(z + near_max) <= span);
  if (is_near) run.put(alias, x, y, z);
  return is_near;
}

bool needs_state(const MotionRow& row, const StreamRecord& record) {
  return record.standing == Standing::Stale || row.state_tick > record.told;
}

void note_told(Tick tick, StreamRecord& record) {
  record.standing = Standing::Told;
  record.told = tick;
  record.priority = 0;
}

}  // namespace

// --- What interest says ----------------------------------------------------------------------

StreamRecord* ViewStream::find(EntityId id) {
  const auto place =
      std::lower_bound(records_.begin(), records_.end(), id.index(),
                       [](const StreamRecord& r, std::uint32_t slot) { return r.slot < slot; });
  return place != records_.end() && place->id() == id ? &*place : nullptr;
}

void ViewStream::absorb(const ObserverEvents& events, const Snapshot& snapshot,
                        AliasPool& aliases) {
  if (events.dropped) {
    // The client forgets the view when it hears that the last area was removed.
    give_back_aliases(aliases);
    records_.clear();
    leaves_.clear();
    enters_waiting_ = 0;
  }
  if (!events.leaves.empty()) absorb_leaves(events, snapshot.tick, aliases);
  if (!events.enters.empty()) absorb_enters(events, snapshot, aliases);
}

void ViewStream::absorb_leaves(const ObserverEvents& events, Tick tick, AliasPool& aliases) {
  constexpr std::uint32_t gone = 0;  // generations start at 1
  for (const Leave& leave : events.leaves) {
    StreamRecord* record = find(leave.id);
    CHECK(record != nullptr);
    if (record->announced()) {
      leaves_.push_back({leave, tick, record->alias, true});
    } else {
      aliases.give_back(record->alias);
      --enters_waiting_;
    }
    record->generation = gone;
  }
  looked_at_ += records_.size();
  std::erase_if(records_, [](const StreamRecord& record) { return record.generation == gone; });
}

void ViewStream::absorb_enters(const ObserverEvents& events, const Snapshot& snapshot,
                               AliasPool& aliases) {
  const auto old_count = static_cast<std::ptrdiff_t>(records_.size());
  looked_at_ += records_.size() + events.enters.size();
  records_.reserve(records_.size() + events.enters.size());
  const std::vector<std::uint32_t> places = leaves_by_id();
  for (const std::uint32_t slot : events.enters)
    records_.push_back(make_record(snapshot.id[slot], places, aliases));
  drop_void_leaves();
  std::inplace_merge(records_.begin(), records_.begin() + old_count, records_.end(), by_slot);
}

/// Places of the leaves that still hold an alias, ascending by entity.
std::vector<std::uint32_t> ViewStream::leaves_by_id() const {
  std::vector<std::uint32_t> places;
  looked_at_ += leaves_.size();
  for (std::uint32_t i = 0; i < leaves_.size(); ++i)
    if (leaves_[i].has_alias) places.push_back(i);
  std::sort(places.begin(), places.end(), [this](std::uint32_t a, std::uint32_t b) {
    return leaves_[a].leave.id < leaves_[b].leave.id;
  });
  return places;
}

StreamRecord ViewStream::make_record(EntityId id, std::span<const std::uint32_t> leaves_by_id,
                                     AliasPool& aliases) {
  StreamRecord record;
  record.slot = id.index();
  record.generation = id.generation();
  const auto waiting = std::lower_bound(
      leaves_by_id.begin(), leaves_by_id.end(), id,
      [this](std::uint32_t place, EntityId key) { return leaves_[place].leave.id < key; });
  if (waiting != leaves_by_id.end() && leaves_[*waiting].leave.id == id) {
    record.alias = leaves_[*waiting].alias;
    record.standing = Standing::Stale;
    leaves_[*waiting].is_void = true;
    return record;
  }
  record.alias = aliases.take();
  ++enters_waiting_;
  return record;
}

std::size_t ViewStream::states_due(const MotionTable& motions) const {
  return static_cast<std::size_t>(
      std::count_if(records_.begin(), records_.end(), [&](const StreamRecord& record) {
        return record.announced() && needs_state(motions.row(record.slot), record);
      }));
}

// --- Leaves and enters -------------------------------------------------------------------------

void ViewStream::select_leaves(Tick until, AliasPool& aliases, FrameSelection& out) {
  if (leaves_.empty()) return;
  looked_at_ += leaves_.size();
  std::erase_if(leaves_, [&](const WaitingLeave& waiting) {
    if (waiting.tick > until) return false;
    out.leaves.push_back({waiting.leave, observer_});
    if (waiting.has_alias) aliases.give_back(waiting.alias);
    return true;
  });
}

void ViewStream::announce(const SelectContext& context, StreamRecord& record, FrameSelection& out) {
  out.enters.push_back({record.slot, record.alias, observer_});
  note_told(context.snapshot.tick, record);
  --enters_waiting_;
}

void ViewStream::select_enters(const SelectContext& context, Vec3 centre, std::size_t count_max,
                               FrameSelection& out) {
  if (enters_waiting_ == 0 || count_max == 0) return;
  if (enters_waiting_ <= count_max) {
    for (StreamRecord& record : records_)
      if (!record.announced()) announce(context, record, out);
    return;
  }
  struct Waiting {
    double distance_squared;
    std::uint32_t record;
  };
  std::vector<Waiting> waiting;
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    if (records_[i].announced()) continue;
    waiting.push_back({length_squared(context.snapshot.position[records_[i].slot] - centre), i});
  }
  const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(count_max);
  std::nth_element(waiting.begin(), last, waiting.end(), [](const Waiting& a, const Waiting& b) {
    return std::pair(a.distance_squared, a.record) < std::pair(b.distance_squared, b.record);
  });
  std::sort(waiting.begin(), last,
            [](const Waiting& a, const Waiting& b) { return a.record < b.record; });
  for (auto next = waiting.begin(); next != last; ++next)
    announce(context, records_[next->record], out);
}

// --- Updates -----------------------------------------------------------------------------------

/// Whether one that moved is told of it in this tick.
bool ViewStream::is_turn(const SelectContext& context, const RingRule& rings,
                         StreamRecord& record) const {
  std::uint32_t interval = 1;
  if (!rings.trivial()) {
    interval = rings.interval(context.snapshot.position[record.slot], record.interval);
    record.interval = static_cast<std::uint16_t>(interval);
  }
  interval *= context.slow_down * (interval > 1 ? context.outer_slow_down : 1);
  if (interval == 1) return true;
  // By alias, so that what came into view at the same time takes turns.
  const Tick tick = context.snapshot.tick;
  return (tick + record.alias) % interval == 0 || tick - record.told > interval;
}

/// Whether an announced entity has something new, and its turn has come.
bool ViewStream::is_due(const SelectContext& context, const RingRule& rings, const MotionRow& row,
                        StreamRecord& record) const {
  if (needs_state(row, record)) return true;
  if (context.motions.heads()[record.slot].moved_tick <= record.told) return false;
  return is_turn(context, rings, record);
}

/// Invariant: afterwards the client knows what the table knows.
void ViewStream::emit(const SelectContext& context, const MotionRow& row, ViewLists& lists,
                      StreamRecord& record, FrameSelection& out) const {
  if (needs_state(row, record) || row.fast_tick > record.told) {
    out.changed.push_back({record.slot, record.alias, observer_});
  } else {
    MoveLists& list = lists.of(record.alias >> 16, out);
    const auto alias = static_cast<std::uint16_t>(record.alias);
    const QuantisedMotion& now = row.motion;
    if (row.position_tick > record.told) put_position(context, row, lists.origin(), record, list);
    if (row.turn_tick > record.told) {
      list.turns.push_back({alias, static_cast<std::uint16_t>(now.rotation),
                            static_cast<std::uint16_t>(now.rotation >> 16)});
    }
    if (row.velocity_tick > record.told)
      list.velocities.push_back({alias, now.velocity[0], now.velocity[1], now.velocity[2]});
    if (row.spin_tick > record.told)
      list.spins.push_back({alias, now.spin[0], now.spin[1], now.spin[2]});
    if (row.jump_tick > record.told) list.jumps.push_back(alias);
  }
  note_told(context.snapshot.tick, record);
}

// A view that is larger is fetched on the way by its own loop.
constexpr std::size_t fetched_max = 96;

void ViewStream::fetch_records() const {
  const std::size_t count = std::min(records_.size(), fetched_max);
  for (std::size_t i = 0; i < count; i += 64 / sizeof(StreamRecord))
    __builtin_prefetch(&records_[i], 1);
  asm volatile("");  // a function that only fetches may be left out
}

void ViewStream::fetch_motions(const MotionTable& motions) const {
  const std::size_t count = std::min(records_.size(), fetched_max);
  const MotionHead* const heads = motions.heads().data();
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(heads + records_[i].slot);
  asm volatile("");
}

/// Of most there is no more to tell than a position nearby: the head of the row is enough.
void ViewStream::select_updates(const SelectContext& context, const RingRule& rings,
                                ViewLists& lists, std::vector<NearMove>& buffer,
                                FrameSelection& out) {
  const MotionHead* const heads = context.motions.heads().data();
  const bool same_resolution = context.resolution_m == context.motions.resolution_m();
  const bool every_tick = rings.trivial() && context.slow_down == 1;
  const bool use_kernel = every_tick && same_resolution && allows_near_kernel(lists.origin());
  NearRun run(lists, out, records_.size(), buffer);
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (use_kernel) {
      const std::uint32_t page = records_[i].alias >> 16;
      NearMove* next = run.begin(page);
      i = put_near_moves(records_, i, heads, lists.origin(), page, context.snapshot.tick, next);
      run.end(next);
      if (i == records_.size()) break;
    }
    StreamRecord& record = records_[i];
    if (!record.announced()) continue;
    const MotionHead& head = heads[record.slot];
    if (record.standing == Standing::Told && head.other_tick <= record.told && same_resolution) {
      if (head.moved_tick <= record.told) continue;
      if (!every_tick && !is_turn(context, rings, record)) continue;
      if (put_near(head, lists.origin(), record.alias, run)) {
        note_told(context.snapshot.tick, record);
        continue;
      }
    }
    const MotionRow& row = context.motions.row(record.slot);
    if (!is_due(context, rings, row, record)) continue;
    run.flush();
    emit(context, row, lists, record, out);
  }
  run.flush();
}

void ViewStream::list_updates(const SelectContext& context, const RingRule& rings,
                              std::uint32_t view, std::vector<UpdateCandidate>& out) {
  constexpr float overdue = 1e6f;
  constexpr float state_first = 1e3f;
  const MotionHead* const heads = context.motions.heads().data();
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    StreamRecord& record = records_[i];
    if (!record.announced()) continue;
    const MotionHead& head = heads[record.slot];
    if (record.standing == Standing::Told &&
        std::max(head.moved_tick, head.other_tick) <= record.told)
      continue;  // nothing new
    const MotionRow& row = context.motions.row(record.slot);
    // What has waited for its turn in vain keeps waiting for the next frame, not for the next turn.
    if (!is_due(context, rings, row, record) &&
        (record.priority == 0 || head.moved_tick <= record.told))
      continue;
    const auto interval = static_cast<float>(std::max<std::uint16_t>(record.interval, 1));
    record.priority += row.weight / interval;
    float priority = record.priority;
    if (context.snapshot.tick - record.told > context.max_age_ticks) priority += overdue;
    if (needs_state(row, record)) priority += state_first;
    out.push_back({priority, i, view});
  }
}

std::size_t ViewStream::select_update(const SelectContext& context, ViewLists& lists,
                                      std::uint32_t record, FrameSelection& out) {
  StreamRecord& chosen = records_[record];
  const std::size_t changed_before = out.changed.size();
  const std::size_t lists_before = out.move_count;
  const MotionRow& row = context.motions.row(chosen.slot);
  const std::uint32_t page = chosen.alias >> 16;
  const bool as_state = needs_state(row, chosen);
  const std::size_t bytes_before = as_state ? 0 : lists.of(page, out).size_bytes();
  emit(context, row, lists, chosen, out);
  std::size_t bytes = (out.changed.size() - changed_before) * streamed_bytes::state +
                      (out.move_count - lists_before) * streamed_bytes::moves_table;
  if (!as_state) bytes += lists.of(page, out).size_bytes() - bytes_before;
  return bytes;
}

// --- Resume ------------------------------------------------------------------------------------

/// Invariant: of an entity at most one leave waits that is to be told.
ViewStream::LeaveIndex ViewStream::index_leaves() const {
  LeaveIndex index;
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) index.emplace(leaves_[i].leave.id, i);
  looked_at_ += leaves_.size();
  return index;
}

void ViewStream::forget_enter(EntityId id, LeaveIndex& leaves, AliasPool& aliases) {
  StreamRecord* record = find(id);
  if (record != nullptr && record->announced()) {
    record->standing = Standing::Waiting;
    ++enters_waiting_;
    return;
  }
  // It has left since; then the client hears of neither.
  const auto place = leaves.find(id);
  if (place == leaves.end()) return;
  WaitingLeave& waiting = leaves_[place->second];
  if (waiting.has_alias) aliases.give_back(waiting.alias);
  waiting.is_void = true;
  leaves.erase(place);
}

void ViewStream::restore_leave(const Leave& leave, Tick tick, LeaveIndex& leaves) {
  leaves.emplace(leave.id, static_cast<std::uint32_t>(leaves_.size()));
  leaves_.push_back({leave, tick, 0, false, false});
}

void ViewStream::drop_void_leaves() {
  looked_at_ += leaves_.size();
  std::erase_if(leaves_, [](const WaitingLeave& leave) { return leave.is_void; });
}

void ViewStream::forget_updates_after(Tick tick) {
  for (StreamRecord& record : records_)
    if (record.announced() && record.told > tick) record.standing = Standing::Stale;
}

void ViewStream::forget_all(AliasPool& aliases) {
  for (const WaitingLeave& waiting : leaves_)
    if (waiting.has_alias) aliases.give_back(waiting.alias);
  leaves_.clear();
  for (StreamRecord& record : records_) {
    if (record.announced()) ++enters_waiting_;
    record.standing = Standing::Waiting;
  }
}

void ViewStream::give_back_aliases(AliasPool& aliases) const {
  for (const StreamRecord& record : records_) aliases.give_back(record.alias);
  for (const WaitingLeave& waiting : leaves_)
    if (waiting.has_alias) aliases.give_back(waiting.alias);
}

}  // namespace vicinity
