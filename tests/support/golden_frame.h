// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The committed frames of tests/golden, for tests of both ends of the wire.

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace vicinity::test {

/// The body of a frame, by its path without the ending: "v3/client_hello". A failure of the test
/// when there is none.
inline std::vector<std::uint8_t> golden_frame(const std::string& name) {
  std::ifstream file(std::string(VICINITY_SOURCE_DIR) + "/tests/golden/" + name + ".bin",
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace vicinity::test
