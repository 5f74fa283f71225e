// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/garbage.h"

#include <algorithm>
#include <array>

namespace vicinity::sim {
namespace {

constexpr std::uint64_t body_bytes_max = 512;

void put_length(std::uint32_t length, std::vector<std::uint8_t>& out) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<std::uint8_t>(length >> shift));
}

void put_noise(std::uint64_t count, Prng& prng, std::vector<std::uint8_t>& out) {
  for (std::uint64_t i = 0; i < count; ++i)
    out.push_back(static_cast<std::uint8_t>(prng.below(256)));
}

}  // namespace

std::vector<std::uint8_t> make_garbage(Garbage kind, Prng& prng) {
  std::vector<std::uint8_t> out;
  const auto length = static_cast<std::uint32_t>(16 + prng.below(body_bytes_max - 16));
  switch (kind) {
    case Garbage::RandomBody:
      put_length(length, out);
      put_noise(length, prng, out);
      break;
    case Garbage::BrokenTable: {
      put_length(length, out);
      put_noise(length, prng, out);
      constexpr std::array<std::uint8_t, 4> identifier = {'V', 'C', 'C', '1'};
      std::copy(identifier.begin(), identifier.end(), out.begin() + 8);
      break;
    }
    case Garbage::Oversize:
      put_length(0x7FFF'0000u + static_cast<std::uint32_t>(prng.below(0xFFFF)), out);
      put_noise(length, prng, out);
      break;
    case Garbage::ZeroLength: put_length(0, out); break;
    case Garbage::Truncated:
      put_length(length, out);
      put_noise(prng.below(length), prng, out);
      break;
  }
  return out;
}

}  // namespace vicinity::sim
