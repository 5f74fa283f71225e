// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Ticks, names and entities. Observers and queries are in translator_search.cpp, the table of
// operations in operations.cpp.

#include "cases/translator.h"

#include <algorithm>

#include "base/check.h"
#include "base/limits.h"
#include "cases/operations.h"
#include "cases/values.h"

namespace vicinity::cases {

namespace {

/// An id that no server gives out: its slot is beyond the largest table.
constexpr EntityId never_given_out{limits::entity_count_max, 1};

bool is_refused(const CommandReply& reply) { return reply.code != ErrorCode::None; }

Aabb shifted(const Aabb& box, Vec3 by) { return {box.min + by, box.max + by}; }

std::string numbered(const Json& fields, std::uint32_t number) {
  return fields.at("prefix").get<std::string>() + std::to_string(number);
}

std::uint32_t count_field(const Json& fields) {
  const auto count = unsigned32(fields.at("count"));
  if (!count) throw ScriptError("count " + fields["count"].dump() + " is not a count");
  return *count;
}

}  // namespace

Translator::Translator() : limits_{limits::world_half_size_m} {}

// --- Ticks -------------------------------------------------------------------------------------

TickPlan Translator::plan(const std::vector<Operation>& deferred,
                          const std::vector<Operation>& operations, std::uint64_t first_sequence) {
  plan_ = {};
  first_sequence_ = first_sequence;
  for (const Operation& operation : deferred) translate(operation, -1);
  for (std::size_t i = 0; i < operations.size(); ++i) translate(operations[i], static_cast<int>(i));
  return std::move(plan_);
}

void Translator::translate(const Operation& operation, int index) {
  TickPlan::Part added;
  added.operation = index;
  added.first_command = plan_.commands.size();
  plan_.parts.push_back(added);
  const OperationRule* rule = find_operation(operation.name);
  if (rule == nullptr) throw ScriptError("unknown operation " + operation.name);
  if (rule->translate != nullptr) (this->*rule->translate)(operation.fields);
  part().command_count = plan_.commands.size() - part().first_command;
}

void Translator::settle(const TickPlan& plan, const std::vector<CommandReply>& replies,
                        OperationErrors& errors, std::vector<std::string>& faults) {
  CHECK(replies.size() == plan.commands.size());
  for (const TickPlan::Part& part : plan.parts) {
    const auto begin = replies.begin() + static_cast<std::ptrdiff_t>(part.first_command);
    const auto end = begin + static_cast<std::ptrdiff_t>(part.command_count);
    const auto refused = std::find_if(begin, end, is_refused);
    const bool whole = std::all_of(begin, end, is_refused) || refused == end;
    if (!whole && !part.many)
      faults.push_back("operation " + std::to_string(part.operation) + " was applied in part");
    if (part.operation >= 0) {
      if (!part.refused.empty()) {
        errors.emplace_back(part.operation, part.refused);
      } else if (refused != end) {
        errors.emplace_back(part.operation, error_name(refused->code));
      }
    }
    for (std::size_t i = 0; i < part.spawned.size(); ++i) learn(part.spawned[i], begin[i]);
  }
  for (auto& [name, entity] : entities_)
    if (entity.alive) entity.last_centre = centre(entity.box);
}

void Translator::learn(const std::string& name, const CommandReply& reply) {
  if (is_refused(reply)) {
    entities_.erase(name);
    return;
  }
  entities_[name].ref = {reply.entity, 0};
  entity_names_[reply.entity] = name;
}

/// False when something will be refused at the door: then only that is sent.
bool Translator::send(const std::vector<CommandBody>& commands) {
  for (const CommandBody& command : commands) {
    if (wire::validate(command, limits_).code == ErrorCode::None) continue;
    plan_.commands.push_back(command);
    return false;
  }
  plan_.commands.insert(plan_.commands.end(), commands.begin(), commands.end());
  return true;
}

void Translator::refuse(const char* error) { part().refused = error; }

// --- Names -------------------------------------------------------------------------------------

std::string Translator::name_of(EntityId id) const {
  const auto found = entity_names_.find(id);
  if (found != entity_names_.end()) return found->second;
  return "?" + std::to_string(id.index()) + ":" + std::to_string(id.generation());
}

EntityId Translator::id_of(const std::string& name) const {
  const auto found = entities_.find(name);
  return found == entities_.end() ? never_given_out : found->second.ref.id;
}

EntityRef Translator::ref_of(const std::string& name) const {
  const auto found = entities_.find(name);
  return found == entities_.end() ? EntityRef{never_given_out, 0} : found->second.ref;
}

Translator::Entity* Translator::find_alive(const std::string& name) {
  const auto found = entities_.find(name);
  return found == entities_.end() || !found->second.alive ? nullptr : &found->second;
}

void Translator::mark_dead(const std::string& name) { entities_.at(name).alive = false; }

const Aabb& Translator::box_of(const std::string& name) const { return entities_.at(name).box; }

// --- Entities ----------------------------------------------------------------------------------

bool Translator::spawn_one(const std::string& name, const Aabb& box, std::uint32_t layer,
                           std::uint32_t mask, const Relevance& relevance) {
  const Placement placed = place_box(box);
  SpawnCommand command;
  command.position = placed.position;
  command.shape = placed.shape;
  command.filter.category = layer;
  command.filter.mask = mask;
  command.relevance = relevance;
  const bool duplicate = find_alive(name) != nullptr;
  if (duplicate && wire::validate(command, limits_).code == ErrorCode::None) {
    refuse("duplicate");
    return false;
  }
  const std::uint64_t sequence = first_sequence_ + plan_.commands.size();
  if (!send({command})) return false;
  part().spawned.push_back(name);
  entities_[name] = {{EntityId{}, sequence}, box, placed.shape, layer, true, centre(box)};
  return true;
}

void Translator::spawn(const Json& fields) {
  const auto layer = bit_word(fields.value("layer", Json(1)));
  const auto mask = bit_word(fields.value("mask", Json("all")));
  if (!layer || !mask) return refuse("invalid");
  Relevance relevance;
  if (fields.contains("vis")) {
    const Json& range = fields["vis"];
    if (!range.is_array() || range.size() != 2)
      throw ScriptError("vis " + range.dump() + " is not [in, out]");
    relevance.seen_from_enter_m = number(range[0]);
    relevance.seen_from_leave_m = number(range[1]);
  }
  spawn_one(fields.at("id").get<std::string>(), corners(fields), *layer, *mask, relevance);
}

void Translator::spawn_many(const Json& fields) {
  const Vec3 step = fields.contains("step") ? vector3(fields["step"]) : Vec3{};
  const Aabb box = corners(fields);
  const std::uint32_t count = count_field(fields);
  part().many = true;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!spawn_one(numbered(fields, i), shifted(box, step * i), 1, 0xFFFF'FFFFu)) return;
}

bool Translator::despawn_one(const std::string& name) {
  send({DespawnCommand{ref_of(name)}});
  Entity* entity = find_alive(name);
  if (entity != nullptr) entity->alive = false;
  return entity != nullptr;
}

void Translator::despawn(const Json& fields) { despawn_one(fields.at("id").get<std::string>()); }

void Translator::despawn_many(const Json& fields) {
  const std::uint32_t count = count_field(fields);
  part().many = true;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!despawn_one(numbered(fields, i))) return;
}

/// The shape goes first: a teleport begins a path anew with the shape of that moment.
void Translator::move_one(const std::string& name, const Aabb& box, bool sweep) {
  const Placement placed = place_box(box);
  const EntityRef ref = ref_of(name);
  Entity* entity = find_alive(name);
  std::vector<CommandBody> commands;
  if (entity == nullptr || entity->shape != placed.shape)
    commands.push_back(SetShapeCommand{ref, placed.shape});
  if (sweep)
    commands.push_back(MoveToCommand{ref, placed.position, true});
  else
    commands.push_back(TeleportCommand{ref, placed.position});
  if (!send(commands) || entity == nullptr) return;
  entity->box = box;
  entity->shape = placed.shape;
}

void Translator::move(const Json& fields) {
  move_one(fields.at("id").get<std::string>(), corners(fields), fields.value("sweep", false));
}

void Translator::each_tick_move_all(const Json& fields) {
  const std::string prefix = fields.at("prefix").get<std::string>();
  const Vec3 by = vector3(fields.at("by"));
  part().many = true;
  for (const std::string& name : living_names())
    if (name.starts_with(prefix)) move_one(name, shifted(box_of(name), by), false);
}

void Translator::patch_filter(const std::string& name, const FilterPatch& patch) {
  if (!send({SetFilterCommand{ref_of(name), patch}})) return;
  Entity* entity = find_alive(name);
  if (entity != nullptr) entity->category = patch.category.value_or(entity->category);
}

void Translator::set_filter(const Json& fields) {
  const std::string name = fields.at("id").get<std::string>();
  FilterPatch patch;
  bool good = true;
  if (fields.contains("layer")) good &= (patch.category = bit_word(fields["layer"])).has_value();
  if (fields.contains("mask")) good &= (patch.mask = bit_word(fields["mask"])).has_value();
  // What is dead is refused for that, whatever the words are.
  if (!good && find_alive(name) != nullptr) return refuse("invalid");
  patch_filter(name, patch);
}

void Translator::set_layer_bit(const Json& fields) {
  const std::string name = fields.at("id").get<std::string>();
  const auto bit = unsigned32(fields.at("bit"));
  const Entity* entity = find_alive(name);
  FilterPatch patch;
  if (entity != nullptr) {
    if (!bit || *bit > 31) return refuse("invalid");
    const std::uint32_t flag = 1u << *bit;
    patch.category =
        fields.at("on").get<bool>() ? entity->category | flag : entity->category & ~flag;
  }
  patch_filter(name, patch);
}

void Translator::enable(const Json& fields) {
  FilterPatch patch;
  patch.enabled = true;
  patch_filter(fields.at("id").get<std::string>(), patch);
}

void Translator::disable(const Json& fields) {
  FilterPatch patch;
  patch.enabled = false;
  patch_filter(fields.at("id").get<std::string>(), patch);
}

std::vector<std::string> Translator::living_names() const {
  std::vector<std::string> names;
  for (const auto& [name, entity] : entities_)
    if (entity.alive) names.push_back(name);
  return names;
}

}  // namespace vicinity::cases
