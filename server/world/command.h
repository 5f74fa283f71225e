// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Commands: everything a session can ask the tick to do. Values; made in the net room by
// wire/decode (which has checked every number), carried through door 1, consumed by world/apply
// and interest. The client library builds the same values and encodes them.

#include <cstdint>
#include <variant>

#include "base/ids.h"
#include "base/vec.h"
#include "world/filter.h"
#include "world/shape.h"

namespace vicinity {

enum class Role : std::uint8_t {
  Observer = 0,   ///< areas and queries only
  Player = 1,     ///< entities of its own as well; they are despawned when the session ends
  Authority = 2,  ///< any entity, tick stepping; its entities outlive the session
};

/// Which contact events a session receives. Fixed for the life of the session.
enum class ContactScope : std::uint8_t {
  None = 0,
  Own = 1,  ///< pairs with at least one entity that this session owns
  All = 2,  ///< every pair; authority and observer sessions only
};

/// Names an entity: by id, or (id = 0) as the one spawned by the command with sequence
/// `spawned_by` of the same session, earlier in the same frame of commands. Such commands are in
/// one tick; that the tick also finds a spawn of another frame, when both came in time for it, is
/// promised to nobody.
struct EntityRef {
  EntityId id;
  std::uint64_t spawned_by = 0;
  constexpr bool present() const { return static_cast<bool>(id) || spawned_by != 0; }
  friend constexpr bool operator==(const EntityRef&, const EntityRef&) = default;
};

struct SpawnCommand {
  Vec3 position;
  Vec3 velocity;  ///< metres per second; must be zero when filter.is_static
  Shape shape;
  Filter filter;
  std::uint64_t user_data = 0;  ///< opaque; given back in every event about the entity
  friend bool operator==(const SpawnCommand&, const SpawnCommand&) = default;
};
struct DespawnCommand {
  EntityRef entity;
  friend bool operator==(const DespawnCommand&, const DespawnCommand&) = default;
};
/// The server adds velocity * dt to the position at every tick, from this tick on.
struct SetVelocityCommand {
  EntityRef entity;
  Vec3 velocity;
  friend bool operator==(const SetVelocityCommand&, const SetVelocityCommand&) = default;
};
/// Straight line from where the entity stood at the end of the last tick; reached at this tick.
/// Replaces the step of the velocity in this tick. The last move of a tick wins.
struct MoveToCommand {
  EntityRef entity;
  Vec3 position;
  bool continuous = false;  ///< look for what is passed through, however short the path
  friend bool operator==(const MoveToCommand&, const MoveToCommand&) = default;
};
/// No path: nothing in between is touched. Replaces the step of the velocity in this tick.
struct TeleportCommand {
  EntityRef entity;
  Vec3 position;
  friend bool operator==(const TeleportCommand&, const TeleportCommand&) = default;
};
struct SetShapeCommand {
  EntityRef entity;
  Shape shape;
  friend bool operator==(const SetShapeCommand&, const SetShapeCommand&) = default;
};
struct SetFilterCommand {
  EntityRef entity;
  FilterPatch patch;
  friend bool operator==(const SetFilterCommand&, const SetFilterCommand&) = default;
};
struct SetUserDataCommand {
  EntityRef entity;
  std::uint64_t user_data = 0;
  friend bool operator==(const SetUserDataCommand&, const SetUserDataCommand&) = default;
};

enum class AreaKind : std::uint8_t { Sphere = 0, Box = 1 };
/// How an entity counts as inside: when its tight box reaches in, or when the centre of it does.
enum class Reach : std::uint8_t { Shape = 0, Centre = 1 };

/// An interest area. The edge is inside: distance <= size.
struct AreaSpec {
  AreaKind kind = AreaKind::Sphere;
  Reach reach = Reach::Shape;
  /// Attached: the area follows the centre of this entity's tight box. When the entity is gone the
  /// area stays where it last was. Absent: fixed.
  EntityRef anchor;
  bool include_anchor = false;  ///< whether the area sees the entity it is attached to
  Vec3 centre;                ///< fixed: world position; attached: offset from the anchor's centre
  double enter_radius_m = 0;  ///< sphere
  double leave_radius_m = 0;  ///< sphere, >= enter_radius_m
  Vec3 enter_half_extent_m;   ///< box
  Vec3 leave_half_extent_m;   ///< box, >= enter_half_extent_m on every axis
  SearchFilter filter;
  std::uint32_t min_dwell_ticks = 0;  ///< an entity stays in view at least this long
  friend bool operator==(const AreaSpec&, const AreaSpec&) = default;
};

/// The first area of an observer creates the observer. Areas of one observer are a union.
struct AddAreaCommand {
  ObserverId observer;
  AreaId area;
  AreaSpec spec;
  friend bool operator==(const AddAreaCommand&, const AddAreaCommand&) = default;
};
/// Replaces the whole specification; what stays in view is not entered again.
struct ChangeAreaCommand {
  AreaId area;
  AreaSpec spec;
  friend bool operator==(const ChangeAreaCommand&, const ChangeAreaCommand&) = default;
};
/// Removing the last area of an observer removes the observer: its view is dropped, no leave
/// events.
struct RemoveAreaCommand {
  AreaId area;
  friend bool operator==(const RemoveAreaCommand&, const RemoveAreaCommand&) = default;
};

/// Made by the server itself when a session was welcomed; never decoded from the wire.
struct OpenSessionCommand {
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  friend bool operator==(const OpenSessionCommand&, const OpenSessionCommand&) = default;
};
/// Made by the server itself when a session ended; never decoded from the wire.
struct CloseSessionCommand {
  friend bool operator==(const CloseSessionCommand&, const CloseSessionCommand&) = default;
};

using CommandBody =
    std::variant<SpawnCommand, DespawnCommand, SetVelocityCommand, MoveToCommand, TeleportCommand,
                 SetShapeCommand, SetFilterCommand, SetUserDataCommand, AddAreaCommand,
                 ChangeAreaCommand, RemoveAreaCommand, OpenSessionCommand, CloseSessionCommand>;

struct Command {
  SessionId session;
  /// Number given by the client; grows strictly within a session. Acknowledgements repeat it.
  std::uint64_t sequence = 0;
  CommandBody body;
};

}  // namespace vicinity
