// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/sources.h"

#include <prometheus/check_names.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <sstream>

#include "base/check.h"

namespace vicinity::admin {
namespace {

prometheus::MetricType type_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::Gauge: return prometheus::MetricType::Gauge;
    case MetricKind::Counter: return prometheus::MetricType::Counter;
    case MetricKind::Histogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric converted(const MetricSample& sample, MetricKind kind) {
  prometheus::ClientMetric out;
  for (const auto& [name, value] : sample.labels) out.label.push_back({name, value});
  if (kind == MetricKind::Gauge) out.gauge.value = sample.value;
  if (kind == MetricKind::Counter) out.counter.value = sample.value;
  if (kind == MetricKind::Histogram) {
    out.histogram.sample_count = sample.histogram.count;
    out.histogram.sample_sum = sample.histogram.sum;
    for (const auto& bucket : sample.histogram.buckets)
      out.histogram.bucket.push_back({bucket.count, bucket.bound});
  }
  return out;
}

}  // namespace

void MetricRegistry::add(Metric metric) {
  CHECK(prometheus::CheckMetricName(metric.name));
  CHECK(!metric.help.empty());
  CHECK(std::none_of(metrics_.begin(), metrics_.end(),
                     [&](const Metric& other) { return other.name == metric.name; }));
  metrics_.push_back(std::move(metric));
}

void MetricRegistry::add_gauge(std::string name, std::string help, std::function<double()> read) {
  add({std::move(name), std::move(help), MetricKind::Gauge, [read = std::move(read)] {
         return std::vector<MetricSample>{{{}, read(), {}}};
       }});
}

void MetricRegistry::add_counter(std::string name, std::string help, std::function<double()> read) {
  add({std::move(name), std::move(help), MetricKind::Counter, [read = std::move(read)] {
         return std::vector<MetricSample>{{{}, read(), {}}};
       }});
}

std::string MetricRegistry::text() const {
  std::vector<prometheus::MetricFamily> families;
  for (const Metric& metric : metrics_) {
    prometheus::MetricFamily family{metric.name, metric.help, type_of(metric.kind), {}};
    for (const MetricSample& sample : metric.read())
      family.metric.push_back(converted(sample, metric.kind));
    families.push_back(std::move(family));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace vicinity::admin
