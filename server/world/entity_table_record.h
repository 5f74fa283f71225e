// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The record of a living entity in a saved table: for entity_table_archive.cpp, which writes, and
// entity_table_load.cpp, which reads.

#include <cstdint>
#include <iterator>

#include "world/archive_values.h"
#include "world/entity_table.h"
#include "world/placed_box.h"

namespace vicinity {

/// What a record holds beside what all do. Of a dead slot no flag is set.
enum RecordFlag : std::uint16_t {
  record_alive = 1,
  record_path = 2,             ///< Motion::Path
  record_continuous_path = 4,  ///< Motion::Continuous
  record_velocity = 8,         ///< else 0
  record_start_position = 16,  ///< else where it is
  record_start_box = 32,       ///< else the box as it is now, at the start position
  record_turned = 64,
  record_turning = 128,   ///< on a path that turns; else it stands as it is
  record_filter = 256,    ///< else Filter{}
  record_compound = 512,  ///< the shape is not plain, and among the compounds
  record_skipped = 1024,  ///< else 0
  record_relevance = 2048,
  record_flags_end = 4096,
};

/// The start box of what has the box of now all along.
inline Aabb EntityTable::settled_start(const Entity& entity) {
  return entity.form == Form::Box ? placed_box(entity.local, entity.path_start_position)
                                  : placed_around(entity.local, entity.path_start_position);
}

/// Ticks of change, of which most are that of the spawn; `teleported` mostly 0.
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, EntityVersions>& versions) {
  using Field = Tick EntityVersions::*;
  constexpr Field fields[] = {&EntityVersions::pose,     &EntityVersions::teleported,
                              &EntityVersions::shape,    &EntityVersions::filter,
                              &EntityVersions::enabled,  &EntityVersions::user_data,
                              &EntityVersions::relevance};
  static_assert(sizeof(EntityVersions) == sizeof(Tick) + std::size(fields) * sizeof(Tick));
  a(versions.spawned);
  const auto usual = [&](Field field) {
    return field == &EntityVersions::teleported ? Tick{0} : versions.spawned;
  };
  std::uint8_t differing = 0;
  if constexpr (!Archive::is_reader) {
    for (std::size_t i = 0; i < std::size(fields); ++i)
      if (versions.*fields[i] != usual(fields[i]))
        differing = static_cast<std::uint8_t>(differing | 1u << i);
  }
  a(differing);
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    if constexpr (Archive::is_reader) versions.*fields[i] = usual(fields[i]);
    if ((differing >> i & 1) != 0) a(versions.*fields[i]);
  }
}

template <class Archive>
void EntityTable::archive_record(Archive& a, std::uint16_t flags, FieldsOf<Archive, Entity>& entity,
                                 FieldsOf<Archive, Details>& details, FieldsOf<Archive, Turn>& turn,
                                 FieldsOf<Archive, Relevance>& relevance) {
  const auto has = [flags](RecordFlag flag) { return (flags & flag) != 0; };
  if (has(record_skipped)) a(details.skipped);
  a(entity.position);
  if (has(record_velocity)) a(entity.velocity);
  if (has(record_start_position)) a(entity.path_start_position);
  if (has(record_start_box)) a(entity.path_start);
  a(entity.changed);
  if (has(record_turned)) a(turn.rotation), a(turn.angular_velocity);
  if (has(record_turning)) a(turn.start_rotation), a(turn.rotation_vector);
  if (!has(record_compound)) archive_plain(a, details.shape);
  if (has(record_filter)) a(details.filter);
  a(details.user_data), a(details.owner), a(details.owner_next);
  if (has(record_relevance)) a(relevance);
}

}  // namespace vicinity
