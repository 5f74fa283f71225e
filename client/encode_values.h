// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The parts that messages are made of -> tables of proto/client.fbs. For encode*.cpp alone.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client_generated.h"
#include "geometry/shape.h"
#include "world/command.h"

namespace vicinity::client {

inline proto::Vec3 to_proto(const Vec3& v) { return {v.x, v.y, v.z}; }
inline proto::Quat to_proto(const Quat& q) { return {q.x, q.y, q.z, q.w}; }

flatbuffers::Offset<proto::Shape> encode_shape(const Shape& shape,
                                               flatbuffers::FlatBufferBuilder& builder);
flatbuffers::Offset<proto::Shape> encode_primitive(const Primitive& part,
                                                   flatbuffers::FlatBufferBuilder& builder);

flatbuffers::Offset<proto::Command> encode_command(const CommandBody& command,
                                                   flatbuffers::FlatBufferBuilder& builder);

flatbuffers::Offset<proto::Area> encode_area(const AreaSpec& spec,
                                             flatbuffers::FlatBufferBuilder& builder);
flatbuffers::Offset<proto::Relevance> encode_relevance(const Relevance& relevance,
                                                       flatbuffers::FlatBufferBuilder& builder);

/// What a shape takes of the limits of one frame.
struct ShapeCost {
  std::size_t bytes = 0;  ///< upper bound of all its tables and vectors
  std::size_t parts = 0;  ///< 0 for a plain shape
  std::size_t hulls = 0;
  std::size_t hull_points = 0;
  std::size_t points = 0;
  std::size_t triangles = 0;
};
ShapeCost cost_of(const Shape& shape);

/// Finishes a message and appends its frame.
void finish(flatbuffers::FlatBufferBuilder& builder, proto::ClientBody type,
            flatbuffers::Offset<void> body, std::vector<std::uint8_t>& out);

}  // namespace vicinity::client
