// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/subscriptions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "tick/simulation.h"

namespace vicinity {
namespace {

bool is_owned(const EventContact& contact, SessionId owner) {
  return owner != SessionId{} && (contact.owner_a == owner || contact.owner_b == owner);
}

/// On the way of the tick. Corners go straight, which is true but for what turns.
Aabb box_at(const Snapshot& snapshot, std::uint32_t slot, double toi) {
  const Aabb& start = snapshot.start_box[slot];
  const Aabb& end = snapshot.tight_box[slot];
  if (toi >= 1 || start == end) return end;
  const auto between = [toi](Vec3 from, Vec3 to) { return from + (to - from) * toi; };
  return {between(start.min, end.min), between(start.max, end.max)};
}

bool comes_before(const ContactBegin& x, const ContactBegin& y) {
  return std::tie(x.contact.a, x.contact.b) < std::tie(y.contact.a, y.contact.b);
}

}  // namespace

ErrorCode Subscriptions::add(const SubscribeCommand& command, EntityId entity) {
  const auto known = by_id_.find(command.subscription);
  const bool is_known = known != by_id_.end();
  if (is_known && known->second.entity == entity && known->second.command == command) {
    return ErrorCode::None;  // what it wants was told already
  }
  if (!is_known && by_id_.size() >= limits::subscriptions_per_session_max) {
    return ErrorCode::LimitExceeded;
  }
  by_id_.insert_or_assign(command.subscription, Subscription{command, entity, true});
  has_new_ = true;
  return ErrorCode::None;
}

ErrorCode Subscriptions::remove(std::uint32_t subscription) {
  return by_id_.erase(subscription) == 0 ? ErrorCode::UnknownSubscription : ErrorCode::None;
}

void Subscriptions::settle() {
  if (!has_new_) return;
  for (auto& [id, subscription] : by_id_) subscription.is_new = false;
  has_new_ = false;
}

bool Subscriptions::wants(const Subscription& subscription, const Snapshot& snapshot, EntityId a,
                          EntityId b, double toi) {
  const SubscribeCommand& wanted = subscription.command;
  switch (wanted.kind) {
    case SubscriptionKind::Entity: return a == subscription.entity || b == subscription.entity;
    case SubscriptionKind::Categories: {
      const std::uint32_t of_a = snapshot.filter[a.index()].category;
      const std::uint32_t of_b = snapshot.filter[b.index()].category;
      return ((of_a & wanted.categories_a) != 0 && (of_b & wanted.categories_b) != 0) ||
             ((of_b & wanted.categories_a) != 0 && (of_a & wanted.categories_b) != 0);
    }
    case SubscriptionKind::Area:
      return overlaps(box_at(snapshot, a.index(), toi), wanted.box) ||
             overlaps(box_at(snapshot, b.index(), toi), wanted.box);
  }
  return false;
}

bool Subscriptions::wants(const Snapshot& snapshot, EntityId a, EntityId b, double toi,
                          bool only_new) const {
  return std::any_of(by_id_.begin(), by_id_.end(), [&](const auto& entry) {
    const Subscription& subscription = entry.second;
    return (subscription.is_new || !only_new) && wants(subscription, snapshot, a, b, toi);
  });
}

void Subscriptions::tell(const Snapshot& snapshot, std::span<const OpenContact> open,
                         const ContactEvents& events, SessionId owner, SessionOutput& out) {
  for (const ContactEnd& end : events.ends) {
    const EventContact& contact = end.contact;
    if (is_owned(contact, owner) || told_.erase({contact.a, contact.b}))
      out.contact_ends.push_back(end);
  }
  for (const ContactBegin& begin : events.begins) {
    const EventContact& contact = begin.contact;
    const bool own = is_owned(contact, owner);
    if (!own && !wants(snapshot, contact.a, contact.b, begin.toi, false)) continue;
    out.contact_begins.push_back(begin);
    if (!own) told_.set({contact.a, contact.b}, {});
  }
  for (const ContactEnd& end : events.passed) {
    const EventContact& contact = end.contact;
    if (is_owned(contact, owner) || told_.erase({contact.a, contact.b}))
      out.contact_passed.push_back(end);
  }
  if (has_new_) tell_open(snapshot, open, owner, out.contact_begins);
  for (const ContactStay& stay : events.stays) {
    const EventContact& contact = stay.contact;
    if (is_owned(contact, owner) || told_.contains({contact.a, contact.b}))
      out.contact_stays.push_back(stay);
  }
}

void Subscriptions::tell_again(const Snapshot& snapshot, std::span<const OpenContact> open,
                               SessionId owner, std::vector<ContactBegin>& begins) const {
  std::vector<ContactBegin> again;
  for (const OpenContact& contact : open) {
    if (contact.begin_tick == snapshot.tick) continue;
    const EventContact event = describe(contact, snapshot);
    if (is_owned(event, owner) || told_.contains({contact.a, contact.b}))
      again.push_back({event, 1.0, false, 0});
  }
  for (const ContactBegin& begin : begins)  // of new subscriptions; told_ holds them already
    if (begin.contact.begin_tick == snapshot.tick) again.push_back(begin);
  std::sort(again.begin(), again.end(), comes_before);
  begins = std::move(again);
}

/// What was open before this tick and is wanted by a new subscription.
void Subscriptions::tell_open(const Snapshot& snapshot, std::span<const OpenContact> open,
                              SessionId owner, std::vector<ContactBegin>& out) {
  for (const OpenContact& contact : open) {
    if (contact.begin_tick == snapshot.tick) continue;
    if (!wants(snapshot, contact.a, contact.b, 1, true)) continue;
    const EventContact event = describe(contact, snapshot);
    if (is_owned(event, owner) || !told_.set({contact.a, contact.b}, {})) continue;
    out.push_back({event, 1.0, false, 0});
  }
  std::sort(out.begin(), out.end(), comes_before);
}

}  // namespace vicinity
