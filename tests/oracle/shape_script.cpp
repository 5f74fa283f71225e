// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/shape_script.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "base/check.h"

namespace vicinity::oracle {
namespace {

/// A multiple of 1/64 m, so that sums with far positions stay exact.
double length_m(Prng& prng, double low, double high) {
  return std::floor(prng.between(low, high) * 64) / 64;
}
Vec3 vector_m(Prng& prng, double reach) {
  return {length_m(prng, -reach, reach), length_m(prng, -reach, reach),
          length_m(prng, -reach, reach)};
}

std::shared_ptr<const ConvexHull> any_hull(Prng& prng) {
  for (;;) {
    std::vector<Vec3> points;
    const std::size_t count = 4 + prng.below(12);
    for (std::size_t i = 0; i < count; ++i) points.push_back(vector_m(prng, 1.5));
    auto hull = ConvexHull::build(points, "points");
    if (hull) return std::make_shared<ConvexHull>(std::move(hull.value()));
  }
}

/// A bent sheet.
std::shared_ptr<const TriangleMesh> any_mesh(Prng& prng) {
  const double size = length_m(prng, 1, 4);
  std::vector<Vec3> vertices;
  for (int x = 0; x < 3; ++x) {
    for (int z = 0; z < 3; ++z) {
      vertices.push_back({size * (x - 1), length_m(prng, -0.5, 0.5), size * (z - 1)});
    }
  }
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t x = 0; x < 2; ++x) {
    for (std::uint32_t z = 0; z < 2; ++z) {
      const std::uint32_t corner = 3 * x + z;
      triangles.push_back({corner, corner + 1, corner + 4});
      triangles.push_back({corner, corner + 4, corner + 3});
    }
  }
  auto mesh = TriangleMesh::build(std::move(vertices), std::move(triangles), true, "mesh");
  CHECK(static_cast<bool>(mesh));
  return std::make_shared<TriangleMesh>(std::move(mesh.value()));
}

Primitive any_part(Prng& prng) {
  const Pose offset{vector_m(prng, 1), prng.chance(0.5) ? Quat{} : any_rotation(prng)};
  switch (prng.below(4)) {
    case 0: return sphere_primitive(length_m(prng, 0.1, 1.5), offset.position);
    case 1: return capsule_primitive(length_m(prng, 0.1, 0.8), length_m(prng, 0, 2), offset);
    case 2:
      return box_primitive({length_m(prng, 0.1, 2), length_m(prng, 0.1, 2), length_m(prng, 0.1, 2)},
                           offset);
    default: return hull_primitive(any_hull(prng), offset);
  }
}

CommandBody any_change(Prng& prng, const ShapeScriptOptions& options) {
  switch (prng.below(options.attaches ? 12 : 9)) {
    case 0:
    case 1: {
      SetVelocityCommand velocity{{}, vector_m(prng, 2)};
      velocity.angular_velocity = vector_m(prng, 1.5);
      return velocity;
    }
    case 2:
    case 3:
    case 4: {
      MoveToCommand move{{}, vector_m(prng, options.reach_m), prng.chance(0.4)};
      if (prng.chance(0.5)) move.rotation = any_rotation(prng);
      return move;
    }
    case 5: {
      TeleportCommand teleport{{}, vector_m(prng, options.reach_m)};
      if (prng.chance(0.5)) teleport.rotation = any_rotation(prng);
      return teleport;
    }
    case 6: return SetShapeCommand{{}, any_shape(prng, options.meshes)};
    case 7: {
      SetFilterCommand filter{{}, {}};
      filter.patch.enabled = prng.chance(0.7);
      filter.patch.mask = prng.chance(0.8) ? 0xFFFF'FFFFu : 2u;
      filter.patch.sensor = prng.chance(0.2);
      return filter;
    }
    case 8: return ExcludePairCommand{{}, {}, prng.chance(0.7)};
    case 9: return DetachCommand{};
    default: {
      AttachCommand attach;
      if (prng.chance(0.5)) attach.relative = Pose{vector_m(prng, 3), any_rotation(prng)};
      attach.on_parent_end = prng.chance(0.5) ? OnParentEnd::Detach : OnParentEnd::Despawn;
      return attach;
    }
  }
}

CommandBody any_spawn(Prng& prng, std::uint32_t number, const ShapeScriptOptions& options) {
  SpawnCommand spawn{
      vector_m(prng, options.reach_m), {}, any_shape(prng, options.meshes), {}, number};
  if (prng.chance(0.5)) spawn.velocity = vector_m(prng, 2);
  if (prng.chance(0.4)) spawn.rotation = any_rotation(prng);
  if (prng.chance(0.3)) spawn.angular_velocity = vector_m(prng, 1.5);
  spawn.filter.category = 1 + static_cast<std::uint32_t>(prng.below(2));
  return spawn;
}

}  // namespace

Quat any_rotation(Prng& prng) {
  return from_rotation_vector({prng.between(-3, 3), prng.between(-3, 3), prng.between(-3, 3)});
}

Shape any_shape(Prng& prng, bool meshes) {
  switch (prng.below(8)) {
    case 0: return Shape::sphere(length_m(prng, 0.1, 2), vector_m(prng, 0.5));
    case 1: return Shape::capsule(length_m(prng, 0.1, 1), length_m(prng, 0, 2));
    case 2:
    case 3:
      return Shape::box({length_m(prng, 0.1, 2), length_m(prng, 0.1, 2), length_m(prng, 0.1, 2)},
                        vector_m(prng, 0.5));
    case 4:
      if (meshes) return Shape::of_parts({mesh_primitive(any_mesh(prng))});
      return Shape::of_parts({any_part(prng), any_part(prng)});
    case 5: return Shape::of_parts({any_part(prng), any_part(prng), any_part(prng)});
    default: return Shape::of_parts({any_part(prng)});
  }
}

ShapeScript make_shape_script(std::uint64_t seed, const ShapeScriptOptions& options) {
  Prng prng(seed);
  ShapeScript script(options.ticks);
  for (std::uint32_t who = 0; who < options.entities; ++who) {
    script[0].push_back({who, 0, any_spawn(prng, who, options)});
  }
  for (std::uint32_t tick = 1; tick < options.ticks; ++tick) {
    for (std::uint64_t i = 0; i < options.entities / 2; ++i) {
      const auto who = static_cast<std::uint32_t>(prng.below(options.entities));
      const auto other = static_cast<std::uint32_t>(prng.below(options.entities));
      if (prng.chance(0.04)) {
        script[tick].push_back({who, 0, DespawnCommand{}});
        script[tick].push_back({who, 0, any_spawn(prng, who, options)});
      } else {
        script[tick].push_back({who, other, any_change(prng, options)});
      }
    }
  }
  return script;
}

ShapeRun::ShapeRun(const SimulationSettings& settings, Vec3 shift, bool descending)
    : simulation_(settings), shift_(shift), descending_(descending) {}

TickOutput ShapeRun::tick(std::vector<ShapeAction> actions) {
  std::vector<Command> commands;
  if (std::exchange(is_first_, false)) {
    commands.push_back({SessionId{1}, 0, OpenSessionCommand{Role::Authority, ContactScope::All}});
    if (descending_) std::reverse(actions.begin(), actions.end());
  }
  // Spawns give new ids only with the outcome, so whoever is spawned is named by its spawn.
  for (const ShapeAction& action : actions) put(action, commands);
  TickOutput output = simulation_.run_tick(commands);
  for (const CommandResult& result : output.sessions.at(0).results) {
    const auto& command = commands.at(result.sequence - commands.front().sequence);
    const auto* spawn = std::get_if<SpawnCommand>(&command.body);
    if (spawn != nullptr && result.code == ErrorCode::None) {
      ids_[static_cast<std::uint32_t>(spawn->user_data)] = result.entity;
    }
  }
  return output;
}

CommandBody with_ids(const ShapeAction& action, EntityId who, EntityId other) {
  CommandBody body = action.command;
  std::visit(
      [&](auto& command) {
        using Body = std::decay_t<decltype(command)>;
        if constexpr (requires { command.entity = EntityRef{}; }) command.entity = {who, 0};
        if constexpr (std::is_same_v<Body, AttachCommand>) command.parent = {other, 0};
        if constexpr (std::is_same_v<Body, ExcludePairCommand>) {
          command.a = {who, 0};
          command.b = {other, 0};
        }
      },
      body);
  return body;
}

void ShapeRun::put(const ShapeAction& action, std::vector<Command>& commands) {
  CommandBody body = with_ids(action, ids_[action.who], ids_[action.other]);
  std::visit(
      [&](auto& command) {
        if constexpr (requires { command.position = Vec3{}; })
          command.position = command.position + shift_;
      },
      body);
  commands.push_back({SessionId{1}, sequence_++, std::move(body)});
}

}  // namespace vicinity::oracle
