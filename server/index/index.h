// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The contract of a spatial index. The tick room builds one per tick; from then on it is frozen and
// may be read by any number of threads (queries pin it through a shared_ptr) until the last reader
// lets go. `brute_force` is the reference: every other index must report exactly the same sets.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "world/snapshot.h"

namespace vicinity {

enum class IndexKind : std::uint8_t { BruteForce = 0, Rows = 1 };
std::string_view to_string(IndexKind kind);  ///< "brute_force", "rows"

/// Two snapshot rows, a < b, hence in canonical order of their slots.
struct RowPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend constexpr auto operator<=>(const RowPair&, const RowPair&) = default;
};

/// Candidate pairs as the blocks of the search found them: each pair once, in no useful order.
struct CandidatePairs {
  BlockBuffers<RowPair> blocks;
  bool truncated = false;  ///< the pair budget was reached; a deterministic subset was kept, which
                           ///< may be another one with another kind of index
};

struct IndexSettings {
  IndexKind kind = IndexKind::Rows;
  /// Side of a row across, metres; 0 = chosen from a sample of the bounds.
  double row_size_m = 0;
  /// Rows per block of a parallel loop. Results do not depend on it; tests make it tiny.
  std::uint32_t block_size = 256;
  std::uint64_t candidate_pairs_max = limits::candidate_pairs_default;
};

struct IndexStats {
  std::uint64_t registrations = 0;  ///< records in all rows
  std::uint64_t occupied_rows = 0;
  std::uint64_t huge_entities = 0;  ///< kept in the separate list
  double row_size_m = 0;
  int along_axis = 0;  ///< 0 = x, 1 = y, 2 = z: the axis that is swept
};

class Index {
 public:
  virtual ~Index() = default;

  virtual IndexKind kind() const = 0;
  virtual IndexVersion version() const = 0;

  /// Tick room. Every pair of rows whose bounds overlap (strictly) and whose filters accept each
  /// other, each exactly once; nothing else. The set is the same for every kind of index and any
  /// number of workers, unless `truncated`.
  virtual void find_pairs(Workers& workers, CandidatePairs& out) const = 0;

  /// Any thread. Appends every row whose bound touches `box` (closed test: a shared face counts),
  /// each exactly once, ascending. Callers do the exact test. Filters are not looked at.
  virtual void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& rows) const = 0;

  virtual IndexStats stats() const = 0;
};

/// Tick room. Builds the index of one tick from frozen inputs, which it keeps alive.
std::shared_ptr<const Index> build_index(const IndexSettings& settings, IndexVersion version,
                                         std::shared_ptr<const Snapshot> snapshot,
                                         std::shared_ptr<const Bounds> bounds, Workers& workers);

}  // namespace vicinity
