// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Embree's rtcCollide: a tree of user primitives, rebuilt in every tick (dynamic scene, low build
// quality: Morton order; refitting a better tree was slower), collided with itself.

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

#include "base/check.h"
#include "bench/implementation.h"

namespace vicinity::bench {
namespace {

class Embree : public Implementation {
 public:
  Embree(const SceneState& first, int threads)
      : device_(rtcNewDevice(("set_affinity=0,threads=" + std::to_string(threads)).c_str())),
        bounds_(first.slot_count(), empty_box()) {
    CHECK(device_ != nullptr);
    rtcSetDeviceMemoryMonitorFunction(device_, count_bytes, this);
    scene_ = rtcNewScene(device_);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    geometry_ = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry_, first.slot_count());
    rtcSetGeometryUserData(geometry_, this);
    rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryBoundsFunction(geometry_, give_bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry_, [](const RTCIntersectFunctionNArguments*) {});
    rtcSetGeometryOccludedFunction(geometry_, [](const RTCOccludedFunctionNArguments*) {});
    rtcCommitGeometry(geometry_);
    rtcAttachGeometry(scene_, geometry_);
  }
  ~Embree() override {
    rtcReleaseGeometry(geometry_);
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  Embree(const Embree&) = delete;
  Embree& operator=(const Embree&) = delete;

  void tick(const SceneState& state, StageClock& clock) override {
    for (const std::uint32_t slot : state.moved)
      bounds_[slot] = state.alive[slot] != 0 ? state.bounds[slot] : empty_box();
    clock.end_stage("apply");
    rtcUpdateGeometryBuffer(geometry_, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(geometry_);
    rtcCommitScene(scene_);
    clock.end_stage("update");
    for (std::vector<SlotPair>& buffer : buffers_) buffer.clear();
    rtcCollide(scene_, scene_, take_pairs, this);
    clock.end_stage("find");
  }

  std::string collect(const SceneState&, std::vector<SlotPair>& pairs) override {
    for (const std::vector<SlotPair>& buffer : buffers_)
      pairs.insert(pairs.end(), buffer.begin(), buffer.end());
    return rtcGetDeviceError(device_) == RTC_ERROR_NONE ? "" : "Embree reports an error";
  }

  TickCounts counts() const override {
    TickCounts counts;
    for (const std::vector<SlotPair>& buffer : buffers_) counts.candidates += buffer.size();
    return counts;
  }
  std::size_t unseen_bytes() const override { return static_cast<std::size_t>(bytes_.load()); }

 private:
  /// Inverted: Embree leaves such primitives out.
  static Aabb32 empty_box() { return {{1, 1, 1}, {-1, -1, -1}}; }

  static void give_bounds(const RTCBoundsFunctionArguments* arguments) {
    const auto* self = static_cast<const Embree*>(arguments->geometryUserPtr);
    const Aabb32& box = self->bounds_[arguments->primID];
    RTCBounds& out = *arguments->bounds_o;
    out.lower_x = box.min[0];
    out.lower_y = box.min[1];
    out.lower_z = box.min[2];
    out.upper_x = box.max[0];
    out.upper_y = box.max[1];
    out.upper_z = box.max[2];
  }

  /// Called by several threads. Each pair comes in both orders, and each entity with itself.
  static void take_pairs(void* user, RTCCollision* collisions, unsigned count) {
    std::vector<SlotPair>& buffer = static_cast<Embree*>(user)->buffer_of_this_thread();
    for (unsigned i = 0; i < count; ++i) {
      const SlotPair pair{collisions[i].primID0, collisions[i].primID1};
      if (pair.a < pair.b) buffer.push_back(pair);
    }
  }

  std::vector<SlotPair>& buffer_of_this_thread() {
    thread_local std::uint64_t owner = 0;
    thread_local std::vector<SlotPair>* buffer = nullptr;
    if (owner != serial_) {
      const std::lock_guard lock(mutex_);
      buffer = &buffers_.emplace_back();
      owner = serial_;
    }
    return *buffer;
  }

  static bool count_bytes(void* user, ssize_t bytes, bool) {
    static_cast<Embree*>(user)->bytes_ += bytes;
    return true;
  }
  static std::uint64_t next_serial() {
    static std::uint64_t serial = 0;
    return ++serial;
  }

  std::atomic<ssize_t> bytes_ = 0;
  RTCDevice device_;
  RTCScene scene_ = nullptr;
  RTCGeometry geometry_ = nullptr;
  std::vector<Aabb32> bounds_;
  std::uint64_t serial_ = next_serial();  ///< tells this object's buffers from an earlier one's
  std::mutex mutex_;                      ///< of the list, not of the buffers in it
  std::deque<std::vector<SlotPair>> buffers_;
};

}  // namespace

std::vector<ImplementationInfo> embree_peers() {
  return {{.name = "embree", .make = [](const SceneState& first, int threads) {
             return std::make_unique<Embree>(first, threads);
           }}};
}

}  // namespace vicinity::bench
