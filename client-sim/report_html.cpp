// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The report as one page for a browser: tables, and a plot per latency drawn as SVG. Nothing is
// loaded from elsewhere, and no script runs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-sim/report.h"

namespace vicinity::sim {
namespace {

constexpr const char* style = R"(body{font:14px system-ui,sans-serif;margin:2em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em}
table{border-collapse:collapse}
td,th{padding:.15em .8em;border-bottom:1px solid #ddd;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.plots{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0}figcaption{font-weight:600}
.bad{color:#b00020;font-weight:600}.good{color:#1b7a2f;font-weight:600}
svg text{font:10px system-ui,sans-serif;fill:#555})";

// Of a plot, in SVG units.
constexpr double plot_width = 360;
constexpr double plot_height = 200;
constexpr double left = 52;
constexpr double right = 8;
constexpr double top = 8;
constexpr double bottom = 22;
/// The horizontal axis counts nines: 0 %, 90 %, 99 %, 99.9 %, 99.99 %.
constexpr double nines_max = 4;

/// Text from anywhere, safe between tags and in quotes.
std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

double x_of(double fraction) {
  const double nines = std::min(nines_max, -std::log10(std::max(1e-9, 1 - fraction)));
  return left + nines / nines_max * (plot_width - left - right);
}

/// The largest value gets a round number above it: 1, 2 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(std::max(1e-3, value))));
  for (const double step : {1.0, 2.0, 5.0})
    if (value <= step * power) return step * power;
  return 10 * power;
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}'/>", x1, y1,
                     x2, y2, colour);
}

std::string axes(double top_ms) {
  std::string svg;
  const double base = plot_height - bottom;
  for (int nines = 0; nines <= static_cast<int>(nines_max); ++nines) {
    const double fraction = 1 - std::pow(10, -nines);
    const double x = x_of(fraction);
    svg += line(x, top, x, base, "#e4e4e4");
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:g}%</text>", x,
                       plot_height - 8, 100 * fraction);
  }
  for (int i = 0; i <= 4; ++i) {
    const double y = base - (base - top) * i / 4;
    svg += line(left, y, plot_width - right, y, "#e4e4e4");
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:g} ms</text>", left - 4,
                       y + 3, top_ms * i / 4);
  }
  return svg;
}

/// Latency by percentile.
std::string plot(const LatencyInfo& info, const Histogram& histogram) {
  const double top_ms = round_up(static_cast<double>(histogram.max_us()) / 1000);
  const double base = plot_height - bottom;
  std::string points;
  for (double nines = 0; nines <= nines_max + 1e-9; nines += 0.05) {
    const double fraction = 1 - std::pow(10, -nines);
    const auto us = histogram.percentile_us(fraction);
    const double ms = us ? static_cast<double>(*us) / 1000 : 0;
    points += fmt::format("{:.1f},{:.1f} ", x_of(fraction), base - ms / top_ms * (base - top));
  }
  return fmt::format(
      "<figure><figcaption>{}</figcaption><svg width='{}' height='{}' role='img' "
      "aria-label='{} by percentile'>{}<polyline fill='none' stroke='#1f5fbf' stroke-width='1.5' "
      "points='{}'/></svg><div>{}</div></figure>\n",
      info.name, plot_width, plot_height, info.name, axes(top_ms), points, info.meaning);
}

/// Counts by code as bars.
std::string bars(const Counts& counts) {
  std::uint64_t most = 1;
  for (const auto& [name, count] : counts) most = std::max(most, count);
  std::string rows;
  for (const auto& [name, count] : counts) {
    const double width = 200.0 * static_cast<double>(count) / static_cast<double>(most);
    rows += fmt::format(
        "<tr><td>{}</td><td class='n'>{}</td><td><svg width='200' height='12'><rect width='{:.1f}' "
        "height='12' fill='#1f5fbf'/></svg></td></tr>\n",
        escape(name), count, width);
  }
  return "<table>" + rows + "</table>\n";
}

std::string latency_table(const RunReport& report) {
  std::string html = "<table><tr><th>ms</th>";
  for (const Percentile& percentile : percentiles)
    html += fmt::format("<th class='n'>{}</th>", percentile.name);
  html += "<th class='n'>samples</th></tr>\n";
  for (const LatencyInfo& info : latencies()) {
    const Histogram& histogram = read_of(info, report);
    if (histogram.count() == 0) continue;
    html += fmt::format("<tr><td>{}</td>", info.name);
    for (const Percentile& percentile : percentiles)
      html +=
          fmt::format("<td class='n'>{:.3f}</td>",
                      static_cast<double>(*histogram.percentile_us(percentile.fraction)) / 1000);
    html += fmt::format("<td class='n'>{}</td></tr>\n", histogram.count());
  }
  return html + "</table>\n";
}

std::string list(const char* title, const std::vector<std::string>& texts, const char* kind) {
  if (texts.empty()) return {};
  std::string html = fmt::format("<h2>{}</h2><ul class='{}'>", title, kind);
  for (const std::string& text : texts) html += "<li>" + escape(text) + "</li>\n";
  return html + "</ul>\n";
}

std::string verdict_table(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return {};
  std::string html = "<h2>Requirements</h2><table>";
  for (const Verdict& verdict : verdicts)
    html += fmt::format("<tr><td class='{}'>{}</td><td>{}</td><td>is {}</td></tr>\n",
                        verdict.held ? "good" : "bad", verdict.held ? "held" : "FAILED",
                        escape(verdict.requirement), escape(verdict.actual));
  return html + "</table>\n";
}

std::string comparison_table(const std::vector<MetricChange>& changes) {
  if (changes.empty()) return {};
  const auto cell = [](const std::optional<double>& value) {
    return fmt::format("<td class='n'>{}</td>", value ? fmt::format("{:.3f}", *value) : "none");
  };
  std::string html =
      "<h2>Against the baseline</h2><table><tr><th>metric</th><th class='n'>old</th>"
      "<th class='n'>new</th><th class='n'>ratio</th></tr>\n";
  for (const MetricChange& change : changes)
    html += "<tr><td>" + change.name + "</td>" + cell(change.before) + cell(change.now) +
            cell(change.ratio) + "</tr>\n";
  return html + "</table>\n";
}

std::string metric_table(const RunReport& report) {
  std::string html = "<table>";
  for (const Metric& metric : metrics_of(report)) {
    if (metric.unit == Unit::Milliseconds) continue;  // stand in the table of latencies
    html += fmt::format("<tr><td>{}</td><td class='n'>{}</td><td>{}</td></tr>\n", metric.name,
                        format_value(metric), escape(metric.meaning));
  }
  return html + "</table>\n";
}

std::string head(const RunReport& report, bool ok) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>vicinity-bots: {}"
      "</title><style>{}</style></head><body>\n<h1>vicinity-bots: <span class='{}'>{}</span></h1>"
      "\n<p>scenario {}, seed {}, server {}, {} Hz, schedule {}, {} process{}{}</p>\n",
      escape(report.scenario), style, ok ? "good" : "bad", ok ? "ok" : "FAILED",
      escape(report.scenario), report.seed, escape(report.server_version), report.tick_rate_hz,
      escape(report.schedule), report.processes, report.processes == 1 ? "" : "es",
      report.interrupted ? ", ended early by a signal" : "");
  if (!report.behaviours.empty()) html += "<p>bots: " + escape(report.behaviours) + "</p>\n";
  if (!report.network.empty()) html += "<p>network: " + escape(report.network) + "</p>\n";
  return html;
}

}  // namespace

std::string to_html(const RunReport& report, const Judgement& judgement) {
  std::string html = head(report, exit_code_of(report, judgement.verdicts) == 0);
  html += list("Failures", report.failures, "bad");
  html += verdict_table(judgement.verdicts);
  html += "<h2>Latencies</h2>\n" + latency_table(report) + "<div class='plots'>\n";
  for (const LatencyInfo& info : latencies())
    if (const Histogram& histogram = read_of(info, report); histogram.count() > 0)
      html += plot(info, histogram);
  html += "</div>\n";
  for (const CountsInfo& info : counts_by_code()) {
    const Counts& counts = read_of(info, report);
    if (counts.empty()) continue;
    std::string title = info.name;
    std::replace(title.begin(), title.end(), '_', ' ');
    html += "<h2>" + title + "</h2>\n" + bars(counts);
  }
  html += list("First differences from the truth", report.wrong_examples, "bad");
  html += comparison_table(judgement.comparison);
  html += "<h2>Metrics</h2>\n" + metric_table(report);
  return html + "</body></html>\n";
}

}  // namespace vicinity::sim
