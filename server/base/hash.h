// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Streaming 64-bit content hash (XXH3, from the xxHash library) for tick results and tests. Feed
// values one by one in a defined order: structs with padding must never be hashed as raw memory.
// Not thread-safe.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace vicinity {

/// The word that a value counts as. -0 counts as +0: adding +0 turns the one into the other and
/// leaves every other value alone.
inline std::uint64_t hash_word(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

/// Hash of a few words at once.
std::uint64_t hash_words(std::span<const std::uint64_t> words);
/// Hash of bytes: XXH3 with 64 bits, as other programs compute it.
std::uint64_t hash_bytes(std::span<const std::uint8_t> bytes);

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
  void add(double value) { add_word(hash_word(value)); }

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
