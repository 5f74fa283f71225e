// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Streaming 64-bit content hash (XXH3, from the xxHash library) for tick results and tests. Feed
// values one by one in a defined order: structs with padding must never be hashed as raw memory.

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

  void add_bytes(const void* data, std::size_t size_bytes);

  /// Integers and enums only. Doubles go through add_double, so that -0 and +0 agree.
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void add(T value) {
    const auto wide = static_cast<std::uint64_t>(value);
    add_bytes(&wide, sizeof wide);
  }
  void add_double(double value);

  std::uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vicinity
