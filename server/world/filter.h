// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Who may meet whom. Values; both rooms. `accepts` is the only implementation of the pair rule.

#include <cstdint>
#include <optional>

namespace vicinity {

struct Filter {
  std::uint32_t category = 1;         ///< bits this entity is
  std::uint32_t mask = 0xFFFF'FFFFu;  ///< bits this entity meets; 0 = query-only, never in a pair
  std::int32_t group = 0;             ///< same non-zero group: > 0 always meets, < 0 never
  std::uint32_t instance = 0;         ///< dungeon, match: only equal instances meet
  bool sensor = false;                ///< senses solids, never another sensor
  bool is_static = false;             ///< does not move by itself; two statics never meet
  bool enabled = true;                ///< false: in no pair, in no view, found by no query
  /// What it passes through on its way is looked for however short the way is.
  bool continuous = false;
  friend constexpr bool operator==(const Filter&, const Filter&) = default;
};

/// A change of some fields of a filter. Absent fields stay as they are.
struct FilterPatch {
  std::optional<std::uint32_t> category = {};
  std::optional<std::uint32_t> mask = {};
  std::optional<std::int32_t> group = {};
  std::optional<std::uint32_t> instance = {};
  std::optional<bool> sensor = {};
  std::optional<bool> is_static = {};
  std::optional<bool> enabled = {};
  std::optional<bool> continuous = {};
  friend constexpr bool operator==(const FilterPatch&, const FilterPatch&) = default;
};

/// True when the entity can take part in pairs at all.
constexpr bool in_pair_search(const Filter& f) { return f.enabled && f.mask != 0; }

/// The pair rule. Symmetric. A positive common group overrides category and mask, but neither the
/// instance nor a mask of 0 nor the rules for statics and sensors.
constexpr bool accepts(const Filter& a, const Filter& b) {
  if (!in_pair_search(a) || !in_pair_search(b) || a.instance != b.instance) return false;
  if (a.is_static && b.is_static) return false;
  if (a.sensor && b.sensor) return false;
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

/// How an entity counts with observers, beyond where it is.
struct Relevance {
  bool always = false;  ///< in view of every observer whose filter accepts it, wherever it is
  /// Its updates go before others: the priority is multiplied by 1 + boost / 16.
  std::uint8_t boost = 0;
  /// The range from which the entity itself can be seen, metres: it is inside an area also when it
  /// is no farther than this from the area's position. 0 = only as the area says.
  double seen_from_enter_m = 0;
  double seen_from_leave_m = 0;  ///< >= seen_from_enter_m
  friend constexpr bool operator==(const Relevance&, const Relevance&) = default;
};

/// What an area or a query looks for. Disabled entities are never found.
struct SearchFilter {
  std::uint32_t category_mask = 0xFFFF'FFFFu;  ///< accepts entities with any of these categories
  std::uint32_t instance = 0;
  friend constexpr bool operator==(const SearchFilter&, const SearchFilter&) = default;
};
constexpr bool finds(const SearchFilter& search, const Filter& entity) {
  return entity.enabled && entity.instance == search.instance &&
         (entity.category & search.category_mask) != 0;
}

}  // namespace vicinity
