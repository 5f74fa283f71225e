// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why an observer sees an entity, or which stage keeps it from it. Views live in the tick room, so
// it is asked there, between two ticks, by whoever runs them (app/view_questions.h).

#include <cstddef>

#include "interest/interest.h"
#include "query/explain_types.h"
#include "query/query_types.h"
#include "world/snapshot.h"

namespace vicinity {

/// What explanations looked at: parts of entities, each time that one was held against an area, and
/// triangles of their meshes.
struct ViewLooks {
  std::size_t count = 0;  ///< of all explanations
  bool ran_out = false;   ///< the last one would have needed more
};

/// Tick thread, between two ticks; `snapshot` is of the last one. query.session names a session. Of
/// what the client was told, ViewExplanation::told, nothing is known here, nor ViewStage::Budget.
/// An entity that is in view already is judged as one that stays, any other as one that would come
/// in. Cost: the exact test against each area of the observer, at most
/// limits::areas_per_observer_max, and for areas with a nearest_max that of the entities in view;
/// until limits::explain_nearest_looks_max looks were taken, the last of them as a whole. When they
/// run out, the verdict rests on the areas that it has, and on those nearer that were counted:
/// `looks` says so, and grows, unless it is null.
ViewExplanation explain_view(const Interest& interest, const Snapshot& snapshot,
                             const ExplainViewQuery& query, ViewLooks* looks = nullptr);

}  // namespace vicinity
