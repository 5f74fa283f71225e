// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Who can say something about the server, by name: values for /metrics and reasons for /readyz. The
// parts of the server register what they know while they are put together; the admin thread asks
// when somebody wants to know. So no part needs to know who watches it.
//
//      metrics.add_gauge("vicinity_journal_lag_ticks", "Ticks that ...", [&] { return lag(); });
//      ready.add("journal", [&] { return writable() ? "" : "the disk is full"; });
//
// Readers are called on the admin thread. They must be quick and must not hold a lock that the tick
// thread takes for longer than a copy of a few values needs.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "admin/histogram.h"

namespace vicinity::admin {

enum class MetricKind : std::uint8_t { Gauge = 0, Counter = 1, Histogram = 2 };

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

struct MetricSample {
  MetricLabels labels;
  double value = 0;
  HistogramReading histogram;  ///< of a Histogram instead of `value`
};

/// One name and everything there is of it.
struct Metric {
  /// As Prometheus wants it: vicinity_ in front, base unit at the end (seconds, bytes, ratio), a
  /// counter ends with _total. The standard process_... metrics go without vicinity_.
  std::string name;
  std::string help;  ///< one sentence
  MetricKind kind = MetricKind::Gauge;
  std::function<std::vector<MetricSample>()> read;
};

class MetricRegistry {
 public:
  /// Before anybody reads. A name that is taken, or none of Prometheus, is a programmer's mistake.
  void add(Metric metric);
  void add_gauge(std::string name, std::string help, std::function<double()> read);
  /// `read` never goes down.
  void add_counter(std::string name, std::string help, std::function<double()> read);

  /// Any one thread at a time. Everything in the text format of Prometheus, in the order of adding.
  std::string text() const;

 private:
  std::vector<Metric> metrics_;
};

/// What must hold for the server to be ready.
class ReadyChecks {
 public:
  /// Why it is not ready; empty: it is, as far as this check knows.
  using Check = std::function<std::string()>;

  /// Before anybody reads.
  void add(std::string name, Check check) {
    checks_.emplace_back(std::move(name), std::move(check));
  }

  struct Finding {
    std::string name;
    std::string reason;  ///< empty: fine
  };
  /// All checks, in the order of adding.
  std::vector<Finding> run() const {
    std::vector<Finding> findings;
    for (const auto& [name, check] : checks_) findings.push_back({name, check()});
    return findings;
  }

 private:
  std::vector<std::pair<std::string, Check>> checks_;
};

}  // namespace vicinity::admin
