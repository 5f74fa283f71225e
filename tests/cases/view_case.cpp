// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/view_case.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/prng.h"
#include "cases/values.h"

namespace vicinity::cases {

namespace {

const std::string model_check =
    "after any prefix of the stream, the set of known ids equals enters minus leaves, and every "
    "update names a known id+generation";
const std::string random_run = "violations over a 10,000-tick random run";
constexpr int random_ticks = 10'000;
constexpr std::uint64_t random_seed = 1;
constexpr std::size_t entities_max = 48;

constexpr ObserverId sees_all{1};
constexpr ObserverId sees_part{2};

bool is_known(const Operation& operation) {
  const Json& fields = operation.fields;
  if (operation.name == "connect") return has_just(fields, {"client"});
  if (operation.name == "spawn") return has_just(fields, {"id", "min", "max"});
  if (operation.name == "despawn") return has_just(fields, {"id"});
  if (operation.name == "wait_ticks") return has_just(fields, {"n"});
  return operation.name == "client_model" && has_just(fields, {"client", "check"}) &&
         fields["check"] == model_check;
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind == "note") return true;
  if (expectation.kind == "deliver") return has_just(expectation.value, {"client", "seq"});
  if (expectation.kind == "not_delivered")
    return has_just(expectation.value, {"client", "type", "after"});
  return expectation.kind == "assert" && expectation.value.value("metric", "") == random_run &&
         expectation.value.value("cmp", "") == "==";
}

AddAreaCommand area(ObserverId observer, std::uint32_t name, double radius_m) {
  AddAreaCommand command{observer, {name}, {}};
  command.spec.enter_radius_m = radius_m;
  command.spec.leave_radius_m = radius_m * 1.25;
  return command;
}

class ViewRun {
 public:
  explicit ViewRun(World& world) : world_(world), random_(random_seed) {}

  void run_step(const Step& step, CaseOutcome& outcome) {
    events_.clear();
    std::vector<CommandBody> commands;
    std::uint32_t idle = 0;
    for (const Operation& operation : step.operations) {
      if (operation.name == "wait_ticks") idle += operation.fields.at("n").get<std::uint32_t>();
      if (operation.name == "client_model") run_randomly();
      add(operation, commands);
    }
    run_tick(commands);
    for (; idle > 0; --idle) run_tick({});
    for (const Expectation& expectation : step.expectations) check(expectation, outcome);
    for (const std::string& violation : violations_) outcome.differences.push_back(violation);
    violations_.clear();
  }

 private:
  struct Spawned {
    std::size_t command = 0;
    std::string name;
  };

  // --- Commands --------------------------------------------------------------------------------

  void add(const Operation& operation, std::vector<CommandBody>& commands) {
    if (operation.name == "connect") commands.push_back(area(sees_all, 1, 1e6));
    if (operation.name == "spawn") {
      const Placement placed = place_box(corners(operation.fields));
      SpawnCommand spawn;
      spawn.position = placed.position;
      spawn.shape = placed.shape;
      add_spawn(spawn, operation.fields.at("id").get<std::string>(), commands);
    }
    if (operation.name == "despawn")
      add_despawn(operation.fields.at("id").get<std::string>(), commands);
  }

  void add_spawn(const SpawnCommand& spawn, const std::string& name,
                 std::vector<CommandBody>& commands) {
    alive_[name] = {EntityId{}, world_.next_sequence() + commands.size()};
    spawned_.push_back({commands.size(), name});
    commands.push_back(spawn);
  }

  void add_despawn(const std::string& name, std::vector<CommandBody>& commands) {
    commands.push_back(DespawnCommand{alive_.at(name)});
    alive_.erase(name);
  }

  // --- A random run ----------------------------------------------------------------------------

  void run_randomly() {
    run_tick({area(sees_part, 2, 20)});
    for (int tick = 0; tick < random_ticks && violations_.empty(); ++tick) {
      std::vector<CommandBody> commands;
      for (std::uint64_t count = random_.below(4); count > 0; --count) add_random(commands);
      run_tick(commands);
      events_.clear();
    }
    for (std::string& violation : violations_)
      violation += " (seed " + std::to_string(random_seed) + ")";
  }

  Vec3 random_place() {
    const auto axis = [this] { return static_cast<double>(random_.below(800)) / 8 - 50; };
    return {axis(), axis(), axis()};
  }

  /// Also a despawn in the tick of the spawn, and moves before a despawn.
  void add_random(std::vector<CommandBody>& commands) {
    const std::uint64_t choice = random_.below(8);
    if (alive_.empty() || (choice < 3 && alive_.size() < entities_max)) {
      SpawnCommand spawn;
      spawn.position = random_place();
      spawn.shape = Shape::sphere(1);
      if (choice == 0) spawn.velocity = {1, 0, 0};
      return add_spawn(spawn, "r" + std::to_string(++spawns_), commands);
    }
    auto chosen = alive_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(alive_.size())));
    if (choice < 5)
      add_despawn(std::string(chosen->first), commands);
    else if (choice == 5)
      commands.push_back(TeleportCommand{chosen->second, random_place()});
    else
      commands.push_back(MoveToCommand{chosen->second, random_place(), choice == 6});
  }

  // --- The stream ------------------------------------------------------------------------------

  void run_tick(const std::vector<CommandBody>& commands) {
    const auto seen = world_.run_tick(commands);
    if (!seen) throw ScriptError("the world ended: " + seen.error());
    for (const CommandReply& reply : seen.value().replies)
      if (reply.code != ErrorCode::None)
        throw ScriptError("a command was refused: " + error_name(reply.code));
    for (const Spawned& spawned : spawned_) {
      const EntityId id = seen.value().replies[spawned.command].entity;
      names_[id] = spawned.name;
      if (alive_.contains(spawned.name)) alive_[spawned.name] = {id, 0};
    }
    spawned_.clear();
    take(seen.value());
  }

  /// The lists of a tick are in the order of its frame.
  void take(const TickSeen& seen) {
    for (const ViewSeen& leave : seen.leaves) {
      note_event("leave", leave);
      if (known_[leave.observer].erase(leave.entity) == 0) violate(seen, "leave", leave, "unknown");
    }
    for (const ViewSeen& enter : seen.enters) {
      note_event("enter", enter);
      if (!known_[enter.observer].insert(enter.entity).second)
        violate(seen, "enter", enter, "known already");
    }
    for (const ViewSeen& update : seen.updates) {
      note_event("update", update);
      if (!known_[update.observer].contains(update.entity))
        violate(seen, "update", update, "unknown");
    }
    std::set<EntityId> alive;
    for (const auto& [name, ref] : alive_) alive.insert(ref.id);
    if (known_[sees_all] != alive)
      violations_.push_back("in tick " + std::to_string(seen.tick) + " the client knows " +
                            std::to_string(known_[sees_all].size()) + " of " +
                            std::to_string(alive.size()) + " entities, or not the same");
  }

  void note_event(const std::string& kind, const ViewSeen& view) {
    if (view.observer == sees_all) events_.push_back(kind + " " + names_[view.entity]);
  }

  void violate(const TickSeen& seen, const std::string& kind, const ViewSeen& view,
               const std::string& state) {
    violations_.push_back("in tick " + std::to_string(seen.tick) + ": " + kind + " of " +
                          names_[view.entity] + ", which is " + state);
  }

  // --- Expectations ----------------------------------------------------------------------------

  void check(const Expectation& expectation, CaseOutcome& outcome) {
    const Json& value = expectation.value;
    if (expectation.kind == "deliver" && !delivered(value.at("seq")))
      outcome.differences.push_back("deliver: expected " + value["seq"].dump() + ", got " +
                                    Json(events_).dump());
    if (expectation.kind == "not_delivered") {
      const auto after =
          std::find(events_.begin(), events_.end(), value.at("after").get<std::string>());
      if (after == events_.end() ||
          std::find(after, events_.end(), value.at("type").get<std::string>()) != events_.end())
        outcome.differences.push_back("not_delivered: got " + Json(events_).dump());
    }
    if (expectation.kind == "assert" &&
        !holds(static_cast<double>(violations_.size()), "==", number(value.at("value"))))
      outcome.differences.push_back(random_run + ": got " + std::to_string(violations_.size()));
  }

  /// "update* A": any number of "update A".
  bool delivered(const Json& wanted) const {
    auto event = events_.begin();
    for (const Json& item : wanted) {
      std::string word = item.get<std::string>();
      const std::size_t star = word.find('*');
      if (star != std::string::npos) {
        word.erase(star, 1);
        while (event != events_.end() && *event == word) ++event;
      } else if (event == events_.end() || *event++ != word) {
        return false;
      }
    }
    return event == events_.end();
  }

  World& world_;
  Prng random_;
  std::uint64_t spawns_ = 0;
  std::map<std::string, EntityRef> alive_;
  std::map<EntityId, std::string> names_;
  std::vector<Spawned> spawned_;  ///< of the tick that is being made
  std::map<ObserverId, std::set<EntityId>> known_;
  std::vector<std::string> events_;  ///< of the step, about the client that sees all
  std::vector<std::string> violations_;
};

}  // namespace

SpecialRunner view_cases(WorldFactory make_world) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "client_model") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [make_world = std::move(make_world)](const Case& script) {
    auto world = make_world({});
    if (!world) return CaseOutcome{{"no world: " + world.error()}, {}};
    ViewRun run(*world.value());
    CaseOutcome outcome =
        run_steps(script, [&](const Step& step, CaseOutcome& added) { run.run_step(step, added); });
    if (std::string fault = world.value()->stop(); !fault.empty())
      outcome.differences.push_back(fault);
    return outcome;
  };
  return runner;
}

}  // namespace vicinity::cases
