// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The JSON form of a report, both ways.
//
//   "histograms": { NAME: { "digits": 2, "max_us": N, "sum_us": N,
//                           "buckets": "gap:count gap:count ..." } }
//
// A gap is the number of empty buckets before the next one that is not; which values fall into a
// bucket says client-sim/histogram.h.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "client-sim/report.h"
#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json histogram_json(const Histogram& histogram) {
  std::string buckets;
  std::uint64_t gap = 0;
  for (const std::uint64_t count : histogram.buckets()) {
    if (count == 0) {
      ++gap;
      continue;
    }
    buckets += fmt::format("{}{}:{}", buckets.empty() ? "" : " ", std::exchange(gap, 0), count);
  }
  return {{"digits", histogram.significant_digits()},
          {"max_us", histogram.max_us()},
          {"sum_us", histogram.sum_us()},
          {"buckets", std::move(buckets)}};
}

/// Reads fields of a JSON object; the first one that is not as it must be is remembered.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  const std::string& error() const { return error_; }
  void fail(const char* name, const char* what) {
    if (error_.empty()) error_ = fmt::format("field '{}' {}", name, what);
  }
  const Json* find(const char* name) {
    const auto found = json_.find(name);
    if (found != json_.end()) return &*found;
    fail(name, "is missing");
    return nullptr;
  }
  void read(const char* name, std::string& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_string()) return fail(name, "must be a text");
    out = value->get<std::string>();
  }
  template <class Number>
  void read_whole(const char* name, Number& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) return fail(name, "must be a whole number >= 0");
    out = static_cast<Number>(value->get<std::uint64_t>());
  }
  void read(const char* name, double& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_number()) return fail(name, "must be a number");
    out = value->get<double>();
  }
  void read(const char* name, bool& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_boolean()) return fail(name, "must be true or false");
    out = value->get<bool>();
  }
  void read(const char* name, std::vector<std::string>& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array()) return fail(name, "must be a list of texts");
    for (const Json& text : *value) {
      if (!text.is_string()) return fail(name, "must be a list of texts");
      out.push_back(text.get<std::string>());
    }
  }
  void read(const char* name, Counts& out) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_object()) return fail(name, "must map names to counts");
    for (const auto& [key, count] : value->items()) {
      if (!count.is_number_unsigned()) return fail(name, "must map names to counts");
      out[key] = count.get<std::uint64_t>();
    }
  }

 private:
  const Json& json_;
  std::string error_;
};

/// Nothing when the buckets do not fit together.
std::optional<Histogram> read_histogram(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  int digits = 0;
  std::uint64_t max_us = 0;
  double sum_us = 0;
  Reader reader(json);
  reader.read_whole("digits", digits);
  reader.read_whole("max_us", max_us);
  reader.read("sum_us", sum_us);
  std::string list;
  reader.read("buckets", list);
  if (!reader.error().empty()) return std::nullopt;
  if (digits < Histogram::digits_min || digits > Histogram::digits_max) return std::nullopt;
  const std::size_t bucket_count_max = Histogram(digits).bucket_count_max();
  std::vector<std::uint64_t> buckets;
  for (const std::string_view entry : split(list, ' ')) {
    if (list.empty()) break;
    const auto colon = entry.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto gap = parse_whole(entry.substr(0, colon));
    const auto count = parse_whole(entry.substr(colon + 1));
    if (!gap || !count || *gap >= bucket_count_max - buckets.size()) return std::nullopt;
    buckets.resize(buckets.size() + static_cast<std::size_t>(*gap));
    buckets.push_back(*count);
  }
  return Histogram::restore(digits, std::move(buckets), max_us, sum_us);
}

void read_fields(Reader& reader, RunReport& out) {
  reader.read("scenario", out.scenario);
  reader.read("behaviours", out.behaviours);
  reader.read("network", out.network);
  reader.read("schedule", out.schedule);
  reader.read_whole("bots", out.bots);
  reader.read_whole("seed", out.seed);
  reader.read("server_version", out.server_version);
  reader.read_whole("tick_rate_hz", out.tick_rate_hz);
  reader.read_whole("processes", out.processes);
  reader.read("duration_s", out.duration_s);
  reader.read("interrupted", out.interrupted);
  reader.read_whole("ticks", out.ticks);
  reader.read_whole("entities", out.entities);
  reader.read_whole("bytes_in", out.bytes_in);
  reader.read_whole("bytes_out", out.bytes_out);
  reader.read_whole("frames_in", out.frames_in);
  reader.read_whole("frames_ok", out.totals.health[0]);
  reader.read_whole("frames_shedding_nothing", out.totals.shedding[0]);
  for (const CounterInfo& info : counters()) reader.read_whole(info.name, info.of(out));
  for (const CountsInfo& info : counts_by_code()) reader.read(info.name, info.of(out));
  reader.read("wrong_examples", out.wrong_examples);
  reader.read("failures", out.failures);
}

void write_fields(const RunReport& report, Json& json) {
  json["schema_version"] = report_schema_version;
  json["scenario"] = report.scenario;
  json["behaviours"] = report.behaviours;
  json["network"] = report.network;
  json["schedule"] = report.schedule;
  json["seed"] = report.seed;
  json["server_version"] = report.server_version;
  json["processes"] = report.processes;
  json["interrupted"] = report.interrupted;
  json["bytes_in"] = report.bytes_in;
  json["bytes_out"] = report.bytes_out;
  json["frames_in"] = report.frames_in;
  json["frames_ok"] = report.totals.health[0];
  json["frames_shedding_nothing"] = report.totals.shedding[0];
}

}  // namespace

std::string to_json(const RunReport& report, const Judgement& judgement) {
  Json json;
  write_fields(report, json);
  for (const Metric& metric : metrics_of(report)) {
    if (metric.value && metric.whole)
      json[metric.name] = static_cast<std::uint64_t>(*metric.value);
    else
      json[metric.name] = number(metric.value);
  }
  for (const CountsInfo& info : counts_by_code()) {
    json[info.name] = Json::object();
    for (const auto& [code, count] : read_of(info, report)) json[info.name][code] = count;
  }
  json["histograms"] = Json::object();
  for (const LatencyInfo& info : latencies())
    json["histograms"][info.name] = histogram_json(read_of(info, report));
  json["wrong_examples"] = report.wrong_examples;
  json["failures"] = report.failures;
  json["requirements"] = Json::array();
  for (const Verdict& verdict : judgement.verdicts)
    json["requirements"].push_back(
        {{"requirement", verdict.requirement}, {"actual", verdict.actual}, {"held", verdict.held}});
  if (!judgement.comparison.empty()) {
    json["comparison"] = Json::object();
    for (const MetricChange& change : judgement.comparison)
      json["comparison"][change.name] = {{"old", number(change.before)},
                                         {"new", number(change.now)},
                                         {"ratio", number(change.ratio)}};
  }
  json["ok"] = exit_code_of(report, judgement.verdicts) == 0;
  // Texts from the server are not ours: what is not UTF-8 is replaced, never thrown over.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunReport, std::string> report_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::string("it is no JSON object");
  Reader reader(json);
  int version = 0;
  reader.read_whole("schema_version", version);
  if (reader.error().empty() && version != report_schema_version)
    return fmt::format("its schema_version is {}; this program reads {}", version,
                       report_schema_version);
  RunReport out;
  read_fields(reader, out);
  const Json* histograms = reader.find("histograms");
  for (const LatencyInfo& info : latencies()) {
    if (histograms == nullptr || !histograms->is_object()) break;
    const auto found = histograms->find(info.name);
    if (found == histograms->end()) continue;  // a newer metric than the report
    const auto histogram = read_histogram(*found);
    if (!histogram) reader.fail(info.name, "is no histogram");
    if (histogram) info.of(out) = *histogram;
  }
  if (!reader.error().empty()) return reader.error();
  return out;
}

}  // namespace vicinity::sim
