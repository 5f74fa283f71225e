// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The visible world of one session, kept up to date from TickFrames. Checks the stream while it
// applies it: an enter of something already visible, or an update or leave of something that is
// not, is a violation (it never happens with a correct server).
//
// Entities lie in arrays by the slots that the frames name them by, and what most updates change,
// the position, lies apart from the rest: to apply an update is one store into dense memory.
// Entities are handed out as values. Memory: of as many entities as were in view at once at most.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "client/frame.h"

namespace vicinity::client {

class Replica {
 public:
  /// What one observer sees, by ascending id. Valid until the next call that changes the replica.
  class View;
  using Suspended = std::map<EntityId, EntityView>;

  /// Applies one tick; ticks may be missing in between. Returns the violations found in it, as
  /// sentences; usually empty.
  std::vector<std::string> apply(const TickFrame& frame);

  /// Call when the last area of an observer was removed: the server sends no leaves then.
  void drop_observer(ObserverId observer);
  /// Forgets everything, suspended entities too: for Welcome.view_reset and for a new session.
  void clear();

  /// How many entities that left as suspended are kept as they were last seen, over all observers;
  /// beyond it the one that left first is forgotten. 0, as at the beginning: none.
  void keep_suspended(std::size_t count_max);
  /// The kept ones of an observer, by ascending id. One goes when it enters again, or with
  /// forget_suspended(): of what becomes of it meanwhile the server tells nothing.
  const Suspended& suspended(ObserverId observer = {}) const;
  void forget_suspended(ObserverId observer, EntityId id);

  /// Empty for an unknown observer.
  View view(ObserverId observer = {}) const;
  /// Nothing when the observer does not see it.
  std::optional<EntityView> find(EntityId id, ObserverId observer = {}) const;
  /// Of who has a slot in view, for those who keep their own things by slot; no tick names a slot
  /// of nobody.
  const Vec3& position(std::uint32_t slot) const { return places_[slot].position; }
  Tick tick() const { return tick_; }
  std::uint64_t violation_count() const { return violation_count_; }

 private:
  using Slots = std::map<EntityId, std::uint32_t>;
  struct Place {
    EntityId id;  ///< of who has the slot; 0: nobody
    Vec3 position;
    Tick last_update = 0;
  };

  EntityView entity(std::uint32_t slot) const;
  void occupy(const EntityView& entity);
  void vacate(std::uint32_t slot) { places_[slot] = {}; }
  bool holds(std::uint32_t slot, EntityId id) const {
    return slot < places_.size() && places_[slot].id == id;
  }
  void suspend(const EntityLeave& leave, std::uint32_t slot);
  void trim_suspended();

  std::vector<Place> places_;         ///< by slot
  std::vector<EntityView> entities_;  ///< by slot; position and last_update are in places_
  std::map<ObserverId, Slots> views_;
  std::map<ObserverId, Suspended> suspended_;
  /// In the order in which they left.
  std::deque<std::pair<ObserverId, EntityId>> suspended_order_;
  std::size_t suspended_count_ = 0;
  std::size_t suspended_count_max_ = 0;
  Tick tick_ = 0;
  std::uint64_t violation_count_ = 0;
};

class Replica::View {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = EntityView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = EntityView;

    Iterator(const Replica& replica, Slots::const_iterator at) : replica_(&replica), at_(at) {}
    EntityView operator*() const { return replica_->entity(at_->second); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Replica* replica_;
    Slots::const_iterator at_;
  };

  View(const Replica& replica, const Slots& slots) : replica_(&replica), slots_(&slots) {}
  Iterator begin() const { return {*replica_, slots_->begin()}; }
  Iterator end() const { return {*replica_, slots_->end()}; }
  std::size_t size() const { return slots_->size(); }
  bool empty() const { return slots_->empty(); }
  bool contains(EntityId id) const { return slots_->contains(id); }

 private:
  const Replica* replica_;
  const Slots* slots_;
};

}  // namespace vicinity::client
