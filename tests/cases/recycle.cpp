// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/recycle.h"

#include <algorithm>

#include "cases/values.h"

namespace vicinity::cases {

namespace {

/// Incarnations per tick.
constexpr std::uint64_t batch_size = 8192;

/// despawn latest, spawn, despawn that, spawn, ...: the last one spawned lives on.
std::vector<CommandBody> make_batch(EntityId latest, const SpawnCommand& spawn, std::uint64_t count,
                                    std::uint64_t first_sequence) {
  std::vector<CommandBody> commands;
  commands.reserve(2 * count);
  EntityRef living{latest, 0};
  for (std::uint64_t i = 0; i < count; ++i) {
    commands.push_back(DespawnCommand{living});
    living = {EntityId{}, first_sequence + commands.size()};
    commands.push_back(spawn);
  }
  return commands;
}

}  // namespace

void Recycler::recycle(const std::string& name, std::uint64_t times, const World& world,
                       Translator& translator, Metrics& metrics, const RunTick& run_tick) {
  if (!slots_.contains(name)) {
    const Placement placed = place_box(translator.box_of(name));
    SpawnCommand spawn;
    spawn.position = placed.position;
    spawn.shape = placed.shape;
    slots_[name] = {translator.id_of(name), translator.id_of(name), spawn};
    translator.mark_dead(name);
  }
  Slot& slot = slots_[name];
  while (times > 0) {
    const std::uint64_t count = std::min(times, batch_size);
    times -= count;
    take(run_tick(make_batch(slot.latest, slot.spawn, count, world.next_sequence())), name,
         metrics);
  }
}

void Recycler::take(const std::vector<CommandReply>& replies, const std::string& name,
                    Metrics& metrics) {
  Slot& slot = slots_.at(name);
  std::uint64_t equal = 0;
  std::uint64_t invalid = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (replies[i].code != ErrorCode::None)
      throw ScriptError("recycle_slot was refused: " + error_name(replies[i].code));
    if (i % 2 == 0) continue;  // the despawn
    const EntityId made = replies[i].entity;
    if (made.index() != slot.first.index())
      throw ScriptError("recycle_slot: another slot was used");
    equal += made == slot.first ? 1 : 0;
    invalid += made ? 0 : 1;
    slot.latest = made;
  }
  metrics.add_recycled(name, equal, invalid);
}

}  // namespace vicinity::cases
