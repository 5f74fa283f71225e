// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Questions and answers of the read side. Values; any room, and the client library.

#include <cstdint>
#include <variant>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "world/filter.h"

namespace vicinity {

/// Entities whose tight box overlaps the box, strictly. Order: ascending id.
struct BoxQuery {
  Aabb box;
};
/// Entities whose tight box is closer to the centre than the radius, strictly. Order: ascending id.
struct SphereQuery {
  Vec3 centre;
  double radius_m = 0;
};
/// Box (a point for a ray) moved along `delta`: entities hit at a fraction t in [0, max_t], the
/// interior only. Inside at the start counts as t = 0; on the surface only when the path goes in.
/// Order: t, then id. `value` of a hit is t in units of delta's length.
struct CastQuery {
  Aabb box;  ///< min == max for a ray
  Vec3 delta;
  double max_t = 1;
};
/// The k entities with the smallest distance from the point to their tight box (0 inside), none
/// beyond max_distance_m (inclusive). Order: distance, then id. `value` of a hit is the distance.
struct NearestQuery {
  Vec3 point;
  std::uint32_t k = 1;
  double max_distance_m = 0;  ///< < 0: no limit
};
/// Entities that are in contact with the given one at the end of the tick. Order: ascending id.
struct ContactsQuery {
  EntityId entity;
};

struct Query {
  std::variant<BoxQuery, SphereQuery, CastQuery, NearestQuery, ContactsQuery> body;
  SearchFilter filter;         ///< not used by ContactsQuery
  std::uint32_t limit = 1024;  ///< hits at most, 1..limits::query_hits_max
};

struct QueryHit {
  EntityId id;
  double value = 0;  ///< fraction or distance, 0 for overlaps
  Vec3 position;
  std::uint64_t user_data = 0;
};

struct QueryAnswer {
  Tick tick = 0;
  IndexVersion index_version = 0;
  bool complete = true;  ///< false: more than `limit` hits; the first in order are kept
  std::vector<QueryHit> hits;
};

}  // namespace vicinity
