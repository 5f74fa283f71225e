// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A world and questions about it, in short words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "query/query.h"
#include "support/test_world.h"

namespace vicinity::test {

class QueryWorld {
 public:
  explicit QueryWorld(IndexKind kind) : world_(kind) {}

  /// Of the last step, and the contacts as they are now.
  QueryAnswer ask(const Query& query) const {
    PublishedFrame frame;
    frame.tick = world_.tick();
    frame.index_version = world_.index()->version();
    frame.snapshot = world_.snapshot();
    frame.index = world_.index();
    frame.contacts = OpenContacts(contacts_);
    return answer_query(frame, query);
  }

  TestWorld world_;
  std::vector<OpenContact> contacts_;
};

inline std::vector<EntityId> ids_of(const QueryAnswer& answer) {
  std::vector<EntityId> out;
  for (const QueryHit& hit : answer.hits) out.push_back(hit.id);
  return out;
}
inline std::vector<std::pair<EntityId, double>> values_of(const QueryAnswer& answer) {
  std::vector<std::pair<EntityId, double>> out;
  for (const QueryHit& hit : answer.hits) out.emplace_back(hit.id, hit.value);
  return out;
}

inline Query box_query(Vec3 min, Vec3 max) { return {BoxQuery{{min, max}}}; }
inline Query sphere_query(Vec3 centre, double radius_m) { return {SphereQuery{centre, radius_m}}; }
inline Query ray_query(Vec3 origin, Vec3 delta, double max_t) {
  return {CastQuery{{origin, origin}, delta, max_t}};
}
inline Query nearest_query(Vec3 point, std::uint32_t k, double max_distance_m = -1) {
  return {NearestQuery{point, k, max_distance_m}};
}

inline const auto all_index_kinds =
    testing::Values(IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto);

}  // namespace vicinity::test
