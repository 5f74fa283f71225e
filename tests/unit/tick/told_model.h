// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What one session with subscriptions must be told, by brute force from the events of the world.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tick/simulation.h"
#include "unit/tick/contact_model.h"

namespace vicinity::test {

class ToldModel {
 public:
  ToldModel(SessionId session, ContactScope scope) : session_(session), scope_(scope) {}

  SessionId session() const { return session_; }

  /// Commands for the next tick that were accepted.
  void subscribe(const SubscribeCommand& command) {
    subscriptions_[command.subscription] = {command, true};
  }
  void unsubscribe(std::uint32_t id) { subscriptions_.erase(id); }

  /// Compares with what the session got, all of it and in order.
  void expect(const Snapshot& snapshot, const ContactSet& open, const ContactEvents& events,
              const SessionOutput& output) {
    expect_ends(events, output);
    expect_begins(snapshot, open, events, output);
    std::vector<ContactName> stays;
    for (const ContactStay& stay : events.stays)
      if (told_.contains({name_of(stay.contact), stay.contact.sensor}))
        stays.push_back(name_of(stay.contact));
    ASSERT_EQ(names_of(output.contact_stays), stays);
    for (const ModelContact& contact : told_) ASSERT_TRUE(open.contains(contact));
    for (auto& [id, subscription] : subscriptions_) subscription.is_new = false;
    expect_order(output);
  }
  const ContactSet& told() const { return told_; }
  std::size_t begin_count = 0;
  std::size_t again_count = 0;  ///< of these, told again

 private:
  struct Subscription {
    SubscribeCommand command;
    bool is_new = true;
  };

  bool is_own(const Snapshot& snapshot, EntityId a, EntityId b) const {
    if (scope_ == ContactScope::All) return true;
    if (scope_ == ContactScope::None) return false;
    return snapshot.owner[a.index()] == session_ || snapshot.owner[b.index()] == session_;
  }
  /// Some way along its path.
  static Aabb box_at(const Snapshot& snapshot, std::uint32_t slot, double toi) {
    const Aabb& start = snapshot.start_box[slot];
    const Aabb& end = snapshot.tight_box[slot];
    if (toi == 1) return end;
    return {start.min + (end.min - start.min) * toi, start.max + (end.max - start.max) * toi};
  }
  static bool fits(const SubscribeCommand& wish, const Snapshot& snapshot, EntityId a, EntityId b,
                   double toi) {
    switch (wish.kind) {
      case SubscriptionKind::Entity: return wish.entity.id == a || wish.entity.id == b;
      case SubscriptionKind::Categories:
        for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
          if ((snapshot.filter[x.index()].category & wish.categories_a) != 0 &&
              (snapshot.filter[y.index()].category & wish.categories_b) != 0)
            return true;
        }
        return false;
      case SubscriptionKind::Area:
        for (const EntityId each : {a, b})
          if (overlaps(wish.box, box_at(snapshot, each.index(), toi))) return true;
        return false;
    }
    return false;
  }
  bool wants(const Snapshot& snapshot, EntityId a, EntityId b, double toi, bool only_new) const {
    for (const auto& [id, subscription] : subscriptions_) {
      if (only_new && !subscription.is_new) continue;
      if (fits(subscription.command, snapshot, a, b, toi)) return true;
    }
    return false;
  }

  void expect_ends(const ContactEvents& events, const SessionOutput& output) {
    std::vector<ContactName> ends;
    for (const ContactEnd& end : events.ends)
      if (told_.erase({name_of(end.contact), end.contact.sensor}) != 0)
        ends.push_back(name_of(end.contact));
    ASSERT_EQ(names_of(output.contact_ends), ends);
  }

  void expect_begins(const Snapshot& snapshot, const ContactSet& open, const ContactEvents& events,
                     const SessionOutput& output) {
    ContactSet begins;
    ContactSet passed;
    ContactSet again;
    for (const ContactBegin& begin : events.begins) {
      const EntityId a = begin.contact.a;
      const EntityId b = begin.contact.b;
      if (is_own(snapshot, a, b) || wants(snapshot, a, b, begin.toi, false))
        begins.insert({name_of(begin.contact), begin.contact.sensor});
    }
    for (const ContactEnd& end : events.passed) {
      const ModelContact contact{name_of(end.contact), end.contact.sensor};
      if (begins.contains(contact)) passed.insert(contact);
    }
    for (const ModelContact& contact : open) {
      if (contact.name.begin_tick == snapshot.tick || told_.contains(contact)) continue;
      if (wants(snapshot, contact.name.a, contact.name.b, 1, true)) again.insert(contact);
    }
    ASSERT_EQ(set_of(output.contact_passed), passed);
    ContactSet expected = begins;
    expected.insert(again.begin(), again.end());
    ASSERT_EQ(set_of(output.contact_begins), expected);
    ASSERT_EQ(output.contact_begins.size(), expected.size());
    for (const ContactBegin& begin : output.contact_begins) {
      const bool is_again = again.contains({name_of(begin.contact), begin.contact.sensor});
      ASSERT_EQ(begin.event_seq == 0, is_again);
    }
    begin_count += expected.size();
    again_count += again.size();
    told_.insert(expected.begin(), expected.end());
    for (const ModelContact& contact : passed) told_.erase(contact);
  }

  /// Numbers rise within a tick, in the order in which it is told.
  static void expect_order(const SessionOutput& output) {
    std::uint64_t last = 0;
    const auto expect_rising = [&](const auto& events) {
      for (const auto& event : events) {
        if (event.event_seq == 0) continue;
        ASSERT_GT(event.event_seq, last);
        last = event.event_seq;
      }
    };
    expect_rising(output.contact_ends);
    expect_rising(output.contact_begins);
    expect_rising(output.contact_passed);
    expect_rising(output.contact_stays);
  }

  SessionId session_;
  ContactScope scope_;
  std::map<std::uint32_t, Subscription> subscriptions_;
  ContactSet told_;
};

}  // namespace vicinity::test
