// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a token holds a session to. Values only.

#include <cstdint>
#include <optional>

namespace vicinity::access {

/// What a session is held to, whatever its role. Absent: as the server's settings and limits say.
struct Caps {
  std::optional<std::uint32_t> areas_max = {};    ///< areas at the same time, of all observers
  std::optional<double> area_radius_max_m = {};   ///< how far an area reaches from its position
  std::optional<std::uint32_t> bytes_per_s = {};  ///< of frames, at least 1
  std::uint32_t categories = 0xFFFF'FFFFu;        ///< that it may give its entities, and see
  std::optional<std::int32_t> group = {};         ///< the collision group of all its entities
  friend bool operator==(const Caps&, const Caps&) = default;
};

}  // namespace vicinity::access
