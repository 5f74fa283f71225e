// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A table of pairs of entities, each with a value, to be asked about single pairs. It has no order
// and is walked through for a sorted list only, so that nothing can depend on where a pair happens
// to lie. Values only; readers on any thread between changes.
//
//      home of a pair = its hash     | 1-2 |     | 3-4 | 1-5 | 2-6 |     |    the home of 1-5 and
//      2-6
//                                                  was taken: they stand behind it, without a hole
//
// Open addressing with linear probing; what is erased is filled from behind (Knuth, The Art of
// Computer Programming, volume 3, section 6.4, algorithms L and R), so that no marks are left.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace vicinity {

/// Two entities by their ids; a has the smaller slot.
struct EntityPair {
  EntityId a;
  EntityId b;
  friend constexpr auto operator<=>(const EntityPair&, const EntityPair&) = default;
};

template <class Value>
class PairTable {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(const EntityPair& pair) const { return find(pair) != nullptr; }

  /// Null when the pair is not there. Valid until the next change. `pair` names two entities.
  const Value* find(const EntityPair& pair) const {
    if (size_ == 0) return nullptr;
    const Place& place = places_[place_of(pair)];
    return place.pair == pair ? &place.value : nullptr;
  }
  /// All pairs, sorted. O(size log size), and O(places).
  std::vector<EntityPair> sorted_pairs() const {
    std::vector<EntityPair> pairs;
    pairs.reserve(size_);
    for (const Place& place : places_)
      if (!is_free(place)) pairs.push_back(place.pair);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
  /// Adds the pair or replaces its value. True when it was not there.
  bool set(const EntityPair& pair, const Value& value) {
    if (4 * (size_ + 1) > 3 * places_.size()) resize(places_.empty() ? least : 2 * places_.size());
    Place& place = places_[place_of(pair)];
    const bool is_new = is_free(place);
    place = {pair, value};
    size_ += is_new;
    return is_new;
  }
  /// False when it was not there. Gives memory back when little is left: a peak must not stay.
  bool erase(const EntityPair& pair) {
    if (size_ == 0) return false;
    std::size_t hole = place_of(pair);
    if (is_free(places_[hole])) return false;
    const std::size_t last = places_.size() - 1;
    for (std::size_t next = (hole + 1) & last; !is_free(places_[next]); next = (next + 1) & last) {
      const std::size_t home = hash(places_[next].pair) & last;
      if (((next - home) & last) < ((next - hole) & last)) continue;  // would stand before its home
      places_[hole] = places_[next];
      hole = next;
    }
    places_[hole] = {};
    --size_;
    if (places_.size() > kept_places && 8 * size_ < places_.size()) resize(places_.size() / 4);
    return true;
  }

 private:
  struct Place {
    EntityPair pair;
    Value value{};
  };
  static constexpr std::size_t least = 16;
  static constexpr std::size_t kept_places = 1024;  ///< too few to matter

  static bool is_free(const Place& place) { return !place.pair.a; }
  static std::size_t hash(const EntityPair& pair) {
    std::uint64_t hash = pair.a.raw() * 0x9E37'79B9'7F4A'7C15u;
    hash = (hash ^ hash >> 32 ^ pair.b.raw()) * 0xD6E8'FEB8'6659'FD93u;
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }
  /// Where the pair is, or the free place where it belongs. There always is a free one.
  std::size_t place_of(const EntityPair& pair) const {
    const std::size_t last = places_.size() - 1;
    std::size_t place = hash(pair) & last;
    while (!is_free(places_[place]) && places_[place].pair != pair) place = (place + 1) & last;
    return place;
  }
  void resize(std::size_t count) {
    std::vector<Place> old = std::exchange(places_, std::vector<Place>(count));
    for (const Place& place : old)
      if (!is_free(place)) places_[place_of(place.pair)] = place;
  }

  std::vector<Place> places_;  ///< a power of two of them, at most three quarters taken
  std::size_t size_ = 0;
};

}  // namespace vicinity
