// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Finds the record of a living entity in the bytes of a saved world and writes other numbers into
// it, as somebody does who edits the file. Walks through the format with a knowledge of its own
// (world/entity_table_archive.cpp), so that a test fails when the format changes unnoticed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "world/entity_table_record.h"

namespace vicinity::test {

class SavedEntityEditor {
 public:
  /// Of a world that was saved whole.
  explicit SavedEntityEditor(std::span<std::uint8_t> world) : bytes_(world) {}

  /// False when it is not there.
  bool find(EntityId id) {
    at_ = 4 + 4 + 8 + 8 + 4 + 4 + 8 + 4;       // name, format, settings
    at_ += 8 + 17 * read<std::uint64_t>(at_);  // rules of the policy
    at_ += 8 + 8 + 4;                          // hash, tick, generation that slots begin with
    const auto slots = read<std::uint64_t>(at_);
    at_ += 8;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      flags_ = read<std::uint16_t>(at_);
      const auto generation = read<std::uint32_t>(at_ + 2);
      at_ += 6;
      if (flags_ == 0) continue;
      if (id == EntityId(slot, generation)) return true;
      at_ = end_of_record();
    }
    return false;
  }

  void set_position(Vec3 position) { write(position_at(), position); }
  /// Of a plain box; false when it is none.
  bool set_box(const Aabb& corners) {
    const std::size_t shape = shape_at();
    if (has(record_compound) || read<std::uint8_t>(shape) != 2) return false;
    write(shape + 1, corners.min);
    write(shape + 1 + 24, corners.max);
    return true;
  }

 private:
  bool has(RecordFlag flag) const { return (flags_ & flag) != 0; }
  template <class T>
  T read(std::size_t at) const {
    T value{};
    std::memcpy(&value, bytes_.subspan(at, sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  void write(std::size_t at, const T& value) {
    std::memcpy(bytes_.subspan(at, sizeof value).data(), &value, sizeof value);
  }

  std::size_t position_at() const { return at_ + (has(record_skipped) ? 4 : 0); }
  std::size_t shape_at() const {
    std::size_t at = position_at() + 24;
    if (has(record_velocity)) at += 24;
    if (has(record_start_position)) at += 24;
    if (has(record_start_box)) at += 48;
    const auto differing = read<std::uint8_t>(at + 8);
    at += 8 + 1 + 8 * static_cast<std::size_t>(__builtin_popcount(differing));
    if (has(record_turned)) at += 32 + 24;
    if (has(record_turning)) at += 32 + 24;
    return at;
  }
  std::size_t end_of_record() const {
    std::size_t at = shape_at();
    if (!has(record_compound)) at += 1 + (read<std::uint8_t>(at) == 2 ? 48 : 40);
    if (has(record_filter)) at += 4 * 4 + 4;
    at += 8 + 8 + 4;  // user data, owner, next of the same owner
    return at + (has(record_relevance) ? 1 + 1 + 8 + 8 : 0);
  }

  std::span<std::uint8_t> bytes_;
  std::size_t at_ = 0;  ///< behind flags and generation of the entity
  std::uint16_t flags_ = 0;
};

}  // namespace vicinity::test
