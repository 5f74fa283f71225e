// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The one table of settings, and the checks that every source of values shares.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config.h"

namespace vicinity::app {

/// A value from a source, before it is checked.
using SettingValue = std::variant<std::string, std::int64_t, double, bool>;

struct Setting {
  std::string_view key;  ///< as in the file
  std::variant<std::string Config::*, std::uint64_t Config::*, double Config::*, bool Config::*>
      field;
  double min = 0;  ///< numbers: smallest and largest value, both allowed
  double max = 0;
  std::string_view unit;                  ///< "" = a plain number or text
  std::vector<std::string_view> choices;  ///< texts: the allowed ones; empty = any
  std::string_view meaning;               ///< one sentence
  std::string_view short_flag = {};       ///< another name of the flag; "" = none
};

std::span<const Setting> settings_table();
const Setting* find_setting(std::string_view key);

std::string flag_name(const Setting& setting);      ///< "--tick-rate-hz"
std::string variable_name(const Setting& setting);  ///< "VICINITY_TICK_RATE_HZ"

/// "an integer from 1 to 240 (Hz)"
std::string allowed_values(const Setting& setting);

/// Reads text from a flag or variable as the type of the setting; nothing when it is not of it.
std::optional<SettingValue> parse_value(const Setting& setting, std::string_view text);

/// Stores the value when type and range fit; false otherwise, and nothing is changed.
[[nodiscard]] bool assign(const Setting& setting, const SettingValue& value, Config& config);

/// The value as TOML source.
std::string toml_value(const Setting& setting, const Config& config);

}  // namespace vicinity::app
