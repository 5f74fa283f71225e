// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Embree: a tree of user primitives, rebuilt in every tick, and a point query per observer.

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <string>

#include "base/check.h"
#include "bench/interest_rival.h"

namespace vicinity::bench {
namespace {

class Embree : public SearchingRival {
 public:
  Embree(const WalkScene& scene, int threads)
      : SearchingRival(scene, threads),
        device_(rtcNewDevice(("set_affinity=0,threads=" + std::to_string(threads)).c_str())) {
    CHECK(device_ != nullptr);
    scene_ = rtcNewScene(device_);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    geometry_ = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry_, scene.snapshot().slot_count());
    rtcSetGeometryUserData(geometry_, this);
    rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryBoundsFunction(geometry_, give_bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry_, [](const RTCIntersectFunctionNArguments*) {});
    rtcSetGeometryOccludedFunction(geometry_, [](const RTCOccludedFunctionNArguments*) {});
    rtcSetGeometryPointQueryFunction(geometry_, take);
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

  void build(const WalkScene& scene) override {
    snapshot_ = &scene.snapshot();
    rtcUpdateGeometryBuffer(geometry_, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(geometry_);
    rtcCommitScene(scene_);
  }

 protected:
  void find(Vec3 from, std::vector<std::uint32_t>& slots) const override {
    RTCPointQuery query = {};
    query.x = static_cast<float>(from.x);
    query.y = static_cast<float>(from.y);
    query.z = static_cast<float>(from.z);
    query.radius = static_cast<float>(leave_radius_m + person_radius_m + 0.01);
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(scene_, &query, &context, nullptr, &slots);
  }

 private:
  static bool take(RTCPointQueryFunctionArguments* arguments) {
    static_cast<std::vector<std::uint32_t>*>(arguments->userPtr)->push_back(arguments->primID);
    return false;
  }
  static void give_bounds(const RTCBoundsFunctionArguments* arguments) {
    const auto* self = static_cast<const Embree*>(arguments->geometryUserPtr);
    const Vec3 at = self->snapshot_->position[arguments->primID];
    RTCBounds& out = *arguments->bounds_o;
    out.lower_x = out.upper_x = static_cast<float>(at.x);
    out.lower_y = out.upper_y = static_cast<float>(at.y);
    out.lower_z = out.upper_z = static_cast<float>(at.z);
  }

  RTCDevice device_;
  RTCScene scene_ = nullptr;
  RTCGeometry geometry_ = nullptr;
  const Snapshot* snapshot_ = nullptr;
};

}  // namespace

InterestRivalInfo make_embree_interest() {
  return {"embree", [](const WalkScene& scene, int threads) {
            return std::make_unique<Embree>(scene, threads);
          }};
}

}  // namespace vicinity::bench
