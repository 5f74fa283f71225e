// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Streaming 64-bit content hash (XXH3, from the xxHash library) for tick results and tests. Feed
// values one by one in a defined order: structs with padding must never be hashed as raw memory.
// Not thread-safe.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace vicinity {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  /// Each value counts as one 64-bit word, whatever its width.
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void add(T value) {
    add_word(static_cast<std::uint64_t>(value));
  }
  /// -0 counts as +0.
  void add(double value);

  /// Of everything added so far.
  std::uint64_t digest();

 private:
  struct State;

  void add_word(std::uint64_t word) {
    if (count_ == words_.size()) flush();
    words_[count_++] = word;
  }
  void flush();

  /// Words on their way: a call into the library for each of them costs more than the hashing.
  std::array<std::uint64_t, 128> words_;
  std::size_t count_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace vicinity
