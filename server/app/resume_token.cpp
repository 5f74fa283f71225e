// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/resume_token.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/hash.h"

namespace vicinity::app {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

void fill_with_randomness(void* bytes, std::size_t size_bytes) {
  if (getentropy(bytes, size_bytes) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
}

}  // namespace

ResumeToken ResumeToken::random() {
  ResumeToken token;
  fill_with_randomness(token.bytes_.data(), token.bytes_.size());
  return token;
}

std::optional<ResumeToken> ResumeToken::parse(std::string_view text) {
  ResumeToken token;
  if (text.size() != 2 * token.bytes_.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = digits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    std::uint8_t& byte = token.bytes_[i / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
  }
  return token;
}

std::string ResumeToken::text() const {
  std::string text;
  for (const std::uint8_t byte : bytes_) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool ResumeToken::same_as(const ResumeToken& other) const {
  volatile std::uint8_t difference = 0;  // volatile: the loop must not end early
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    difference = static_cast<std::uint8_t>(difference | (bytes_[i] ^ other.bytes_[i]));
  return difference == 0;
}

std::uint64_t ResumeToken::place(std::uint64_t key) const {
  std::array<std::uint64_t, 3> words{key};
  static_assert(sizeof words == sizeof key + sizeof bytes_);
  std::memcpy(&words[1], bytes_.data(), bytes_.size());
  return hash_words(words);
}

std::uint64_t random_key() {
  std::uint64_t key = 0;
  fill_with_randomness(&key, sizeof key);
  return key;
}

}  // namespace vicinity::app
