// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_events.h"

#include "base/check.h"

namespace vicinity {

EventContact describe(const OpenContact& contact, const Snapshot& snapshot) {
  CHECK(snapshot.contains(contact.a));
  CHECK(snapshot.contains(contact.b));
  const std::uint32_t a = contact.a.index();
  const std::uint32_t b = contact.b.index();
  return {contact.a,
          contact.b,
          contact.begin_tick,
          snapshot.user_data[a],
          snapshot.user_data[b],
          snapshot.owner[a],
          snapshot.owner[b],
          contact.sensor};
}

}  // namespace vicinity
