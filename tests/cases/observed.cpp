// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/observed.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cases/metrics.h"
#include "cases/values.h"

namespace vicinity::cases {

namespace {

/// Times and distances are f64 all the way: relative above 1, absolute below.
constexpr double tolerance = 1e-9;
constexpr std::size_t items_shown = 8;

bool same_number(double got, double wanted) {
  return std::abs(got - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
}

std::string text(const std::string& name) { return name; }
std::string text(const NamePair& pair) { return pair.first + "-" + pair.second; }
std::string text(double value) { return std::isfinite(value) ? Json(value).dump() : "never"; }
std::string text(const std::pair<int, std::string>& error) {
  return std::to_string(error.first) + ":" + error.second;
}
std::string text(const NamedHit& hit) { return hit.name + "@" + text(hit.value); }

template <class Items>
std::string list(const Items& items) {
  std::string out = "[";
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == items_shown) {
      out += ", ... " + std::to_string(items.size()) + " in all";
      break;
    }
    out += (shown++ == 0 ? "" : ", ") + text(item);
  }
  return out + "]";
}

std::vector<NamePair> pairs_of(const Json& json) {
  std::vector<NamePair> pairs;
  for (const Json& pair : json)
    pairs.push_back(name_pair(pair.at(0).get<std::string>(), pair.at(1).get<std::string>()));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<std::string> names_of(const Json& json) {
  auto names = json.get<std::vector<std::string>>();
  std::sort(names.begin(), names.end());
  return names;
}

template <class Items>
Items sorted(Items items) {
  std::sort(items.begin(), items.end());
  return items;
}

/// One comparison of a step. Every listed kind has a method; what is listed by count only, or
/// asserted by time, is taken out of the comparison of lists.
class Comparison {
 public:
  Comparison(const Step& step, const Observed& observed) : step_(step), observed_(observed) {}

  Verdict run() {
    for (const std::string& fault : observed_.faults) verdict_.differences.push_back(fault);
    for (const Expectation& expectation : step_.expectations) {
      const Method method = find(expectation.kind);
      if (method == nullptr)
        differ("expectation " + expectation.kind, "one that is known", "none");
      else
        (this->*method)(expectation.value);
    }
    if (expected_begins_) same_list("begin", *expected_begins_, sorted(observed_.begins));
    if (expected_ends_) same_list("end", *expected_ends_, sorted(observed_.ends));
    same_views("enter", expected_enters_, counted_enters_, observed_.enters);
    same_views("leave", expected_leaves_, counted_leaves_, observed_.leaves);
    same_list("error", expected_errors_, observed_.errors);
    for (const auto& [tag, hits] : observed_.answers)
      if (!answered_tags_.contains(tag)) differ("query " + tag, "an expectation", list(hits));
    return std::move(verdict_);
  }

  using Method = void (Comparison::*)(const Json&);
  static Method find(const std::string& kind) {
    static const std::map<std::string, Method> methods = {
        {"begin", &Comparison::begin},
        {"end", &Comparison::end},
        {"begin_count", &Comparison::begin_count},
        {"end_count", &Comparison::end_count},
        {"enter", &Comparison::enter},
        {"leave", &Comparison::leave},
        {"enter_count", &Comparison::enter_count},
        {"leave_count", &Comparison::leave_count},
        {"error", &Comparison::error},
        {"pairs", &Comparison::pairs},
        {"pairs_count", &Comparison::pairs_count},
        {"visible", &Comparison::visible},
        {"result", &Comparison::result},
        {"result_count", &Comparison::result_count},
        {"hits", &Comparison::hits},
        {"nearest", &Comparison::hits},
        {"toi", &Comparison::toi},
        {"bound", &Comparison::bound},
        {"assert", &Comparison::assertion},
        {"note", &Comparison::note},
    };
    const auto found = methods.find(kind);
    return found == methods.end() ? nullptr : found->second;
  }

 private:
  using Views = std::map<std::string, std::vector<std::string>>;

  void differ(const std::string& what, const std::string& wanted, const std::string& got) {
    verdict_.differences.push_back(what + ": expected " + wanted + ", got " + got);
  }
  template <class Items>
  void same_list(const std::string& what, const Items& wanted, const Items& got) {
    if (wanted != got) differ(what, list(wanted), list(got));
  }
  void same_count(const std::string& what, const Json& wanted, std::size_t got) {
    if (wanted != got) differ(what, wanted.dump(), std::to_string(got));
  }

  void same_views(const std::string& what, const Views& wanted,
                  const std::set<std::string>& counted, const Views& got) {
    std::set<std::string> observers;
    for (const Views* views : {&wanted, &got})
      for (const auto& [observer, names] : *views) observers.insert(observer);
    for (const std::string& observer : observers) {
      if (counted.contains(observer)) continue;
      same_list(what + " " + observer, of(wanted, observer), sorted(of(got, observer)));
    }
  }
  static std::vector<std::string> of(const Views& views, const std::string& observer) {
    const auto found = views.find(observer);
    return found == views.end() ? std::vector<std::string>{} : found->second;
  }

  void begin(const Json& value) { expected_begins_ = pairs_of(value); }
  void end(const Json& value) { expected_ends_ = pairs_of(value); }
  void begin_count(const Json& value) {
    expected_begins_.reset();
    same_count("begin_count", value, observed_.begins.size());
  }
  void end_count(const Json& value) {
    expected_ends_.reset();
    same_count("end_count", value, observed_.ends.size());
  }

  static std::string observer_of(const Json& value) { return value.at("obs").get<std::string>(); }
  void enter(const Json& value) {
    expected_enters_[observer_of(value)] = names_of(value.at("ids"));
  }
  void leave(const Json& value) {
    expected_leaves_[observer_of(value)] = names_of(value.at("ids"));
  }
  void enter_count(const Json& value) {
    counted_enters_.insert(observer_of(value));
    same_count("enter_count " + observer_of(value), value.at("count"),
               of(observed_.enters, observer_of(value)).size());
  }
  void leave_count(const Json& value) {
    counted_leaves_.insert(observer_of(value));
    same_count("leave_count " + observer_of(value), value.at("count"),
               of(observed_.leaves, observer_of(value)).size());
  }

  void error(const Json& value) {
    for (const Json& pair : value)
      expected_errors_.emplace_back(pair.at(0).get<int>(), pair.at(1).get<std::string>());
  }

  void pairs(const Json& value) {
    const std::vector<NamePair> got(observed_.pairs.begin(), observed_.pairs.end());
    same_list("pairs", pairs_of(value), got);
  }
  void pairs_count(const Json& value) { same_count("pairs_count", value, observed_.pairs.size()); }

  void visible(const Json& value) {
    const auto found = observed_.visible.find(observer_of(value));
    if (found == observed_.visible.end())
      return differ("visible", "an observer " + observer_of(value), "none");
    const std::vector<std::string> got(found->second.begin(), found->second.end());
    same_list("visible " + observer_of(value), names_of(value.at("ids")), got);
  }

  /// The answer with the tag of an expectation; null, and a difference, when there is none.
  const std::vector<NamedHit>* answer(const Json& value) {
    const std::string tag = value.at("tag").get<std::string>();
    answered_tags_.insert(tag);
    const auto found = observed_.answers.find(tag);
    if (found != observed_.answers.end()) return &found->second;
    differ("query " + tag, "an answer", "none");
    return nullptr;
  }
  void result(const Json& value) {
    const auto* answered = answer(value);
    if (answered == nullptr) return;
    std::vector<std::string> got;
    for (const NamedHit& hit : *answered) got.push_back(hit.name);
    same_list("result " + value["tag"].get<std::string>(), names_of(value.at("ids")), sorted(got));
  }
  void result_count(const Json& value) {
    const auto* answered = answer(value);
    if (answered != nullptr)
      same_count("result_count " + value["tag"].get<std::string>(), value.at("count"),
                 answered->size());
  }
  void hits(const Json& value) {
    const auto* answered = answer(value);
    if (answered == nullptr) return;
    std::vector<NamedHit> wanted;
    for (const Json& hit : value.at("hits"))
      wanted.push_back({hit.at(0).get<std::string>(), number(hit.at(1))});
    const auto same = [](const NamedHit& a, const NamedHit& b) {
      return a.name == b.name && same_number(a.value, b.value);
    };
    if (!std::equal(answered->begin(), answered->end(), wanted.begin(), wanted.end(), same))
      differ("hits " + value["tag"].get<std::string>(), list(wanted), list(*answered));
  }

  void toi(const Json& value) {
    const NamePair pair = pairs_of(Json::array({value.at("pair")})).front();
    const double wanted = number(value.at("t"));
    const auto found = observed_.impact_times.find(pair);
    if (found == observed_.impact_times.end())
      differ("toi " + text(pair), text(wanted), "no begin");
    else if (!same_number(found->second, wanted))
      differ("toi " + text(pair), text(wanted), text(found->second));
  }

  void bound(const Json& value) { measured(value, "<=", value.at("max")); }
  void assertion(const Json& value) {
    measured(value, value.at("cmp").get<std::string>(), value.at("value"));
    const auto event = timed_event(value.at("metric").get<std::string>());
    if (event)
      (event->is_enter ? expected_enters_ : expected_leaves_)[event->observer].push_back(
          event->entity);
  }
  void note(const Json&) {}

  void measured(const Json& value, const std::string& relation, const Json& limit) {
    const std::string metric = value.at("metric").get<std::string>();
    const auto found = observed_.metrics.find(metric);
    if (found == observed_.metrics.end()) {
      if (!is_hidden_from_clients(metric))
        return differ(metric, relation + " " + limit.dump(), "nothing");
      verdict_.unmeasured.push_back(metric);
      return;
    }
    const double got = found->second;
    const double wanted = number(limit);
    const bool holds = relation == "=="   ? got == wanted
                       : relation == "<=" ? got <= wanted
                                          : got >= wanted;
    if (!holds) differ(metric, relation + " " + limit.dump(), text(got));
  }

  const Step& step_;
  const Observed& observed_;
  Verdict verdict_;
  std::optional<std::vector<NamePair>> expected_begins_{std::in_place};
  std::optional<std::vector<NamePair>> expected_ends_{std::in_place};
  Views expected_enters_;
  Views expected_leaves_;
  std::set<std::string> counted_enters_;
  std::set<std::string> counted_leaves_;
  std::vector<std::pair<int, std::string>> expected_errors_;
  std::set<std::string> answered_tags_;
};

void look_at(const Expectation& expectation, const std::string& where,
             std::vector<std::string>& unknown) {
  if (Comparison::find(expectation.kind) == nullptr) {
    unknown.push_back(where + "unknown expectation " + expectation.kind);
    return;
  }
  if (expectation.kind != "bound" && expectation.kind != "assert") return;
  const std::string metric = expectation.value.value("metric", "");
  if (!is_known_metric(metric)) unknown.push_back(where + "unknown metric \"" + metric + "\"");
  const std::string relation = expectation.value.value("cmp", "<=");
  if (relation != "==" && relation != "<=" && relation != ">=")
    unknown.push_back(where + "unknown relation " + relation);
  const bool is_zero = relation == "==" && expectation.value.value("value", Json()) == 0;
  if (shows_only_zero(metric) && !is_zero)
    unknown.push_back(where + metric + " can only be asserted to be 0");
}

}  // namespace

NamePair name_pair(std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  return {std::move(a), std::move(b)};
}

Verdict compare(const Step& step, const Observed& observed) {
  return Comparison(step, observed).run();
}

std::vector<std::string> unknown_expectations(const Case& script) {
  std::vector<std::string> unknown;
  for (const Step& step : script.script)
    for (const Expectation& expectation : step.expectations)
      look_at(expectation, "tick " + step.label + ": ", unknown);
  return unknown;
}

}  // namespace vicinity::cases
