// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/nearest_setting.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace vicinity::app {
namespace {

/// No name of a setting is nearly as long, and the work grows with the square.
constexpr std::size_t name_bytes_max = 64;

/// The words of a flag or variable as those of a key: "--Tick-Rate", "VICINITY_TICK_RATE".
std::string as_key(std::string_view given) {
  constexpr std::string_view prefix = "vicinity_";
  std::string key;
  for (const char c : given.substr(0, name_bytes_max))
    key += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  key.erase(0, key.find_first_not_of('_'));
  if (key.starts_with(prefix)) key.erase(0, prefix.size());
  return key;
}

/// Letters that are to be put in, left out or changed to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, diagonal + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// Whole words, or so many letters that nothing else begins with them.
bool is_beginning(std::string_view given, std::string_view key) {
  constexpr std::size_t letters_min = 4;
  if (key.size() <= given.size() || !key.starts_with(given)) return false;
  return key[given.size()] == '_' || given.size() >= letters_min;
}

}  // namespace

const Setting* nearest_setting(std::string_view given) {
  const std::string wanted = as_key(given);
  if (wanted.empty()) return nullptr;
  const auto table = settings_table();
  for (const Setting& setting : table)
    if (setting.key == wanted || as_key(setting.short_flag) == wanted) return &setting;
  const Setting* begins = nullptr;
  for (const Setting& setting : table) {
    if (!is_beginning(wanted, setting.key)) continue;
    if (begins == nullptr || setting.key.size() < begins->key.size()) begins = &setting;
  }
  if (begins != nullptr) return begins;
  const Setting* nearest = nullptr;
  std::size_t least = wanted.size() / 3 + 1;  // as far as this nobody means another one
  for (const Setting& setting : table) {
    const std::size_t distance = edit_distance(wanted, setting.key);
    if (distance >= least) continue;
    least = distance;
    nearest = &setting;
  }
  return nearest;
}

}  // namespace vicinity::app
