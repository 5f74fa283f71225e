// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/prng.h"
#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

constexpr std::array<std::string_view, behaviour_count> names = {
    "normal",        "slow-reader", "stalled-reader", "reconnect-storm",
    "border-hugger", "spectator",   "malformed",      "flood"};
constexpr double weight_max = 1e9;

/// Whole bots by weight: the rounded-down parts first, then one more for the largest remainders.
std::array<std::uint32_t, behaviour_count> counts_of(const BehaviourMix& mix, std::uint32_t bots) {
  const double total = std::accumulate(mix.weights.begin(), mix.weights.end(), 0.0);
  CHECK(total > 0);
  std::array<std::uint32_t, behaviour_count> counts{};
  std::array<double, behaviour_count> remainders{};
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < behaviour_count; ++i) {
    const double exact = mix.weights[i] / total * bots;
    counts[i] = std::min(static_cast<std::uint32_t>(exact), bots - given);
    given += counts[i];
    // Who would get nothing at all comes first.
    remainders[i] = exact - counts[i] + (counts[i] == 0 && exact > 0 ? 1 : 0);
  }
  while (given < bots) {
    const auto next = std::max_element(remainders.begin(), remainders.end());
    ++counts[static_cast<std::size_t>(next - remainders.begin())];
    *next -= 1;
    ++given;
  }
  for (std::size_t i = 0; i < behaviour_count; ++i) {  // of those that have many
    const auto most = std::max_element(counts.begin(), counts.end());
    if (mix.weights[i] == 0 || counts[i] > 0 || *most < 2) continue;
    --*most;
    ++counts[i];
  }
  return counts;
}

}  // namespace

std::string_view to_string(Behaviour behaviour) {
  return names[static_cast<std::size_t>(behaviour)];
}

std::optional<Behaviour> parse_behaviour(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Behaviour>(found - names.begin());
}

std::string behaviour_names() { return fmt::format("{}", fmt::join(names, ", ")); }

bool is_hostile(Behaviour behaviour) {
  switch (behaviour) {
    case Behaviour::SlowReader:
    case Behaviour::StalledReader:
    case Behaviour::Malformed:
    case Behaviour::Flood: return true;
    case Behaviour::Normal:
    case Behaviour::ReconnectStorm:
    case Behaviour::BorderHugger:
    case Behaviour::Spectator: return false;
  }
  CHECK(false);
}

Result<BehaviourMix, std::string> parse_behaviours(std::string_view text) {
  BehaviourMix mix;
  mix.weights.fill(0);
  double total = 0;
  std::vector<std::size_t> named;
  for (const std::string_view part : split(text, ',')) {
    const auto colon = part.find(':');
    const std::string_view name = trim(part.substr(0, colon));
    const auto behaviour = parse_behaviour(name);
    if (!behaviour)
      return fmt::format("unknown behaviour '{}'; known are {}", name, behaviour_names());
    double weight = 1;
    if (colon != std::string_view::npos) {
      const auto number = parse_number(part.substr(colon + 1));
      if (!number || *number < 0 || *number > weight_max)
        return fmt::format("the weight of {} must be a number from 0 to 1e9", name);
      weight = *number;
    }
    const auto index = static_cast<std::size_t>(*behaviour);
    if (std::find(named.begin(), named.end(), index) != named.end())
      return fmt::format("behaviour {} is named twice", name);
    named.push_back(index);
    mix.weights[index] = weight;
    total += weight;
  }
  if (total <= 0) return std::string("at least one weight must be above 0");
  return mix;
}

std::vector<Behaviour> assign_behaviours(const BehaviourMix& mix, std::uint32_t bots,
                                         std::uint64_t seed) {
  const auto counts = counts_of(mix, bots);
  std::vector<Behaviour> out;
  for (std::size_t i = 0; i < behaviour_count; ++i)
    out.insert(out.end(), counts[i], static_cast<Behaviour>(i));
  CHECK(out.size() == bots);
  Prng prng(seed ^ 0xB0B5'0000'0000'0001ull);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[prng.below(i)]);
  return out;
}

}  // namespace vicinity::sim
