// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One Simulation and the commands for its next tick.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "tick/simulation.h"

namespace vicinity::test {

/// Whether entities come to rest as soon as they may. Nothing that is told may depend on it.
enum class Rest : std::uint8_t { Never, Eagerly };

inline std::string name_of(Rest rest) { return rest == Rest::Never ? "Moving" : "Resting"; }

inline SimulationSettings small_world(Rest rest = Rest::Never, int worker_count = 1) {
  SimulationSettings settings;
  settings.dt_s = 1;
  settings.world_half_size_m = 1000;
  settings.worker_count = worker_count;
  settings.reuse_delay_ticks = 1;
  settings.index.kind = rest == Rest::Never ? IndexKind::BruteForce : IndexKind::Rows;
  settings.index.rest_after_ticks = 1;
  settings.index.rest_eagerly = rest == Rest::Eagerly;
  return settings;
}

inline SpawnCommand unit_box(Vec3 position, std::uint32_t category = 1) {
  SpawnCommand command;
  command.position = position;
  command.shape = Shape::box({0.5, 0.5, 0.5});
  command.filter.category = category;
  return command;
}

/// What tells two contacts apart.
struct ContactName {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  friend auto operator<=>(const ContactName&, const ContactName&) = default;
};
inline ContactName name_of(const EventContact& contact) {
  return {contact.a, contact.b, contact.begin_tick};
}
template <class Event>
std::vector<ContactName> names_of(const std::vector<Event>& events) {
  std::vector<ContactName> out;
  for (const Event& event : events) out.push_back(name_of(event.contact));
  return out;
}

class WorldOfSessions {
 public:
  explicit WorldOfSessions(const SimulationSettings& settings) : simulation_(settings) {}

  std::uint64_t send(SessionId session, CommandBody body) {
    commands_.push_back({session, ++sequence_, std::move(body)});
    return sequence_;
  }
  void open(SessionId session, Role role, ContactScope contacts = ContactScope::None,
            bool details = false) {
    send(session, OpenSessionCommand{role, contacts, details});
  }
  void step() {
    std::stable_sort(commands_.begin(), commands_.end(), [](const Command& x, const Command& y) {
      return std::pair(x.session, x.sequence) < std::pair(y.session, y.sequence);
    });
    output_ = simulation_.run_tick(std::exchange(commands_, {}));
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  /// Spawns in a tick of its own.
  EntityId spawned(SessionId session, SpawnCommand command) {
    const std::uint64_t sequence = send(session, std::move(command));
    step();
    CHECK(result(session, sequence).code == ErrorCode::None);
    return result(session, sequence).entity;
  }

  const TickOutput& output() const { return output_; }
  Tick tick() const { return output_.report.tick; }
  const ContactEvents& events() const { return output_.contacts; }
  const SessionOutput& told(SessionId session) const {
    const auto found = std::find_if(output_.sessions.begin(), output_.sessions.end(),
                                    [&](const SessionOutput& o) { return o.session == session; });
    CHECK(found != output_.sessions.end());
    return *found;
  }
  CommandResult result(SessionId session, std::uint64_t sequence) const {
    for (const CommandResult& each : told(session).results)
      if (each.sequence == sequence) return each;
    ADD_FAILURE() << "no result for sequence " << sequence;
    return {};
  }
  ErrorCode code_of(SessionId session, CommandBody body) {
    const std::uint64_t sequence = send(session, std::move(body));
    step();
    return result(session, sequence).code;
  }

 private:
  Simulation simulation_;
  std::vector<Command> commands_;
  std::uint64_t sequence_ = 0;
  TickOutput output_;
};

}  // namespace vicinity::test
