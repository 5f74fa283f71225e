// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Batches of commands, cut into frames: never more than the server takes of one, and what belongs
// together stays together.
#include <algorithm>
#include <array>
#include <variant>

#include "base/check.h"
#include "base/limits.h"
#include "client/encode.h"
#include "client/encode_values.h"

namespace vicinity::client {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Upper bound of one encoded command with its offset in the vector, bytes, without shape, rules,
/// outline and rings. The largest is an area: tables of less than 64 and 288 bytes, and their field
/// lists of less than 80.
constexpr std::size_t command_bytes_max = 512;
/// A point of an outline or a ring, bytes.
constexpr std::size_t area_point_bytes = 16;
/// Upper bound of a rule of the policy with its offset in the vector, bytes.
constexpr std::size_t rule_bytes_max = 48;
/// Upper bound of what surrounds the commands of a frame, bytes.
constexpr std::size_t envelope_bytes_max = 128;
/// How far behind a spawn the command may be that ties it to another one.
constexpr std::size_t tie_distance_max = 64;

std::uint64_t spawn_named_by(const EntityRef& ref) { return ref.id ? 0 : ref.spawned_by; }

/// The newest spawn that a command names by sequence, 0 = none.
std::uint64_t spawn_named_by(const CommandBody& command) {
  return std::visit(
      [](const auto& body) -> std::uint64_t {
        if constexpr (requires { body.parent; }) {
          return std::max(spawn_named_by(body.entity), spawn_named_by(body.parent));
        } else if constexpr (requires { body.a; }) {
          return std::max(spawn_named_by(body.a), spawn_named_by(body.b));
        } else if constexpr (requires { body.entity.spawned_by; }) {
          return spawn_named_by(body.entity);
        } else if constexpr (requires { body.spec.anchor; }) {
          return spawn_named_by(body.spec.anchor);
        } else {
          return 0;
        }
      },
      command);
}

/// Number of commands at the front that must stay in one frame: the first one, and what follows it
/// and names it or one behind it.
std::size_t group_size(std::uint64_t first_sequence, std::span<const CommandBody> commands) {
  std::size_t size = 1;
  while (size < commands.size() && spawn_named_by(commands[size]) >= first_sequence) ++size;
  return size;
}

/// The same with what ties several spawns together, all of them: spawn, spawn, attach.
std::size_t tied_group_size(std::uint64_t first_sequence, std::span<const CommandBody> commands) {
  std::size_t size = group_size(first_sequence, commands);
  if (!std::holds_alternative<SpawnCommand>(commands.front())) return size;
  for (std::size_t next = size; next < std::min(commands.size(), size + tie_distance_max); ++next) {
    const CommandBody& command = commands[next];
    const bool is_inside = spawn_named_by(command) >= first_sequence;
    const bool is_tie = std::holds_alternative<AttachCommand>(command) ||
                        std::holds_alternative<ExcludePairCommand>(command);
    if (is_inside && (is_tie || next == size)) size = next + 1;
    if (!is_inside && !std::holds_alternative<SpawnCommand>(command)) break;
  }
  return size;
}

/// What commands take of the limits of one frame.
struct FrameCost {
  std::size_t bytes = 0;  ///< upper bound
  ShapeCost shapes;

  void add(const CommandBody& command) {
    bytes += command_bytes_max;
    if (const auto* policy = std::get_if<SetPolicyCommand>(&command))
      bytes += policy->rules.size() * rule_bytes_max;
    if (const auto* area = std::get_if<AddAreaCommand>(&command)) add(area->spec);
    if (const auto* area = std::get_if<ChangeAreaCommand>(&command)) add(area->spec);
    if (const auto* spawn = std::get_if<SpawnCommand>(&command)) add(cost_of(spawn->shape));
    if (const auto* reshape = std::get_if<SetShapeCommand>(&command)) add(cost_of(reshape->shape));
  }
  bool fits(const BatchLimits& limits) const {
    return bytes + envelope_bytes_max <= limits.frame_bytes_max &&
           shapes.parts <= limits::shape_parts_per_frame_max &&
           shapes.hulls <= limits::hulls_per_frame_max &&
           shapes.hull_points <= limits::hull_points_per_frame_max &&
           shapes.points <= limits::shape_points_per_frame_max &&
           shapes.triangles <= limits::mesh_triangles_per_frame_max;
  }

 private:
  void add(const AreaSpec& area) {
    bytes += (area.outline.size() + area.rings.size()) * area_point_bytes;
  }
  void add(const ShapeCost& shape) {
    bytes += shape.bytes;
    shapes.parts += shape.parts;
    shapes.hulls += shape.hulls;
    shapes.hull_points += shape.hull_points;
    shapes.points += shape.points;
    shapes.triangles += shape.triangles;
  }
};

/// Appends commands from the front that fit into one frame together.
class FrameFiller {
 public:
  FrameFiller(const BatchLimits& limits, FlatBufferBuilder& builder,
              std::vector<Offset<proto::Command>>& offsets)
      : limits_(limits), builder_(builder), offsets_(offsets) {}

  /// Number of commands taken; at least one group of those that follow one another directly, though
  /// it may be more than fits.
  std::size_t fill(std::uint64_t first_sequence, std::span<const CommandBody> commands) {
    while (offsets_.size() < commands.size()) {
      const auto rest = commands.subspan(offsets_.size());
      const std::uint64_t sequence = first_sequence + offsets_.size();
      if (take(rest.first(tied_group_size(sequence, rest)))) continue;
      if (!offsets_.empty()) break;
      take_anyway(rest.first(group_size(sequence, rest)));
    }
    return offsets_.size();
  }

 private:
  bool take(std::span<const CommandBody> group) {
    // What is written already counts with its true size.
    FrameCost cost = cost_;
    cost.bytes = builder_.GetSize() + offsets_.size() * sizeof(offsets_.front());
    for (const CommandBody& command : group) cost.add(command);
    if (offsets_.size() + group.size() > limits_.commands_max || !cost.fits(limits_)) return false;
    take_anyway(group);
    return true;
  }
  void take_anyway(std::span<const CommandBody> group) {
    for (const CommandBody& command : group) {
      cost_.add(command);
      offsets_.push_back(encode_command(command, builder_));
    }
  }

  const BatchLimits& limits_;
  FlatBufferBuilder& builder_;
  std::vector<Offset<proto::Command>>& offsets_;
  FrameCost cost_;
};

}  // namespace

void encode_commands(std::uint64_t first_sequence, std::span<const CommandBody> commands,
                     const BatchLimits& limits, std::vector<std::uint8_t>& out, Tick ack_tick) {
  FlatBufferBuilder builder;
  std::vector<Offset<proto::Command>> offsets;
  while (!commands.empty()) {
    builder.Clear();
    offsets.clear();
    const std::size_t count = FrameFiller(limits, builder, offsets).fill(first_sequence, commands);
    DCHECK(count == offsets.size());
    const auto body = proto::CreateCommandsDirect(builder, first_sequence, &offsets, ack_tick);
    finish(builder, proto::ClientBody::Commands, body.Union(), out);
    first_sequence += count;
    commands = commands.subspan(count);
  }
}

}  // namespace vicinity::client
