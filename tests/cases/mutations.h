// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Valid messages of every kind, and what bytes on the way could make of them. Deterministic: the
// same generator gives the same messages.

#include <cstdint>
#include <vector>

#include "base/prng.h"

namespace vicinity::cases {

struct Mutation {
  std::vector<std::uint8_t> frame;  ///< the length prefix is right
  bool is_hello = false;            ///< belongs at the start of a connection
};

/// `next_sequence`: of the session that sends it; moves on by the commands in the message.
Mutation make_mutation(Prng& random, std::uint64_t& next_sequence);

}  // namespace vicinity::cases
