// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Bullet's two broad phases with their pair cache: the pair of dynamic trees (pairs found once per
// tick, m_deferedcollide, which is the faster way) and the 32-bit sweep and prune on three axes.
// Both use one thread.

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <type_traits>

#include "bench/implementation.h"

namespace vicinity::bench {
namespace {

constexpr int group_movable = 1;
constexpr int group_static = 2;
/// Pairs that the cache is filled with in some seconds.
constexpr std::uint64_t cached_pairs_max = 2'000'000;
constexpr std::string_view cached_pairs_reason = "its pair cache takes minutes to fill";

btVector3 to_bullet(const float* corner) { return {corner[0], corner[1], corner[2]}; }

std::unique_ptr<btDbvtBroadphase> make_broadphase(const SceneState&,
                                                  std::type_identity<btDbvtBroadphase>) {
  auto broadphase = std::make_unique<btDbvtBroadphase>();
  broadphase->m_deferedcollide = true;
  return broadphase;
}

std::unique_ptr<bt32BitAxisSweep3> make_broadphase(const SceneState& first,
                                                   std::type_identity<bt32BitAxisSweep3>) {
  constexpr unsigned spare_handles = 16;
  return std::make_unique<bt32BitAxisSweep3>(
      to_bullet(first.extent.min), to_bullet(first.extent.max), first.slot_count() + spare_handles,
      nullptr, /*disableRaycastAccelerator=*/true);
}

template <class Broadphase>
class Bullet : public Implementation {
 public:
  explicit Bullet(const SceneState& first)
      : broadphase_(make_broadphase(first, std::type_identity<Broadphase>())),
        proxies_(first.slot_count()) {}
  ~Bullet() override {
    broadphase_.reset();
    // The trees do not own their proxies, and to take each out of them would take minutes.
    if (std::is_same_v<Broadphase, btDbvtBroadphase>)
      for (btBroadphaseProxy* proxy : proxies_) btAlignedFree(proxy);
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  void tick(const SceneState& state, StageClock& clock) override {
    for (const std::uint32_t slot : state.moved) {
      const btVector3 min = to_bullet(state.bounds[slot].min);
      const btVector3 max = to_bullet(state.bounds[slot].max);
      btBroadphaseProxy*& proxy = proxies_[slot];
      if (state.alive[slot] == 0) {
        broadphase_->destroyProxy(proxy, nullptr);
        proxy = nullptr;
      } else if (proxy != nullptr) {
        broadphase_->setAabb(proxy, min, max, nullptr);
      } else {
        const bool is_static = state.filters[slot].is_static;
        proxy = broadphase_->createProxy(min, max, /*shapeType=*/0, /*userPtr=*/nullptr,
                                         is_static ? group_static : group_movable,
                                         is_static ? group_movable : group_movable | group_static,
                                         nullptr);
        proxy->m_clientObject = &proxy;
      }
    }
    clock.end_stage("apply");
    broadphase_->calculateOverlappingPairs(nullptr);
    clock.end_stage("find");
  }

  std::string collect(const SceneState&, std::vector<SlotPair>& pairs) override {
    btOverlappingPairCache& cache = *broadphase_->getOverlappingPairCache();
    const btBroadphasePair* first = cache.getOverlappingPairArrayPtr();
    for (int i = 0; i < cache.getNumOverlappingPairs(); ++i) {
      const std::uint32_t a = slot_of(*first[i].m_pProxy0);
      const std::uint32_t b = slot_of(*first[i].m_pProxy1);
      pairs.push_back(a < b ? SlotPair{a, b} : SlotPair{b, a});
    }
    return "";
  }

  TickCounts counts() const override {
    const int count = broadphase_->getOverlappingPairCache()->getNumOverlappingPairs();
    return {.candidates = static_cast<std::uint64_t>(count)};
  }

 private:
  std::uint32_t slot_of(const btBroadphaseProxy& proxy) const {
    auto* const place = static_cast<btBroadphaseProxy* const*>(proxy.m_clientObject);
    return static_cast<std::uint32_t>(place - proxies_.data());
  }

  std::unique_ptr<Broadphase> broadphase_;
  std::vector<btBroadphaseProxy*> proxies_;  ///< by slot
};

}  // namespace

std::vector<ImplementationInfo> bullet_peers() {
  return {{.name = "bullet_dbvt",
           .entities_max = 200'000,
           .entities_max_reason = "takes seconds per tick",
           .pairs_max = cached_pairs_max,
           .pairs_max_reason = cached_pairs_reason,
           .make = [](const SceneState& first,
                      int) { return std::make_unique<Bullet<btDbvtBroadphase>>(first); }},
          {.name = "bullet_sap32",
           .entities_max = 20'000,
           .entities_max_reason = "takes minutes to insert them, one by one into sorted arrays",
           .pairs_max = cached_pairs_max,
           .pairs_max_reason = cached_pairs_reason,
           .make = [](const SceneState& first, int) {
             return std::make_unique<Bullet<bt32BitAxisSweep3>>(first);
           }}};
}

}  // namespace vicinity::bench
