// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/index.h"

#include "base/check.h"
#include "index/brute_force/brute_force.h"
#include "index/rows/rows_index.h"

namespace vicinity {

std::string_view to_string(IndexKind kind) {
  switch (kind) {
    case IndexKind::BruteForce: return "brute_force";
    case IndexKind::Rows: return "rows";
    case IndexKind::Sweep: return "sweep";
    case IndexKind::Auto: return "auto";
  }
  return "unknown";
}

std::string_view to_string(IndexKernel kernel) {
  switch (kernel) {
    case IndexKernel::Auto: return "auto";
    case IndexKernel::Scalar: return "scalar";
    case IndexKernel::Avx2: return "avx2";
    case IndexKernel::Avx512: return "avx512";
  }
  return "unknown";
}

std::string_view to_string(PlanReason reason) {
  switch (reason) {
    case PlanReason::Forced: return "forced";
    case PlanReason::Empty: return "empty";
    case PlanReason::FewEntities: return "few_entities";
    case PlanReason::CheaperAsRows: return "cheaper_as_rows";
    case PlanReason::CheaperAsSweep: return "cheaper_as_sweep";
    case PlanReason::Hysteresis: return "hysteresis";
  }
  return "unknown";
}

std::unique_ptr<Index> make_index(const IndexSettings& settings) {
  CHECK(settings.block_size > 0);
  if (settings.kind == IndexKind::BruteForce) return std::make_unique<BruteForceIndex>(settings);
  return std::make_unique<RowsIndex>(settings);
}

}  // namespace vicinity
