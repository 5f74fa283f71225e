// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/metrics.h"

#include <algorithm>
#include <regex>

namespace vicinity::cases {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
const std::string handles_prefix = "handles_equal_to_";

/// kind, observer, prefix of the names.
std::optional<std::smatch> match_traffic(const std::string& metric) {
  static const std::regex pattern(R"((messages|bytes)_to_(.+)_about_(.*)\*)");
  std::smatch match;
  if (!std::regex_match(metric, match, pattern)) return std::nullopt;
  return match;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; }

}  // namespace

std::optional<TimedEvent> timed_event(const std::string& metric) {
  static const std::regex pattern(
      R"((enter|leave)\(([^,]+),([^)]+)\) after (world start|the move), ticks)");
  std::smatch match;
  if (!std::regex_match(metric, match, pattern)) return std::nullopt;
  return TimedEvent{match[1] == "enter", match[2], match[3]};
}

bool is_hidden_from_clients(const std::string& metric) {
  return metric == "cells_touched" || metric == "level_changes_total";
}

bool shows_only_zero(const std::string& metric) {
  const auto match = match_traffic(metric);
  return match && (*match)[1] == "bytes";
}

bool is_known_metric(const std::string& metric) {
  return metric == "tick_ms" || metric == "query_ms" || is_hidden_from_clients(metric) ||
         metric.starts_with(handles_prefix) || match_traffic(metric) || timed_event(metric);
}

void Metrics::begin_step() {
  tick_ms_ = 0;
  query_ms_.reset();
  view_events_.clear();
}

void Metrics::add_tick(const TickSeen& seen) {
  ++last_tick_;
  tick_ms_ = std::max(tick_ms_, seen.cpu_ms);
  if (!seen.index) return;
  records_ = seen.index->registrations;
  if (index_) {
    level_changes_ += distance(index_->levels, seen.index->levels);
    level_changes_ += distance(index_->sweep_listed, seen.index->sweep_listed);
  }
  index_ = seen.index;
}

void Metrics::add_query(double cpu_ms) { query_ms_ = std::max(query_ms_.value_or(0), cpu_ms); }

/// Called while a tick is planned, that is before add_tick.
void Metrics::add_move(const std::string& entity) { moved_[entity] = last_tick_ + 1; }

void Metrics::add_view_event(const char* kind, const std::string& observer,
                             const std::string& entity) {
  view_events_.push_back({kind, observer, entity, last_tick_});
}

void Metrics::add_recycled(const std::string& name, std::uint64_t equal, std::uint64_t invalid) {
  equal_handles_[name] += equal;
  equal_handles_["invalid"] += invalid;
}

std::optional<double> Metrics::value(const std::string& metric) const {
  if (metric == "tick_ms") return tick_ms_;
  if (metric == "query_ms") return query_ms_;
  if (metric == "cells_touched" && records_) return static_cast<double>(*records_);
  if (metric == "level_changes_total" && index_) return static_cast<double>(level_changes_);
  if (metric.starts_with(handles_prefix)) {
    const auto found = equal_handles_.find(metric.substr(handles_prefix.size()));
    if (found == equal_handles_.end()) return std::nullopt;
    return static_cast<double>(found->second);
  }
  if (match_traffic(metric)) return traffic(metric);
  if (timed_event(metric)) return delay(metric);
  return std::nullopt;
}

std::optional<double> Metrics::traffic(const std::string& metric) const {
  const std::smatch match = *match_traffic(metric);
  const std::string observer = match[2];
  const std::string prefix = match[3];
  const auto mentions =
      std::count_if(view_events_.begin(), view_events_.end(), [&](const ViewEvent& event) {
        return event.observer == observer && event.entity.starts_with(prefix);
      });
  return static_cast<double>(mentions);
}

std::optional<double> Metrics::delay(const std::string& metric) const {
  const TimedEvent wanted = *timed_event(metric);
  const auto found =
      std::find_if(view_events_.begin(), view_events_.end(), [&](const ViewEvent& event) {
        return event.kind == (wanted.is_enter ? "enter" : "leave") &&
               event.observer == wanted.observer && event.entity == wanted.entity;
      });
  if (found == view_events_.end()) return never;
  Tick since = world_start_;
  if (metric.ends_with("after the move, ticks")) {
    const auto moved = moved_.find(wanted.entity);
    if (moved == moved_.end()) return std::nullopt;
    since = moved->second;
  }
  return static_cast<double>(found->tick - since);
}

}  // namespace vicinity::cases
