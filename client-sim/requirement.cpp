// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

struct Operator {
  std::string_view text;
  Comparison comparison;
};
/// Longer ones first: "<=" must not be read as "<".
constexpr std::array operators = {
    Operator{"==", Comparison::Equal},     Operator{"!=", Comparison::NotEqual},
    Operator{"<=", Comparison::LessEqual}, Operator{">=", Comparison::GreaterEqual},
    Operator{"<", Comparison::Less},       Operator{">", Comparison::Greater},
};

bool compare(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::Equal: return value == limit;
    case Comparison::NotEqual: return value != limit;
    case Comparison::Less: return value < limit;
    case Comparison::LessEqual: return value <= limit;
    case Comparison::Greater: return value > limit;
    case Comparison::GreaterEqual: return value >= limit;
  }
  CHECK(false);
}

std::string_view unit_suffix(Unit unit) {
  switch (unit) {
    case Unit::Milliseconds: return "_ms";
    case Unit::Seconds: return "_s";
    case Unit::None:
    case Unit::Kilobits: break;
  }
  return {};
}

/// Factor from the written unit to the metric's; nothing when the two do not fit.
std::optional<double> unit_factor(std::string_view written, Unit unit) {
  if (written.empty()) return 1.0;
  if (written == "kbit") return unit == Unit::Kilobits ? std::optional(1.0) : std::nullopt;
  if (unit != Unit::Milliseconds && unit != Unit::Seconds) return std::nullopt;
  const double to_ms = unit == Unit::Milliseconds ? 1.0 : 0.001;
  if (written == "us") return 0.001 * to_ms;
  if (written == "ms") return to_ms;
  if (written == "s") return 1000 * to_ms;
  return std::nullopt;
}

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return &metric;
    if (const auto suffix = unit_suffix(metric.unit); !suffix.empty())
      if (metric.name == std::string(name).append(suffix)) return &metric;
  }
  return nullptr;
}

std::string unknown_metric(const std::vector<Metric>& metrics, std::string_view name) {
  std::string text = fmt::format("unknown metric '{}'; known are", name);
  for (const Metric& metric : metrics) text += " " + metric.name;
  return text;
}

Result<Requirement, std::string> parse_one(std::string_view text,
                                           const std::vector<Metric>& metrics) {
  const auto position = text.find_first_of("=!<>");
  if (position == std::string_view::npos)
    return fmt::format("requirement '{}' has no comparison; use ==, !=, <, <=, > or >=", text);
  const std::string_view rest = text.substr(position);
  const auto op = std::find_if(operators.begin(), operators.end(),
                               [&](const Operator& o) { return rest.starts_with(o.text); });
  if (op == operators.end())
    return fmt::format("requirement '{}' has an unknown comparison; use ==, !=, <, <=, > or >=",
                       text);
  const std::string_view name = trim(text.substr(0, position));
  const Metric* metric = find_metric(metrics, name);
  if (metric == nullptr) return unknown_metric(metrics, name);

  const std::string_view value = trim(rest.substr(op->text.size()));
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || !std::isfinite(number))
    return fmt::format("requirement '{}' needs a number after {}", text, op->text);
  const std::string_view unit = trim(value.substr(static_cast<std::size_t>(end - value.data())));
  const auto factor = unit_factor(unit, metric->unit);
  if (!factor) return fmt::format("unit '{}' does not fit metric {}", unit, metric->name);
  return Requirement{std::string(text), metric->name, op->comparison, number * *factor};
}

}  // namespace

Result<std::vector<Requirement>, std::string> parse_requirements(std::string_view text) {
  const std::vector<Metric> metrics = metrics_of(RunReport{});
  std::vector<Requirement> requirements;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    auto parsed = parse_one(trim(rest.substr(0, comma)), metrics);
    if (!parsed) return parsed.error();
    requirements.push_back(std::move(parsed.value()));
    if (comma == std::string_view::npos) return requirements;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<Verdict> judge(const std::vector<Requirement>& requirements, const RunReport& report) {
  const std::vector<Metric> metrics = metrics_of(report);
  std::vector<Verdict> verdicts;
  for (const Requirement& requirement : requirements) {
    const Metric* metric = find_metric(metrics, requirement.metric);
    CHECK(metric != nullptr);
    Verdict verdict{requirement.text, format_value(*metric), false};
    if (metric->from_check && report.check.checked_views == 0)
      verdict.actual = "not known: no view was checked";
    else if (metric->value)
      verdict.held = compare(*metric->value, requirement.comparison, requirement.limit);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace vicinity::sim
