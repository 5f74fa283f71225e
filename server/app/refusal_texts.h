// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why a client is refused something for the sake of the others, in words for who wrote it.

#include <string_view>

namespace vicinity::app {

inline constexpr std::string_view overloaded = "the server is overloaded; try again in a moment";
inline constexpr std::string_view too_fast = "above the rate of the session; send less";
inline constexpr std::string_view crowded_out =
    "the queries of all sessions together take too long; try again in a moment";

}  // namespace vicinity::app
