// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Questions and answers of the read side. Values; any room, and the client library.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "geometry/primitive.h"
#include "query/explain_types.h"
#include "world/filter.h"

namespace vicinity {

// Every question is answered by tight boxes or, with Query::exact, by the shapes themselves (see
// narrow/shape_tests.h for what touching and precision mean, query/exact_search.h for how). Below,
// "shape" means the one or the other. An entity is one hit, whatever its parts: with the smallest
// value of any, and the first part that has it. Without a shape being turned, a box is exactly its
// corners. A mesh is its surface: what lies wholly inside of a closed one does not overlap it, and
// a ray hits triangles, one-sided ones from their front only, flat meshes too.

/// Entities whose shape overlaps the box, strictly. Order: ascending id.
struct BoxQuery {
  Aabb box;
};
/// Entities whose shape is closer to the centre than the radius, strictly. Order: ascending id.
struct SphereQuery {
  Vec3 centre;
  double radius_m = 0;
};
/// Entities whose shape overlaps the given one, strictly. By boxes: whose tight box overlaps the
/// box around it. Sphere, capsule, box or hull (a frustum is a hull). Order: ascending id.
struct OverlapQuery {
  Primitive shape;
  Pose pose;
};
/// Box (a point for a ray) moved along `delta`: entities hit at a fraction t in [0, max_t], the
/// interior only. Inside at the start counts as t = 0; on the surface only when the path goes in.
/// Order: t, then id. `value` of a hit is t in units of delta's length.
struct CastQuery {
  Aabb box;  ///< min == max for a ray
  Vec3 delta;
  double max_t = 1;
};
/// Sphere, capsule or box moved along `delta` without turning; else as CastQuery. By boxes: the box
/// around it is moved. Exact moments, where curved or turned shapes meet others, are those at which
/// they overlap by no more than a millionth of the smaller one's extent: an overlap that stays
/// below that may go unnoticed, and what is passed by all but touching may be a hit.
struct ShapeCastQuery {
  Primitive shape;
  Pose start;
  Vec3 delta;
  double max_t = 1;
};
/// The k entities with the smallest distance from the point to their shape (0 inside), none
/// beyond max_distance_m (inclusive). Order: distance, then id. `value` of a hit is the distance.
/// With Query::after, k counts from the first hit of the first page: pages are cut from the same k
/// hits, so that `complete` on the last page means that all k, or all there are, were given.
struct NearestQuery {
  Vec3 point;
  std::uint32_t k = 1;
  double max_distance_m = -1;  ///< < 0: no limit
};
/// Entities that are in contact with the given one at the end of the tick. Order: ascending id.
struct ContactsQuery {
  EntityId entity;
};

/// Why the two are in contact or not. No hits: QueryAnswer::pair.
struct ExplainPairQuery {
  EntityId a;
  EntityId b;
};
/// Why an observer sees the entity or does not. No hits: QueryAnswer::view. Answered after the
/// tick, from the state of that tick. Other sessions than one's own: for an authority.
struct ExplainViewQuery {
  SessionId session;  ///< 0 = the one that asks
  ObserverId observer;
  EntityId entity;
};

/// Place of a hit in the order of its query.
struct QueryPlace {
  double value = 0;  ///< of the hit; 0 for overlaps
  EntityId id;
};

struct Query {
  std::variant<BoxQuery, SphereQuery, CastQuery, NearestQuery, ContactsQuery, OverlapQuery,
               ShapeCastQuery, ExplainPairQuery, ExplainViewQuery>
      body;
  SearchFilter filter = {};    ///< not used by ContactsQuery
  std::uint32_t limit = 1024;  ///< hits at most, 1..limits::query_hits_max
  bool exact = false;          ///< by shapes instead of tight boxes; not used by ContactsQuery
  /// Only hits that come after this one in the order of the query: the last of the page before. The
  /// pages of one tick fit together; those of different ticks do not. Any place will do, also one
  /// that no hit has. The value must not be a NaN.
  std::optional<QueryPlace> after = {};
};

struct QueryHit {
  EntityId id;
  double value = 0;  ///< fraction or distance, 0 for overlaps
  Vec3 position;
  std::uint64_t user_data = 0;
  /// Exact rays and casts: where the shape is hit, and the surface's unit normal there, against the
  /// movement where it starts inside (`point` is then in the middle of what the two share). Exact
  /// nearest: the closest point of the shape, normal towards the point asked about; at distance 0
  /// the very point, and no normal. Else zero.
  Vec3 point = {};
  Vec3 normal = {};
};

struct QueryAnswer {
  Tick tick = 0;
  IndexVersion index_version = 0;
  /// False: more hits follow behind the `limit` that are given. Or, with fewer than `limit`, more
  /// may follow: an exact query looked at as many shapes, or a contacts query at as many
  /// neighbours, as one may (limits::exact_parts_per_query_max). The hits are the first in order
  /// all the same; there may be none. Behind the last hit of an overlap, or of contacts, the next
  /// page looks further; casts and nearest look at the same shapes again and come no further: ask
  /// for less of the world. Of a view: it rests on a part of the areas and of those nearer.
  bool complete = true;
  std::vector<QueryHit> hits;
  std::optional<PairExplanation> pair = {};  ///< of an ExplainPairQuery
  std::optional<ViewExplanation> view = {};  ///< of an ExplainViewQuery
};

}  // namespace vicinity
