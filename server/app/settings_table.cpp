// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/settings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "app/settings_of_access.h"
#include "app/settings_of_admin.h"
#include "app/settings_of_journal.h"
#include "app/settings_of_sessions.h"
#include "base/limits.h"

namespace vicinity::app {
namespace {

/// Texts that are neither free nor one of a few.
bool is_address(const Setting& setting) {
  return setting.key == "listen_address" || setting.key == "admin_address";
}

bool is_address_text(const std::string& text) {
  boost::system::error_code error;
  boost::asio::ip::make_address(text, error);
  return !error;
}

/// Nor is this one any number within its range.
bool is_power_of_two(const Setting& setting) { return setting.key == "position_resolution_m"; }

bool is_power_of_two_value(double number) {
  int exponent = 0;
  return std::frexp(number, &exponent) == 0.5;
}

std::vector<Setting> listen_settings() {
  return {
      {"listen_address",
       &Config::listen_address,
       0,
       0,
       "",
       {},
       "IP address to listen on; other than loopback it needs token_keys and TLS, or insecure."},
      {"port", &Config::port, 0, 65535, "", {}, "TCP port; 0 takes any free one."},
      {"port_file",
       &Config::port_file,
       0,
       0,
       "",
       {},
       "File that receives the port number once the server listens; empty: none."},
      {"insecure",
       &Config::insecure,
       0,
       0,
       "",
       {},
       "Allow listening where others can connect without tokens or without TLS."},
  };
}

std::vector<Setting> tick_settings() {
  return {
      {"tick_mode",
       &Config::tick_mode,
       0,
       0,
       "",
       {"timer", "manual"},
       "timer: ticks at tick_rate_hz; manual: a tick runs only when an authority asks for it."},
      {"tick_rate_hz",
       &Config::tick_rate_hz,
       limits::tick_rate_hz_min,
       limits::tick_rate_hz_max,
       "Hz",
       {},
       "Ticks per second; also sets the length of a tick in manual mode."},
      {"workers",
       &Config::workers,
       0,
       limits::workers_max,
       "threads",
       {},
       "Threads that compute a tick; 0: one per core."},
      {"net_threads",
       &Config::net_threads,
       1,
       64,
       "threads",
       {},
       "Threads that serve sockets and answer queries."},
      {"max_memory",
       &Config::max_memory,
       0,
       1LL << 44,
       "bytes",
       {},
       "Memory of the process; near it newcomers, and commands that make something, are refused; "
       "67108864 at least, or 0: no cap."},
  };
}

std::vector<Setting> index_settings() {
  return {
      {"index",
       &Config::index,
       0,
       0,
       "",
       {"auto", "rows", "sweep", "brute_force"},
       "Spatial index; auto: rows or sweep, by measured cost; brute_force: the slow reference."},
      {"index_kernel",
       &Config::index_kernel,
       0,
       0,
       "",
       {"auto", "avx512", "avx2", "scalar"},
       "Instructions of the box tests, all with the same results; auto: the widest there are."},
      {"row_size_m",
       &Config::row_size_m,
       0,
       1e9,
       "m",
       {},
       "Side of a row of the index; 0: chosen from the sizes of the entities."},
      {"rest_after_ticks",
       &Config::rest_after_ticks,
       0,
       limits::index_delay_ticks_max,
       "ticks",
       {},
       "Time without a change after which an entity may come to rest in the index; 0: never."},
      {"demote_after_ticks",
       &Config::demote_after_ticks,
       1,
       limits::index_delay_ticks_max,
       "ticks",
       {},
       "Time that an entity is too small for its level of the index before it leaves it."},
      {"audit_rate",
       &Config::audit_rate,
       0,
       1,
       "part",
       {},
       "Part of the entities whose pairs are checked by a search of all, every tick; 0: none."},
      {"audit_budget_us",
       &Config::audit_budget_us,
       0,
       1'000'000,
       "us",
       {},
       "Time per tick for these checks, about; what it does not suffice for is skipped; 0: any."},
  };
}

std::vector<Setting> world_settings() {
  return {
      {"world_half_size_m",
       &Config::world_half_size_m,
       1,
       limits::world_half_size_m,
       "m",
       {},
       "Largest absolute coordinate."},
      {"entity_count_max",
       &Config::entity_count_max,
       1,
       limits::entity_count_max,
       "entities",
       {},
       "Entities alive at the same time."},
      {"entities_per_player_max",
       &Config::entities_per_player_max,
       0,
       limits::entities_per_player_max,
       "entities",
       {},
       "Entities that one player may own."},
      {"player_shape_extent_max_m",
       &Config::player_shape_extent_max_m,
       0,
       limits::shape_extent_m,
       "m",
       {},
       "Farthest that the shape of a player's entity may reach from its origin along an axis."},
      {"candidate_pairs_max",
       &Config::candidate_pairs_max,
       1,
       limits::candidate_pairs_max,
       "pairs",
       {},
       "All pairs whose boxes overlap; beyond, a fixed subset. A touching pair costs 300 bytes."},
      {"reuse_delay_ticks",
       &Config::reuse_delay_ticks,
       1,
       limits::reuse_delay_ticks_max,
       "ticks",
       {},
       "Time before the slot of a dead entity is used again."},
  };
}

std::vector<Setting> log_settings() {
  return {
      {"log_level",
       &Config::log_level,
       0,
       0,
       "",
       {"debug", "info", "warning", "error"},
       "Least severe kind of line that is logged."},
      {"log_format",
       &Config::log_format,
       0,
       0,
       "",
       {"text", "json"},
       "Form of the lines on standard error."},
  };
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  for (const auto& group :
       {listen_settings(), access_settings(), rate_settings(), tick_settings(), index_settings(),
        world_settings(), session_settings(), connection_settings(), resume_settings(),
        stream_settings(), journal_settings(), admin_settings(), log_settings()})
    table.insert(table.end(), group.begin(), group.end());
  return table;
}

}  // namespace

std::span<const Setting> settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const Setting* find_setting(std::string_view key) {
  const auto table = settings_table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == table.end() ? nullptr : &*found;
}

std::string flag_name(const Setting& setting) {
  std::string name = "--" + std::string(setting.key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string variable_name(const Setting& setting) {
  std::string name = "VICINITY_";
  for (const char c : setting.key)
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::string allowed_values(const Setting& setting) {
  if (std::holds_alternative<bool Config::*>(setting.field)) return "true or false";
  if (std::holds_alternative<std::string Config::*>(setting.field)) {
    if (is_address(setting)) return "an IP address such as 127.0.0.1 or ::1";
    if (setting.choices.empty()) return "a text";
    return fmt::format("one of {}", fmt::join(setting.choices, ", "));
  }
  const bool whole = std::holds_alternative<std::uint64_t Config::*>(setting.field);
  const std::string unit = setting.unit.empty() ? "" : fmt::format(" ({})", setting.unit);
  if (is_power_of_two(setting))
    return fmt::format("a power of two from {} to {}{}", setting.min, setting.max, unit);
  return fmt::format("{} from {:.0f} to {:.0f}{}", whole ? "an integer" : "a number", setting.min,
                     setting.max, unit);
}

std::optional<SettingValue> parse_value(const Setting& setting, std::string_view text) {
  const auto number = [text](auto value) -> std::optional<SettingValue> {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  };
  if (std::holds_alternative<std::string Config::*>(setting.field)) return std::string(text);
  if (std::holds_alternative<std::uint64_t Config::*>(setting.field)) return number(std::int64_t{});
  if (std::holds_alternative<double Config::*>(setting.field)) return number(double{});
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

bool assign(const Setting& setting, const SettingValue& value, Config& config) {
  const auto in_range = [&](double number) {
    return std::isfinite(number) && number >= setting.min && number <= setting.max;
  };
  if (const auto* flag = std::get_if<bool Config::*>(&setting.field)) {
    if (!std::holds_alternative<bool>(value)) return false;
    config.** flag = std::get<bool>(value);
    return true;
  }
  if (const auto* text = std::get_if<std::string Config::*>(&setting.field)) {
    if (!std::holds_alternative<std::string>(value)) return false;
    const auto& given = std::get<std::string>(value);
    if (is_address(setting) && !is_address_text(given)) return false;
    const auto& choices = setting.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), given) == choices.end())
      return false;
    config.** text = given;
    return true;
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (const auto* whole = std::get_if<std::uint64_t Config::*>(&setting.field)) {
    if (integer == nullptr || !in_range(static_cast<double>(*integer))) return false;
    config.** whole = static_cast<std::uint64_t>(*integer);
    return true;
  }
  const auto* real = std::get_if<double>(&value);
  if (integer == nullptr && real == nullptr) return false;
  const double number = real != nullptr ? *real : static_cast<double>(*integer);
  if (!in_range(number)) return false;
  if (is_power_of_two(setting) && !is_power_of_two_value(number)) return false;
  config.*std::get<double Config::*>(setting.field) = number;
  return true;
}

std::string toml_value(const Setting& setting, const Config& config) {
  return std::visit(
      [&](auto field) -> std::string {
        const auto& value = config.*field;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
          // Every JSON string is a TOML basic string.
          return nlohmann::json(value).dump(-1, ' ', true,
                                            nlohmann::json::error_handler_t::replace);
        } else {
          return fmt::format("{}", value);
        }
      },
      setting.field);
}

}  // namespace vicinity::app
