// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Small pieces of the command line's texts: parts between separators, numbers, numbers with units.
// Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace vicinity::sim {

/// Without spaces, tabs and line ends at both ends.
std::string_view trim(std::string_view text);
/// Trimmed parts; at least one, which may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);
/// A finite number that is all of the (trimmed) text.
std::optional<double> parse_number(std::string_view text);
/// Like parse_number, a whole number without sign.
std::optional<std::uint64_t> parse_whole(std::string_view text);
/// "80ms", "2s", "1m", with fractions; microseconds. At most a day.
std::optional<std::int64_t> parse_time_us(std::string_view text);

}  // namespace vicinity::sim
