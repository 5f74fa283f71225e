// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// In which version each item of a shared, otherwise frozen list ended. The tick thread marks an end
// while any number of threads read older versions of the list: a mark that they may or may not see
// yet names a version that is not theirs, so that both ways they find the item.
//
//      marks     -      9      -      7        version 6 has all four
//      items     a      b      c      d        version 8 has a, b, c
//                                              version 9 has a, c
//
// A version is read by other threads only after it was handed to them, with all marks up to it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace vicinity {

class EndMarks {
 public:
  /// No item has ended.
  explicit EndMarks(std::size_t item_count)
      : marks_(std::make_unique<std::atomic<std::uint64_t>[]>(item_count)) {}

  /// Tick thread. `version` and later ones are without the item; not 0, and none that was handed
  /// out already.
  void end(std::size_t item, std::uint64_t version) {
    marks_[item].store(version, std::memory_order_relaxed);
  }
  /// Tick thread.
  bool has_ended(std::size_t item) const { return mark(item) != 0; }
  /// Any thread.
  bool exists_in(std::size_t item, std::uint64_t version) const {
    const std::uint64_t end = mark(item);
    return end == 0 || version < end;
  }
  /// Any thread. The first version without the item, as far as it is known; 0 = none yet.
  std::uint64_t end_of(std::size_t item) const { return mark(item); }

 private:
  std::uint64_t mark(std::size_t item) const {
    return marks_[item].load(std::memory_order_relaxed);
  }

  std::unique_ptr<std::atomic<std::uint64_t>[]> marks_;  ///< 0 = has not ended
};

}  // namespace vicinity
