// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What "bound" and "assert" may name, and how it is measured:
//
//   tick_ms              processor time of the slowest tick of the step, all threads. Not wall
//                        time: the bounds are about work done, not about a busy machine.
//   query_ms             the same of the slowest query of the step
//   cells_touched        records of the index after the last tick: one for each row an entity lies
//                        in, one for each entity that is listed apart. Queries read records and
//                        nothing else. Not told to clients, hence not measured over TCP
//   level_changes_total  changes of the number of levels of the index, and of the number of
//   entities
//                        listed apart from all of them, from tick to tick, summed over the case.
//                        Not told to clients
//   handles_equal_to_A   ids given out by recycle_slot that equal the id of A ("invalid": no id)
//   messages_to_O_about_c*  enters, leaves and updates that observer O got about names with that
//                        prefix in the step
//   bytes_to_O_about_c*  the same, only to assert that they are 0: nobody counts bytes by entity,
//                        but nothing told is no bytes
//   enter(O,A) after world start, ticks
//   leave(O,A) after the move, ticks     ticks from the last move of A until O was told

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "cases/world.h"

namespace vicinity::cases {

/// Asserts about an event by its time say that the event is expected.
struct TimedEvent {
  bool is_enter = true;
  std::string observer;
  std::string entity;
};
std::optional<TimedEvent> timed_event(const std::string& metric);

bool is_known_metric(const std::string& metric);
/// Can only be asserted to be 0.
bool shows_only_zero(const std::string& metric);
/// Only a world in this process shows it.
bool is_hidden_from_clients(const std::string& metric);

/// Collects while a case runs; one object per case.
class Metrics {
 public:
  void begin_world() { world_start_ = last_tick_; }
  void begin_step();
  void add_tick(const TickSeen& seen);
  void add_query(double cpu_ms);
  void add_move(const std::string& entity);
  void add_view_event(const char* kind, const std::string& observer, const std::string& entity);
  /// Of the ids that followed that of `name` in its slot: how many equal it, how many are no id.
  void add_recycled(const std::string& name, std::uint64_t equal, std::uint64_t invalid);

  /// Nothing when the metric was not measured.
  std::optional<double> value(const std::string& metric) const;

 private:
  struct ViewEvent {
    std::string kind;
    std::string observer;
    std::string entity;
    Tick tick = 0;
  };
  std::optional<double> traffic(const std::string& metric) const;
  std::optional<double> delay(const std::string& metric) const;

  Tick last_tick_ = 0;  ///< ticks of all worlds of the case, counted on
  Tick world_start_ = 0;
  double tick_ms_ = 0;
  std::optional<double> query_ms_;
  std::optional<std::uint64_t> records_;
  std::optional<IndexStats> index_;  ///< of the last tick
  std::uint64_t level_changes_ = 0;
  std::map<std::string, std::uint64_t> equal_handles_;
  std::map<std::string, Tick> moved_;
  std::vector<ViewEvent> view_events_;  ///< of the step
};

}  // namespace vicinity::cases
