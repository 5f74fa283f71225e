// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A world as an index is told of it, boxes and filters by slot, without anything that stands before
// an index in the server: every change is made here, all from one seed. And what an index must say
// of it, by plain loops.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "bounds/bounds.h"
#include "index/index.h"
#include "world/filter.h"

namespace vicinity::oracle {

/// What breaks an index. Each scene is a habit of placing and sizing boxes.
enum class BoxScene : std::uint8_t {
  Cluster,
  Borders,     ///< all corners whole metres
  Far,         ///< clusters 10^6 and 10^9 m from each other
  Outliers,    ///< a cluster, and some so far away that rows wrap around
  MixedSizes,  ///< a millimetre to ten kilometres, and plates
  Corridor,    ///< one row
  Plane,
  OnePoint,
  Thin,  ///< of many sizes, each long on one axis
  Spread,
  Rods,  ///< small ones along one axis, and rods along another that turn
};
inline constexpr std::uint64_t box_scene_count = 11;

/// Pairs in ascending order, each once.
using PairList = std::vector<SlotPair>;
/// Every pair of bounds that overlap and of filters that accept each other.
PairList all_pairs(const Bounds& bounds, const std::vector<Filter>& filters);
/// Every living slot whose bound touches the box, ascending.
std::vector<std::uint32_t> all_in_box(const Bounds& bounds, const Aabb32& box);

struct BoxWorldSettings {
  BoxScene scene = BoxScene::Cluster;
  std::uint32_t entity_count = 40;  ///< about
  double churn = 0.02;              ///< part that goes and comes per tick
  double filters = 0.2;             ///< part that has a filter of its own
  bool resizes_all = false;         ///< everything has another size, and level, in every tick
  IndexVersion first_version = 1;
};
/// From a seed: any scene, small worlds more often than large ones.
BoxWorldSettings random_box_world(Prng& prng);

class BoxWorld {
 public:
  BoxWorld(const BoxWorldSettings& settings, std::uint64_t seed);

  Prng& prng() { return prng_; }
  void run_tick();

  IndexVersion version() const { return version_; }
  const Bounds& bounds() const { return bounds_; }
  const std::vector<Filter>& filters() const { return filters_; }
  const std::vector<std::uint32_t>& moved() const { return moved_; }
  std::uint32_t alive_count() const { return alive_count_; }
  IndexInput input(std::uint64_t pair_count) const {
    return {version_, bounds_, filters_, moved_, pair_count};
  }

  /// About where the entities are; often with a face or a corner on one of theirs.
  Aabb32 random_search_box();

 private:
  struct Place {
    double min[3] = {};
    double size[3] = {};
  };

  double within(double reach);
  void place(Place& place);
  void size(Place& place);
  Filter random_filter();
  void move(std::uint32_t slot);
  void spawn();
  void despawn(std::uint32_t slot);
  void change_some();
  void touch(std::uint32_t slot);
  void finish();

  BoxWorldSettings settings_;
  Prng prng_;
  IndexVersion version_;
  double activity_ = 1;  ///< part that changes in a tick; drawn anew now and then
  Bounds bounds_;
  std::vector<Filter> filters_;
  std::vector<Place> places_;
  std::vector<std::uint8_t> alive_;
  std::vector<std::uint8_t> touched_;      ///< in this tick
  std::vector<std::uint32_t> free_slots_;  ///< a stack: the last to die is the first to return
  std::vector<std::uint32_t> moved_;
  std::uint32_t alive_count_ = 0;
};

}  // namespace vicinity::oracle
