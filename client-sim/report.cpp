// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vicinity::sim {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

std::uint64_t sum(const Counts& counts) {
  std::uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

std::string list(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

std::optional<double> percentile_ms(const Histogram& histogram, double fraction) {
  const auto value_us = histogram.percentile_us(fraction);
  if (!value_us) return std::nullopt;
  return static_cast<double>(*value_us) / 1000.0;
}

std::optional<double> per_second(double amount, double duration_s) {
  if (duration_s <= 0) return std::nullopt;
  return amount / duration_s;
}

void add_counts(const RunReport& report, std::vector<Metric>& out) {
  const auto count = [&](const char* name, std::uint64_t value, bool from_check) {
    out.push_back({name, static_cast<double>(value), Unit::None, true, from_check});
  };
  const CheckStats& check = report.check;
  count("checked_views", check.checked_views, false);
  count("unchecked_views", check.unchecked_views, false);
  count("wrong_views", check.wrong_views, true);
  count("missing", check.missing, true);
  count("extra", check.extra, true);
  count("late", check.late, true);
  count("wrong_positions", check.wrong_positions, true);
  count("double_enters", check.double_enters, true);
  count("leaves_without_enter", check.leaves_without_enter, true);
  count("updates_without_enter", check.updates_without_enter, true);
  count("contact_errors", check.contact_errors, true);
  count("wrong_contacts", check.wrong_contacts, true);
  count("enters", check.enters, false);
  count("leaves", check.leaves, false);
  count("updates", check.updates, false);
  count("contact_begins", check.contact_begins, false);
  count("contact_ends", check.contact_ends, false);
}

}  // namespace

std::vector<Metric> metrics_of(const RunReport& report) {
  std::vector<Metric> out;
  const auto whole = [&](const char* name, std::uint64_t value) {
    out.push_back({name, static_cast<double>(value), Unit::None, true, false});
  };
  const auto latency = [&](const char* name, const Histogram& histogram, double fraction) {
    out.push_back({name, percentile_ms(histogram, fraction), Unit::Milliseconds, false, false});
  };
  whole("bots", report.bots);
  out.push_back({"duration_s", report.duration_s, Unit::Seconds, false, false});
  whole("ticks", report.ticks);
  whole("tick_rate_hz", report.tick_rate_hz);
  const auto ticks = static_cast<double>(report.ticks);
  out.push_back(
      {"tick_rate_measured_hz", per_second(ticks, report.duration_s), Unit::None, false, false});
  whole("entities", report.entities);
  add_counts(report, out);
  latency("update_age_p50_ms", report.update_age, 0.5);
  latency("update_age_p99_ms", report.update_age, 0.99);
  latency("enter_latency_p50_ms", report.enter_latency, 0.5);
  latency("enter_latency_p99_ms", report.enter_latency, 0.99);
  whole("queries", report.queries);
  latency("query_latency_p50_ms", report.query_latency, 0.5);
  latency("query_latency_p99_ms", report.query_latency, 0.99);
  const auto bytes = static_cast<double>(report.bytes_in);
  out.push_back({"bytes_in_per_s", per_second(bytes, report.duration_s), Unit::None, false, false});
  const double bots = std::max(1u, report.bots);
  out.push_back({"kbit_per_s_per_client", per_second(bytes * 8 / 1000 / bots, report.duration_s),
                 Unit::Kilobits, false, false});
  whole("disconnects", report.disconnects);
  whole("evictions", sum(report.evictions));
  whole("command_errors", sum(report.command_errors));
  whole("query_errors", sum(report.query_errors));
  return out;
}

int exit_code_of(const RunReport& report, const std::vector<Verdict>& verdicts) {
  const bool all_held =
      std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.held; });
  return report.failures.empty() && all_held ? 0 : 1;
}

std::string format_value(const Metric& metric) {
  if (!metric.value) return "none";
  return metric.whole ? fmt::format("{:.0f}", *metric.value) : fmt::format("{:.3f}", *metric.value);
}

std::string to_text(const RunReport& report, const std::vector<Verdict>& verdicts) {
  std::string text =
      fmt::format("scenario {}, seed {}, server {}{}\n\n", report.scenario, report.seed,
                  report.server_version, report.interrupted ? " (ended early by a signal)" : "");
  const bool joined = report.tick_rate_hz != 0;  // without a server there is nothing to tell
  for (const Metric& metric : joined ? metrics_of(report) : std::vector<Metric>{})
    text += fmt::format("  {:<24} {:>14}\n", metric.name, format_value(metric));
  const auto by_code = [&](const char* title, const Counts& counts) {
    if (!counts.empty()) text += fmt::format("\n{} by code: {}\n", title, list(counts));
  };
  by_code("evictions", report.evictions);
  by_code("command errors", report.command_errors);
  by_code("query errors", report.query_errors);
  if (!report.wrong_examples.empty()) text += "\nfirst differences from the truth:\n";
  for (const std::string& example : report.wrong_examples) text += "  " + example + "\n";
  if (!verdicts.empty()) text += "\nrequirements:\n";
  for (const Verdict& verdict : verdicts)
    text += fmt::format("  {:<6} {} (is {})\n", verdict.held ? "held" : "FAILED",
                        verdict.requirement, verdict.actual);
  for (const std::string& failure : report.failures) text += "\nfailure: " + failure + "\n";
  text += exit_code_of(report, verdicts) == 0 ? "\nresult: ok\n" : "\nresult: FAILED\n";
  return text;
}

std::string to_json(const RunReport& report, const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json json;
  json["scenario"] = report.scenario;
  json["seed"] = report.seed;
  json["server_version"] = report.server_version;
  json["interrupted"] = report.interrupted;
  for (const Metric& metric : metrics_of(report)) {
    if (!metric.value)
      json[metric.name] = nullptr;
    else if (metric.whole)
      json[metric.name] = static_cast<std::uint64_t>(*metric.value);
    else
      json[metric.name] = *metric.value;
  }
  const auto by_code = [&](const char* name, const Counts& counts) {
    json[name] = nlohmann::ordered_json::object();
    for (const auto& [code, count] : counts) json[name][code] = count;
  };
  by_code("evictions_by_code", report.evictions);
  by_code("command_errors_by_code", report.command_errors);
  by_code("query_errors_by_code", report.query_errors);
  json["wrong_examples"] = report.wrong_examples;
  json["failures"] = report.failures;
  json["requirements"] = nlohmann::ordered_json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::ordered_json entry;
    entry["requirement"] = verdict.requirement;
    entry["actual"] = verdict.actual;
    entry["held"] = verdict.held;
    json["requirements"].push_back(entry);
  }
  json["ok"] = exit_code_of(report, verdicts) == 0;
  // Texts from the server are not ours: what is not UTF-8 is replaced, never thrown over.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace vicinity::sim
