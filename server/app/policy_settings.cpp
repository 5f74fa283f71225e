// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/policy_settings.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <sstream>
#include <string_view>

#include "base/limits.h"

namespace vicinity::app {
namespace {

using Fault = std::optional<ConfigError>;

/// One key with a number.
struct NumberField {
  std::string_view key;
  std::uint32_t PolicyRule::*field;
  std::uint32_t max;
  std::string_view unit;
  std::string_view meaning;
};
constexpr std::array<NumberField, 4> number_fields = {{
    {"categories_a", &PolicyRule::categories_a, 0xFFFF'FFFFu, "bits",
     "One entity has any of these categories"},
    {"categories_b", &PolicyRule::categories_b, 0xFFFF'FFFFu, "bits",
     "and the other any of these, whichever is which"},
    {"stay_interval_ticks", &PolicyRule::stay_interval_ticks, limits::policy_ticks_max, "ticks",
     "A contact that goes on is told every so often; 0: never"},
    {"cooldown_ticks", &PolicyRule::cooldown_ticks, limits::policy_ticks_max, "ticks",
     "Time after the end of a contact before the same pair may begin another"},
}};

struct ActionName {
  std::string_view name;
  PolicyAction action;
};
constexpr std::array<ActionName, 3> actions = {{
    {"contact", PolicyAction::Contact},
    {"trigger", PolicyAction::Trigger},
    {"ignore", PolicyAction::Ignore},
}};
constexpr std::string_view action_names = "one of contact, trigger, ignore";

std::string allowed_numbers(const NumberField& field) {
  return fmt::format("an integer from 0 to {} ({})", field.max, field.unit);
}

std::string_view name_of(PolicyAction action) {
  for (const ActionName& each : actions)
    if (each.action == action) return each.name;
  return "contact";
}

Fault refuse(const std::string& place, std::string_view allowed, const toml::node& given) {
  std::ostringstream text;
  text << toml::node_view<const toml::node>(given);
  return ConfigError{fmt::format("{} must be {}, not {}", place, allowed, text.str())};
}

/// `place`: file, line, rule and field.
Fault read_field(const std::string& place, std::string_view key, const toml::node& node,
                 PolicyRule& rule) {
  if (key == "action") {
    const auto* text = node.as_string();
    for (const ActionName& each : actions) {
      if (text == nullptr || text->get() != each.name) continue;
      rule.action = each.action;
      return std::nullopt;
    }
    return refuse(place, action_names, node);
  }
  for (const NumberField& field : number_fields) {
    if (field.key != key) continue;
    const auto* whole = node.as_integer();
    if (whole == nullptr || whole->get() < 0 || whole->get() > std::int64_t{field.max})
      return refuse(place, allowed_numbers(field), node);
    rule.*field.field = static_cast<std::uint32_t>(whole->get());
    return std::nullopt;
  }
  return ConfigError{
      fmt::format("{}: unknown key; a rule has categories_a, categories_b, action, "
                  "stay_interval_ticks and cooldown_ticks",
                  place)};
}

Fault read_rule(const std::string& path, std::size_t number, const toml::table& table,
                PolicyRule& rule) {
  std::map<toml::source_index, Fault> faults;  // by line
  for (const auto& [key, node] : table) {
    const auto line = key.source().begin.line;
    Fault fault =
        read_field(fmt::format("{}:{}: policy rule {}: {}", path, line, number, key.str()),
                   key.str(), node, rule);
    if (fault) faults.emplace(line, std::move(fault));
  }
  return faults.empty() ? std::nullopt : faults.begin()->second;
}

}  // namespace

std::optional<ConfigError> read_policy(const std::string& path, const toml::node& node,
                                       std::vector<PolicyRule>& policy) {
  policy.clear();
  const auto place = [&](const toml::node& at) {
    return fmt::format("{}:{}: policy", path, at.source().begin.line);
  };
  const toml::array* const tables = node.as_array();
  if (tables == nullptr) return refuse(place(node), "[[policy]] tables", node);
  for (const toml::node& each : *tables) {
    const toml::table* const table = each.as_table();
    if (table == nullptr) return refuse(place(each), "[[policy]] tables", each);
    if (policy.size() == limits::policy_rules_max) {
      return ConfigError{
          fmt::format("{} must have at most {} rules", place(each), limits::policy_rules_max)};
    }
    PolicyRule rule;
    if (Fault fault = read_rule(path, policy.size() + 1, *table, rule)) return fault;
    policy.push_back(rule);
  }
  return std::nullopt;
}

std::vector<std::string> describe_policy() {
  std::vector<std::string> lines = {fmt::format(
      "Contact policy: up to {} tables [[policy]], in the file only. The first that fits "
      "a pair counts.",
      limits::policy_rules_max)};
  const PolicyRule defaults;
  for (const NumberField& field : number_fields) {
    const bool is_set_of_bits = field.unit == "bits";
    const std::string value = is_set_of_bits ? "all" : fmt::format("{}", defaults.*field.field);
    lines.push_back(fmt::format("  {}: {}. {}; default {}.", field.key, field.meaning,
                                allowed_numbers(field), value));
  }
  lines.push_back(fmt::format(
      "  action: contact: as the shapes say; trigger: as with a sensor; ignore: none. {}; "
      "default {}.",
      action_names, name_of(defaults.action)));
  return lines;
}

std::string print_policy(const std::vector<PolicyRule>& policy) {
  std::string text;
  for (const PolicyRule& rule : policy) {
    text += fmt::format(
        "\n[[policy]]\ncategories_a = 0x{:X}\ncategories_b = 0x{:X}\naction = \"{}\"\n"
        "stay_interval_ticks = {}\ncooldown_ticks = {}\n",
        rule.categories_a, rule.categories_b, name_of(rule.action), rule.stay_interval_ticks,
        rule.cooldown_ticks);
  }
  return text;
}

}  // namespace vicinity::app
