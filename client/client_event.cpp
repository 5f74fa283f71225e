// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/client_event.h"

#include <utility>

namespace vicinity::client {

void EventQueue::push(ClientEvent event) {
  if (count_max_ == 0) return;
  if (events_.size() >= count_max_) {
    std::uint64_t lost = 0;
    for (const ClientEvent& e : events_) {
      const auto* earlier = std::get_if<EventsLostEvent>(&e);
      lost += earlier != nullptr ? earlier->count : 1;
    }
    dropped_count_ += events_.size();
    events_.clear();
    events_.emplace_back(EventsLostEvent{lost});
  }
  events_.push_back(std::move(event));
}

std::optional<ClientEvent> EventQueue::pop() {
  if (events_.empty()) return std::nullopt;
  std::optional<ClientEvent> event(std::move(events_.front()));
  events_.pop_front();
  return event;
}

}  // namespace vicinity::client
