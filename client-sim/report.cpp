// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace vicinity::sim {
namespace {

constexpr std::size_t examples_max = 20;

std::string list(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

bool is_percentile(const Metric& metric) {
  return std::any_of(latencies().begin(), latencies().end(), [&](const LatencyInfo& info) {
    return metric.name.starts_with(std::string(info.name) + "_");
  });
}

std::string latency_table(const RunReport& report) {
  std::string text = fmt::format("\n  {:<16}", "ms");
  for (const Percentile& percentile : percentiles) text += fmt::format("{:>11}", percentile.name);
  text += fmt::format("{:>12}\n", "samples");
  for (const LatencyInfo& info : latencies()) {
    const Histogram& histogram = read_of(info, report);
    if (histogram.count() == 0) continue;
    text += fmt::format("  {:<16}", info.name);
    for (const Percentile& percentile : percentiles)
      text += fmt::format(
          "{:>11.3f}", static_cast<double>(*histogram.percentile_us(percentile.fraction)) / 1000);
    text += fmt::format("{:>12}\n", histogram.count());
  }
  return text;
}

std::string format_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "none";
}

std::string comparison_table(const std::vector<MetricChange>& changes) {
  if (changes.empty()) return {};
  std::string text = fmt::format("\n  {:<28} {:>14} {:>14} {:>8}\n", "against the baseline", "old",
                                 "new", "ratio");
  for (const MetricChange& change : changes)
    text += fmt::format("  {:<28} {:>14} {:>14} {:>8}\n", change.name, format_number(change.before),
                        format_number(change.now), format_number(change.ratio));
  return text;
}

std::string title(const RunReport& report) {
  std::string text =
      fmt::format("scenario {}, seed {}, server {}{}\n", report.scenario, report.seed,
                  report.server_version, report.interrupted ? " (ended early by a signal)" : "");
  if (!report.behaviours.empty()) text += "bots: " + report.behaviours + "\n";
  if (!report.network.empty()) text += "network: " + report.network + "\n";
  if (report.schedule != "closed") text += "schedule: " + report.schedule + "\n";
  if (report.processes > 1) text += fmt::format("processes: {}\n", report.processes);
  return text;
}

}  // namespace

int exit_code_of(const RunReport& report, const std::vector<Verdict>& verdicts) {
  const bool all_held =
      std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.held; });
  return report.failures.empty() && all_held ? 0 : 1;
}

std::string format_value(const Metric& metric) {
  if (!metric.value) return "none";
  return metric.whole ? fmt::format("{:.0f}", *metric.value) : fmt::format("{:.3f}", *metric.value);
}

std::string to_text(const RunReport& report, const Judgement& judgement) {
  std::string text = title(report) + "\n";
  const bool joined = report.tick_rate_hz != 0;  // without a server there is nothing to tell
  for (const Metric& metric : joined ? metrics_of(report) : std::vector<Metric>{})
    if (!is_percentile(metric) && !metric.meaning.starts_with("the same as"))
      text += fmt::format("  {:<28} {:>14}\n", metric.name, format_value(metric));
  if (joined) text += latency_table(report);
  for (const CountsInfo& info : counts_by_code()) {
    const Counts& counts = read_of(info, report);
    if (counts.empty()) continue;
    std::string name = info.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("\n{}: {}\n", name, list(counts));
  }
  if (!report.wrong_examples.empty()) text += "\nfirst differences from the truth:\n";
  for (const std::string& example : report.wrong_examples) text += "  " + example + "\n";
  text += comparison_table(judgement.comparison);
  if (!judgement.verdicts.empty()) text += "\nrequirements:\n";
  for (const Verdict& verdict : judgement.verdicts)
    text += fmt::format("  {:<6} {} (is {})\n", verdict.held ? "held" : "FAILED",
                        verdict.requirement, verdict.actual);
  for (const std::string& failure : report.failures) text += "\nfailure: " + failure + "\n";
  text += exit_code_of(report, judgement.verdicts) == 0 ? "\nresult: ok\n" : "\nresult: FAILED\n";
  return text;
}

std::vector<MetricChange> compare_reports(const RunReport& before, const RunReport& now) {
  const std::vector<Metric> old_metrics = metrics_of(before);
  const std::vector<Metric> new_metrics = metrics_of(now);
  std::vector<MetricChange> out;
  for (std::size_t i = 0; i < new_metrics.size(); ++i) {
    MetricChange change{new_metrics[i].name, old_metrics[i].value, new_metrics[i].value, {}};
    if (!change.before && !change.now) continue;
    if (change.before && change.now && *change.before != 0)
      change.ratio = *change.now / *change.before;
    out.push_back(std::move(change));
  }
  return out;
}

void merge_report(RunReport& into, const RunReport& other) {
  std::vector<const std::uint64_t*> done;  // some names stand for the same counter
  for (const CounterInfo& info : counters()) {
    std::uint64_t& counter = info.of(into);
    if (std::find(done.begin(), done.end(), &counter) != done.end()) continue;
    done.push_back(&counter);
    counter += read_of(info, other);
  }
  for (const LatencyInfo& info : latencies()) info.of(into).merge(read_of(info, other));
  for (const CountsInfo& info : counts_by_code())
    for (const auto& [name, count] : read_of(info, other)) info.of(into)[name] += count;
  if (into.tick_rate_hz == 0) into.tick_rate_hz = other.tick_rate_hz;
  if (into.server_version.empty()) into.server_version = other.server_version;
  into.bots += other.bots;
  into.processes += other.processes;
  into.duration_s = std::max(into.duration_s, other.duration_s);
  into.interrupted = into.interrupted || other.interrupted;
  into.ticks = std::max(into.ticks, other.ticks);
  into.entities = std::max(into.entities, other.entities);
  into.bytes_in += other.bytes_in;
  into.bytes_out += other.bytes_out;
  into.frames_in += other.frames_in;
  into.totals.health[0] += other.totals.health[0];
  into.totals.shedding[0] += other.totals.shedding[0];
  const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& what) {
    for (const std::string& text : what)
      if (to.size() < examples_max) to.push_back(text);
  };
  append(into.failures, other.failures);
  append(into.wrong_examples, other.wrong_examples);
}

}  // namespace vicinity::sim
