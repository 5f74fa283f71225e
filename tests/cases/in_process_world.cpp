// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <algorithm>
#include <ctime>
#include <limits>
#include <map>
#include <set>

#include "base/limits.h"
#include "cases/world.h"
#include "query/query.h"
#include "tick/simulation.h"
#include "wire/decode.h"

namespace vicinity::cases {

namespace {

constexpr SessionId script_session{1};

double process_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

SimulationSettings settings_for(IndexKind kind, const WorldOptions& options) {
  SimulationSettings settings;
  settings.reuse_delay_ticks =
      options.reuse_slots_at_once ? 0 : std::numeric_limits<std::uint32_t>::max();
  settings.worker_count = 2;
  settings.index.kind = kind;
  settings.index.row_size_m = options.row_size_m;
  return settings;
}

/// The simulation behind the same checks of values that the server's door makes.
class InProcessWorld final : public World {
 public:
  InProcessWorld(IndexKind kind, const WorldOptions& options)
      : simulation_(settings_for(kind, options)) {}

  std::uint64_t next_sequence() const override { return next_sequence_; }

  Result<TickSeen, std::string> run_tick(const std::vector<CommandBody>& bodies) override {
    TickSeen seen;
    seen.replies.resize(bodies.size());
    const std::vector<Command> commands = admit(bodies, seen);
    const double started_ms = process_cpu_ms();
    const TickOutput output = simulation_.run_tick(commands);
    seen.cpu_ms = process_cpu_ms() - started_ms;
    if (output.sessions.size() != 1) return std::string("the session has no part in the tick");
    if (std::string fault = read(output, seen); !fault.empty()) return fault;
    next_sequence_ += bodies.size();
    return seen;
  }

  std::string run_idle_ticks(std::uint32_t count,
                             const std::function<void(const TickSeen&)>& take) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto seen = run_tick({});
      if (!seen) return seen.error();
      take(seen.value());
    }
    return {};
  }

  Result<QuerySeen, std::string> ask(const Query& query) override {
    QuerySeen seen;
    seen.code = wire::validate(query, limits_).code;
    if (seen.code != ErrorCode::None) return seen;
    const double started_ms = process_cpu_ms();
    seen.answer = answer_query(*simulation_.frame(), query);
    seen.cpu_ms = process_cpu_ms() - started_ms;
    return seen;
  }

  std::string stop() override { return {}; }

 private:
  /// What the door lets in; what it refuses is answered here.
  std::vector<Command> admit(const std::vector<CommandBody>& bodies, TickSeen& seen) {
    std::vector<Command> commands;
    commands.reserve(bodies.size() + 1);
    if (!opened_)
      commands.push_back(
          {script_session, 0, OpenSessionCommand{Role::Authority, ContactScope::All}});
    opened_ = true;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      seen.replies[i].code = wire::validate(bodies[i], limits_).code;
      if (seen.replies[i].code == ErrorCode::None)
        commands.push_back({script_session, next_sequence_ + i, bodies[i]});
    }
    return commands;
  }

  std::string read(const TickOutput& output, TickSeen& seen) {
    const SessionOutput& session = output.sessions.front();
    seen.tick = output.report.tick;
    for (const CommandResult& result : session.results) {
      const std::uint64_t position = result.sequence - next_sequence_;
      if (position >= seen.replies.size()) return "a reply to a command that was not sent";
      seen.replies[position] = {result.code, result.entity};
    }
    for (const ContactBegin& begin : session.contact_begins)
      seen.begins.push_back({begin.contact.a, begin.contact.b, begin.toi});
    for (const ContactEnd& end : session.contact_ends)
      seen.ends.push_back({end.contact.a, end.contact.b});
    for (const ContactEnd& end : session.contact_passed)
      seen.passed.push_back({end.contact.a, end.contact.b});
    for (const ObserverEvents& events : session.observers)
      read_view(*output.frame->snapshot, events, seen);
    for (const auto& [observer, view] : views_)
      for (const EntityId id : view) read_update(*output.frame->snapshot, observer, id, seen);
    seen.open.emplace();
    for (const OpenContact& contact : output.frame->contacts.to_vector())
      seen.open->push_back({contact.a, contact.b});
    seen.index = output.report.index;
    return {};
  }

  void read_view(const Snapshot& snapshot, const ObserverEvents& events, TickSeen& seen) {
    std::set<EntityId>& view = views_[events.observer];
    if (events.dropped) view.clear();
    for (const Leave& leave : events.leaves) {
      seen.leaves.push_back({events.observer, leave.id});
      view.erase(leave.id);
    }
    for (const std::uint32_t slot : events.enters) {
      seen.enters.push_back({events.observer, snapshot.id[slot]});
      view.insert(snapshot.id[slot]);
    }
  }

  /// What a stream without limits would tell of an entity that was in view before.
  static void read_update(const Snapshot& snapshot, ObserverId observer, EntityId id,
                          TickSeen& seen) {
    const EntityVersions& v = snapshot.changed[id.index()];
    const bool has_changed =
        std::max({v.pose, v.shape, v.filter, v.enabled, v.user_data}) == snapshot.tick;
    const bool entered = std::any_of(seen.enters.begin(), seen.enters.end(), [&](const auto& e) {
      return e.observer == observer && e.entity == id;
    });
    if (has_changed && !entered) seen.updates.push_back({observer, id});
  }

  const wire::DecodeLimits limits_{limits::world_half_size_m};
  Simulation simulation_;
  std::uint64_t next_sequence_ = 1;
  bool opened_ = false;
  std::map<ObserverId, std::set<EntityId>> views_;
};

}  // namespace

WorldFactory in_process_worlds(IndexKind kind) {
  return [kind](const WorldOptions& options) -> Result<std::unique_ptr<World>, std::string> {
    return std::unique_ptr<World>(std::make_unique<InProcessWorld>(kind, options));
  };
}

}  // namespace vicinity::cases
