// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/net_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

constexpr std::size_t window_bytes_min = 4 * 1024;
constexpr std::size_t window_bytes_max = 256 * 1024;
/// A router's queue on top of what is on the way.
constexpr double queue_s = 0.1;

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> units = {
      {{"kbit", 1e3}, {"mbit", 1e6}, {"bit", 1}}};
  for (const auto& [unit, bits] : units) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_number(text.substr(0, text.size() - unit.size()));
    if (!number || *number * bits < 1 || *number * bits > 1e12) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*number * bits));
  }
  return std::nullopt;
}

}  // namespace

Result<NetConditions, std::string> parse_net_conditions(std::string_view text) {
  NetConditions out;
  std::vector<std::string_view> named;
  for (const std::string_view setting : split(text, ',')) {
    const auto equals = setting.find('=');
    if (equals == std::string_view::npos)
      return fmt::format("'{}' must be delay=, jitter=, bandwidth= or cut-every= and a value",
                         setting);
    const std::string_view name = trim(setting.substr(0, equals));
    const std::string_view value = trim(setting.substr(equals + 1));
    if (std::find(named.begin(), named.end(), name) != named.end())
      return fmt::format("{} is given twice", name);
    named.push_back(name);
    if (name == "bandwidth") {
      const auto rate = parse_rate(value);
      if (!rate) return fmt::format("bandwidth '{}' must be a rate such as 256kbit", value);
      out.bandwidth_bit_per_s = *rate;
      continue;
    }
    std::int64_t* const target = name == "delay"       ? &out.delay_us
                                 : name == "jitter"    ? &out.jitter_us
                                 : name == "cut-every" ? &out.cut_every_us
                                                       : nullptr;
    if (target == nullptr)
      return fmt::format("unknown setting '{}'; known are delay, jitter, bandwidth, cut-every",
                         name);
    const auto time_us = parse_time_us(value);
    if (!time_us) return fmt::format("{} '{}' must be a time such as 80ms", name, value);
    *target = *time_us;
  }
  if (out.jitter_us > out.delay_us) return std::string("jitter must not be above delay");
  return out;
}

std::string to_string(const NetConditions& conditions) {
  std::string text =
      fmt::format("delay={}us,jitter={}us", conditions.delay_us, conditions.jitter_us);
  if (conditions.bandwidth_bit_per_s > 0)
    text += fmt::format(",bandwidth={}bit", conditions.bandwidth_bit_per_s);
  if (conditions.cut_every_us > 0) text += fmt::format(",cut-every={}us", conditions.cut_every_us);
  return text;
}

LinkShaper::LinkShaper(const NetConditions& conditions, std::uint64_t seed)
    : conditions_(conditions), prng_(seed) {}

std::int64_t LinkShaper::arrival_us(std::int64_t sent_us, std::size_t size_bytes) {
  free_us_ = std::max(free_us_, sent_us);
  if (conditions_.bandwidth_bit_per_s > 0) {
    const double bits = static_cast<double>(size_bytes) * 8;
    const double rate = static_cast<double>(conditions_.bandwidth_bit_per_s);
    free_us_ += std::llround(bits / rate * 1e6);
  }
  const auto jitter = static_cast<double>(conditions_.jitter_us);
  const std::int64_t delay_us = conditions_.delay_us + std::llround(prng_.between(-jitter, jitter));
  arrived_us_ = std::max(arrived_us_, free_us_ + delay_us);
  return arrived_us_;
}

std::size_t LinkShaper::window_bytes() const {
  if (conditions_.bandwidth_bit_per_s == 0) return window_bytes_max;
  const double held_s = queue_s + static_cast<double>(conditions_.delay_us) / 1e6;
  const double bytes = static_cast<double>(conditions_.bandwidth_bit_per_s) / 8 * held_s;
  return std::clamp(static_cast<std::size_t>(bytes), window_bytes_min, window_bytes_max);
}

std::int64_t CutSchedule::next_life_us() {
  if (cut_every_us_ == 0) return 0;
  return std::max<std::int64_t>(
      1, std::llround(prng_.between(0.5, 1.5) * static_cast<double>(cut_every_us_)));
}

}  // namespace vicinity::sim
