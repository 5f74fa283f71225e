// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "client-sim/bot_area.h"

namespace vicinity::sim {
namespace {

/// Of the ground: looking at more than this in parts is hardly cheaper than looking at all of it.
constexpr double parts_max = 0.25;
/// Bodies of bots, and what positions may be off by, are far smaller.
constexpr double watch_margin_m = 10;

}  // namespace

std::vector<bool> choose_share(std::uint32_t count, double share, std::uint64_t seed) {
  CHECK(share >= 0 && share <= 1);
  const auto chosen = static_cast<std::uint32_t>(std::ceil(share * count - 1e-9));
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Prng prng(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
  std::vector<bool> out(count, false);
  for (std::uint32_t i = 0; i < chosen; ++i) out[order[i]] = true;
  return out;
}

Crew::Crew(const SwarmOptions& options)
    : options_(options),
      behaviours_(assign_behaviours(options.behaviours, options.bots, options.seed)),
      conditioned_(choose_share(options.bots, options.conditions ? options.conditions_share : 0,
                                options.seed ^ 0x5EED'0001)),
      checked_(options.bots, false) {
  std::vector<std::uint32_t> judged;
  for (std::uint32_t bot = 0; bot < options.bots; ++bot) {
    shapes_.push_back(Mover(settings(bot).mover).shape());
    if (!is_hostile(behaviours_[bot])) judged.push_back(bot);
  }
  const auto judged_count = static_cast<std::uint32_t>(judged.size());
  hostile_count_ = options.bots - judged_count;
  const auto chosen = choose_share(judged_count, options.checks ? options.check_share : 0,
                                   options.seed ^ 0x5EED'0002);
  for (std::uint32_t i = 0; i < judged_count; ++i) checked_[judged[i]] = chosen[i];
}

BotSettings Crew::settings(std::uint32_t bot) const {
  BotSettings out;
  out.connect.host = options_.host;
  out.connect.port = options_.port;
  options_.access.apply(out.connect, bot + authorities_of(options_));
  // Of the server, also where the bot connects to a link of its own.
  if (out.connect.tls_server_name.empty()) out.connect.tls_server_name = options_.host;
  out.behaviour = behaviours_[bot];
  out.mover.scenario = options_.scenario;
  out.mover.bot = bot;
  out.mover.bot_count = options_.bots + options_.entities;
  out.mover.seed = options_.seed;
  const double hysteresis_m = options_.leave_radius_m - options_.enter_radius_m;
  const double enter_m = out.behaviour == Behaviour::Spectator
                             ? std::max(options_.spectator_radius_m, options_.enter_radius_m)
                             : options_.enter_radius_m;
  out.area = make_area(options_.area_kind, enter_m, enter_m + hysteresis_m, options_.rings);
  out.edge = {options_.enter_radius_m, options_.leave_radius_m};
  out.query_interval_ms = options_.query_interval_ms;
  out.is_checked = checked_[bot];
  out.is_paced = options_.is_open_loop;
  if (conditioned_[bot]) out.conditions = options_.conditions;
  return out;
}

CheckSettings Crew::check_settings() const {
  CheckSettings out;
  out.allowed_delay_us = std::int64_t{options_.allowed_delay_ms} * 1000;
  out.is_told_where_from = is_watched_in_parts();
  return out;
}

std::string Crew::describe() const {
  std::string text;
  for (std::size_t i = 0; i < behaviour_count; ++i) {
    const auto behaviour = static_cast<Behaviour>(i);
    const auto count = std::count(behaviours_.begin(), behaviours_.end(), behaviour);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(behaviour), count);
  }
  return text;
}

std::optional<const Shape*> Crew::shape_of(std::uint64_t user_data) const {
  if (user_data == 0) return nullptr;
  const std::uint64_t bot = user_data - user_data_of(options_.seed, 0);
  if (bot < shapes_.size()) return &shapes_[bot];
  return std::nullopt;  // of another process
}

double Crew::watch_radius_m(std::uint32_t bot) const {
  return 1.05 * reach_m(settings(bot).area) + watch_margin_m;
}

bool Crew::is_watched_in_parts() const {
  double looked_at_m2 = 0;
  std::uint32_t parts = 0;
  for (std::uint32_t bot = 0; bot < options_.bots; ++bot) {
    if (!checked_[bot]) continue;
    const double side_m = 2 * watch_radius_m(bot);
    looked_at_m2 += side_m * side_m;
    ++parts;
  }
  const double whole_m2 = 4 * ground().half_x_m * ground().half_z_m;
  return parts <= limits::areas_per_session_max && looked_at_m2 <= parts_max * whole_m2;
}

Ground Crew::ground() const {
  return ground_of(options_.scenario, options_.bots + options_.entities);
}

}  // namespace vicinity::sim
