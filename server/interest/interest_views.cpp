// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest.h"

namespace vicinity {

std::vector<ObserverEvents> Interest::views(const Snapshot& snapshot) const {
  std::vector<ObserverEvents> out;
  for (const auto& [session_id, session] : sessions_) {
    for (const auto& [observer_id, observer] : session.observers) {
      ObserverEvents events;
      events.session = session_id;
      events.observer = observer_id;
      for (const Visible& visible : observer.visible)  // ascending
        if (snapshot.id[visible.id.index()] == visible.id)
          events.enters.push_back(visible.id.index());
      events.visible_count = static_cast<std::uint32_t>(observer.visible.size());
      out.push_back(std::move(events));
    }
  }
  return out;
}

}  // namespace vicinity
