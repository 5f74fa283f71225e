// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Contact events that one session wants beside those of its ContactScope, and what it was told
// because of them. Tick thread only.
//
//      begins      a contact of the scope, or one that a subscription wants when it begins (or, of
//                  those that are open, when the subscription is made): told once
//      ends        of what was told, whatever has become of subscription, filter or place
//
// Invariant: what is remembered as told is open; so it is never more than what is open.
//
// A subscription whose entity has ended wants nothing more. It stays, and counts, until it is
// removed or replaced.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/archive.h"
#include "base/error.h"
#include "base/ids.h"
#include "events/contact_events.h"
#include "events/pair_table.h"
#include "world/command.h"
#include "world/restored_entities.h"
#include "world/snapshot.h"

namespace vicinity {

struct SessionOutput;

class Subscriptions {
 public:
  /// `entity`: what command.entity names, for the kind Entity. Replaces the one of that id; the
  /// same again is no change.
  /// LimitExceeded: limits::subscriptions_per_session_max others exist.
  ErrorCode add(const SubscribeCommand& command, EntityId entity);
  /// UnknownSubscription.
  ErrorCode remove(std::uint32_t subscription);

  std::size_t count() const { return by_id_.size(); }
  std::size_t told_count() const { return told_.size(); }
  /// Nothing is wanted and no end is owed.
  bool idle() const { return by_id_.empty() && told_.empty(); }
  /// Whether some were added since the last settle().
  bool has_new() const { return has_new_; }
  /// Those that are new are no longer so.
  void settle();

  /// After settle().
  void save(ArchiveWriter& out) const;
  /// Into new ones; fails the reader when these are no bytes of save(). `open`: all open contacts
  /// of the restored world, sorted. What quarantined entities were in is forgotten.
  void load(ArchiveReader& in, const RestoredEntities& entities, std::span<const OpenContact> open);

  /// Fills the contact lists of the output of a session with this tick's events, those of its
  /// entities (`owner`; none = without them) included, in the order of the events. `open`: all that
  /// is open after the tick, in any order; looked at only when has_new().
  /// O(events * subscriptions), and O(open * subscriptions) when has_new().
  void tell(const Snapshot& snapshot, std::span<const OpenContact> open,
            const ContactEvents& events, SessionId owner, SessionOutput& out);

  /// To a client that has forgotten everything: what is open of its entities, and what it was told,
  /// but for what began in this tick. Keeps the order of the begins. O(open).
  void tell_again(const Snapshot& snapshot, std::span<const OpenContact> open, SessionId owner,
                  std::vector<ContactBegin>& begins) const;

 private:
  struct Subscription {
    SubscribeCommand command;
    EntityId entity;
    bool is_new = true;
  };

  static bool wants(const Subscription& subscription, const Snapshot& snapshot, EntityId a,
                    EntityId b, double toi);
  bool wants(const Snapshot& snapshot, EntityId a, EntityId b, double toi, bool only_new) const;
  void tell_open(const Snapshot& snapshot, std::span<const OpenContact> open, SessionId owner,
                 std::vector<ContactBegin>& out);

  std::map<std::uint32_t, Subscription> by_id_;
  struct Nothing {};
  PairTable<Nothing> told_;  ///< but for those of the owner's entities
  bool has_new_ = false;
};

}  // namespace vicinity
