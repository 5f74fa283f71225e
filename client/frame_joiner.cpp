// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/frame_joiner.h"

#include <string>

#include "client/decode_values.h"
#include "geometry/quat.h"

namespace vicinity::client {
namespace {

/// Memory of a tick up to this size is kept for the next one.
constexpr std::size_t kept_bytes_max = 64 * 1024;
/// Differences of times up to here fit signed numbers.
constexpr std::uint64_t time_us_max = std::uint64_t{1} << 62;

// The structs are read in place; a field appended to one would shift all that follow.
static_assert(sizeof(proto::EntityState) == 200);
static_assert(sizeof(proto::Leave) == 24);
static_assert(sizeof(proto::ContactBegin) == 64);
static_assert(sizeof(proto::ContactDetail) == 192);
static_assert(sizeof(proto::ContactEnd) == 56);
static_assert(sizeof(proto::ContactStay) == 56);
static_assert(sizeof(proto::Lost) == 24);

bool convert_state(const proto::EntityState& in, EntityView& out) {
  out.id = EntityId::from_raw(in.id());
  out.observer = {in.observer()};
  out.position = to_vec3(in.position());
  out.velocity = to_vec3(in.velocity());
  out.local_box = {to_vec3(in.local_min()), to_vec3(in.local_max())};
  out.shape_kind = static_cast<ShapeKind>(in.shape_kind());
  out.filter.category = in.category();
  out.filter.mask = in.mask();
  out.filter.group = in.group();
  out.filter.instance = in.instance();
  out.filter.sensor = in.sensor();
  out.filter.is_static = in.is_static();
  out.user_data = in.user_data();
  out.rotation = to_quat(in.rotation());
  out.angular_velocity = to_vec3(in.angular_velocity());
  return is_known(in.shape_kind()) && is_finite(out.position) && is_finite(out.velocity) &&
         is_finite(out.rotation) && is_finite(out.angular_velocity) &&
         is_finite(out.local_box.min) && is_finite(out.local_box.max);
}

bool convert_leave(const proto::Leave& in, EntityLeave& out) {
  out = {EntityId::from_raw(in.id()),
         {in.observer()},
         static_cast<LeaveReason>(in.reason()),
         in.user_data(),
         in.suspended()};
  return is_known(in.reason());
}

bool convert_begin(const proto::ContactBegin& in, ContactBeginEvent& out) {
  out = {EntityId::from_raw(in.a()),
         EntityId::from_raw(in.b()),
         in.begin_tick(),
         in.user_data_a(),
         in.user_data_b(),
         in.toi(),
         in.sensor(),
         in.capped(),
         in.event_seq()};
  return true;
}

bool convert_detail(const proto::ContactDetail& in, ContactDetailEvent& out) {
  out = {EntityId::from_raw(in.a()),
         EntityId::from_raw(in.b()),
         in.begin_tick(),
         to_vec3(in.point()),
         to_vec3(in.normal()),
         in.penetration_m(),
         {to_vec3(in.position_a()), to_quat(in.rotation_a())},
         {to_vec3(in.position_b()), to_quat(in.rotation_b())}};
  return true;
}

bool convert_stay(const proto::ContactStay& in, ContactStayEvent& out) {
  out = {EntityId::from_raw(in.a()),
         EntityId::from_raw(in.b()),
         in.begin_tick(),
         in.user_data_a(),
         in.user_data_b(),
         in.sensor(),
         in.event_seq()};
  return true;
}

bool convert_end(const proto::ContactEnd& in, ContactEndEvent& out) {
  out = {EntityId::from_raw(in.a()),
         EntityId::from_raw(in.b()),
         in.begin_tick(),
         in.user_data_a(),
         in.user_data_b(),
         static_cast<EndReason>(in.reason()),
         in.sensor(),
         in.event_seq()};
  return is_known(in.reason());
}

bool convert_lost(const proto::Lost& in, LostEntity& out) {
  out = {EntityId::from_raw(in.id()), static_cast<DespawnReason>(in.reason()), in.user_data()};
  return is_known(in.reason());
}

}  // namespace

Result<const TickFrame*, Error> FrameJoiner::add(const proto::Frame& in, std::size_t body_bytes,
                                                 ViewDecoder& views) {
  if (auto error = read(in, body_bytes, views)) {
    views.roll_back();
    return std::move(*error);
  }
  ++parts_;
  const TickFrame* whole = nullptr;
  if (in.last()) {
    views.end_tick();
    parts_ = 0;
    whole = &frame_;
  }
  return whole;
}

std::optional<Error> FrameJoiner::read(const proto::Frame& in, std::size_t body_bytes,
                                       ViewDecoder& views) {
  if (in.part() == 0 && parts_ > 0)
    return bad_frame("a tick began before all parts of the one before it had come");
  if (in.part() != parts_ || (parts_ > 0 && in.tick() != frame_.tick))
    return bad_frame("the parts of a tick came out of order");
  if (!is_known(in.health()) || !is_known(in.shedding()))
    return bad_frame("tick frame with an unknown health or shedding");
  if (in.server_time_us() > time_us_max) return bad_frame("tick frame of a time that is none");
  if (parts_ == 0) begin_tick(in);
  bytes_ += body_bytes;
  if (bytes_ > bytes_max_) return bad_frame("a tick is larger than any server may send");
  frame_.enters_waiting = in.enters_waiting();
  frame_.health = static_cast<StreamHealth>(in.health());
  frame_.shedding = static_cast<Shedding>(in.shedding());
  const ViewDecoder::Part part{frame_.leaves.size(), frame_.enters.size(), frame_.changed.size()};
  const bool known = append(in.leaves(), frame_.leaves, convert_leave) &&
                     append(in.enters(), frame_.enters, convert_state) &&
                     append(in.changed(), frame_.changed, convert_state) &&
                     append(in.contact_ends(), frame_.contact_ends, convert_end) &&
                     append(in.contact_begins(), frame_.contact_begins, convert_begin) &&
                     append(in.begin_details(), frame_.begin_details, convert_detail) &&
                     append(in.contact_passed(), frame_.contact_passed, convert_end) &&
                     append(in.contact_stays(), frame_.contact_stays, convert_stay) &&
                     append(in.lost(), frame_.lost, convert_lost);
  if (!known)
    return bad_frame(
        "tick frame with an unknown shape or reason, a number that is none, or misaligned");
  return views.read(in, part, frame_);
}

void FrameJoiner::begin_tick(const proto::Frame& in) {
  if (bytes_ > kept_bytes_max) frame_ = {};
  frame_.leaves.clear();
  frame_.enters.clear();
  frame_.changed.clear();
  frame_.moved.clear();
  frame_.turned.clear();
  frame_.velocities.clear();
  frame_.spins.clear();
  frame_.jumped.clear();
  frame_.contact_ends.clear();
  frame_.contact_begins.clear();
  frame_.begin_details.clear();
  frame_.contact_passed.clear();
  frame_.contact_stays.clear();
  frame_.lost.clear();
  bytes_ = 0;
  frame_.tick = in.tick();
  frame_.index_version = in.index_version();
  frame_.server_time_us = in.server_time_us();
  frame_.result_hash = in.result_hash();
  frame_.events_only = in.events_only();
}

}  // namespace vicinity::client
