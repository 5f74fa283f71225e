// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/index_settings.h"

#include "base/check.h"

namespace vicinity::app {

std::optional<IndexKind> index_kind_of(std::string_view name) {
  for (const IndexKind kind :
       {IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto})
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

std::optional<IndexKernel> index_kernel_of(std::string_view name) {
  for (const IndexKernel kernel :
       {IndexKernel::Auto, IndexKernel::Scalar, IndexKernel::Avx2, IndexKernel::Avx512})
    if (to_string(kernel) == name) return kernel;
  return std::nullopt;
}

IndexSettings index_settings(const Config& config) {
  const std::optional<IndexKind> kind = index_kind_of(config.index);
  const std::optional<IndexKernel> kernel = index_kernel_of(config.index_kernel);
  CHECK(kind.has_value());
  CHECK(kernel.has_value());
  IndexSettings settings;
  settings.kind = *kind;
  settings.kernel = *kernel;
  settings.row_size_m = config.row_size_m;
  settings.candidate_pairs_max = config.candidate_pairs_max;
  settings.rest_after_ticks = static_cast<std::uint32_t>(config.rest_after_ticks);
  settings.demote_after_ticks = static_cast<std::uint32_t>(config.demote_after_ticks);
  return settings;
}

IndexKernel kernel_in_use(const Config& config) {
  const IndexKernel wanted = index_settings(config).kernel;
  if (wanted != IndexKernel::Auto) return wanted;
  for (const IndexKernel widest : {IndexKernel::Avx512, IndexKernel::Avx2})
    if (is_supported(widest)) return widest;
  return IndexKernel::Scalar;
}

}  // namespace vicinity::app
