// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/case_run.h"

#include <algorithm>
#include <set>

#include "cases/metrics.h"
#include "cases/observed.h"
#include "cases/operations.h"
#include "cases/recycle.h"
#include "cases/translator.h"
#include "cases/values.h"

namespace vicinity::cases {

namespace {

/// Ticks of a second of a script: the rate at which servers run by default.
constexpr std::uint32_t ticks_per_s = 20;

/// on_event: operations to run at the start of the tick after the event.
struct Handler {
  std::string event;  ///< begin, end, enter or leave
  NamePair pair;      ///< of begin and end
  std::string observer;
  std::string target;
  std::vector<Operation> operations;
};

Handler parse_handler(const Json& fields) {
  Handler handler;
  handler.event = fields.at("event").get<std::string>();
  if (handler.event == "begin" || handler.event == "end") {
    const Json& pair = fields.at("pair");
    handler.pair = name_pair(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  } else if (handler.event == "enter" || handler.event == "leave") {
    handler.observer = fields.at("obs").get<std::string>();
    handler.target = fields.at("target").get<std::string>();
  } else {
    throw ScriptError("on_event: unknown event " + handler.event);
  }
  for (const Json& operation : fields.at("do"))
    handler.operations.push_back(parse_operation(operation));
  return handler;
}

bool runs_whole_ticks(const Operation& operation) {
  return operation.name == "recycle_slot" || operation.name == "run_for_s" ||
         operation.name == "stop_world" || operation.name == "start_world";
}

std::uint32_t tick_count(const Step& step) {
  std::uint64_t ticks = 0;
  for (const Operation& operation : step.operations) {
    if (operation.name == "idle_ticks") ticks += operation.fields.at("count").get<std::uint32_t>();
    if (operation.name == "each_tick_move_all") ticks += ticks_of_label(step.label);
  }
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, ticks));
}

bool recycles_slots(const Case& script) {
  for (const Step& step : script.script)
    for (const Operation& operation : step.operations)
      if (operation.name == "recycle_slot") return true;
  return false;
}

class CaseRun {
 public:
  CaseRun(const Case& script, const WorldFactory& make_world)
      : script_(script), make_world_(make_world), options_{script.cell_m, recycles_slots(script)} {}

  CaseOutcome run() {
    start_world();
    for (const Step& step : script_.script) {
      run_step(step);
      const Verdict verdict = compare(step, observed_);
      for (const std::string& difference : verdict.differences)
        outcome_.differences.push_back("tick " + step.label + ": " + difference);
      outcome_.unmeasured.insert(outcome_.unmeasured.end(), verdict.unmeasured.begin(),
                                 verdict.unmeasured.end());
      // What follows a wrong tick is wrong for that reason.
      if (!verdict.differences.empty()) break;
    }
    if (world_ != nullptr) stop_world();
    return std::move(outcome_);
  }

 private:
  void start_world() {
    auto made = make_world_(options_);
    if (!made) throw ScriptError("no world: " + made.error());
    world_ = std::move(made.value());
    translator_ = Translator();
    pairs_.clear();
    visible_.clear();
    observer_ids_.clear();
    metrics_.begin_world();
  }

  void stop_world() {
    const std::string fault = world().stop();
    if (!fault.empty()) outcome_.differences.push_back("at the end: " + fault);
    world_.reset();
  }

  World& world() {
    if (world_ == nullptr) throw ScriptError("the world is stopped");
    return *world_;
  }

  void run_step(const Step& step) {
    observed_ = {};
    metrics_.begin_step();
    for (const Operation& operation : step.operations)
      if (runs_whole_ticks(operation)) run_whole_ticks(operation);
    const bool nothing_else =
        !step.operations.empty() &&
        std::all_of(step.operations.begin(), step.operations.end(), runs_whole_ticks);
    if (!nothing_else) run_ticks(step);
    finish_step(step);
  }

  void run_whole_ticks(const Operation& operation) {
    const Json& fields = operation.fields;
    if (operation.name == "stop_world") return stop_world();
    if (operation.name == "start_world") return start_world();
    if (operation.name == "run_for_s") {
      const double seconds = number(fields.at("s"));
      return run_quiet_ticks(static_cast<std::uint32_t>(seconds * ticks_per_s));
    }
    const std::string name = fields.at("of").get<std::string>();
    const auto run_tick = [this](const std::vector<CommandBody>& commands) {
      return run_quiet_tick(commands).replies;
    };
    recycler_.recycle(name, fields.at("times").get<std::uint64_t>(), world(), translator_, metrics_,
                      run_tick);
  }

  void run_ticks(const Step& step) {
    std::vector<Operation> every_tick;
    for (const Operation& operation : step.operations) {
      if (operation.name == "on_event") handlers_.push_back(parse_handler(operation.fields));
      if (operation.name == "each_tick_move_all") every_tick.push_back(operation);
    }
    run_planned_tick(step.operations, /*quiet=*/false);
    const std::uint32_t ticks = tick_count(step);
    for (std::uint32_t i = 1; i < ticks; ++i) run_planned_tick(every_tick, /*quiet=*/true);
  }

  void run_planned_tick(const std::vector<Operation>& operations, bool quiet) {
    for (const Operation& operation : operations)
      if (operation.name == "move") metrics_.add_move(operation.fields.at("id").get<std::string>());
    const TickPlan plan = translator_.plan(deferred_, operations, world().next_sequence());
    deferred_.clear();
    const TickSeen seen = run(plan.commands);
    translator_.settle(plan, seen.replies, observed_.errors, observed_.faults);
    take(seen, quiet);
    for (const PlannedQuery& query : plan.queries) ask(query, seen.tick);
    std::stable_sort(observed_.errors.begin(), observed_.errors.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  /// A tick in which nothing may be told.
  TickSeen run_quiet_tick(const std::vector<CommandBody>& commands) {
    TickSeen seen = run(commands);
    take(seen, /*quiet=*/true);
    return seen;
  }

  void run_quiet_ticks(std::uint32_t count) {
    const std::string ended = world().run_idle_ticks(count, [this](const TickSeen& seen) {
      metrics_.add_tick(seen);
      take(seen, /*quiet=*/true);
    });
    if (!ended.empty()) throw ScriptError("the world ended: " + ended);
  }

  TickSeen run(const std::vector<CommandBody>& commands) {
    auto seen = world().run_tick(commands);
    if (!seen) throw ScriptError("the world ended: " + seen.error());
    metrics_.add_tick(seen.value());
    return std::move(seen.value());
  }

  void fault(const std::string& text) { observed_.faults.push_back(text); }

  NamePair names(const ContactSeen& contact) const {
    return name_pair(translator_.name_of(contact.a), translator_.name_of(contact.b));
  }

  /// Takes over what a tick told; handlers look at it.
  void take(const TickSeen& seen, bool quiet) {
    Observed tick;
    for (const ContactSeen& end : seen.ends) close_pair(names(end), tick);
    for (const ContactSeen& begin : seen.begins) {
      const NamePair pair = names(begin);
      tick.begins.push_back(pair);
      tick.impact_times[pair] = begin.toi;
      if (!pairs_.insert(pair).second) fault("begin of an open contact " + text(pair));
    }
    for (const ContactSeen& end : seen.passed) close_pair(names(end), tick);
    take_views(seen, tick);
    check_open_list(seen);
    notice(tick);
    if (quiet) check_quiet(tick);
    merge(tick);
  }

  void close_pair(const NamePair& pair, Observed& tick) {
    tick.ends.push_back(pair);
    if (pairs_.erase(pair) == 0) fault("end of a contact that is not open " + text(pair));
  }

  void take_views(const TickSeen& seen, Observed& tick) {
    const auto observers = translator_.observers();
    for (const auto& [name, id] : observer_ids_)
      if (!observers.contains(name) || observers.at(name) != id) visible_.erase(name);
    for (const auto& [name, id] : observers) visible_[name];
    observer_ids_ = observers;
    for (const ViewSeen& leave : seen.leaves) {
      const auto [observer, entity] = view(leave, "leave");
      tick.leaves[observer].push_back(entity);
      if (visible_[observer].erase(entity) == 0)
        fault("leave of " + entity + ", which " + observer + " does not see");
    }
    for (const ViewSeen& enter : seen.enters) {
      const auto [observer, entity] = view(enter, "enter");
      tick.enters[observer].push_back(entity);
      if (!visible_[observer].insert(entity).second)
        fault("enter of " + entity + ", which " + observer + " sees already");
    }
    for (const ViewSeen& update : seen.updates) {
      const auto [observer, entity] = view(update, "update");
      if (!visible_[observer].contains(entity))
        fault("update of " + entity + ", which " + observer + " does not see");
    }
  }

  std::pair<std::string, std::string> view(const ViewSeen& seen, const char* kind) {
    std::pair<std::string, std::string> named{translator_.name_of(seen.observer),
                                              translator_.name_of(seen.entity)};
    metrics_.add_view_event(kind, named.first, named.second);
    return named;
  }

  /// The world's own list must be what its events add up to.
  void check_open_list(const TickSeen& seen) {
    if (!seen.open) return;
    std::set<NamePair> open;
    for (const auto& [a, b] : *seen.open) open.insert(names({a, b}));
    if (open != pairs_ || seen.open->size() != open.size())
      fault("the list of contacts is not the sum of begins and ends");
  }

  void notice(const Observed& tick) {
    const auto contains = [](const auto& list, const auto& item) {
      return std::find(list.begin(), list.end(), item) != list.end();
    };
    for (const Handler& handler : handlers_) {
      const bool of_pair = handler.event == "begin" || handler.event == "end";
      const auto& contacts = handler.event == "begin" ? tick.begins : tick.ends;
      const auto& views = handler.event == "enter" ? tick.enters : tick.leaves;
      const auto told = views.find(handler.observer);
      const bool hit = of_pair ? contains(contacts, handler.pair)
                               : told != views.end() && contains(told->second, handler.target);
      if (hit)
        deferred_.insert(deferred_.end(), handler.operations.begin(), handler.operations.end());
    }
  }

  void check_quiet(const Observed& tick) {
    if (!tick.begins.empty()) fault("begin " + text(tick.begins.front()) + " in a quiet tick");
    if (!tick.ends.empty()) fault("end " + text(tick.ends.front()) + " in a quiet tick");
    for (const auto* views : {&tick.enters, &tick.leaves})
      for (const auto& [observer, entities] : *views)
        fault(observer + " is told of " + entities.front() + " in a quiet tick");
  }

  void merge(const Observed& tick) {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(observed_.begins, tick.begins);
    append(observed_.ends, tick.ends);
    observed_.impact_times.insert(tick.impact_times.begin(), tick.impact_times.end());
    for (const auto& [observer, entities] : tick.enters)
      append(observed_.enters[observer], entities);
    for (const auto& [observer, entities] : tick.leaves)
      append(observed_.leaves[observer], entities);
  }

  void ask(const PlannedQuery& planned, Tick tick) {
    Query query = planned.query;
    if (!planned.contacts_of.empty())
      query.body = ContactsQuery{translator_.id_of(planned.contacts_of)};
    auto asked = world().ask(query);
    if (!asked) throw ScriptError("the world ended: " + asked.error());
    const QuerySeen& seen = asked.value();
    metrics_.add_query(seen.cpu_ms);
    if (seen.code != ErrorCode::None) {
      if (planned.operation >= 0)
        observed_.errors.emplace_back(planned.operation, error_name(seen.code));
      return;
    }
    if (!seen.answer.complete) fault("the answer to " + planned.tag + " was cut off");
    if (seen.answer.tick != tick) fault("the answer to " + planned.tag + " is of another tick");
    std::vector<NamedHit>& hits = observed_.answers[planned.tag];
    for (const QueryHit& hit : seen.answer.hits)
      hits.push_back({translator_.name_of(hit.id), hit.value});
  }

  void finish_step(const Step& step) {
    observed_.pairs = pairs_;
    observed_.visible = visible_;
    for (const Expectation& expectation : step.expectations) {
      if (expectation.kind != "bound" && expectation.kind != "assert") continue;
      const std::string metric = expectation.value.at("metric").get<std::string>();
      if (const auto value = metrics_.value(metric)) observed_.metrics[metric] = *value;
    }
  }

  static std::string text(const NamePair& pair) { return pair.first + "-" + pair.second; }

  const Case& script_;
  const WorldFactory& make_world_;
  const WorldOptions options_;
  CaseOutcome outcome_;
  std::unique_ptr<World> world_;
  Translator translator_;
  Metrics metrics_;
  Recycler recycler_;
  std::vector<Handler> handlers_;
  std::vector<Operation> deferred_;
  std::set<NamePair> pairs_;                              ///< begins without ends
  std::map<std::string, std::set<std::string>> visible_;  ///< enters without leaves
  std::map<std::string, ObserverId> observer_ids_;        ///< of the last tick
  Observed observed_;                                     ///< of the present step
};

}  // namespace

CaseOutcome run_case(const Case& script, const WorldFactory& make_world) {
  CaseOutcome outcome;
  for (const std::string& key : script.unknown_keys)
    outcome.differences.push_back("unknown key " + key);
  for (std::string& unknown : unknown_operations(script))
    outcome.differences.push_back(std::move(unknown));
  for (std::string& unknown : unknown_expectations(script))
    outcome.differences.push_back(std::move(unknown));
  if (!outcome.differences.empty()) return outcome;
  try {
    return CaseRun(script, make_world).run();
  } catch (const std::exception& error) {
    outcome.differences.push_back(error.what());
  }
  return outcome;
}

}  // namespace vicinity::cases
