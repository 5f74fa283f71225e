// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/operations.h"

#include <algorithm>

namespace vicinity::cases {

namespace {

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void look_at(const Operation& operation, const std::string& where,
             std::vector<std::string>& unknown) {
  const OperationRule* rule = find_operation(operation.name);
  if (rule == nullptr) {
    unknown.push_back(where + "unknown operation " + operation.name);
    return;
  }
  for (const std::string_view field : rule->needed)
    if (!operation.fields.contains(field))
      unknown.push_back(where + operation.name + " has no " + std::string(field));
  if (rule->any_fields) return;
  for (const auto& [field, value] : operation.fields.items())
    if (!contains(rule->needed, field) && !contains(rule->optional, field))
      unknown.push_back(where + operation.name + " has an unknown field " + field);
  if (operation.name == "on_event" && operation.fields.contains("do"))
    for (const Json& nested : operation.fields["do"])
      look_at(parse_operation(nested), where, unknown);
}

}  // namespace

/// Grants the table access to the translator's methods.
struct OperationTable {
  using T = Translator;
  static const std::vector<OperationRule>& rules() {
    static const std::vector<OperationRule> table = {
        {"spawn", {"id", "min", "max"}, {"layer", "mask", "vis"}, &T::spawn},
        {"spawn_many", {"prefix", "count", "min", "max"}, {"step"}, &T::spawn_many},
        {"despawn", {"id"}, {}, &T::despawn},
        {"despawn_many", {"prefix", "count"}, {}, &T::despawn_many},
        {"move", {"id", "min", "max"}, {"sweep"}, &T::move},
        {"each_tick_move_all", {"prefix", "by"}, {}, &T::each_tick_move_all},
        {"set_filter", {"id"}, {"layer", "mask"}, &T::set_filter},
        {"set_layer_bit", {"id", "bit", "on"}, {}, &T::set_layer_bit},
        {"enable", {"id"}, {}, &T::enable},
        {"disable", {"id"}, {}, &T::disable},
        {"observer_add", {"obs", "r_in", "r_out"}, {"at", "entity"}, &T::observer_add},
        {"observer_move", {"obs", "at"}, {}, &T::observer_move},
        {"observer_radius", {"obs", "r_in", "r_out"}, {}, &T::observer_radius},
        {"observer_remove", {"obs"}, {}, &T::observer_remove},
        {"query_box", {"tag", "min", "max"}, {"mask"}, &T::query_box},
        {"query_sphere", {"tag", "at", "r"}, {"mask"}, &T::query_sphere},
        {"query_ray", {"tag", "origin", "dir", "max_t"}, {"mask"}, &T::query_ray},
        {"query_sweep", {"tag", "min", "max", "delta"}, {"mask"}, &T::query_sweep},
        {"query_nearest", {"tag", "at", "k"}, {"mask", "max_dist"}, &T::query_nearest},
        {"query_overlaps_of", {"tag", "id"}, {}, &T::query_overlaps_of},
        {"on_event", {"event", "do"}, {"pair", "obs", "target"}, nullptr},
        {"idle_ticks", {"count"}, {}, nullptr},
        {"recycle_slot", {"of", "times"}, {}, nullptr},
        {"run_for_s", {"s"}, {}, nullptr},
        {"stop_world", {}, {}, nullptr},
        {"start_world", {}, {}, nullptr},
        {"force_rebuild", {}, {}, nullptr, true},  // it decides for itself when it is made anew
        {"note", {}, {}, nullptr, true},
    };
    return table;
  }
};

const OperationRule* find_operation(std::string_view name) {
  for (const OperationRule& rule : OperationTable::rules())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::vector<std::string> unknown_operations(const Case& script) {
  std::vector<std::string> unknown;
  for (const Step& step : script.script)
    for (const Operation& operation : step.operations)
      look_at(operation, "tick " + step.label + ": ", unknown);
  return unknown;
}

}  // namespace vicinity::cases
