// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Everything that a tick tells, as bytes: two worlds that are the same tell the same.

#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "tick/simulation.h"
#include "world/archive_values.h"

namespace vicinity::test {

inline void put(const EventContact& contact, ArchiveWriter& out) {
  out(contact.a), out(contact.b), out(contact.begin_tick);
  out(contact.user_data_a), out(contact.user_data_b);
  out(contact.owner_a), out(contact.owner_b), out(contact.sensor);
}
inline void put(const ContactBegin& begin, ArchiveWriter& out) {
  put(begin.contact, out);
  out(begin.toi), out(begin.capped), out(begin.event_seq);
}
inline void put(const ContactEnd& end, ArchiveWriter& out) {
  put(end.contact, out);
  out(end.reason), out(end.event_seq);
}
inline void put(const ContactStay& stay, ArchiveWriter& out) {
  put(stay.contact, out);
  out(stay.event_seq);
}
inline void put(const ImpactDetail& detail, ArchiveWriter& out) {
  out(detail.point), out(detail.normal), out(detail.penetration_m);
  out(detail.pose_a), out(detail.pose_b);
}
inline void put(const CommandResult& result, ArchiveWriter& out) {
  out(result.sequence), out(result.code), out(result.entity);
}
inline void put(const Despawn& lost, ArchiveWriter& out) {
  out(lost.id), out(lost.owner), out(lost.reason), out(lost.user_data), out(lost.by);
}
inline void put(const Leave& leave, ArchiveWriter& out) {
  out(leave.id), out(leave.reason), out(leave.user_data), out(leave.suspended);
}
void put(const ObserverEvents& events, ArchiveWriter& out);
void put(const SessionOutput& told, ArchiveWriter& out);
template <class T>
void put_all(const std::vector<T>& items, ArchiveWriter& out) {
  out(static_cast<std::uint64_t>(items.size()));
  for (const T& item : items) put(item, out);
}
inline void put(const ObserverEvents& events, ArchiveWriter& out) {
  out(events.session), out(events.observer), out(events.dropped), out(events.visible_count);
  put_all(events.leaves, out);
  out(events.enters);
}
inline void put(const SessionOutput& told, ArchiveWriter& out) {
  out(told.session), out(told.view_number);
  put_all(told.results, out);
  put_all(told.lost, out);
  put_all(told.observers, out);
  put_all(told.contact_ends, out);
  put_all(told.contact_begins, out);
  put_all(told.contact_passed, out);
  put_all(told.contact_stays, out);
  put_all(told.begin_details, out);
}

inline std::vector<std::uint8_t> bytes_of(const TickOutput& output) {
  ArchiveWriter out;
  out(output.report.tick), out(output.report.hash), out(output.report.contacts);
  out(output.report.visible), out(output.report.views_truncated);
  put_all(output.contacts.ends, out);
  put_all(output.contacts.begins, out);
  put_all(output.contacts.passed, out);
  put_all(output.contacts.stays, out);
  put_all(output.sessions, out);
  return out.take();
}

}  // namespace vicinity::test
