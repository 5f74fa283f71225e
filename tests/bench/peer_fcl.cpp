// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// FCL's dynamic AABB tree, in f64 as packaged, on one thread. When at least half of the objects
// moved, all are refitted at once; else those that moved are updated one by one.

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>

#include "bench/implementation.h"

namespace vicinity::bench {
namespace {

using Object = fcl::CollisionObject<double>;

class Fcl : public Implementation {
 public:
  explicit Fcl(const SceneState& first) : objects_(first.slot_count()) {}

  void tick(const SceneState& state, StageClock& clock) override {
    const bool is_first = manager_.empty();
    updated_.clear();
    for (const std::uint32_t slot : state.moved) {
      std::unique_ptr<Object>& object = objects_[slot];
      if (state.alive[slot] == 0) {
        manager_.unregisterObject(object.get());
        object.reset();
        continue;
      }
      const bool is_new = object == nullptr;
      if (is_new) {
        object = std::make_unique<Object>(shape_);
        object->setUserData(&object);
      }
      set_box(*object, state.bounds[slot]);
      if (is_new && !is_first) {
        manager_.registerObject(object.get());
      } else {
        updated_.push_back(object.get());
      }
    }
    clock.end_stage("apply");
    update(state, is_first);
    clock.end_stage("update");
    pairs_.clear();
    manager_.collide(&pairs_, take_pair);
    clock.end_stage("find");
  }

  std::string collect(const SceneState&, std::vector<SlotPair>& pairs) override {
    for (const auto& [first, second] : pairs_) {
      const std::uint32_t a = slot_of(*first);
      const std::uint32_t b = slot_of(*second);
      pairs.push_back(a < b ? SlotPair{a, b} : SlotPair{b, a});
    }
    return "";
  }
  TickCounts counts() const override { return {.candidates = pairs_.size()}; }

 private:
  using ObjectPair = std::pair<const Object*, const Object*>;

  void update(const SceneState& state, bool is_first) {
    if (is_first) {
      manager_.registerObjects(updated_);
      manager_.setup();
    } else if (updated_.size() * 2 >= state.alive_count) {
      manager_.update();
    } else {
      manager_.update(updated_);
    }
  }

  /// The box alone is what the tree reads. The public way to it, computeAABB(), costs more and
  /// needs a shape for every size.
  static void set_box(Object& object, const Aabb32& box) {
    auto& out = const_cast<fcl::AABB<double>&>(object.getAABB());
    for (int axis = 0; axis < 3; ++axis) {
      out.min_[axis] = static_cast<double>(box.min[axis]);
      out.max_[axis] = static_cast<double>(box.max[axis]);
    }
  }

  static bool take_pair(Object* a, Object* b, void* pairs) {
    static_cast<std::vector<ObjectPair>*>(pairs)->emplace_back(a, b);
    return false;  // go on
  }

  std::uint32_t slot_of(const Object& object) const {
    auto* const place = static_cast<const std::unique_ptr<Object>*>(object.getUserData());
    return static_cast<std::uint32_t>(place - objects_.data());
  }

  std::shared_ptr<fcl::Box<double>> shape_ = std::make_shared<fcl::Box<double>>(1, 1, 1);
  std::vector<std::unique_ptr<Object>> objects_;  ///< by slot
  fcl::DynamicAABBTreeCollisionManager<double> manager_;
  std::vector<Object*> updated_;
  std::vector<ObjectPair> pairs_;
};

}  // namespace

std::vector<ImplementationInfo> fcl_peers() {
  return {{.name = "fcl",
           .entities_max = 200'000,
           .entities_max_reason = "takes seconds per tick",
           .make = [](const SceneState& first, int) { return std::make_unique<Fcl>(first); }}};
}

}  // namespace vicinity::bench
