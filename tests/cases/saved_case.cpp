// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/saved_case.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cases/observed.h"
#include "cases/operations.h"
#include "cases/translator.h"
#include "cases/values.h"
#include "query/query.h"
#include "support/saved_entity.h"
#include "tick/simulation.h"

namespace vicinity::cases {

namespace {

constexpr SessionId script_session{1};
constexpr std::size_t cuts = 16;

const std::string server_starts = "server starts";
const std::string entities_loaded = "entities loaded";
const std::string quarantined_reported = "quarantined records reported";

/// "handle(E) == handle(C)": the two names.
std::optional<std::pair<std::string, std::string>> compared_handles(const std::string& metric) {
  const std::string begin = "handle(";
  const std::string middle = ") == handle(";
  const std::size_t at = metric.find(middle);
  if (!metric.starts_with(begin) || at == std::string::npos || !metric.ends_with(")")) return {};
  const std::size_t second = at + middle.size();
  return std::pair(metric.substr(begin.size(), at - begin.size()),
                   metric.substr(second, metric.size() - second - 1));
}

bool is_known(const Operation& operation) {
  const Json& fields = operation.fields;
  if (operation.name == "save" || operation.name == "restore") return has_just(fields, {});
  if (operation.name == "edit_save")
    return has_just(fields, {"entity", "min"}) || has_just(fields, {"entity", "min", "max"});
  if (operation.name == "truncate_save")
    return has_just(fields, {"at"}) && fields["at"] == "every 1/16 of its length";
  if (operation.name == "restart") return has_just(fields, {"from"}) && fields["from"] == "save";
  const OperationRule* rule = find_operation(operation.name);
  return rule != nullptr && rule->translate != nullptr;
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind != "assert") return expectation.kind != "bound";
  const std::string metric = expectation.value.value("metric", "");
  return metric == server_starts || metric == entities_loaded || metric == quarantined_reported ||
         compared_handles(metric).has_value();
}

class SavedRun {
 public:
  explicit SavedRun(IndexKind kind) {
    settings_.reuse_delay_ticks = std::numeric_limits<std::uint32_t>::max();
    settings_.worker_count = 2;
    settings_.index.kind = kind;
    world_ = std::make_unique<Simulation>(settings_);
    waiting_.push_back({script_session, 0, OpenSessionCommand{Role::Authority, ContactScope::All}});
  }

  void run_step(const Step& step, CaseOutcome& outcome) {
    observed_ = {};
    asked_ = {};
    bool has_run = false;
    for (std::size_t i = 0; i < step.operations.size(); ++i) {
      const Operation& operation = step.operations[i];
      if (operation.name == "save") {
        if (!std::exchange(has_run, true)) run_tick();
        save();
      } else if (operation.name == "edit_save") {
        edit(operation.fields);
      } else if (operation.name == "truncate_save") {
        is_cut_ = true;
      } else if (operation.name == "restart" || operation.name == "restore") {
        restart();
        has_run = operation.name == "restart";
      } else {
        asked_.resize(i, Operation{"note", Json::object()});  // so that it keeps its number
        asked_.push_back(operation);
        has_run = false;
      }
    }
    if (!has_run) run_tick();
    judge(step, outcome);
  }

 private:
  void run_tick() {
    const TickPlan plan = translator_.plan({}, asked_, next_sequence_);
    asked_.clear();
    for (std::size_t i = 0; i < plan.commands.size(); ++i)
      waiting_.push_back({script_session, next_sequence_ + i, plan.commands[i]});
    const TickOutput output = world_->run_tick(std::exchange(waiting_, {}));
    std::vector<CommandReply> replies(plan.commands.size());
    const SessionOutput& told = output.sessions.front();
    for (const CommandResult& result : told.results)
      replies.at(result.sequence - next_sequence_) = {result.code, result.entity};
    next_sequence_ += plan.commands.size();
    translator_.settle(plan, replies, observed_.errors, observed_.faults);
    for (const ContactBegin& begin : told.contact_begins)
      observed_.begins.push_back(names(begin.contact));
    for (const ContactEnd& end : told.contact_ends) observed_.ends.push_back(names(end.contact));
    for (const PlannedQuery& planned : plan.queries) {
      std::vector<NamedHit>& hits = observed_.answers[planned.tag];
      for (const QueryHit& hit : answer_query(*world_->frame(), planned.query).hits)
        hits.push_back({translator_.name_of(hit.id), hit.value});
    }
  }

  NamePair names(const EventContact& contact) const {
    return name_pair(translator_.name_of(contact.a), translator_.name_of(contact.b));
  }

  void save() {
    ArchiveWriter out;
    world_->save(out);
    saved_ = out.take();
  }

  void edit(const Json& fields) {
    const std::string name = fields.at("entity").get<std::string>();
    Aabb box = translator_.box_of(name);
    box.min = vector3(fields.at("min"));
    if (fields.contains("max")) box.max = vector3(fields["max"]);
    test::SavedEntityEditor editor(saved_);
    if (!editor.find(translator_.id_of(name))) throw ScriptError(name + " was not saved");
    const Placement placed = place_box(box);
    editor.set_position(placed.position);
    if (!editor.set_box({placed.shape.box_min, placed.shape.box_max}))
      throw ScriptError(name + " is no box");
  }

  void restart() {
    if (std::exchange(is_cut_, false)) {
      for (std::size_t i = 0; i < cuts; ++i) try_cut(saved_.size() * i / cuts);
      return;
    }
    ArchiveReader in(saved_);
    auto restored = Simulation::restore(settings_, in);
    observed_ = {};
    observed_.metrics[server_starts] = restored.ok() ? 1 : 0;
    if (!restored) return observed_.faults.push_back(restored.error().text);
    world_ = std::move(restored.value().simulation);
    for (const QuarantinedEntity& each : restored.value().quarantined)
      if (each.reason.empty()) observed_.faults.push_back("quarantined without a reason");
    observed_.metrics[entities_loaded] = world_->frame()->snapshot->entity_count;
    observed_.metrics[quarantined_reported] =
        static_cast<double>(restored.value().quarantined.size());
    waiting_ = {{SessionId{}, 0, RestartCommand{}}};
  }

  /// Nothing of it is a world; the one that runs goes on.
  void try_cut(std::size_t size) {
    ArchiveReader in{std::span(saved_).first(size)};
    const auto restored = Simulation::restore(settings_, in);
    if (restored)
      observed_.faults.push_back("a part of " + std::to_string(size) + " bytes passes for whole");
    else if (restored.error().text.empty())
      observed_.faults.push_back("a part of the bytes is refused without a reason");
  }

  void judge(const Step& step, CaseOutcome& outcome) {
    Step wanted = step;
    for (Expectation& expectation : wanted.expectations) {
      if (expectation.kind != "assert") continue;
      Json& value = expectation.value["value"];
      if (value.is_boolean()) value = value.get<bool>() ? 1 : 0;
      const std::string metric = expectation.value.at("metric").get<std::string>();
      if (const auto pair = compared_handles(metric))
        observed_.metrics[metric] =
            translator_.id_of(pair->first) == translator_.id_of(pair->second) ? 1 : 0;
    }
    const Verdict verdict = compare(wanted, observed_);
    outcome.differences = verdict.differences;
    outcome.unmeasured = verdict.unmeasured;
  }

  SimulationSettings settings_;
  std::unique_ptr<Simulation> world_;
  Translator translator_;
  std::vector<Command> waiting_;  ///< of the server itself, for the next tick
  std::uint64_t next_sequence_ = 1;
  std::vector<Operation> asked_;  ///< for the next tick
  std::vector<std::uint8_t> saved_;
  bool is_cut_ = false;
  Observed observed_;
};

}  // namespace

SpecialRunner saved_cases(IndexKind kind) {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "save") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [kind](const Case& script) {
    SavedRun run(kind);
    return run_steps(script,
                     [&](const Step& step, CaseOutcome& outcome) { run.run_step(step, outcome); });
  };
  return runner;
}

}  // namespace vicinity::cases
