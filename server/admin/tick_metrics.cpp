// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/tick_metrics.h"

#include <iterator>
#include <string>
#include <utility>

namespace vicinity::admin {
namespace {

struct RecordMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  double (*value)(const TickRecord& record);
};

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

constexpr RecordMetric record_metrics[] = {
    {"vicinity_ticks_total", "Ticks that ran.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.ticks); }},
    {"vicinity_ticks_skipped_total", "Ticks that were left out because others took too long.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.skipped); }},
    {"vicinity_tick_number", "Number of the last tick.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.tick); }},
    {"vicinity_entities", "Entities that live.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.entities); }},
    {"vicinity_commands_total", "Commands that ticks have applied or refused.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.commands); }},
    {"vicinity_commands_refused_total", "Commands that ticks have refused.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.commands_refused); }},
    {"vicinity_candidate_pairs", "Pairs whose bounds overlap, those at rest included.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.report.candidate_pairs); }},
    {"vicinity_pairs_truncated_ticks_total", "Ticks in which candidate_pairs_max was reached.",
     MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.pairs_truncated_ticks); }},
    {"vicinity_contacts", "Contacts that are open.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.contacts); }},
    {"vicinity_contact_begins_total", "Contacts that began.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.begins); }},
    {"vicinity_contact_ends_total", "Contacts that ended.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.ends); }},
    {"vicinity_contact_stays_total", "Contacts that were told again while they went on.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.stays); }},
    {"vicinity_impacts_capped_total", "Contacts whose moment the search could not decide.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.impacts_capped); }},
    {"vicinity_visible_entities", "Entities in view, summed over all observers.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.visible); }},
    {"vicinity_views_truncated_total", "Views that were cut short by a bound, summed over ticks.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.views_truncated); }},
    {"vicinity_audit_checked_total", "Entities that the audit has compared with a plain search.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.audited); }},
    {"vicinity_audit_skipped_total",
     "Entities that the audit left out of its sample for want of time.", MetricKind::Counter,
     [](const TickRecord& r) { return number(r.totals.audit_skipped); }},
    {"vicinity_audit_misses_total", "What the audit found that the index had missed.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.totals.audit_misses); }},
    {"vicinity_index_levels", "Levels of the index, its list not counted.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.index.levels); }},
    {"vicinity_index_registrations", "Registrations in all rows and lists of the index.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.report.index.registrations); }},
    {"vicinity_index_transition_registrations",
     "Registrations that have ended and wait for the last reader of their run.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.index.in_transition); }},
    {"vicinity_index_listed_registrations", "Registrations in lists that are swept as a whole.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.report.index.sweep_listed); }},
    {"vicinity_index_plans_total", "How often axes, sizes or kind of the index were chosen anew.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.report.index.plan_version); }},
    {"vicinity_index_size_bytes", "Memory of the newest view of the index.", MetricKind::Gauge,
     [](const TickRecord& r) { return number(r.report.index.size_bytes); }},
    {"vicinity_shedding_level",
     "What overload leaves out: 0 nothing, 1 outer rings, 2 queries too, 3 new sessions too.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.facts.shedding); }},
    {"vicinity_outbox_bytes", "Bytes that waited for all clients in the last tick.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.facts.outboxes_bytes); }},
    {"vicinity_sessions_waiting", "Sessions without room for a frame in the last tick.",
     MetricKind::Gauge, [](const TickRecord& r) { return number(r.facts.sessions_waiting); }},
    {"vicinity_frames_encoded_total", "Frames that were handed to connections.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.facts.frames); }},
    {"vicinity_frames_encoded_bytes_total", "Bytes of the frames that were handed to connections.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.facts.frame_bytes); }},
    {"vicinity_sessions_evicted_total", "Sessions that were ended because they did not read.",
     MetricKind::Counter, [](const TickRecord& r) { return number(r.facts.evicted); }},
};

std::vector<MetricSample> by_partition(const TickRecord& record) {
  const IndexStats& index = record.report.index;
  return {{{{"partition", "moving"}}, number(index.moving), {}},
          {{{"partition", "resting"}}, number(index.resting), {}},
          {{{"partition", "static"}}, number(index.statics), {}}};
}

std::vector<MetricSample> by_level(const TickRecord& record) {
  std::vector<MetricSample> samples;
  for (std::size_t level = 0; level < index_levels_max; ++level) {
    samples.push_back({{{"level", std::to_string(level)}},
                       number(record.report.index.level_registrations[level]),
                       {}});
  }
  return samples;
}

std::vector<MetricSample> index_info(const TickRecord& record) {
  return {{{{"kind", std::string(to_string(record.report.index_kind))},
            {"chosen", std::string(to_string(record.report.index.chosen))},
            {"reason", std::string(to_string(record.report.index.reason))}},
           1,
           {}}};
}

}  // namespace

void add_tick_metrics(const TickTelemetry& ticks, MetricRegistry& metrics) {
  const auto newest = [&ticks] { return ticks.newest().value_or(TickRecord{}); };
  metrics.add({"vicinity_tick_duration_seconds",
               "How long ticks kept the tick thread busy, sending included.", MetricKind::Histogram,
               [&ticks] {
                 return std::vector<MetricSample>{{{}, 0, ticks.duration_s()}};
               }});
  metrics.add({"vicinity_tick_stage_duration_seconds", "How long the stages of ticks took.",
               MetricKind::Histogram, [&ticks] {
                 std::vector<MetricSample> samples;
                 for (std::size_t i = 0; i < tick_stage_count; ++i) {
                   samples.push_back({{{"stage", tick_stage_names[i]}},
                                      0,
                                      ticks.stage_s(static_cast<TickStage>(i))});
                 }
                 return samples;
               }});
  for (const RecordMetric& metric : record_metrics) {
    metrics.add({metric.name, metric.help, metric.kind, [newest, value = metric.value] {
                   return std::vector<MetricSample>{{{}, value(newest()), {}}};
                 }});
  }
  metrics.add({"vicinity_index_entities", "Entities in the index, by partition.", MetricKind::Gauge,
               [newest] { return by_partition(newest()); }});
  metrics.add({"vicinity_index_level_registrations",
               "Registrations in the rows of each level of the index, the finest first.",
               MetricKind::Gauge, [newest] { return by_level(newest()); }});
  metrics.add({"vicinity_index_info", "Which index is used, and why.", MetricKind::Gauge,
               [newest] { return index_info(newest()); }});
}

}  // namespace vicinity::admin
