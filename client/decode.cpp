// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/decode.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/limits.h"
#include "client/decode_explanation.h"
#include "client/encode.h"
#include "geometry/quat.h"
#include "server_generated.h"

namespace vicinity::client {
namespace {

/// Nothing in the schema nests deeper than message -> body -> vector -> table.
constexpr flatbuffers::uoffset_t depth_max = 8;
/// The most tables are in a message full of refusals, which take at least 24 bytes each.
constexpr flatbuffers::uoffset_t tables_max = limits::server_frame_bytes_max / 24;
/// Longer texts are cut: a frame may name one text any number of times, and each is copied.
constexpr std::size_t text_bytes_max = 1024;
constexpr std::size_t resume_token_bytes_max = 64;

// The structs are read in place; a field appended to one would shift all that follow.
static_assert(sizeof(proto::CommandAck) == 16);
static_assert(sizeof(proto::EntityState) == 200);
static_assert(sizeof(proto::Leave) == 24);
static_assert(sizeof(proto::ContactBegin) == 64);
static_assert(sizeof(proto::ContactDetail) == 192);
static_assert(sizeof(proto::ContactEnd) == 56);
static_assert(sizeof(proto::ContactStay) == 56);
static_assert(sizeof(proto::Lost) == 24);
static_assert(sizeof(proto::QueryHit) == 96);

Error bad_frame(std::string what) { return {ErrorCode::BadFrame, std::move(what)}; }

std::string text_of(const flatbuffers::String* text) {
  if (text == nullptr) return {};
  return std::string(text->c_str(), std::min<std::size_t>(text->size(), text_bytes_max));
}

Error error_of(proto::ErrorCode code, const flatbuffers::String* text) {
  return {static_cast<ErrorCode>(code), text_of(text)};
}

Vec3 to_vec3(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }
Quat to_quat(const proto::Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

/// Whether an enumerator is one of the schema's, which count from 0 without gaps.
template <class E>
bool is_known(E value) {
  return value <= E::MAX;
}

/// Appends every element of a vector, which may be absent. False when one of them is refused, or
/// when the vector lies at an address that its elements may not have (the verifier does not look).
template <class In, class Out, class Convert>
bool append(const flatbuffers::Vector<const In*>* in, std::vector<Out>& out, Convert convert) {
  if (in == nullptr) return true;
  if (reinterpret_cast<std::uintptr_t>(in->Data()) % alignof(In) != 0) return false;
  out.reserve(out.size() + in->size());
  for (const In* element : *in) {
    Out& value = out.emplace_back();
    if (!convert(*element, value)) return false;
  }
  return true;
}

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

bool convert_hit(const proto::QueryHit& in, QueryHit& out) {
  out = {EntityId::from_raw(in.id()), in.value(),          to_vec3(in.position()), in.user_data(),
         to_vec3(in.point()),         to_vec3(in.normal())};
  return true;
}

Result<ServerMessage, Error> decode(const proto::Welcome& in) {
  if (!is_known(in.role()) || !is_known(in.tick_mode()))
    return bad_frame("welcome with an unknown role or tick mode");
  if (in.protocol() != protocol_version || in.limits() == nullptr)
    return bad_frame("welcome without limits, or for a protocol that was not offered");
  const double resolution_m = in.position_resolution_m();
  if (!(resolution_m >= 0) || std::isinf(resolution_m))
    return bad_frame("welcome with a resolution that is no length");
  if (in.resume_token() != nullptr && in.resume_token()->size() > resume_token_bytes_max)
    return bad_frame("welcome with a resume token of more than 64 bytes");
  Welcome out;
  out.session = {in.session()};
  out.role = static_cast<Role>(in.role());
  out.manual_ticks = in.tick_mode() == proto::TickMode::Manual;
  out.tick_rate_hz = in.tick_rate_hz();
  out.tick = in.tick();
  out.server_version = text_of(in.server_version());
  out.server_time_us = in.server_time_us();
  out.client_frame_bytes_max = in.limits()->client_frame_bytes_max();
  out.commands_per_frame_max = in.limits()->commands_per_frame_max();
  out.query_hits_max = in.limits()->query_hits_max();
  out.entities_per_player_max = in.limits()->entities_per_player_max();
  out.world_half_size_m = in.limits()->world_half_size_m();
  out.resume_token = text_of(in.resume_token());
  out.resumed = in.resumed();
  out.view_reset = in.view_reset();
  out.last_sequence = in.last_sequence();
  out.grace_ms = in.grace_ms();
  out.position_resolution_m = resolution_m;
  out.budget_bytes_per_s = in.budget_bytes_per_s();
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::Reject& in) {
  return ServerMessage(RejectMessage{error_of(in.code(), in.text())});
}

Result<ServerMessage, Error> decode(const proto::Closing& in) {
  return ServerMessage(ClosingMessage{error_of(in.code(), in.text()), in.retry_after_ms()});
}

Result<ServerMessage, Error> decode(const proto::CommandResults& in) {
  CommandResultsMessage out;
  const auto convert_ack = [&](const proto::CommandAck& ack, CommandOutcome& outcome) {
    outcome = {ack.sequence(), in.tick(), EntityId::from_raw(ack.entity()), {}};
    return true;
  };
  if (!append(in.acks(), out.outcomes, convert_ack)) return bad_frame("misaligned acks");
  if (in.errors() != nullptr) {
    for (const proto::CommandError* error : *in.errors()) {
      if (error->code() == proto::ErrorCode::None) return bad_frame("command error without a code");
      out.outcomes.push_back(
          {error->sequence(), in.tick(), {}, error_of(error->code(), error->text())});
    }
  }
  std::stable_sort(out.outcomes.begin(), out.outcomes.end(),
                   [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::Frame& in, ViewDecoder& views) {
  if (!is_known(in.health()) || !is_known(in.shedding()))
    return bad_frame("tick frame with an unknown health or shedding");
  FramePart out;
  out.part = in.part();
  out.last = in.last();
  TickFrame& frame = out.frame;
  frame.tick = in.tick();
  frame.index_version = in.index_version();
  frame.server_time_us = in.server_time_us();
  frame.result_hash = in.result_hash();
  frame.enters_waiting = in.enters_waiting();
  frame.health = static_cast<StreamHealth>(in.health());
  frame.shedding = static_cast<Shedding>(in.shedding());
  frame.events_only = in.events_only();
  const bool known = append(in.leaves(), frame.leaves, convert_leave) &&
                     append(in.enters(), frame.enters, convert_state) &&
                     append(in.changed(), frame.changed, convert_state) &&
                     append(in.contact_ends(), frame.contact_ends, convert_end) &&
                     append(in.contact_begins(), frame.contact_begins, convert_begin) &&
                     append(in.begin_details(), frame.begin_details, convert_detail) &&
                     append(in.contact_passed(), frame.contact_passed, convert_end) &&
                     append(in.contact_stays(), frame.contact_stays, convert_stay) &&
                     append(in.lost(), frame.lost, convert_lost);
  if (!known)
    return bad_frame(
        "tick frame with an unknown shape or reason, a number that is none, or "
        "misaligned");
  if (auto error = views.read(in, frame)) return std::move(*error);
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::StepDone& in) {
  return ServerMessage(
      StepOutcome{in.sequence(), in.tick(), in.result_hash(), error_of(in.code(), in.text())});
}

Result<ServerMessage, Error> decode(const proto::QueryAnswer& in) {
  QueryOutcome out;
  out.request = in.request();
  out.answer.tick = in.tick();
  out.answer.index_version = in.index_version();
  out.answer.complete = in.complete();
  if (!append(in.hits(), out.answer.hits, convert_hit)) return bad_frame("misaligned hits");
  if (in.pair() != nullptr && !convert(*in.pair(), out.answer.pair.emplace()))
    return bad_frame("an explanation of a pair that cannot be read");
  if (in.view() != nullptr && !convert(*in.view(), out.answer.view.emplace()))
    return bad_frame("an explanation of a view that cannot be read");
  out.error = error_of(in.code(), in.text());
  return ServerMessage(std::move(out));
}

Result<ServerMessage, Error> decode(const proto::Pong& in) {
  return ServerMessage(
      PongMessage{in.nonce(), in.client_time_us(), in.server_time_us(), in.tick()});
}

Result<ServerMessage, Error> decode_aligned(std::span<const std::uint8_t> body,
                                            ViewDecoder& views) {
  flatbuffers::Verifier verifier(body.data(), body.size(), depth_max, tables_max);
  if (!proto::VerifyServerMessageBuffer(verifier))
    return bad_frame("the server sent bytes that are no valid message");
  const proto::ServerMessage* message = proto::GetServerMessage(body.data());
  // The verifier accepts union types that it does not know, and a type without a body.
  if (message->body() == nullptr) return bad_frame("the server sent a message without a body");
  switch (message->body_type()) {
    case proto::ServerBody::Welcome: return decode(*message->body_as_Welcome());
    case proto::ServerBody::Reject: return decode(*message->body_as_Reject());
    case proto::ServerBody::Closing: return decode(*message->body_as_Closing());
    case proto::ServerBody::CommandResults: return decode(*message->body_as_CommandResults());
    case proto::ServerBody::Frame: return decode(*message->body_as_Frame(), views);
    case proto::ServerBody::StepDone: return decode(*message->body_as_StepDone());
    case proto::ServerBody::QueryAnswer: return decode(*message->body_as_QueryAnswer());
    case proto::ServerBody::Pong: return decode(*message->body_as_Pong());
    case proto::ServerBody::NONE: break;
  }
  return bad_frame("the server sent a message of an unknown kind");
}

template <class T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body) {
  ViewDecoder views;
  return decode_server_message(body, views);
}

Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body,
                                                   ViewDecoder& views) {
  constexpr std::uintptr_t alignment = 8;  // of the largest scalar
  if (reinterpret_cast<std::uintptr_t>(body.data()) % alignment == 0)
    return decode_aligned(body, views);
  const std::vector<std::uint8_t> aligned(body.begin(), body.end());
  return decode_aligned(aligned, views);
}

Result<std::optional<TickFrame>, Error> FrameJoiner::add(FramePart part, std::size_t body_bytes) {
  using Joined = std::optional<TickFrame>;
  const bool follows = part.part == parts_ && (parts_ == 0 || part.frame.tick == frame_.tick);
  if (!follows) return bad_frame("the parts of a tick came out of order");
  bytes_ += body_bytes;
  if (bytes_ > bytes_max_) return bad_frame("a tick is larger than any server may send");
  if (parts_ == 0) {
    frame_ = std::move(part.frame);
  } else {
    frame_.enters_waiting = part.frame.enters_waiting;
    frame_.health = part.frame.health;
    frame_.shedding = part.frame.shedding;
    move_to_end(part.frame.leaves, frame_.leaves);
    move_to_end(part.frame.enters, frame_.enters);
    move_to_end(part.frame.changed, frame_.changed);
    move_to_end(part.frame.moved, frame_.moved);
    move_to_end(part.frame.contact_ends, frame_.contact_ends);
    move_to_end(part.frame.contact_begins, frame_.contact_begins);
    move_to_end(part.frame.begin_details, frame_.begin_details);
    move_to_end(part.frame.contact_passed, frame_.contact_passed);
    move_to_end(part.frame.contact_stays, frame_.contact_stays);
    move_to_end(part.frame.lost, frame_.lost);
  }
  ++parts_;
  if (!part.last) return Joined();
  parts_ = 0;
  bytes_ = 0;
  return Joined(std::exchange(frame_, {}));
}

}  // namespace vicinity::client
