// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/pages.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace vicinity::admin {
namespace {

using nlohmann::ordered_json;

HttpResponse json_response(const ordered_json& value, unsigned status = 200) {
  return {status, value.dump(2, ' ', true, ordered_json::error_handler_t::replace) + "\n",
          "application/json"};
}

// --- Health ----------------------------------------------------------------------------------

HttpResponse health_page(const PageSources& sources) {
  const std::string reason = why_silent(sources.ticks.pulse(), sources.pace, stuck_after_ns);
  if (!reason.empty()) return {503, reason + "\n"};
  return {200, "ok\n"};
}

HttpResponse ready_page(const PageSources& sources) {
  ordered_json reasons = ordered_json::array();
  ordered_json checks = ordered_json::array();
  for (const ReadyChecks::Finding& finding : sources.ready.run()) {
    checks.push_back(finding.name);
    if (!finding.reason.empty())
      reasons.push_back({{"check", finding.name}, {"reason", finding.reason}});
  }
  const bool ready = reasons.empty();
  return json_response({{"ready", ready}, {"reasons", reasons}, {"checks", checks}},
                       ready ? 200 : 503);
}

// --- Ticks -----------------------------------------------------------------------------------

ordered_json audit_json(const AuditReport& audit) {
  ordered_json out = {
      {"entities", audit.entities}, {"skipped", audit.skipped}, {"misses", audit.misses}};
  if (audit.first) {
    out["first"] = {{"a", std::to_string(audit.first->a.raw())},
                    {"b", std::to_string(audit.first->b.raw())},
                    {"cause", to_string(audit.first->cause)}};
  }
  return out;
}

ordered_json index_json(const TickReport& report) {
  const IndexStats& index = report.index;
  return {{"kind", to_string(report.index_kind)},
          {"chosen", to_string(index.chosen)},
          {"reason", to_string(index.reason)},
          {"version", report.index_version},
          {"moving", index.moving},
          {"resting", index.resting},
          {"static", index.statics},
          {"registrations", index.registrations},
          {"registrations_by_level", index.level_registrations},
          {"in_transition", index.in_transition},
          {"listed", index.sweep_listed},
          {"levels", index.levels},
          {"plan_version", index.plan_version},
          {"size_bytes", index.size_bytes},
          {"row_size_m", index.row_size_m},
          {"along_axis", index.along_axis},
          {"expected_rows_ns", index.expected_rows_ns},
          {"expected_sweep_ns", index.expected_sweep_ns},
          {"clumping", index.clumping}};
}

ordered_json record_json(const TickRecord& record) {
  const TickReport& report = record.report;
  ordered_json stages = ordered_json::object();
  for (std::size_t i = 0; i < tick_stage_count; ++i)
    stages[tick_stage_names[i]] = static_cast<double>(record.stage_ns[i]) / 1000;
  return {{"tick", report.tick},
          {"hash", fmt::format("{:016x}", report.hash)},
          {"busy_us", static_cast<double>(record.busy_ns) / 1000},
          {"stages_us", std::move(stages)},
          {"skipped_before", record.facts.skipped},
          {"entities", report.entities},
          {"sessions", report.sessions},
          {"commands", report.commands},
          {"commands_refused", report.commands_refused},
          {"commands_waiting", record.facts.commands_waiting},
          {"candidate_pairs", report.candidate_pairs},
          {"pairs_truncated", report.pairs_truncated},
          {"contacts", report.contacts},
          {"begins", report.begins},
          {"ends", report.ends},
          {"stays", report.stays},
          {"impacts_capped", report.impacts_capped},
          {"cooldowns_truncated", report.cooldowns_truncated},
          {"visible", report.visible},
          {"views_truncated", report.views_truncated},
          {"sessions_waiting", record.facts.sessions_waiting},
          {"sessions_not_well", record.facts.sessions_not_well},
          {"outboxes_bytes", record.facts.outboxes_bytes},
          {"shedding", to_string(record.facts.shedding)},
          {"audit", audit_json(report.audit)},
          {"index", index_json(report)}};
}

HttpAnswer tick_page(const PageSources& sources, const HttpRequest& request) {
  HttpResponse problem;
  const auto last = whole_number(request, "last", 1, TickTelemetry::records_kept, 10, problem);
  if (!last) return problem;
  ordered_json ticks = ordered_json::array();
  for (const TickRecord& record : sources.ticks.last(static_cast<std::size_t>(*last)))
    ticks.push_back(record_json(record));
  return json_response({{"ticks", std::move(ticks)}});
}

HttpAnswer trace_page(const PageSources& sources, const HttpRequest& request) {
  HttpResponse problem;
  const auto ticks = whole_number(request, "ticks", 1, TraceRecorder::ticks_max, 20, problem);
  if (!ticks) return problem;
  TraceRecorder& traces = sources.ticks.traces();
  if (!traces.request(static_cast<std::uint32_t>(*ticks)))
    return HttpResponse{409, "another recording goes on\n"};
  return HttpPoll([&traces](bool last) -> std::optional<HttpResponse> {
    if (!traces.done() && !last) return std::nullopt;
    return HttpResponse{200, traces.take(), "application/json"};
  });
}

}  // namespace

std::vector<Route> standard_routes(const PageSources& sources) {
  return {
      {"GET",
       "/healthz",
       "200 while the process does its work",
       [sources](const PageRequest&) { return health_page(sources); },
       {},
       true},
      {"GET",
       "/readyz",
       "200 when clients may be sent here, else 503 and why",
       [sources](const PageRequest&) { return ready_page(sources); },
       {},
       true},
      {"GET", "/version", "version and build",
       [sources](const PageRequest&) {
         return HttpResponse{200, sources.version + "\n"};
       }},
      {"GET",
       "/metrics",
       "for Prometheus",
       [sources](const PageRequest&) {
         return HttpResponse{200, sources.metrics.text(),
                             "text/plain; version=0.0.4; charset=utf-8"};
       },
       {},
       true},
      {"GET",
       "/debug/tick",
       "?last=N reports of the last ticks, as JSON",
       [sources](const PageRequest& request) { return tick_page(sources, request.http); },
       {"last"}},
      {"GET",
       "/debug/trace",
       "?ticks=N what all threads do in the next ticks, for Perfetto",
       [sources](const PageRequest& request) { return trace_page(sources, request.http); },
       {"ticks"}},
  };
}

}  // namespace vicinity::admin
