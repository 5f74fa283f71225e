// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The last step of every encoder: body -> ServerMessage -> frame. For encode*.cpp alone.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/vec.h"
#include "geometry/quat.h"
#include "server_generated.h"

namespace vicinity::wire {

/// Room left in every frame body for what is not counted item by item: message and body tables,
/// their vtables and scalars, and for each vector its length and alignment.
inline constexpr std::size_t frame_overhead_bytes = 512;

/// Texts are cut to this many bytes, so that no error can outgrow a frame.
inline constexpr std::size_t text_bytes_max = 1024;
inline std::string_view bounded(std::string_view text) { return text.substr(0, text_bytes_max); }

/// Appends prefix and body to `out`. Clear() the builder before using it again.
void finish_frame(flatbuffers::FlatBufferBuilder& builder, proto::ServerBody type,
                  flatbuffers::Offset<void> body, std::vector<std::uint8_t>& out);

inline proto::Vec3 to_proto(const Vec3& v) { return {v.x, v.y, v.z}; }
inline proto::Quat to_proto(const Quat& q) { return {q.x, q.y, q.z, q.w}; }

}  // namespace vicinity::wire
