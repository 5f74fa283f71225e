// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The table as bytes. What follows from the rest is not kept: boxes, who is due in the next tick,
// the order of what is attached. All slots come in one block after the other:
//
//      flags, generation                              of a dead one that is all
//      position, velocity, path, ticks of change ...  of a living one, where the flags say so
//
// then compounds, each once, and which slot has which; slots that wait for reuse; attachments;
// exclusions.

#include <bit>
#include <map>

#include "base/archive_blocks.h"
#include "base/check.h"
#include "world/archive_values.h"
#include "world/entity_table.h"
#include "world/entity_table_record.h"
#include "world/placed_box.h"

namespace vicinity {
namespace {

constexpr std::size_t slots_per_block = 1024;

bool same_bits(const Aabb& a, const Aabb& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (std::bit_cast<std::uint64_t>(a.min[axis]) != std::bit_cast<std::uint64_t>(b.min[axis]) ||
        std::bit_cast<std::uint64_t>(a.max[axis]) != std::bit_cast<std::uint64_t>(b.max[axis]))
      return false;
  }
  return true;
}

}  // namespace

struct EntityTable::SavedBlock {
  std::vector<const Compound*> compounds;  ///< by slot, of those that have one
};

std::uint16_t EntityTable::record_flags(std::uint32_t slot) const {
  const Entity& entity = slots_[slot];
  const Details& details = details_[slot];
  // All others have had the box of now since before the tick.
  const bool may_have_had_another_box = entity.is_turned || entity.changed.shape == tick_;
  const auto flag = [](bool is_set, RecordFlag value) { return is_set ? value : 0; };
  int flags = record_alive | flag(entity.motion == Motion::Path, record_path) |
              flag(entity.motion == Motion::Continuous, record_continuous_path) |
              flag(entity.velocity != Vec3{}, record_velocity) |
              flag(entity.path_start_position != entity.position, record_start_position) |
              flag(may_have_had_another_box && !same_bits(entity.path_start, settled_start(entity)),
                   record_start_box) |
              flag(details.filter != Filter{}, record_filter) |
              flag(!details.shape.is_plain(), record_compound) |
              flag(details.skipped != 0, record_skipped) |
              flag(relevance_of(slot) != Relevance{}, record_relevance);
  if (entity.is_turned) {
    const Turn& turn = turns_[slot];
    flags |= record_turned;
    flags |= flag(turn.start_rotation != turn.rotation || turn.rotation_vector != Vec3{},
                  record_turning);
  }
  return static_cast<std::uint16_t>(flags);
}

void EntityTable::save_slot(std::uint32_t slot, ArchiveWriter& out, SavedBlock& block) const {
  static const Turn no_turn;
  static const Relevance no_relevance;
  const Entity& entity = slots_[slot];
  const std::uint16_t flags = entity.alive ? record_flags(slot) : std::uint16_t{0};
  out(flags), out(entity.generation);
  if (!entity.alive) return;
  archive_record(out, flags, entity, details_[slot], entity.is_turned ? turns_[slot] : no_turn,
                 relevances_.empty() ? no_relevance : relevances_[slot]);
  if ((flags & record_compound) != 0)
    block.compounds.push_back(details_[slot].shape.compound.get());
}

void EntityTable::save_links(ArchiveWriter& out) const {
  std::uint64_t count = 0;
  for (const auto& [slot, link] : links_) count += slots_[slot].is_attached ? 1 : 0;
  out(count);
  for (const auto& [slot, link] : links_) {
    if (!slots_[slot].is_attached) continue;
    out(slot), out(link.parent), out(link.relative), out(link.on_parent_end);
    out(link.follows_visibility);
  }
}

void EntityTable::save(ArchiveWriter& out, Workers& workers) const {
  CHECK(advanced_);
  out(tick_), out(generation_floor_);
  out(static_cast<std::uint64_t>(slots_.size()));
  std::vector<SavedBlock> blocks(block_count(slots_.size(), slots_per_block));
  write_in_blocks(workers, slots_.size(), slots_per_block, out,
                  [&](ArchiveWriter& to, std::size_t block, std::size_t begin, std::size_t end) {
                    for (std::size_t slot = begin; slot < end; ++slot)
                      save_slot(static_cast<std::uint32_t>(slot), to, blocks[block]);
                  });
  // Each compound once, in the order of the slots.
  std::map<const Compound*, std::uint32_t> numbers;
  std::vector<const Compound*> compounds;
  std::vector<std::uint32_t> number_of_slot;
  for (const SavedBlock& block : blocks) {
    for (const Compound* compound : block.compounds) {
      const auto number = static_cast<std::uint32_t>(compounds.size());
      const auto [place, is_new] = numbers.try_emplace(compound, number);
      if (is_new) compounds.push_back(compound);
      number_of_slot.push_back(place->second);
    }
  }
  out(static_cast<std::uint64_t>(compounds.size()));
  for (const Compound* compound : compounds) out(compound->parts);
  out(number_of_slot);
  out(static_cast<std::uint64_t>(free_slots_.all().size()));
  for (const FreeSlot& free_slot : free_slots_.all())
    out(free_slot.slot), out(free_slot.reusable_from);
  save_links(out);
  const auto excluded = excluded_ ? excluded_->pairs() : std::span<const ExcludedPairs::Pair>();
  out(static_cast<std::uint64_t>(excluded.size()));
  for (const auto& [a, b] : excluded) out(a), out(b);
}

}  // namespace vicinity
