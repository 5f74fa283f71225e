// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

/// Observers per block of those that go the quick way, where one costs a tenth of a long one.
constexpr std::size_t quick_per_block = 128;

/// Where the area of this id is, or would be.
std::vector<InterestArea>::iterator place_of(Observer& observer, AreaId id) {
  return std::lower_bound(observer.areas.begin(), observer.areas.end(), id,
                          [](const InterestArea& area, AreaId key) { return area.id < key; });
}

ObserverEvents no_events(SessionId session, ObserverId observer) {
  ObserverEvents events;
  events.session = session;
  events.observer = observer;
  return events;
}

bool has_news(const ObserverEvents& events) {
  return !events.leaves.empty() || !events.enters.empty();
}

/// The place may be outside of everything, also when there is nothing at all: it is only fetched.
/// So it is counted in numbers, where pointers would have to stay within their array.
void fetch_at(const void* base, std::size_t offset_bytes = 0) {
  const auto place = reinterpret_cast<std::uintptr_t>(base) + offset_bytes;
  __builtin_prefetch(reinterpret_cast<const void*>(place));
}

/// To be called before a command touches the area.
void remember(Observer& observer, const InterestArea& area) {
  if (area.in_effect) observer.former.push_back(area);
}

}  // namespace

// --- Commands ----------------------------------------------------------------------------------

ErrorCode Interest::add_area(SessionId session, const AddAreaCommand& command, EntityId anchor) {
  Session& entry = sessions_[session];
  if (entry.observer_of_area.contains(command.area)) return ErrorCode::DuplicateArea;
  if (entry.observer_of_area.size() >= limits::areas_per_session_max)
    return ErrorCode::LimitExceeded;
  const auto present = entry.observers.find(command.observer);
  if (present != entry.observers.end() &&
      present->second.areas.size() >= limits::areas_per_observer_max)
    return ErrorCode::LimitExceeded;
  entry.observer_of_area.emplace(command.area, command.observer);
  seats_are_stale_ = seats_are_stale_ || present == entry.observers.end();
  Observer& observer = entry.observers[command.observer];
  observer.masks.is_valid = false;
  observer.areas.insert(place_of(observer, command.area),
                        make_area(command.area, command.spec, anchor));
  return ErrorCode::None;
}

Observer* Interest::find_observer(SessionId session, AreaId area) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return nullptr;
  const auto owner = entry->second.observer_of_area.find(area);
  if (owner == entry->second.observer_of_area.end()) return nullptr;
  return &entry->second.observers.at(owner->second);
}

ErrorCode Interest::change_area(SessionId session, const ChangeAreaCommand& command,
                                EntityId anchor) {
  Observer* observer = find_observer(session, command.area);
  if (observer == nullptr) return ErrorCode::UnknownArea;
  const auto area = place_of(*observer, command.area);
  CHECK(area != observer->areas.end() && area->id == command.area);
  observer->masks.is_valid = false;
  remember(*observer, *area);
  // Where it is stays: it may have no other place, when its new anchor ends in this tick.
  InterestArea changed = make_area(command.area, command.spec, anchor);
  changed.position = area->position;
  changed.rotation = area->rotation;
  changed.placed = area->placed;
  *area = std::move(changed);
  return ErrorCode::None;
}

ErrorCode Interest::remove_area(SessionId session, const RemoveAreaCommand& command) {
  Observer* observer = find_observer(session, command.area);
  if (observer == nullptr) return ErrorCode::UnknownArea;
  const auto area = place_of(*observer, command.area);
  CHECK(area != observer->areas.end() && area->id == command.area);
  observer->masks.is_valid = false;
  remember(*observer, *area);
  observer->areas.erase(area);
  Session& entry = sessions_.at(session);
  const auto owner = entry.observer_of_area.find(command.area);
  if (observer->areas.empty()) {
    seats_are_stale_ = true;
    entry.dropped.insert(owner->second);
    is_any_dropped_ = true;
    entry.observers.erase(owner->second);
  }
  entry.observer_of_area.erase(owner);
  return ErrorCode::None;
}

void Interest::open_session(SessionId session, Role role) {
  Session& entry = sessions_[session];
  if (role != Role::Player || entry.is_player) return;
  entry.is_player = true;
  ++player_count_;
}

void Interest::close_session(SessionId session) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  if (entry->second.is_player) --player_count_;
  seats_are_stale_ = true;
  sessions_.erase(entry);
}

ErrorCode Interest::set_visibility(SessionId session, const SetVisibilityCommand& command,
                                   EntityId entity) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return ErrorCode::UnknownObserver;
  const auto found = entry->second.observers.find(command.observer);
  if (found == entry->second.observers.end()) return ErrorCode::UnknownObserver;
  Observer& observer = found->second;
  observer.masks.is_valid = false;
  auto& entries = observer.visibilities;
  const auto at =
      std::lower_bound(entries.begin(), entries.end(), entity,
                       [](const VisibilityEntry& e, EntityId key) { return e.id < key; });
  const bool is_there = at != entries.end() && at->id == entity;
  if (command.visibility != Visibility::Default && !is_there) {
    if (entries.size() >= limits::visibilities_per_observer_max) return ErrorCode::LimitExceeded;
    entries.insert(at, {entity, command.visibility});
    return ErrorCode::None;
  }
  if (!is_there) return ErrorCode::None;
  if (at->visibility == Visibility::Always && command.visibility != Visibility::Always &&
      observer.released.size() < limits::visibilities_per_observer_max)
    observer.released.push_back(entity);
  if (command.visibility == Visibility::Default) {
    entries.erase(at);
  } else {
    at->visibility = command.visibility;
  }
  return ErrorCode::None;
}

// --- Update ------------------------------------------------------------------------------------

/// Entities of players. Owners change when an entity appears, and never again while its session
/// lives.
void Interest::note_owners(const Snapshot& snapshot, std::span<const std::uint32_t> changed) {
  if (player_count_ == 0) return;
  for (const Despawn& ended : snapshot.despawned) {
    const auto entry = sessions_.find(ended.owner);
    if (entry == sessions_.end() || std::erase(entry->second.owned, ended.id) == 0) continue;
    for (auto& [id, observer] : entry->second.observers) observer.masks.is_valid = false;
  }
  for (const std::uint32_t slot : changed) {
    if (!snapshot.is_alive(slot) || snapshot.owner[slot] == SessionId{}) continue;
    if (snapshot.changed[slot].spawned != snapshot.tick) continue;
    const auto entry = sessions_.find(snapshot.owner[slot]);
    if (entry == sessions_.end() || !entry->second.is_player) continue;
    own(entry->second, snapshot.id[slot]);
  }
}

void Interest::own(Session& session, EntityId id) {
  const auto at = std::lower_bound(session.owned.begin(), session.owned.end(), id);
  if (at != session.owned.end() && *at == id) return;
  session.owned.insert(at, id);
  for (auto& [observer_id, observer] : session.observers) observer.masks.is_valid = false;
}

ViewInput Interest::view_input(const Snapshot& snapshot, const Seat& seat,
                               const std::vector<std::uint32_t>& inside) const {
  return {snapshot, world_, inside, seat.session->owned, seat.visible_max};
}

void Interest::update_block(const Snapshot& snapshot, std::span<Task> tasks, Block& out) const {
  ViewBuffers buffers;
  for (Task& task : tasks) {
    const ViewInput input = view_input(snapshot, seats_[task.seat], task.inside);
    ObserverEvents events = no_events(seats_[task.seat].session_id, task.observer_id);
    const bool all_entered = update_view(input, *task.observer, buffers, events);
    task.complete = task.complete && all_entered;
    if (!task.leaves.empty()) {
      events.leaves.insert(events.leaves.end(), task.leaves.begin(), task.leaves.end());
      std::sort(events.leaves.begin(), events.leaves.end(),
                [](const Leave& a, const Leave& b) { return a.id < b.id; });
    }
    out.visible += events.visible_count;
    if (has_news(events)) out.told.push_back({task.seat, std::move(events)});
  }
}

void Interest::renew_seats() {
  if (!seats_are_stale_) return;
  seats_are_stale_ = false;
  seats_.clear();
  for (auto& [session_id, session] : sessions_) {
    if (session.observers.empty()) continue;
    const std::uint64_t visible_max = settings_.visible_max / session.observers.size();
    const std::uint64_t lanes_max = settings_.candidates_max / session.observers.size();
    for (auto& [observer_id, observer] : session.observers)
      seats_.push_back({session_id, observer_id, &session, &observer,
                        std::max<std::uint64_t>(visible_max, 1), lanes_max});
  }
  visits_.resize(seats_.size());
  std::iota(visits_.begin(), visits_.end(), 0u);
  visits_are_stale_ = true;
}

/// By the first group that each has listed, which is known one tick after the lists were made anew.
void Interest::sort_visits() {
  if (visits_are_stale_) {
    visits_are_stale_ = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
      const MaskView& masks = seats_[i].observer->masks;
      const bool is_listed = masks.is_valid && !masks.groups.empty();
      keys.emplace_back(is_listed ? masks.groups.front().group : 0, i);
    }
    std::sort(keys.begin(), keys.end());
    std::transform(keys.begin(), keys.end(), visits_.begin(),
                   [](const auto& key) { return key.second; });
  }
  visits_are_stale_ = visits_generation_ != order_.generation();
  visits_generation_ = order_.generation();
}

void Interest::update_quickly(const Snapshot& snapshot, std::size_t index, MaskBuffers& buffers,
                              Block& block) {
  static const std::vector<std::uint32_t> no_slots;
  const Seat& seat = seats_[index];
  Observer& observer = *seat.observer;
  const ViewInput view = view_input(snapshot, seat, no_slots);
  ObserverEvents events = no_events(seat.session_id, seat.observer_id);
  if (!update_by_masks({view, order_, judge_, seat.lanes_max}, observer, buffers, events)) {
    block.left_over.push_back(index);
    return;
  }
  block.visible += events.visible_count;
  if (has_news(events)) block.told.push_back({index, std::move(events)});
}

/// Observers lie anywhere in memory: what they need is fetched some turns before theirs. What is in
/// them can be read within the block that ends with `block_end` only: behind it others change them.
void Interest::fetch(const Snapshot& snapshot, std::size_t visit, std::size_t block_end) const {
  const std::size_t end = visits_.size();  // the next block is likely to come next
  const auto observer_at = [this](std::size_t at) { return seats_[visits_[at]].observer; };
  if (visit + 32 < end) fetch_at(&seats_[visits_[visit + 32]]);
  if (visit + 24 < end) {
    for (std::size_t i = 0; i < sizeof(Observer); i += 64) fetch_at(observer_at(visit + 24), i);
  }
  if (visit + 14 < block_end) {
    const Observer& observer = *observer_at(visit + 14);
    const auto& spheres = observer.masks.spheres;
    const auto& groups = observer.masks.groups;
    for (std::size_t i = 0; i < sizeof spheres.front(); i += 64) fetch_at(spheres.data(), i);
    for (std::size_t i = 0; i < 24; i += 8) fetch_at(groups.data(), i * sizeof groups.front());
    if (!observer.areas.empty()) fetch_at(&observer.areas.front().position);
  }
  const MaskView& masks = observer_at(std::min(visit + 6, block_end - 1))->masks;
  if (!masks.spheres.empty()) {
    const std::size_t slot = masks.spheres.front().anchor.index();  // any number when there is none
    fetch_at(snapshot.tight_box.data(), slot * sizeof(Aabb));
    fetch_at(snapshot.tight_box.data(), slot * sizeof(Aabb) + sizeof(Aabb) - 1);
    fetch_at(snapshot.id.data(), slot * sizeof(EntityId));
  }
  asm volatile("");  // a function that only fetches may be left out
}

/// All that may go the quick way; the others are left over.
void Interest::update_quickly(const Snapshot& snapshot, Workers& workers) {
  const bool may_be_quick = settings_.uses_masks;
  sort_visits();
  quick_.resize(block_count(seats_.size(), quick_per_block));
  mask_buffers_.resize(static_cast<std::size_t>(workers.worker_count()));
  workers.parallel_blocks(seats_.size(), quick_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            Block& out = quick_[block];
                            out.told.clear();
                            out.left_over.clear();
                            out.visible = 0;
                            MaskBuffers& buffers = mask_buffers_[Workers::current_worker()];
                            for (std::size_t i = begin; i < end; ++i) {
                              if (may_be_quick) {
                                fetch(snapshot, i, end);
                                update_quickly(snapshot, visits_[i], buffers, out);
                              } else {
                                out.left_over.push_back(visits_[i]);
                              }
                            }
                          });
}

/// Both ways joined, by (session, observer).
void Interest::tell(std::vector<ObserverEvents>& out) {
  std::vector<Told> all;
  for (auto* blocks : {&quick_, &slow_}) {
    for (Block& block : *blocks) {
      visible_count_ += block.visible;
      std::move(block.told.begin(), block.told.end(), std::back_inserter(all));
    }
  }
  std::sort(all.begin(), all.end(), [](const Told& a, const Told& b) { return a.seat < b.seat; });
  for (Told& told : all) out.push_back(std::move(told.events));
}

/// Names the observers that went, in their order among the others.
void Interest::add_dropped(std::vector<ObserverEvents>& out) {
  is_any_dropped_ = false;
  std::vector<ObserverEvents> all;
  const auto before = [](const ObserverEvents& a, SessionId session, ObserverId observer) {
    return std::pair(a.session, a.observer) < std::pair(session, observer);
  };
  auto next = out.begin();
  for (auto& [session_id, session] : sessions_) {
    for (const ObserverId observer : session.dropped) {
      while (next != out.end() && before(*next, session_id, observer))
        all.push_back(std::move(*next++));
      const bool is_next =
          next != out.end() && next->session == session_id && next->observer == observer;
      all.push_back(is_next ? std::move(*next++) : no_events(session_id, observer));
      all.back().dropped = true;
    }
    session.dropped.clear();
  }
  all.insert(all.end(), std::make_move_iterator(next), std::make_move_iterator(out.end()));
  out = std::move(all);
}

void Interest::update(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                      const IndexView& index, Workers& workers, std::vector<ObserverEvents>& out) {
  step("begin");
  world_.update(snapshot, changed);
  note_owners(snapshot, changed);
  renew_seats();
  if (seats_.empty() || !settings_.uses_masks) {
    order_.forget();
  } else {
    step("world");
    order_.update(snapshot, changed, workers);
    step("refresh");
    order_.renew_if_due(snapshot, workers);
    order_.note_specials(world_);
  }
  step("rebuild");
  update_quickly(snapshot, workers);
  step("views");
  std::vector<Task> tasks = make_tasks();
  search(snapshot, index, workers, tasks);
  const std::uint64_t counted_twice = take_back(tasks);
  slow_.assign(block_count(tasks.size(), observers_per_block), {});
  workers.parallel_blocks(tasks.size(), observers_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            update_block(snapshot, std::span(tasks).subspan(begin, end - begin),
                                         slow_[block]);
                          });
  out.clear();
  visible_count_ = 0;
  tell(out);
  visible_count_ -= counted_twice;
  views_truncated_ = static_cast<std::uint32_t>(
      std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return !task.complete; }));
  is_out_of_looks_ = std::any_of(tasks.begin(), tasks.end(),
                                 [](const Task& task) { return task.ran_out_of_looks; });
  if (is_any_dropped_) add_dropped(out);
  step("news");
}

}  // namespace vicinity
