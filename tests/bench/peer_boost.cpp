// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The r-tree of Boost.Geometry: packed anew in every tick, then one query per entity, in parallel.
// Nodes of 16 were the best of 8, 16 and 32.

#include <boost/function_output_iterator.hpp>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>

#include "bench/implementation.h"

namespace vicinity::bench {
namespace {

namespace bg = boost::geometry;
using Point = bg::model::point<float, 3, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Box, std::uint32_t>;
using Tree = bg::index::rtree<Value, bg::index::linear<16>>;

constexpr std::size_t queries_per_block = 512;

class Boost : public Implementation {
 public:
  Boost(const SceneState& first, int threads) : workers_(threads), boxes_(first.slot_count()) {}

  void tick(const SceneState& state, StageClock& clock) override {
    for (const std::uint32_t slot : state.moved) {
      const Aabb32& box = state.bounds[slot];
      boxes_[slot] =
          Box(Point(box.min[0], box.min[1], box.min[2]), Point(box.max[0], box.max[1], box.max[2]));
    }
    values_.clear();
    for (std::uint32_t slot = 0; slot < boxes_.size(); ++slot)
      if (state.alive[slot] != 0) values_.emplace_back(boxes_[slot], slot);
    clock.end_stage("apply");
    tree_ = Tree(values_.begin(), values_.end());
    clock.end_stage("update");
    found_.reset(block_count(values_.size(), queries_per_block));
    workers_.parallel_blocks(values_.size(), queries_per_block,
                             [&](std::size_t block, std::size_t begin, std::size_t end) {
                               std::vector<SlotPair>& pairs = found_.at(block);
                               for (std::size_t i = begin; i < end; ++i) {
                                 const std::uint32_t slot = values_[i].second;
                                 tree_.query(
                                     bg::index::intersects(values_[i].first),
                                     boost::make_function_output_iterator([&](const Value& hit) {
                                       if (hit.second > slot) pairs.push_back({slot, hit.second});
                                     }));
                               }
                             });
    clock.end_stage("find");
  }

  std::string collect(const SceneState&, std::vector<SlotPair>& pairs) override {
    found_.join_into(pairs);
    return "";
  }
  TickCounts counts() const override { return {.candidates = found_.item_count()}; }

 private:
  Workers workers_;
  std::vector<Box> boxes_;  ///< by slot
  std::vector<Value> values_;
  Tree tree_;
  BlockBuffers<SlotPair> found_;
};

}  // namespace

std::vector<ImplementationInfo> boost_peers() {
  return {{.name = "boost", .make = [](const SceneState& first, int threads) {
             return std::make_unique<Boost>(first, threads);
           }}};
}

}  // namespace vicinity::bench
