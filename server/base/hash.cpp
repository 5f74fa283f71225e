// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/hash.h"

#include <xxhash.h>

#include "base/check.h"

namespace vicinity {

std::uint64_t hash_words(std::span<const std::uint64_t> words) {
  return XXH3_64bits(words.data(), words.size_bytes());
}

std::uint64_t hash_bytes(std::span<const std::uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct ContentHash::State {
  XXH3_state_t* xxh = nullptr;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  state_->xxh = XXH3_createState();
  CHECK(state_->xxh != nullptr);
  CHECK(XXH3_64bits_reset(state_->xxh) == XXH_OK);
}

ContentHash::~ContentHash() { XXH3_freeState(state_->xxh); }

void ContentHash::flush() {
  const std::size_t size_bytes = count_ * sizeof(std::uint64_t);
  CHECK(XXH3_64bits_update(state_->xxh, words_.data(), size_bytes) == XXH_OK);
  count_ = 0;
}

std::uint64_t ContentHash::digest() {
  flush();
  return XXH3_64bits_digest(state_->xxh);
}

}  // namespace vicinity
