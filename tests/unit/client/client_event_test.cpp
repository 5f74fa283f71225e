// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/client_event.h"

#include <gtest/gtest.h>

namespace vicinity::client {
namespace {

ClientEvent lost(std::uint64_t user_data) {
  LostEntity event;
  event.user_data = user_data;
  return event;
}

std::uint64_t number_of(const std::optional<ClientEvent>& event) {
  return std::get<LostEntity>(event.value()).user_data;
}

TEST(EventQueue, IsFirstInFirstOut) {
  EventQueue queue(10);
  queue.push(lost(1));
  queue.push(lost(2));
  EXPECT_EQ(number_of(queue.pop()), 1u);
  EXPECT_EQ(number_of(queue.pop()), 2u);
  EXPECT_FALSE(queue.pop().has_value());
}

TEST(EventQueue, TellsHowManyEventsWereLost) {
  EventQueue queue(3);
  for (std::uint64_t i = 1; i <= 4; ++i) queue.push(lost(i));
  EXPECT_EQ(queue.dropped_count(), 3u);
  EXPECT_EQ(std::get<EventsLostEvent>(queue.pop().value()).count, 3u);
  EXPECT_EQ(number_of(queue.pop()), 4u);
  for (std::uint64_t i = 1; i <= 6; ++i) queue.push(lost(i));
  // The first loss, of three, is lost itself, together with the events 4 and 5.
  EXPECT_EQ(std::get<EventsLostEvent>(queue.pop().value()).count, 5u);
  EXPECT_EQ(number_of(queue.pop()), 6u);
}

TEST(EventQueue, OfNoLengthTakesNothing) {
  EventQueue queue(0);
  queue.push(lost(1));
  EXPECT_FALSE(queue.pop().has_value());
}

}  // namespace
}  // namespace vicinity::client
