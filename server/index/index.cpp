// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/index.h"

#include <utility>

#include "base/check.h"
#include "index/brute_force/brute_force.h"
#include "index/grid/rows.h"

namespace vicinity {

std::string_view to_string(IndexKind kind) {
  switch (kind) {
    case IndexKind::BruteForce: return "brute_force";
    case IndexKind::Rows: return "rows";
  }
  return "unknown";
}

std::shared_ptr<const Index> build_index(const IndexSettings& settings, IndexVersion version,
                                         std::shared_ptr<const Snapshot> snapshot,
                                         std::shared_ptr<const Bounds> bounds, Workers& workers) {
  switch (settings.kind) {
    case IndexKind::BruteForce:
      return std::make_shared<BruteForceIndex>(settings, version, std::move(snapshot),
                                               std::move(bounds));
    case IndexKind::Rows:
      return std::make_shared<RowsIndex>(settings, version, std::move(snapshot), std::move(bounds),
                                         workers);
  }
  check_failed(__FILE__, __LINE__, "known kind of index");
}

}  // namespace vicinity
