// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where an index has an entity registered, for those who ask why two of them are a candidate pair
// or none. Plain values; any room, and the client library.

#include <cstdint>

#include "base/aabb.h"
#include "base/ids.h"

namespace vicinity {

enum class IndexPartition : std::uint8_t {
  None = 0,  ///< registered nowhere
  Moving = 1,
  Resting = 2,
  Static = 3,
};

/// Where one view has one entity.
struct IndexPlace {
  IndexPartition partition = IndexPartition::None;
  /// Number of the run that holds it; 0 = among the moving. Invariant: 0 unless Resting or Static.
  std::uint32_t run = 0;
  std::uint32_t level = 0;        ///< 0 = the finest; level_count = the list
  std::uint32_t level_count = 0;  ///< of the moving, or of the run
  Aabb32 box;                     ///< as it was registered; the swept bound of that tick

  // Double registration: the entity is, or was, in a run as well, which other versions read.
  /// The first version that does not see it in `run` (it is about to move, and this view reads the
  /// old place) or in `other_run` (this view reads the new place). 0 = it is in one place only.
  IndexVersion until = 0;
  std::uint32_t other_run = 0;  ///< 0 = none

  bool is_registered() const { return partition != IndexPartition::None; }
  bool is_in_transition() const { return until != 0; }
};

/// The rows and cells in which two entities are looked for. One axis is along, two are across.
struct IndexGrid {
  int along_axis = 0;  ///< 0 = x, 1 = y, 2 = z
  int across_axis[2] = {1, 2};
  double origin_m[3] = {};     ///< lower face of cell 0 along and of rows 0 across: in this order
  double per_m[3] = {};        ///< cells along and rows across per metre; 0 = a single one
  std::uint32_t wrap[2] = {};  ///< rows so far apart share a place in the table; 0 = none do
};

/// What a box reaches into.
struct IndexSpan {
  std::int32_t cell_first = 0;
  std::int32_t cell_last = 0;
  std::int32_t row_first[2] = {};  ///< by IndexGrid::across_axis
  std::int32_t row_last[2] = {};
};

/// Two entities as one view has them.
struct IndexPlaces {
  IndexPlace a;
  IndexPlace b;
  IndexGrid grid;  ///< in which the search for pairs compares the two
  IndexSpan span_a;
  IndexSpan span_b;
  /// Whether they have a row and a cell in common. Two without overlap in no bound. False when one
  /// of them is registered nowhere.
  bool share_cell = false;
};

}  // namespace vicinity
