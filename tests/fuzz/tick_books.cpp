// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "fuzz/tick_books.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"

namespace vicinity::fuzz {
namespace {

template <class Open>
void begin(const EventContact& contact, Open& open) {
  CHECK(contact.a.index() < contact.b.index());
  CHECK((open.try_emplace({contact.a, contact.b}, contact.begin_tick).second));
}

template <class Open>
void end(const EventContact& contact, Open& open) {
  const auto found = open.find({contact.a, contact.b});
  CHECK(found != open.end());
  CHECK(found->second == contact.begin_tick);
  open.erase(found);
}

void check_moment(const ContactBegin& begin, Tick tick) {
  CHECK(begin.contact.begin_tick <= tick);
  CHECK(begin.toi >= 0 && begin.toi <= 1);  // not NaN either
}

/// Boxes around what is round are rounded outwards.
bool is_within(const Aabb& box, double half_size_m) {
  half_size_m *= 1 + 4 * std::numeric_limits<double>::epsilon();
  for (int axis = 0; axis < 3; ++axis)
    if (!(box.min[axis] >= -half_size_m && box.max[axis] <= half_size_m &&
          box.min[axis] <= box.max[axis]))
      return false;
  return true;
}

}  // namespace

void TickBooks::take(const TickOutput& output, const Simulation& world) {
  take_entities(output, world.settings().world_half_size_m);
  take_contacts(output);
  for (const SessionOutput& session : output.sessions) {
    take_told(session, output.report.tick);
    take_views(session, *output.frame->snapshot);
  }
  forget_closed(output);
  compare_views(output, world.interest());
}

void TickBooks::take_entities(const TickOutput& output, double world_half_size_m) {
  const Snapshot& snapshot = *output.frame->snapshot;
  std::set<EntityId> alive;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    if (!snapshot.is_alive(slot)) continue;
    CHECK(snapshot.id[slot].index() == slot);
    CHECK(is_finite(snapshot.position[slot]) && is_finite(snapshot.velocity[slot]));
    CHECK(is_within(snapshot.tight_box[slot], world_half_size_m));
    const Pose pose = snapshot.pose(slot);
    CHECK(is_finite(pose.rotation));
    const double size =
        std::sqrt(length_squared(pose.rotation.vector()) + pose.rotation.w * pose.rotation.w);
    CHECK(std::abs(size - 1) < 1e-9);
    alive.insert(snapshot.id[slot]);
  }
  CHECK(alive.size() == snapshot.entity_count && alive.size() == output.report.entities);
  std::set<EntityId> gone;
  for (const Despawn& despawn : snapshot.despawned) CHECK(gone.insert(despawn.id).second);
  std::set<EntityId> missing;
  std::ranges::set_difference(alive_, alive, std::inserter(missing, missing.end()));
  CHECK(gone == missing);
  alive_ = std::move(alive);
}

/// Numbers of events grow; a restart leaves some out.
void TickBooks::number(std::uint64_t event_seq) {
  CHECK(event_seq > last_event_);
  last_event_ = event_seq;
}

void TickBooks::take_contacts(const TickOutput& output) {
  const Tick tick = output.report.tick;
  for (const ContactEnd& each : output.contacts.ends) {
    number(each.event_seq);
    CHECK(each.contact.begin_tick < tick);
    end(each.contact, open_);
  }
  for (const ContactBegin& each : output.contacts.begins) {
    number(each.event_seq);
    check_moment(each, tick);
    CHECK(each.contact.begin_tick == tick);
    CHECK(alive_.contains(each.contact.a) && alive_.contains(each.contact.b));
    begin(each.contact, open_);
  }
  for (const ContactEnd& each : output.contacts.passed) {
    number(each.event_seq);
    CHECK(each.contact.begin_tick == tick);
    end(each.contact, open_);
  }
  for (const ContactStay& each : output.contacts.stays) {
    number(each.event_seq);
    const auto found = open_.find({each.contact.a, each.contact.b});
    CHECK(found != open_.end() && found->second == each.contact.begin_tick);
  }
  begins_ += output.report.begins;
  ends_ += output.report.ends;
  CHECK(begins_ - ends_ == open_.size());
  CHECK(output.report.contacts == open_.size());
  for (const OpenContact& contact : output.frame->contacts.to_vector()) {
    const auto found = open_.find({contact.a, contact.b});
    CHECK(found != open_.end() && found->second == contact.begin_tick);
    CHECK(alive_.contains(contact.a) && alive_.contains(contact.b));
  }
}

void TickBooks::take_told(const SessionOutput& output, Tick tick) {
  const auto [place, is_new] = told_.try_emplace(output.session, Told{output.view_number, {}});
  Told& told = place->second;
  if (!is_new && told.view_number != output.view_number) told = {output.view_number, {}};
  for (const ContactEnd& each : output.contact_ends) end(each.contact, told.open);
  for (const ContactBegin& each : output.contact_begins) {
    check_moment(each, tick);
    begin(each.contact, told.open);
  }
  for (const ContactEnd& each : output.contact_passed) end(each.contact, told.open);
  for (const ContactStay& each : output.contact_stays)
    CHECK(told.open.contains({each.contact.a, each.contact.b}));
  CHECK(output.begin_details.empty() ||
        output.begin_details.size() == output.contact_begins.size());
  // Whoever is told a begin is told its end: what is told is open.
  CHECK(std::ranges::includes(open_, told.open));
  for (std::size_t i = 1; i < output.results.size(); ++i)
    CHECK(output.results[i - 1].sequence < output.results[i].sequence);
}

void TickBooks::take_views(const SessionOutput& output, const Snapshot& snapshot) {
  for (const ObserverEvents& events : output.observers) {
    CHECK(events.session == output.session);
    std::set<EntityId>& view = views_[{events.session, events.observer}];
    if (events.dropped) view.clear();
    for (const Leave& leave : events.leaves) CHECK(view.erase(leave.id) == 1);
    for (const std::uint32_t slot : events.enters) {
      CHECK(slot < snapshot.slot_count() && snapshot.is_alive(slot));
      CHECK(view.insert(snapshot.id[slot]).second);
    }
    CHECK(view.size() == events.visible_count);
  }
}

void TickBooks::forget_closed(const TickOutput& output) {
  std::set<SessionId> open;
  for (const SessionOutput& session : output.sessions) CHECK(open.insert(session.session).second);
  std::erase_if(told_, [&](const auto& entry) { return !open.contains(entry.first); });
  std::erase_if(views_, [&](const auto& entry) {
    return entry.second.empty() || !open.contains(entry.first.first);
  });
}

/// What was told from tick to tick is what there is to see.
void TickBooks::compare_views(const TickOutput& output, const Interest& interest) const {
  const Snapshot& snapshot = *output.frame->snapshot;
  std::map<ObserverName, std::set<EntityId>> views;
  for (const ObserverEvents& all : interest.views(snapshot)) {
    for (const std::uint32_t slot : all.enters) {
      CHECK(snapshot.is_alive(slot) && snapshot.filter[slot].enabled);
      views[{all.session, all.observer}].insert(snapshot.id[slot]);
    }
  }
  CHECK(views == views_);
  std::uint64_t visible = 0;
  for (const auto& [name, view] : views) visible += view.size();
  CHECK(visible == output.report.visible);
}

}  // namespace vicinity::fuzz
