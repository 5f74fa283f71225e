// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The settings of the index, from the texts and numbers of the operator. Start-up only.

#include <optional>
#include <string_view>

#include "app/config.h"
#include "index/index.h"

namespace vicinity::app {

/// Nothing when no kind, or no kernel, has this name.
std::optional<IndexKind> index_kind_of(std::string_view name);
std::optional<IndexKernel> index_kernel_of(std::string_view name);

/// Of a config whose values are in range.
IndexSettings index_settings(const Config& config);
/// What Auto comes to on this machine; any other is itself.
IndexKernel kernel_in_use(const Config& config);

}  // namespace vicinity::app
