// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Parts of server frames as JSON, for tests that write what no encoder of the project would.

#include <cstdint>
#include <string>

namespace vicinity::client {

/// An EntityState at (x, 0, 0) with the velocity (1, 2, 3) and the user data 100 + id.
inline std::string entity_json(int id, int observer, std::uint32_t alias,
                               const std::string& x = "0") {
  const std::string zero = "{x: 0, y: 0, z: 0}";
  return "{id: " + std::to_string(id) + ", user_data: " + std::to_string(100 + id) +
         ", position: {x: " + x + ", y: 0, z: 0}, velocity: {x: 1, y: 2, z: 3}, rotation: " +
         "{x: 0, y: 0, z: 0, w: 1}, angular_velocity: " + zero + ", local_min: " + zero +
         ", local_max: " + zero + ", observer: " + std::to_string(observer) +
         ", category: 1, mask: 1, group: 0, instance: 0, shape_kind: 0, sensor: false, " +
         "is_static: false, alias: " + std::to_string(alias) + "}";
}

}  // namespace vicinity::client
