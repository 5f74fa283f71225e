// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/journal_metrics.h"

#include <string>

namespace vicinity::app {
namespace {

using admin::MetricKind;
using store::JournalStatus;

struct JournalMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  double (*value)(const JournalStatus& status);
};

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

constexpr JournalMetric journal_metrics[] = {
    {"vicinity_journal_writable", "1 while every tick finds its way into the journal.",
     MetricKind::Gauge, [](const JournalStatus& s) { return s.writable ? 1.0 : 0.0; }},
    {"vicinity_journal_durable_tick", "Newest tick whose commands are in the journal.",
     MetricKind::Gauge, [](const JournalStatus& s) { return number(s.durable_tick); }},
    {"vicinity_journal_lag_ticks", "Ticks that wait to be written.", MetricKind::Gauge,
     [](const JournalStatus& s) { return number(s.lag_ticks); }},
    {"vicinity_journal_lag_bytes", "What waits to be written.", MetricKind::Gauge,
     [](const JournalStatus& s) { return number(s.lag_bytes); }},
    {"vicinity_journal_snapshot_tick", "Tick of the newest complete snapshot; 0: none.",
     MetricKind::Gauge, [](const JournalStatus& s) { return number(s.snapshot_tick); }},
    {"vicinity_journal_size_bytes", "The journal on the disk.", MetricKind::Gauge,
     [](const JournalStatus& s) { return number(s.size_bytes); }},
    {"vicinity_journal_commits_total", "Transactions that were written.", MetricKind::Counter,
     [](const JournalStatus& s) { return number(s.commits); }},
    {"vicinity_journal_written_bytes_total", "Bytes that were written.", MetricKind::Counter,
     [](const JournalStatus& s) { return number(s.written_bytes); }},
    {"vicinity_journal_write_errors_total", "Writes that failed.", MetricKind::Counter,
     [](const JournalStatus& s) { return number(s.write_errors); }},
    {"vicinity_journal_dropped_ticks_total", "Ticks that are not in the journal and never will be.",
     MetricKind::Counter, [](const JournalStatus& s) { return number(s.dropped_ticks); }},
    {"vicinity_journal_snapshots_given_up_total",
     "Snapshots that could not be written; the one before stays.", MetricKind::Counter,
     [](const JournalStatus& s) { return number(s.snapshots_given_up); }},
    {"vicinity_journal_slowest_write_seconds", "The slowest transaction since the start.",
     MetricKind::Gauge, [](const JournalStatus& s) { return number(s.slowest_write_us) * 1e-6; }},
};

}  // namespace

void add_journal_metrics(const store::Journal& journal, admin::MetricRegistry& metrics,
                         admin::ReadyChecks& ready) {
  for (const JournalMetric& metric : journal_metrics) {
    const auto read = [&journal, value = metric.value] { return value(journal.status()); };
    metric.kind == MetricKind::Counter ? metrics.add_counter(metric.name, metric.help, read)
                                       : metrics.add_gauge(metric.name, metric.help, read);
  }
  ready.add("journal", [&journal]() -> std::string {
    const JournalStatus status = journal.status();
    if (status.writable) return {};
    return status.last_error.empty() ? "ticks are dropped: the disk is too slow"
                                     : status.last_error;
  });
}

}  // namespace vicinity::app
