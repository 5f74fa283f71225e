// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Contacts whose two entities rest, for as long as they do. The tick room puts them in and takes
// them out; readers hold views, which never change. What is here costs nothing per tick.
//
// Sorted runs, each at most a quarter as long as the one before it. A run is never changed, but
// for one word per contact: the tick in which it was taken out (base/end_marks.h).
//
//      run 0   | 1-2 | 1-7 | 3-4 | 4-9 | 5-6 | ... |      a view of tick 8 still sees 3-4,
//      ends    |  -  |  -  |  9  |  -  |  -  | ... |      a view of tick 9 does not
//      run 1   | 2-8 | 3-5 |
//
// New contacts make a run, which swallows the runs before it that are not much longer. A run of
// which half was taken out is written anew. So each contact is moved a few times per run at most,
// and the run that a view holds stays as it is.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "events/contact_events.h"
#include "index/index.h"

namespace vicinity {

/// Among contacts of one tick these are as good as the ids, and cheaper to compare.
constexpr SlotPair slots_of(const OpenContact& contact) {
  return {contact.a.index(), contact.b.index()};
}

class RestingContacts {
  struct Run;
  using Runs = std::vector<std::shared_ptr<const Run>>;

 public:
  /// All contacts that rest in one tick. Any thread may read.
  class View {
   public:
    std::size_t size() const { return size_; }
    /// Whether this very pair is among them.
    bool contains(EntityId a, EntityId b) const { return find(a, b).has_value(); }
    /// Its contact, or nothing.
    std::optional<OpenContact> find(EntityId a, EntityId b) const;
    /// Appends all of them; those of one run are sorted.
    void append_to(std::vector<OpenContact>& out) const;

   private:
    friend class RestingContacts;
    std::shared_ptr<const Runs> runs_;
    Tick tick_ = 0;
    std::size_t size_ = 0;
  };

  RestingContacts();

  std::size_t size() const { return size_; }

  /// Tick thread. Takes out the contacts of those of the `pairs` (sorted) that have one, and
  /// appends them to `out`, sorted. Views of `tick` and later do not see them.
  void wake(std::span<const SlotPair> pairs, Tick tick, std::vector<OpenContact>& out);
  /// Tick thread. Puts in contacts, sorted, none of which is there already.
  void rest(std::span<const OpenContact> contacts);
  /// Tick thread, after all changes of `tick`. O(1).
  View view(Tick tick) const;

 private:
  /// A run, and how many of its contacts still rest.
  struct Held {
    std::shared_ptr<const Run> run;
    std::size_t resting_count = 0;
  };

  void write_anew(Held& held);
  void publish_runs();

  std::vector<Held> held_;            ///< oldest and longest first
  std::vector<std::size_t> places_;   ///< while wake() runs: how far each run was searched
  std::shared_ptr<const Runs> runs_;  ///< of held_
  std::size_t size_ = 0;
};

}  // namespace vicinity
