// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a long run is doing, on standard error. Main thread only.

#include <string>

namespace vicinity::bench {

/// Becomes the beginning of every line.
void set_progress_context(const std::string& context);
/// Says what is done now, unless less than a second has passed since anything was said.
void progress(const std::string& step);

}  // namespace vicinity::bench
