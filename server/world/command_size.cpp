// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/command_size.h"

#include <variant>

namespace vicinity {
namespace {

std::uint64_t owned_bytes(const Primitive& part) {
  std::uint64_t bytes = 0;
  if (part.hull) {
    bytes += sizeof(ConvexHull) + part.hull->vertices().size_bytes() +
             part.hull->faces().size_bytes() + part.hull->edges().size_bytes();
  }
  if (part.mesh) {
    bytes += sizeof(TriangleMesh) + part.mesh->vertices().size_bytes() +
             part.mesh->triangles().size_bytes() + part.mesh->order().size_bytes() +
             part.mesh->nodes().size_bytes();
  }
  return bytes;
}

std::uint64_t owned_bytes(const Shape& shape) {
  if (shape.is_plain()) return 0;
  std::uint64_t bytes = sizeof(Compound);
  for (const Primitive& part : shape.compound->parts) bytes += sizeof part + owned_bytes(part);
  return bytes;
}

std::uint64_t owned_bytes(const AreaSpec& area) {
  return area.outline.size() * sizeof(OutlinePoint) + area.rings.size() * sizeof(Ring);
}

struct OwnedBytes {
  std::uint64_t operator()(const SpawnCommand& command) const { return owned_bytes(command.shape); }
  std::uint64_t operator()(const SetShapeCommand& command) const {
    return owned_bytes(command.shape);
  }
  std::uint64_t operator()(const AddAreaCommand& command) const {
    return owned_bytes(command.spec);
  }
  std::uint64_t operator()(const ChangeAreaCommand& command) const {
    return owned_bytes(command.spec);
  }
  std::uint64_t operator()(const SetPolicyCommand& command) const {
    return command.rules.size() * sizeof(PolicyRule);
  }
  /// All others are values without anything behind them.
  template <class Body>
  std::uint64_t operator()(const Body&) const {
    return 0;
  }
};

}  // namespace

std::uint64_t size_bytes(std::span<const Command> commands) {
  std::uint64_t bytes = commands.size_bytes();
  for (const Command& command : commands) bytes += std::visit(OwnedBytes{}, command.body);
  return bytes;
}

}  // namespace vicinity
