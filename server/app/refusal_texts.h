// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why a client is refused something for the sake of the others, in words for who wrote it.

#include <string_view>

namespace vicinity::app {

inline constexpr std::string_view overloaded = "the server is overloaded; try again in a moment";
inline constexpr std::string_view too_fast = "above the rate of the session; send less";
inline constexpr std::string_view short_of_memory =
    "the server is short of memory; try again in a while";
inline constexpr std::string_view unread = "answers wait unread; read them before you ask more";
inline constexpr std::string_view crowded_out =
    "the queries of all sessions together take too long; try again in a moment";

}  // namespace vicinity::app
