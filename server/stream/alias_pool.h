// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The numbers by which a session names what it sees: small, and given again when they are free, so
// that moves name an entity in 16 bits. Tick thread; one object per session.

#include <cstdint>
#include <vector>

namespace vicinity {

class AliasPool {
 public:
  std::uint32_t take() {
    if (free_.empty()) return next_++;
    const std::uint32_t alias = free_.back();
    free_.pop_back();
    return alias;
  }
  /// The alias means nothing to the client any more, or will not by the time it is given again.
  void give_back(std::uint32_t alias) { free_.push_back(alias); }

  std::size_t size_bytes() const { return free_.capacity() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 0;
};

}  // namespace vicinity
