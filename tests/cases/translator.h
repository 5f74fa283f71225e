// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Script operations -> commands and queries of the server. Keeps what the script's names stand for.
//
//   layer / mask          category / mask
//   box                   a box shape whose tight box has exactly these corners (values.h)
//   vis                   relevance: the range from which the entity is seen
//   move                  (set shape and) teleport; with sweep: move to, continuous test forced
//   observer              an observer with one area: sphere, enter r_in, leave r_out, reach centre,
//                         no dwell; fixed, or attached to an entity without seeing it
//
// Names that the script never spawned are sent as an id that was never given out, names of the dead
// as their old id: to refuse them is the server's part. Only what its types cannot express (bit 36,
// k = -1, a second "A" beside a living "A") is refused here.
//
// One operation may need several commands (shape and position), and the protocol has no way to
// refuse them together. So the commands of an operation are first held against the checks of the
// server's door; when one of them will be refused, that one alone is sent.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "cases/case_file.h"
#include "cases/world.h"
#include "query/query_types.h"
#include "wire/decode.h"

namespace vicinity::cases {

/// A query of a tick, asked when the tick has run.
struct PlannedQuery {
  int operation = 0;
  std::string tag;
  Query query;
  std::string contacts_of;  ///< not empty: about the entity of this name at the end of the tick
};

/// What one tick sends, and which operation each command belongs to.
struct TickPlan {
  struct Part {
    int operation = -1;   ///< index in the script's tick; -1: deferred by a handler
    std::string refused;  ///< error name, when the runner itself refuses it
    std::size_t first_command = 0;
    std::size_t command_count = 0;
    bool many = false;                 ///< several things, which may fail one by one
    std::vector<std::string> spawned;  ///< names, one per command
  };
  std::vector<CommandBody> commands;
  std::vector<Part> parts;
  std::vector<PlannedQuery> queries;
};

/// Refusals by (operation index, error name).
using OperationErrors = std::vector<std::pair<int, std::string>>;

class Translator {
 public:
  Translator();

  /// One tick: deferred operations first, then those of the script. `first_sequence` is that of
  /// the first command. Throws ScriptError (or a JSON exception) on a malformed operation.
  TickPlan plan(const std::vector<Operation>& deferred, const std::vector<Operation>& operations,
                std::uint64_t first_sequence);

  /// After the tick: learns the new ids. Appends refusals to `errors` in order, those of deferred
  /// operations left out, and to `faults` what must never happen whatever the script expects.
  void settle(const TickPlan& plan, const std::vector<CommandReply>& replies,
              OperationErrors& errors, std::vector<std::string>& faults);

  /// "A"; "?slot:generation" for an id that the script does not know.
  std::string name_of(EntityId id) const;
  /// "O" while the observer of that name is this one, "O (removed)" afterwards.
  std::string name_of(ObserverId id) const;
  EntityId id_of(const std::string& name) const;
  std::vector<std::string> living_names() const;
  std::map<std::string, ObserverId> observers() const;
  /// Box of a living name.
  const Aabb& box_of(const std::string& name) const;
  /// `name` was despawned by commands that were not planned here.
  void mark_dead(const std::string& name);

 private:
  friend struct OperationTable;

  struct Entity {
    EntityRef ref;
    Aabb box;
    Shape shape;
    std::uint32_t category = 1;
    bool alive = false;
    Vec3 last_centre;  ///< of its box, at the end of the last tick it lived in
  };
  struct Observer {
    ObserverId id;
    AreaId area;
    AreaSpec spec;
    std::string anchor;  ///< name; empty when fixed
  };

  void translate(const Operation& operation, int index);
  void learn(const std::string& name, const CommandReply& reply);
  TickPlan::Part& part() { return plan_.parts.back(); }
  bool send(const std::vector<CommandBody>& commands);
  void refuse(const char* error);

  void spawn(const Json& fields);
  void spawn_many(const Json& fields);
  void despawn(const Json& fields);
  void despawn_many(const Json& fields);
  void move(const Json& fields);
  void each_tick_move_all(const Json& fields);
  void set_filter(const Json& fields);
  void set_layer_bit(const Json& fields);
  void enable(const Json& fields);
  void disable(const Json& fields);
  void observer_add(const Json& fields);
  void observer_move(const Json& fields);
  void observer_radius(const Json& fields);
  void observer_remove(const Json& fields);
  void query_box(const Json& fields);
  void query_sphere(const Json& fields);
  void query_ray(const Json& fields);
  void query_sweep(const Json& fields);
  void query_nearest(const Json& fields);
  void query_overlaps_of(const Json& fields);

  bool spawn_one(const std::string& name, const Aabb& box, std::uint32_t layer, std::uint32_t mask,
                 const Relevance& relevance = {});
  bool despawn_one(const std::string& name);
  void move_one(const std::string& name, const Aabb& box, bool sweep);
  void patch_filter(const std::string& name, const FilterPatch& patch);
  void change_area(const std::string& name, Observer changed);
  void remove_area(const std::string& name);
  void add_query(const Json& fields, decltype(Query::body) body,
                 const std::string& contacts_of = {});
  EntityRef ref_of(const std::string& name) const;
  Entity* find_alive(const std::string& name);

  wire::DecodeLimits limits_;
  std::map<std::string, Entity> entities_;
  std::map<EntityId, std::string> entity_names_;
  std::map<std::string, Observer> observers_;
  std::map<ObserverId, std::string> observer_names_;

  // Of the tick that is being planned.
  TickPlan plan_;
  std::uint64_t first_sequence_ = 0;
};

}  // namespace vicinity::cases
