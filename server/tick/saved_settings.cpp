// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/saved_settings.h"

#include <cstdio>
#include <vector>

#include "world/archive_values.h"

namespace vicinity {
namespace {

/// "VCTY"
constexpr std::uint32_t saved_world_name = 0x5954'4356u;

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// Visits all settings that count, by their names.
template <class Settings, class Visit>
void for_each_setting(Settings& settings, const Visit& visit) {
  visit("dt_s", settings.dt_s);
  visit("world_half_size_m", settings.world_half_size_m);
  visit("entity_count_max", settings.entity_count_max);
  visit("entities_per_player_max", settings.entities_per_player_max);
  visit("player_shape_extent_max_m", settings.player_shape_extent_max_m);
  visit("reuse_delay_ticks", settings.reuse_delay_ticks);
}

}  // namespace

void save_settings(const SimulationSettings& settings, ArchiveWriter& out) {
  out(saved_world_name), out(saved_world_format);
  for_each_setting(settings, [&](const char*, const auto& value) { out(value); });
  out(settings.policy);
}

std::string fault_of_saved_settings(const SimulationSettings& settings, ArchiveReader& in) {
  std::uint32_t name = 0;
  std::uint32_t format = 0;
  in(name), in(format);
  if (!in.ok() || name != saved_world_name) return "these bytes are not a saved world";
  if (format != saved_world_format)
    return "the world was saved in format " + std::to_string(format) + "; this program reads " +
           std::to_string(saved_world_format);
  std::string fault;
  for_each_setting(settings, [&](const char* setting, const auto& value) {
    auto saved = value;
    in(saved);
    if (!fault.empty() || !in.ok() || saved == value) return;
    fault = std::string(setting) + " is " + text_of(static_cast<double>(value)) +
            ", but the world was saved under " + text_of(static_cast<double>(saved));
  });
  std::vector<PolicyRule> policy;
  in(policy);
  if (!in.ok()) return "these bytes are not a whole world as it was saved";
  if (fault.empty() && policy != settings.policy)
    return "policy is another one than that under which the world was saved";
  return fault;
}

}  // namespace vicinity
