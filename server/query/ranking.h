// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The first hits of a query in the order of (value, id), behind the place where the last page
// ended. Memory is that of one page, however many are offered. Any room.
//
//      order      0.5  1.0  1.0  2.5  3.0  4.2  7.0  9.9 ...
//                        after ▲ └── limit ──┘  ▲         ▲
//                                        shows that more follow   k: nothing beyond counts
//                  └────── passed ──┘

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "query/query_types.h"
#include "query/surface.h"

namespace vicinity {

/// Order of hits: value, then id. Never a NaN.
bool comes_before(const QueryPlace& a, const QueryPlace& b);

struct RankedHit {
  Surface surface;
  EntityId id;
  QueryPlace place() const { return {surface.value, id}; }
};

class Ranking {
 public:
  /// `count_max`: of all pages together.
  Ranking(std::size_t limit, const std::optional<QueryPlace>& after, std::size_t count_max);

  /// Each entity at most once.
  void offer(const RankedHit& hit);
  /// Whether a hit whose value is at least `bound` could still change the answer. Once false for
  /// a bound, it stays so.
  bool may_take(double bound) const;

  /// Sorted, at most `limit`. Ends the ranking. With `unknown_from` not all were offered whose
  /// value is at least that: only what comes before is given, and more may follow.
  std::span<const RankedHit> finish(std::optional<double> unknown_from = {});
  /// After finish(): nothing follows on a later page.
  bool is_complete() const { return is_complete_; }

 private:
  /// One more than the limit shows that there are more. Hits of the pages before count for
  /// count_max, not for the limit; all of them were offered before anything behind them is final.
  std::size_t capacity() const;
  void drop_last();

  std::size_t limit_;
  std::optional<QueryPlace> after_;
  std::size_t count_max_;
  std::size_t passed_ = 0;       ///< hits of the pages before
  std::vector<RankedHit> kept_;  ///< heap, the last in order in front
  bool is_complete_ = true;
};

}  // namespace vicinity
