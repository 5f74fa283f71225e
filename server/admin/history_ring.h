// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The last values that one thread wrote, readable by any thread while it writes on. Nobody waits:
// a reader that is overtaken is told so.
//
//      push(n):  [n written to slot n mod size, its number odd while that happens, even after]
//      read(n):  number, words, number again: the same even number twice, or nothing

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>

#include "base/check.h"

namespace vicinity::admin {

template <class T>
class HistoryRing {
  static_assert(std::is_trivially_copyable_v<T>, "values are copied as words");

 public:
  explicit HistoryRing(std::size_t size) : size_(size), slots_(std::make_unique<Slot[]>(size)) {
    CHECK(size > 0);
  }

  std::size_t size() const { return size_; }
  /// Any thread. Values that were pushed so far; the last `size()` of them are readable.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

  /// One thread. O(size of T), never blocks.
  void push(const T& value) {
    const std::uint64_t number = count_.load(std::memory_order_relaxed);
    Slot& slot = slots_[number % size_];
    std::array<std::uint64_t, word_count> words{};
    std::memcpy(words.data(), &value, sizeof value);
    slot.number.store(2 * number + 1, std::memory_order_relaxed);
    // Each word is released, so that who sees one of them sees the odd number as well.
    for (std::size_t i = 0; i < word_count; ++i)
      slot.words[i].store(words[i], std::memory_order_release);
    slot.number.store(2 * number + 2, std::memory_order_release);
    count_.store(number + 1, std::memory_order_release);
  }

  /// Any thread. Value `number`, counted from 0; nothing when it is not there (any more).
  std::optional<T> read(std::uint64_t number) const {
    const Slot& slot = slots_[number % size_];
    if (slot.number.load(std::memory_order_acquire) != 2 * number + 2) return std::nullopt;
    std::array<std::uint64_t, word_count> words;
    for (std::size_t i = 0; i < word_count; ++i)
      words[i] = slot.words[i].load(std::memory_order_acquire);
    if (slot.number.load(std::memory_order_relaxed) != 2 * number + 2) return std::nullopt;
    T value;
    std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
    return value;
  }

  /// Any thread. The newest value; nothing before the first.
  std::optional<T> last() const {
    for (;;) {
      const std::uint64_t pushed = count();
      if (pushed == 0) return std::nullopt;
      if (auto value = read(pushed - 1)) return value;  // else a whole round went by meanwhile
    }
  }

 private:
  static constexpr std::size_t word_count = (sizeof(T) + 7) / 8;
  struct Slot {
    std::atomic<std::uint64_t> number{0};
    std::array<std::atomic<std::uint64_t>, word_count> words{};
  };
  const std::size_t size_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace vicinity::admin
