// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Commands: everything a session can ask the tick to do. Values; made in the net room by
// wire/decode (which has checked every number), carried through door 1, consumed by world/apply
// and interest. The client library builds the same values and encodes them.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/vec.h"
#include "geometry/pose.h"
#include "geometry/shape.h"
#include "world/filter.h"

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
  Quat rotation = {};           ///< of length 1
  Vec3 angular_velocity = {};   ///< radians per second, world axes; zero when filter.is_static
  Relevance relevance = {};
  friend bool operator==(const SpawnCommand&, const SpawnCommand&) = default;
};
struct DespawnCommand {
  EntityRef entity;
  friend bool operator==(const DespawnCommand&, const DespawnCommand&) = default;
};
/// The server moves and turns the entity by this much at every tick, from this tick on.
struct SetVelocityCommand {
  EntityRef entity;
  Vec3 velocity;
  std::optional<Vec3> angular_velocity = {};  ///< radians per second, world axes; absent: as it is
  friend bool operator==(const SetVelocityCommand&, const SetVelocityCommand&) = default;
};
/// Straight line and shortest arc from where the entity stood at the end of the last tick; reached
/// at this tick. Replaces the step of the velocities in this tick. The last move of a tick wins.
struct MoveToCommand {
  EntityRef entity;
  Vec3 position;
  bool continuous = false;            ///< look for what is passed through, however short the path
  std::optional<Quat> rotation = {};  ///< absent: as it is
  friend bool operator==(const MoveToCommand&, const MoveToCommand&) = default;
};
/// No path: nothing in between is touched. Replaces the step of the velocities in this tick.
struct TeleportCommand {
  EntityRef entity;
  Vec3 position;
  std::optional<Quat> rotation = {};  ///< absent: as it is
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

struct SetRelevanceCommand {
  EntityRef entity;
  Relevance relevance;
  friend bool operator==(const SetRelevanceCommand&, const SetRelevanceCommand&) = default;
};

/// What becomes of an attached entity when the one that it is attached to ends.
enum class OnParentEnd : std::uint8_t {
  Detach = 0,  ///< it stays where it is
  Despawn = 1,
};
/// From now on the entity follows `parent`: its pose at the end of every tick is the parent's with
/// `relative` applied first, and on the way it swings with the parent. Its velocities become zero,
/// and moves, teleports and velocities of it are refused (Attached). Attached already: to another
/// parent, or in another way. A player's may be no farther from its parent than its shapes may
/// reach (LimitExceeded).
struct AttachCommand {
  EntityRef entity;
  EntityRef parent;
  std::optional<Pose> relative = {};  ///< absent: as the two stand now; else a jump without a path
  OnParentEnd on_parent_end = OnParentEnd::Detach;
  /// In view exactly when the parent is, whatever the areas say.
  bool follow_visibility = false;
  friend bool operator==(const AttachCommand&, const AttachCommand&) = default;
};
/// The entity stays where it is, at rest. NotAttached when it is not.
struct DetachCommand {
  EntityRef entity;
  friend bool operator==(const DetachCommand&, const DetachCommand&) = default;
};
/// Two entities that ignore one another, or no longer do, from this tick on; until one of them
/// ends.
struct ExcludePairCommand {
  EntityRef a;
  EntityRef b;
  bool excluded = true;
  friend bool operator==(const ExcludePairCommand&, const ExcludePairCommand&) = default;
};

/// What becomes of contacts between entities of certain categories.
enum class PolicyAction : std::uint8_t {
  Contact = 0,  ///< as the shapes and sensors say
  Trigger = 1,  ///< told as if one of them were a sensor
  Ignore = 2,   ///< not told at all
};
struct PolicyRule {
  std::uint32_t categories_a = 0xFFFF'FFFFu;  ///< one entity has any of these
  std::uint32_t categories_b = 0xFFFF'FFFFu;  ///< and the other any of these
  PolicyAction action = PolicyAction::Contact;
  std::uint32_t stay_interval_ticks = 0;  ///< a stay event every so many ticks; 0 = none
  std::uint32_t cooldown_ticks = 0;  ///< ticks after its end before the same pair may begin again
  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};
/// Authority only. Replaces the whole table; the first rule that fits a pair counts, none =
/// Contact. Decides the contacts of this tick already, whether anything moved or not.
struct SetPolicyCommand {
  std::vector<PolicyRule> rules;  ///< at most limits::policy_rules_max
  friend bool operator==(const SetPolicyCommand&, const SetPolicyCommand&) = default;
};

enum class SubscriptionKind : std::uint8_t {
  Entity = 0,      ///< contacts of this entity
  Categories = 1,  ///< between entities with any of categories_a and any of categories_b
  Area = 2,        ///< that begin while the tight box of one of the two, at toi, overlaps the box
};
/// Contact events that a session wants beside those of its ContactScope. Whoever was told a begin
/// is told its end. Contacts that are open already are told as begins. Replaces one with that id.
struct SubscribeCommand {
  std::uint32_t subscription = 0;  ///< chosen by the session
  SubscriptionKind kind = SubscriptionKind::Entity;
  EntityRef entity;
  std::uint32_t categories_a = 0xFFFF'FFFFu;
  std::uint32_t categories_b = 0xFFFF'FFFFu;
  Aabb box;
  friend bool operator==(const SubscribeCommand&, const SubscribeCommand&) = default;
};
/// UnknownSubscription when there is none with that id.
struct UnsubscribeCommand {
  std::uint32_t subscription = 0;
  friend bool operator==(const UnsubscribeCommand&, const UnsubscribeCommand&) = default;
};

enum class AreaKind : std::uint8_t {
  Sphere = 0,
  Box = 1,       ///< along the world's axes
  Cylinder = 2,  ///< upright
  OrientedBox = 3,
  Cone = 4,     ///< apex at the position, along its own -z axis, ends in a ball around the apex
  Frustum = 5,  ///< eye at the position, looks along its own -z axis, y up
  Prism = 6,    ///< upright, over a convex outline in the plane of x and z
};
/// How an entity counts as inside: when its shape reaches in, or when the centre of its tight box
/// does.
enum class Reach : std::uint8_t { Shape = 0, Centre = 1 };
/// What an attached area takes from its anchor.
enum class AreaFollow : std::uint8_t {
  Position = 0,            ///< `centre` and `rotation` are along the world's axes
  PositionAndHeading = 1,  ///< `centre` and `rotation` are in the anchor's frame
};
/// Entities no farther than this from the area's position are updated every so many ticks.
struct Ring {
  double distance_m = 0;
  std::uint32_t interval_ticks = 1;
  friend bool operator==(const Ring&, const Ring&) = default;
};
/// A point of an outline, metres.
struct OutlinePoint {
  double x = 0;
  double z = 0;
  friend bool operator==(const OutlinePoint&, const OutlinePoint&) = default;
};

/// An interest area. The edge is inside: distance <= size. Kinds from Cylinder on leave by the
/// same solid with its surface moved outwards by leave_margin_m.
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
  AreaFollow follow = AreaFollow::Position;
  Quat rotation = {};            ///< oriented box, cone, frustum, prism (about y only); of length 1
  double leave_margin_m = 0;     ///< kinds from Cylinder on
  double radius_m = 0;           ///< cylinder
  double half_height_m = 0;      ///< cylinder, prism
  Vec3 half_extent_m = {};       ///< oriented box
  double near_m = 0;             ///< frustum
  double range_m = 0;            ///< cone, frustum: how far it reaches
  double half_angle_rad = 0;     ///< cone; frustum: to the left and right
  double half_angle_up_rad = 0;  ///< frustum: up and down
  std::vector<OutlinePoint> outline = {};  ///< prism, around the position, counter-clockwise seen
                                           ///< from above
  /// Ascending distances; beyond the last one its interval holds. None: every tick. The leave
  /// distance of a ring is a tenth larger.
  std::vector<Ring> rings = {};
  std::uint32_t nearest_max = 0;  ///< only so many, the nearest to the position; 0 = all
  bool suspend = false;  ///< what leaves for its distance is told as suspended, not as gone
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

/// Whether an observer sees an entity against what its areas say.
enum class Visibility : std::uint8_t {
  Default = 0,  ///< as the areas say
  Always = 1,   ///< in view as long as it lives and is enabled, wherever it is
  Never = 2,
};
/// UnknownObserver when the observer has no area. Forgotten with the observer, or when the entity
/// ends. At most limits::visibilities_per_observer_max that are not Default.
struct SetVisibilityCommand {
  ObserverId observer;
  EntityRef entity;
  Visibility visibility = Visibility::Default;
  friend bool operator==(const SetVisibilityCommand&, const SetVisibilityCommand&) = default;
};

/// Made by the server itself when a session was welcomed; never decoded from the wire. For a
/// session that is open already: its client begins anew, and is told of all open contacts as
/// begins.
struct OpenSessionCommand {
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  bool contact_details = false;   ///< begins carry point, normal, penetration and poses
  std::uint32_t view_number = 0;  ///< how often its client began anew
  friend bool operator==(const OpenSessionCommand&, const OpenSessionCommand&) = default;
};
/// Made by the server itself when a session ended; never decoded from the wire.
struct CloseSessionCommand {
  bool keep_entities = false;  ///< a player's entities live on, without an owner
  friend bool operator==(const CloseSessionCommand&, const CloseSessionCommand&) = default;
};
/// Made by the server itself when a connection was lost whose entities must not wait for the end of
/// the session; never decoded from the wire. The session goes on and may spawn anew.
struct DespawnOwnedCommand {
  friend bool operator==(const DespawnOwnedCommand&, const DespawnOwnedCommand&) = default;
};

/// Made by the server itself, without a session, when it goes on after ticks that nobody kept: what
/// was told in those must not be told again with another meaning; never decoded from the wire.
/// From this tick on the next entity of every slot has a generation at least
/// limits::restart_generations above what it would have been, and events a number at least
/// limits::restart_events above. Ids that may have been given out in the lost ticks are stale.
/// Entities that live keep their ids.
struct RestartCommand {
  friend bool operator==(const RestartCommand&, const RestartCommand&) = default;
};

/// New kinds go to the end: a journal names them by their place.
using CommandBody =
    std::variant<SpawnCommand, DespawnCommand, SetVelocityCommand, MoveToCommand, TeleportCommand,
                 SetShapeCommand, SetFilterCommand, SetUserDataCommand, AddAreaCommand,
                 ChangeAreaCommand, RemoveAreaCommand, OpenSessionCommand, CloseSessionCommand,
                 AttachCommand, DetachCommand, ExcludePairCommand, SetPolicyCommand,
                 SubscribeCommand, UnsubscribeCommand, SetRelevanceCommand, SetVisibilityCommand,
                 DespawnOwnedCommand, RestartCommand>;

struct Command {
  SessionId session;
  /// Number given by the client; grows strictly within a session. Acknowledgements repeat it.
  std::uint64_t sequence = 0;
  CommandBody body;
};

}  // namespace vicinity
