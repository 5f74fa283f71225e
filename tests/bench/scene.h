// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Scenes for benchmarks: boxes that move, appear and go, one tick at a time, from a seed. All
// arithmetic is on integers of 1/1024 m, with the project's own generator and no library function,
// so that every machine generates the same boxes, bit for bit. Not thread-safe.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aabb.h"
#include "world/filter.h"

namespace vicinity::bench {

/// Lengths in scenes: 1/1024 m.
using Units = std::int64_t;
inline constexpr Units metre = 1024;
using UnitVector = std::array<Units, 3>;

/// What every implementation is told about a tick. The arrays are indexed by slot.
struct SceneState {
  std::vector<Aabb> boxes;     ///< exact
  std::vector<Aabb32> bounds;  ///< the same, rounded outward: what pairs are decided by
  std::vector<Filter> filters;
  std::vector<std::uint8_t> alive;
  /// Slots whose box changed, or that gained or lost their entity, in this tick: ascending, each
  /// once. Before the first step: all that are alive.
  std::vector<std::uint32_t> moved;
  std::uint32_t alive_count = 0;
  Aabb32 extent;  ///< contains every box of every tick

  std::uint32_t slot_count() const { return static_cast<std::uint32_t>(alive.size()); }
};

class Scene {
 public:
  virtual ~Scene() = default;
  const SceneState& state() const { return state_; }
  /// The next tick.
  void step();

 protected:
  explicit Scene(std::uint32_t slot_count);
  virtual void advance() = 0;
  void set_extent(const UnitVector& min, const UnitVector& max);
  void place(std::uint32_t slot, const UnitVector& min, const UnitVector& max);
  void remove(std::uint32_t slot);
  Filter& filter(std::uint32_t slot) { return state_.filters[slot]; }
  bool is_alive(std::uint32_t slot) const { return state_.alive[slot] != 0; }

 private:
  SceneState state_;
};

struct SceneInfo {
  std::string_view name;
  std::string_view what;
  std::uint32_t count_default = 0;  ///< entities when none are asked for; 0 = several sizes
  std::uint32_t count_max = 0;      ///< more make no sense (pairs grow with the square); 0 = any
};
std::span<const SceneInfo> scene_infos();
const SceneInfo& scene_info(std::string_view name);  ///< CHECKs that there is one

/// `name` must be one of scene_infos(). Null when the scene needs recordings that are not here;
/// they are looked for in the folder SHARED_DATA_DIR, or shared/data beside the source.
std::unique_ptr<Scene> make_scene(std::string_view name, std::uint32_t count, std::uint64_t seed);

/// Where the recordings are looked for.
std::string recordings_folder();
/// Null when the recordings are not there.
std::unique_ptr<Scene> make_recorded_scene(std::uint32_t count);

}  // namespace vicinity::bench
