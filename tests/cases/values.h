// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Script values -> values of the server, without loss. Numbers may be written as "NaN", "+Inf",
// "-Inf" and "-0.0"; they go to the server as they are, which has to refuse the bad ones itself.

#include <cstdint>
#include <optional>

#include "base/aabb.h"
#include "base/error.h"
#include "cases/case_file.h"
#include "geometry/shape.h"

namespace vicinity::cases {

/// Throws ScriptError when it is neither a number nor one of the special names.
double number(const Json& value);
Vec3 vector3(const Json& value);
/// Corners "min" and "max", in any order and of any value.
Aabb corners(const Json& fields);

/// A whole number within the type; nothing when the type cannot express it.
std::optional<std::uint32_t> unsigned32(const Json& value);
/// A bit word: the same, or "all".
std::optional<std::uint32_t> bit_word(const Json& value);

/// An entity whose tight box has exactly the given corners: position + local corner == corner, bit
/// for bit, on every axis. The position lies at the corner nearest to zero (at zero when the box
/// contains it), so that a move of the box is a move of the entity. Corners that are no box (NaN,
/// infinite or inverted on an axis) are kept as local corners at position 0.
struct Placement {
  Vec3 position;
  Shape shape;
};
Placement place_box(const Aabb& box);

/// The name that case files use for a refusal.
std::string error_name(ErrorCode code);

}  // namespace vicinity::cases
