// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The metrics of a report: their names, what they mean, where they come from.

#include <fmt/format.h>

#include <algorithm>

#include "client-sim/report.h"

namespace vicinity::sim {
namespace {

std::uint64_t sum(const Counts& counts) {
  std::uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

std::optional<double> per_second(double amount, double duration_s) {
  if (duration_s <= 0) return std::nullopt;
  return amount / duration_s;
}

using R = RunReport;

std::vector<CounterInfo> judging_counters() {
  return {
      {"checked_views", [](R& r) -> auto& { return r.check.checked_views; }, false,
       "frames of checked bots that were compared with the truth"},
      {"unchecked_views", [](R& r) -> auto& { return r.check.unchecked_views; }, false,
       "frames of checked bots that could not be compared"},
      {"wrong_views", [](R& r) -> auto& { return r.check.wrong_views; }, true,
       "compared frames with any difference"},
      {"missing", [](R& r) -> auto& { return r.check.missing; }, true,
       "entities in the area that were not in view, per frame"},
      {"extra", [](R& r) -> auto& { return r.check.extra; }, true,
       "entities in view that were not in the area, per frame"},
      {"late", [](R& r) -> auto& { return r.check.late; }, true,
       "entities that came into view after the frame in which they should have"},
      {"wrong_positions", [](R& r) -> auto& { return r.check.wrong_positions; }, true,
       "states told that are not the truth of their tick"},
      {"stale_updates", [](R& r) -> auto& { return r.check.stale_updates; }, true,
       "states older than their ring, or the allowed delay, permits, per frame"},
      {"duplicate_enters", [](R& r) -> auto& { return r.check.duplicate_enters; }, true,
       "enters of what was in view already"},
      {"ghost_leaves", [](R& r) -> auto& { return r.check.ghost_leaves; }, true,
       "leaves of what was not in view"},
      {"ghost_updates", [](R& r) -> auto& { return r.check.ghost_updates; }, true,
       "updates of what was not in view"},
      {"version_regressions", [](R& r) -> auto& { return r.check.version_regressions; }, true,
       "frames whose tick or index version went back"},
      {"contact_errors", [](R& r) -> auto& { return r.check.contact_errors; }, true,
       "begins of open contacts, and ends of contacts that were not open"},
      {"wrong_contacts", [](R& r) -> auto& { return r.check.wrong_contacts; }, true,
       "open contacts that differ from the truth, per frame"},
      {"double_enters", [](R& r) -> auto& { return r.check.duplicate_enters; }, true,
       "the same as duplicate_enters"},
      {"leaves_without_enter", [](R& r) -> auto& { return r.check.ghost_leaves; }, true,
       "the same as ghost_leaves"},
      {"updates_without_enter", [](R& r) -> auto& { return r.check.ghost_updates; }, true,
       "the same as ghost_updates"},
  };
}

std::vector<CounterInfo> traffic_counters() {
  return {
      {"enters", [](R& r) -> auto& { return r.check.enters; }, false, "enters checked"},
      {"leaves", [](R& r) -> auto& { return r.check.leaves; }, false, "leaves checked"},
      {"updates", [](R& r) -> auto& { return r.check.updates; }, false, "updates checked"},
      {"contact_begins", [](R& r) -> auto& { return r.check.contact_begins; }, false,
       "begins of contacts checked"},
      {"contact_ends", [](R& r) -> auto& { return r.check.contact_ends; }, false,
       "ends of contacts checked"},
      {"frames", [](R& r) -> auto& { return r.totals.frames; }, false, "frames received"},
      {"skipped_ticks", [](R& r) -> auto& { return r.totals.skipped_ticks; }, false,
       "ticks between two frames of a session, of bots that are not hostile"},
      {"frames_degraded", [](R& r) -> auto& { return r.totals.health[1]; }, false,
       "frames that said degraded"},
      {"frames_starved", [](R& r) -> auto& { return r.totals.health[2]; }, false,
       "frames that said starved"},
      {"frames_shedding_rings", [](R& r) -> auto& { return r.totals.shedding[1]; }, false,
       "frames that said that outer rings are shed"},
      {"frames_shedding_queries", [](R& r) -> auto& { return r.totals.shedding[2]; }, false,
       "frames that said that queries are shed"},
      {"frames_shedding_sessions", [](R& r) -> auto& { return r.totals.shedding[3]; }, false,
       "frames that said that new sessions are refused"},
      {"queries", [](R& r) -> auto& { return r.totals.queries; }, false, "queries answered"},
      {"commands", [](R& r) -> auto& { return r.totals.commands; }, false, "commands sent"},
      {"cuts", [](R& r) -> auto& { return r.totals.cuts; }, false,
       "connections that the run cut on purpose"},
      {"reconnects", [](R& r) -> auto& { return r.totals.reconnects; }, false,
       "connections of bots that came back"},
      {"resumes", [](R& r) -> auto& { return r.totals.resumes; }, false,
       "of these: the session went on"},
      {"disconnects", [](R& r) -> auto& { return r.disconnects; }, false,
       "bots that are not hostile and lost their session"},
      {"hostile_disconnects", [](R& r) -> auto& { return r.totals.hostile_disconnects; }, false,
       "sessions of hostile bots that ended"},
  };
}

}  // namespace

const std::vector<CounterInfo>& counters() {
  static const std::vector<CounterInfo> all = [] {
    std::vector<CounterInfo> out = judging_counters();
    const std::vector<CounterInfo> traffic = traffic_counters();
    out.insert(out.end(), traffic.begin(), traffic.end());
    return out;
  }();
  return all;
}

const std::vector<LatencyInfo>& latencies() {
  static const std::vector<LatencyInfo> all = {
      {"connect", [](R& r) -> auto& { return r.totals.connect; },
       "connecting to the welcome, whole run"},
      {"first_view", [](R& r) -> auto& { return r.totals.first_view; },
       "connecting to the first complete view, whole run"},
      {"update_age", [](R& r) -> auto& { return r.totals.update_age; },
       "start of a tick to the receipt of its frame"},
      {"ring1_age", [](R& r) -> auto& { return r.ring_age[0]; },
       "how old what was known of an entity was when its update came: innermost ring"},
      {"ring2_age", [](R& r) -> auto& { return r.ring_age[1]; }, "the same, second ring"},
      {"ring3_age", [](R& r) -> auto& { return r.ring_age[2]; }, "the same, third ring"},
      {"ring4_age", [](R& r) -> auto& { return r.ring_age[3]; }, "the same, fourth ring"},
      {"ring5_age", [](R& r) -> auto& { return r.ring_age[4]; }, "the same, beyond four rings"},
      {"enter_latency", [](R& r) -> auto& { return r.enter_latency; },
       "start of the tick in which an entity came into range to its enter"},
      {"leave_latency", [](R& r) -> auto& { return r.leave_latency; },
       "start of the tick in which an entity left the range to its leave"},
      {"contact_latency", [](R& r) -> auto& { return r.totals.contact_latency; },
       "start of the tick in which a contact began to its begin"},
      {"query_latency", [](R& r) -> auto& { return r.totals.query_latency; },
       "when a query was due to its answer"},
      {"command_echo", [](R& r) -> auto& { return r.totals.command_echo; },
       "when a command was due to its acknowledgement"},
  };
  return all;
}

const std::vector<CountsInfo>& counts_by_code() {
  static const std::vector<CountsInfo> all = {
      {"evictions_by_code", [](R& r) -> auto& { return r.evictions; }},
      {"hostile_evictions_by_code", [](R& r) -> auto& { return r.totals.hostile_evictions; }},
      {"command_errors_by_code", [](R& r) -> auto& { return r.totals.command_errors; }},
      {"query_errors_by_code", [](R& r) -> auto& { return r.totals.query_errors; }},
      {"hostile_errors_by_code", [](R& r) -> auto& { return r.totals.hostile_errors; }},
  };
  return all;
}

std::vector<Metric> metrics_of(const RunReport& report) {
  std::vector<Metric> out;
  const auto whole = [&](std::string name, std::uint64_t value, const char* meaning) {
    out.push_back({std::move(name), static_cast<double>(value), Unit::None, true, false, meaning});
  };
  const auto rate = [&](const char* name, double amount, Unit unit, const char* meaning) {
    out.push_back({name, per_second(amount, report.duration_s), unit, false, false, meaning});
  };
  whole("bots", report.bots, "number of bots");
  out.push_back({"duration_s", report.duration_s, Unit::Seconds, false, false,
                 "length of the measured part"});
  whole("ticks", report.ticks, "ticks of the measured part");
  whole("tick_rate_hz", report.tick_rate_hz, "the server's setting");
  rate("tick_rate_measured_hz", static_cast<double>(report.ticks), Unit::None, "what it ran at");
  whole("entities", report.entities, "entities in the last tick");
  for (const CounterInfo& info : counters())
    out.push_back({info.name, static_cast<double>(read_of(info, report)), Unit::None, true,
                   info.from_check, info.meaning});
  for (const LatencyInfo& info : latencies()) {
    for (const Percentile& percentile : percentiles) {
      const auto us = read_of(info, report).percentile_us(percentile.fraction);
      const auto ms = us ? std::optional(static_cast<double>(*us) / 1000.0) : std::nullopt;
      out.push_back({fmt::format("{}_{}_ms", info.name, percentile.name), ms, Unit::Milliseconds,
                     false, false, info.meaning});
    }
  }
  const double bots = std::max(1u, report.bots);
  const auto bytes = static_cast<double>(report.bytes_in);
  rate("bytes_in_per_s", bytes, Unit::None, "received, all bots together");
  rate("bytes_out_per_s", static_cast<double>(report.bytes_out), Unit::None, "sent, all together");
  rate("kbit_per_s_per_client", bytes * 8 / 1000 / bots, Unit::Kilobits, "received, per bot");
  rate("frames_per_s_per_client", static_cast<double>(report.frames_in) / bots, Unit::None,
       "messages received, per bot");
  whole("evictions", sum(report.evictions), "bots that are not hostile and were thrown out");
  whole("hostile_evictions", sum(report.totals.hostile_evictions),
        "sessions of hostile bots that the server ended with a reason");
  whole("command_errors", sum(report.totals.command_errors),
        "refused commands of bots that are not hostile");
  whole("query_errors", sum(report.totals.query_errors),
        "refused queries of bots that are not hostile");
  whole("hostile_errors", sum(report.totals.hostile_errors),
        "refused commands and queries of hostile bots");
  return out;
}

std::string describe_metrics() {
  std::string text;
  for (const Metric& metric : metrics_of(RunReport{}))
    text += fmt::format("{:<28} {}\n", metric.name, metric.meaning);
  return text;
}

}  // namespace vicinity::sim
