// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/memory_metrics.h"

namespace vicinity::app {
namespace {

using admin::MetricKind;

struct MemoryMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  double (*value)(const MemoryStats& stats);
};

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

constexpr MemoryMetric memory_metrics[] = {
    {"vicinity_memory_cap_bytes", "What max_memory says; 0: no cap.", MetricKind::Gauge,
     [](const MemoryStats& s) { return number(s.cap_bytes); }},
    {"vicinity_memory_used_bytes", "Memory of the server that no file stands behind.",
     MetricKind::Gauge, [](const MemoryStats& s) { return number(s.used_bytes); }},
    {"vicinity_memory_closed", "1 while nothing new is taken for want of memory, else 0.",
     MetricKind::Gauge, [](const MemoryStats& s) { return s.is_closed ? 1.0 : 0.0; }},
    {"vicinity_memory_sessions_refused_total", "Sessions that were refused for want of memory.",
     MetricKind::Counter, [](const MemoryStats& s) { return number(s.sessions_refused); }},
    {"vicinity_memory_commands_refused_total", "Commands that were refused for want of memory.",
     MetricKind::Counter, [](const MemoryStats& s) { return number(s.commands_refused); }},
};

}  // namespace

void add_memory_metrics(const MemoryGuard& memory, admin::MetricRegistry& metrics,
                        admin::ReadyChecks& ready) {
  for (const MemoryMetric& metric : memory_metrics) {
    const auto read = [&memory, value = metric.value] { return value(memory.stats()); };
    metric.kind == MetricKind::Counter ? metrics.add_counter(metric.name, metric.help, read)
                                       : metrics.add_gauge(metric.name, metric.help, read);
  }
  if (memory.stats().cap_bytes != 0) ready.add("memory", [&memory] { return memory.why_closed(); });
}

}  // namespace vicinity::app
