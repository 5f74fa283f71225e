// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The only mutable copy of the world: the state of every entity, by slot. Tick thread only; nobody
// else ever sees it, readers get a Snapshot. One tick is always:
//
//      begin_tick(N) -> any number of changes -> advance(dt) -> freeze(snapshot)
//
// A change that is refused (any code but None) has changed nothing.
//
// Slots. An id is a slot and a generation; generations start at 1. A slot whose entity ended in
// tick N is used again in tick N + reuse_delay_ticks at the earliest, the longest-dead slot first,
// and only then are new slots made. A slot that has used up its generations is retired for good.
// A restart leaves generations out, see skip_generations().

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/raw_buffer.h"
#include "base/result.h"
#include "world/command.h"
#include "world/pair_exclusions.h"
#include "world/slot_set.h"
#include "world/snapshot.h"

namespace vicinity {

struct QuarantinedEntity;

struct EntityTableSettings {
  double world_half_size_m = limits::world_half_size_m;
  /// Living entities. Slots (living, waiting for reuse and retired together) are bounded too, see
  /// EntityTable::slot_count_max, so that churn cannot grow memory without end.
  std::uint32_t entity_count_max = limits::entity_count_max;
  std::uint32_t reuse_delay_ticks = limits::reuse_delay_ticks_default;  ///< 0 = at once
  std::uint32_t generation_max = 0xFFFF'FFFFu;  ///< tests lower it to reach the end of a slot
};

/// What an entity hangs on, and how.
struct Attachment {
  EntityId parent;
  Pose relative;  ///< to the parent
  OnParentEnd on_parent_end = OnParentEnd::Detach;
  bool follow_visibility = false;
};

enum class EntityStatus : std::uint8_t {
  Alive = 0,
  Stale = 1,    ///< was given out, or may have been before a restart, and its entity has ended
  Unknown = 2,  ///< was never given out
};

class EntityTable {
 public:
  explicit EntityTable(const EntityTableSettings& settings);

  /// Starts a tick; must grow. Changes from here on carry this tick as their version.
  void begin_tick(Tick tick);

  EntityStatus status(EntityId id) const;
  /// Owner of a living entity (CHECKed).
  SessionId owner_of(EntityId id) const;
  /// Living entities of one owner. O(log owners).
  std::uint32_t owned_count(SessionId owner) const;
  std::uint32_t slot_count_max() const;
  /// False when no more slots are left than are kept for authorities (one in
  /// limits::authority_slots_share). Slots that wait for reuse are not left. O(log slots).
  bool has_slot_for_player() const;
  /// Slots of ended entities that spawns of this tick could take. O(log slots).
  std::uint32_t reusable_slot_count() const;

  // Changes. `id` may be anything; StaleEntity and UnknownEntity are answers. Numbers must be
  // finite and shapes valid (wire/decode sees to it); what leaves the world is OutOfWorld.

  /// A new entity stands at its position in this tick; its velocity moves it from the next tick on.
  /// StaticMotion: a static entity with a velocity. EntityLimit: no entity or slot left.
  Result<EntityId, ErrorCode> spawn(SessionId owner, const SpawnCommand& command);
  /// `by`: the session whose command it is, none for the server itself.
  ErrorCode despawn(EntityId id, DespawnReason reason, SessionId by = {});
  /// Ends every entity of `owner` with SessionEnded. O(entities of the owner).
  void despawn_owned_by(SessionId owner);
  /// Every entity of `owner` lives on and belongs to nobody. O(entities of the owner).
  void release_owned_by(SessionId owner);
  /// StaticMotion when the entity is static and one of the velocities is not zero. No angular
  /// velocity: as it is.
  ErrorCode set_velocity(EntityId id, Vec3 velocity, std::optional<Vec3> angular_velocity = {});
  /// Straight line and shortest arc from the pose at the end of the last tick, or, when the entity
  /// was spawned or teleported earlier in this tick, from there. No rotation: as it is.
  /// StaticMotion when the entity is static.
  ErrorCode move_to(EntityId id, Vec3 position, bool continuous, std::optional<Quat> rotation = {});
  /// Forgets any path of this tick. Static entities may be teleported. No rotation: as it is.
  ErrorCode teleport(EntityId id, Vec3 position, std::optional<Quat> rotation = {});
  /// The entity has the new shape all along its path of this tick. Only between two boxes that are
  /// not turned a path by move_to begins with the box at the end of the last tick, whose corners
  /// then move straight to those of the new one.
  ErrorCode set_shape(EntityId id, const Shape& shape);
  /// An entity that becomes static loses its velocity.
  ErrorCode set_filter(EntityId id, const FilterPatch& patch);
  ErrorCode set_user_data(EntityId id, std::uint64_t user_data);
  ErrorCode set_relevance(EntityId id, const Relevance& relevance);

  /// See AttachCommand. No relative pose: as the two stand now. AttachmentCycle: the parent is the
  /// entity, or hangs on it. LimitExceeded: attachment_depth_max, attached_per_entity_max, or
  /// farther from its root than distance_max_m (its bound is as wide as the arc it swings on).
  /// StaticMotion: the entity is static. An attached entity refuses velocities, moves and teleports
  /// (Attached), and to become static (StaticMotion). With `follow_visibility` it is among the
  /// followers of the snapshot until it is detached.
  ErrorCode attach(EntityId id, EntityId parent, const std::optional<Pose>& relative,
                   OnParentEnd on_parent_end,
                   double distance_max_m = std::numeric_limits<double>::infinity(),
                   bool follow_visibility = false);
  /// The entity stays where it is, at rest.
  ErrorCode detach(EntityId id);
  /// Nothing for one that hangs on nothing.
  std::optional<Attachment> attachment_of(EntityId id) const;
  /// In this tick already, whether the two moved or not. InvalidFilter for an entity and itself;
  /// LimitExceeded, see PairExclusions::add.
  ErrorCode exclude_pair(EntityId a, EntityId b, bool excluded);

  /// Adds velocity * dt, and the same of the rotation, to every entity that was neither spawned,
  /// moved nor teleported in this tick, and ends (LeftWorld) those that this carries out of the
  /// world. Looks only at what was changed in this tick, has a velocity or was on a path in the
  /// last tick. Parallel.
  void advance(double dt_s, Workers& workers);
  /// After advance(): slots whose entity is in another state than at the end of the last tick, or
  /// that gained or lost one, ascending, each once. An entity that came to a stop in the last tick
  /// is among them, since its start box changes, and so is any that is or was on a path. Valid
  /// until the next advance().
  std::span<const std::uint32_t> changed() const;
  /// After advance(). Brings `out` to the state of this tick. It may be new or hold an earlier tick
  /// of this very table: then only what changed since is copied, if that is still known
  /// (limits::changes_kept_ticks), else everything. O(changed) or O(slots), parallel.
  void freeze(double dt_s, Workers& workers, Snapshot& out) const;

  /// RestartCommand: from now on so many generations of each slot are never given out, of those
  /// that have no entity yet as well; ids with them are stale. Slots that have none left after
  /// that are retired. O(slots).
  void skip_generations(std::uint32_t count);
  /// How many were left out so far, in all.
  std::uint32_t skipped_generations() const { return generation_floor_; }

  /// After advance(). Everything that decides what the next ticks do. O(slots), parallel.
  void save(ArchiveWriter& out, Workers& workers) const;
  /// Into a table that is new, of the same settings. False: these are no bytes of save(), and the
  /// table is of no use. Entities that cannot be are not there and told of in `quarantined`,
  /// ascending. After that changed() names all entities, and so it does in the tick that follows.
  [[nodiscard]] bool load(ArchiveReader& in, std::vector<QuarantinedEntity>& quarantined);

 private:
  friend class EntityTableLoading;
  static constexpr std::uint32_t no_slot = 0xFFFF'FFFFu;

  /// What decides the position at the end of the tick. The last command wins.
  enum class Move : std::uint8_t { Velocity, Spawn, Teleport, Path, ContinuousPath };

  /// What a tick of a moving entity reads. Three and a half cache lines.
  struct Entity {
    Vec3 position;
    Vec3 velocity;
    Aabb local;       ///< box around the shape, turned as it is now, relative to the position
    Aabb path_start;  ///< where a path of this tick begins: box at the last tick, spawn or
                      ///< teleport; after advance() the start box of the snapshot
    Vec3 path_start_position;  ///< the same, of the origin
    EntityVersions changed;
    Tick touched = 0;              ///< tick for which the fields below are valid
    std::uint32_t generation = 0;  ///< the newest one given out
    Move move = Move::Velocity;
    Motion motion = Motion::None;  ///< after advance(): of the snapshot
    bool alive = false;
    bool is_static = false;      ///< of the filter
    bool is_continuous = false;  ///< of the filter
    bool was_alive = false;      ///< at the end of the last tick
    bool was_on_path = false;    ///< in the last tick
    bool is_attached = false;
    bool is_turned = false;  ///< turns_ says how; once true it stays until the entity ends
    Form form = Form::Box;
  };
  /// The rest of it, of the same slot.
  struct Details {
    Shape shape;
    Filter filter;
    std::uint32_t skipped = 0;  ///< generations after this one that are never given out
    std::uint64_t user_data = 0;
    SessionId owner;
    std::uint32_t owner_previous = no_slot;  ///< list of the entities of one owner
    std::uint32_t owner_next = no_slot;
  };
  /// Of an entity that hangs on another one, or that others hang on.
  struct Link {
    std::uint32_t parent = no_slot;
    std::uint32_t depth = 0;  ///< 0 = root
    Pose relative;            ///< to the parent
    Pose in_root;             ///< to the root
    OnParentEnd on_parent_end = OnParentEnd::Detach;
    bool follows_visibility = false;  ///< in view exactly when the parent is
    bool is_new = false;              ///< attached in this tick
    bool jumps = false;               ///< in this tick, to where it was attached
    bool swings = false;              ///< in this tick, along `root_path`
    std::uint32_t root_slot = no_slot;
    Path root_path;
    std::vector<std::uint32_t> children;  ///< sorted
  };
  struct OwnerList {
    std::uint32_t first = no_slot;
    std::uint32_t count = 0;
  };
  struct FreeSlot {
    std::uint32_t slot = 0;
    Tick reusable_from = 0;
  };
  /// Dead slots in the order in which they died. A queue in one piece: it allocates nothing while
  /// as many slots die as are used again.
  class FreeSlots {
   public:
    void push(FreeSlot free_slot) { slots_.push_back(free_slot); }
    /// The longest-dead slot, or no_slot when none may be used in this tick.
    std::uint32_t pop(Tick tick);
    std::size_t reusable_count(Tick tick) const;
    std::span<const FreeSlot> all() const { return std::span(slots_).subspan(first_); }
    void replace(std::vector<FreeSlot> slots) {
      slots_ = std::move(slots);
      first_ = 0;
    }

   private:
    std::vector<FreeSlot> slots_;  ///< ascending reusable_from, since the delay is the same
    std::size_t first_ = 0;        ///< those before it are in use again
  };
  /// What one block of advance() found, ascending.
  struct BlockChanges {
    std::vector<std::uint32_t> changed;
    std::vector<std::uint32_t> due;  ///< in the next tick, whatever happens
    std::vector<std::uint32_t> left_world;
  };
  /// Slots that changed in one tick.
  struct Changes {
    Tick tick = 0;
    Tick last_tick = 0;  ///< the tick before
    RawBuffer<std::uint32_t> slots;
  };

  bool in_world(const Aabb& local, Vec3 position) const;
  Relevance relevance_of(std::uint32_t slot) const;
  void put_relevance(std::uint32_t slot, const Relevance& relevance);
  ErrorCode check_alive(EntityId id) const;
  std::uint32_t take_slot();
  void link_owner(std::uint32_t slot);
  void unlink_owner(std::uint32_t slot);
  void end(std::uint32_t slot, DespawnReason reason, SessionId by);
  void place(Entity& entity, Vec3 position);
  Turn& turn_of(std::uint32_t slot);
  Turn& make_turned(std::uint32_t slot);
  void set_rotation(std::uint32_t slot, const std::optional<Quat>& rotation);
  /// `local` and `form` from the shape and the rotation.
  void fit_box(std::uint32_t slot);
  /// `local` of an entity that were turned like this.
  Aabb local_with(std::uint32_t slot, const std::optional<Quat>& rotation) const;
  /// The tight box.
  static Aabb box_of(const Entity& entity);
  void begin_path(std::uint32_t slot);
  Pose pose_of(std::uint32_t slot) const;
  Path path_of(std::uint32_t slot) const;

  // Attachments (entity_table_attach.cpp).
  bool hangs_on(std::uint32_t slot, std::uint32_t other) const;
  std::uint32_t height(std::uint32_t slot) const;
  std::uint32_t root_of(std::uint32_t slot) const;
  Pose begin_pose_of(std::uint32_t slot) const;
  void link(std::uint32_t slot, std::uint32_t parent, const Pose& relative, OnParentEnd on_end);
  void unlink(std::uint32_t slot);
  void set_depth(std::uint32_t slot, std::uint32_t depth);
  void end_parent(std::uint32_t slot, SessionId by);
  void order_attached();
  void list_followers();
  /// Poses of all that is attached, parents first; adds those that changed to followed_.
  void follow_all(double dt_s);
  void follow(std::uint32_t slot);
  void copy_attachments(Snapshot& out) const;
  bool spins(std::uint32_t slot) const;
  /// To be called before anything about the slot changes in this tick.
  Entity& touch(std::uint32_t slot);
  void begin_entity_tick(std::uint32_t slot);
  /// Moves what moves by itself and settles start box and motion of the tick. False when it leaves
  /// the world.
  [[nodiscard]] bool finish_entity_tick(std::uint32_t slot, double dt_s);
  [[nodiscard]] bool step_velocity(std::uint32_t slot, double dt_s);
  void settle_path(std::uint32_t slot);
  static Motion motion_of(const Entity& entity);
  void finish_block(std::span<const std::uint32_t> slots, double dt_s, BlockChanges& out);
  bool has_changed(const Entity& entity) const;
  const Changes& changes_of(std::size_t age) const;
  /// Remembers what the first `blocks` blocks of advance() say, and forgets the oldest.
  void keep_changes(std::size_t blocks);
  void forget_oldest_changes();
  void keep_all_as_changed(Changes& changes);
  // Saved worlds (entity_table_archive.cpp).
  struct SavedBlock;
  template <class Archive>
  static void archive_record(Archive& a, std::uint16_t flags, FieldsOf<Archive, Entity>& entity,
                             FieldsOf<Archive, Details>& details, FieldsOf<Archive, Turn>& turn,
                             FieldsOf<Archive, Relevance>& relevance);
  static Aabb settled_start(const Entity& entity);
  std::uint16_t record_flags(std::uint32_t slot) const;
  void save_slot(std::uint32_t slot, ArchiveWriter& out, SavedBlock& block) const;
  void save_links(ArchiveWriter& out) const;
  void copy_changed(Workers& workers, Snapshot& out) const;
  void copy_slot(std::uint32_t slot, Tick known, Snapshot& out) const;

  EntityTableSettings settings_;
  Tick tick_ = 0;
  Tick last_tick_ = 0;    ///< the tick before
  bool advanced_ = true;  ///< the tick is complete: may be frozen, and the next one begin
  std::uint32_t entity_count_ = 0;
  std::vector<Entity> slots_;
  std::vector<Details> details_;
  std::vector<Turn> turns_;  ///< by slot; empty until an entity is turned for the first time
  /// By slot; empty until an entity gets one that is not the default.
  std::vector<Relevance> relevances_;
  FreeSlots free_slots_;
  std::uint32_t generation_floor_ = 0;  ///< of slots that had no entity yet: below all of theirs
  std::map<SessionId, OwnerList> owners_;
  std::map<std::uint32_t, Link> links_;   ///< by slot
  std::vector<std::uint32_t> attached_;   ///< by (depth, slot) once ordered
  bool attached_changed_ = false;         ///< since it was ordered
  std::vector<Follower> followers_;       ///< of the snapshot, ascending by slot
  bool followers_changed_ = false;        ///< since they were listed
  std::vector<std::uint32_t> following_;  ///< scratch: attached_ as advance() found it
  std::vector<std::uint32_t> followed_;   ///< of these, what changed in this tick, by (depth, slot)
  PairExclusions exclusions_;
  std::shared_ptr<const ExcludedPairs> excluded_;  ///< of this tick
  std::vector<Despawn> despawned_;  ///< of this tick, ascending by id after advance()

  /// What advance() must look at: touched in this tick, with a velocity, or on a path in the last.
  SlotSet due_;
  std::vector<std::uint32_t> due_slots_;                     ///< the same as a list
  std::vector<BlockChanges> blocks_;                         ///< of advance(), buffers
  std::array<Changes, limits::changes_kept_ticks> changes_;  ///< a ring
  std::size_t changes_count_ = 0;                            ///< ticks so far
  std::size_t changes_kept_ = 0;        ///< the newest of them, which are remembered
  std::size_t changes_kept_slots_ = 0;  ///< slots of those, together
  std::vector<Tick> last_change_;       ///< by slot: newest tick whose changes name it
  bool is_restored_ = false;            ///< and no tick ran since
};

}  // namespace vicinity
