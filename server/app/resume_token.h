// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The secret that lets a client go on with its session over another connection: 128 bits from the
// system's random source, in text 32 hexadecimal digits. Who knows it is the session, so it stands
// in no log. Net room; a value.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vicinity::app {

class ResumeToken {
 public:
  /// Throws std::system_error when the system has no randomness to give.
  static ResumeToken random();
  /// Nothing unless the text is exactly 32 digits from 0 to 9 and a to f.
  static std::optional<ResumeToken> parse(std::string_view text);

  std::string text() const;
  /// In a time that does not depend on the bytes.
  bool same_as(const ResumeToken& other) const;
  /// A place in a table that nobody can foresee who does not know `key`: looking a guess up tells
  /// nothing about the tokens beside it.
  std::uint64_t place(std::uint64_t key) const;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

/// 64 bits from the same source.
std::uint64_t random_key();

}  // namespace vicinity::app
