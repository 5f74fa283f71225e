// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace vicinity::sim {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const auto end = rest.find(separator);
    parts.push_back(trim(rest.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    rest.remove_prefix(end + 1);
  }
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole_text = end == text.data() + text.size();
  if (error != std::errc{} || !whole_text || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  text = trim(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parse_time_us(std::string_view text) {
  constexpr double day_us = 86'400e6;
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6}}};
  text = trim(text);
  const auto unit_begin = text.find_first_not_of("0123456789.");
  if (unit_begin == std::string_view::npos) return std::nullopt;
  const auto number = parse_number(text.substr(0, unit_begin));
  if (!number) return std::nullopt;
  for (const auto& [name, us] : units) {
    if (text.substr(unit_begin) != name || *number * us > day_us) continue;
    return std::llround(*number * us);
  }
  return std::nullopt;
}

}  // namespace vicinity::sim
