// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The head of a saved world: its format, and the settings that decide what comes of it. Tick
// thread.

#include <cstdint>
#include <string>

#include "base/archive.h"
#include "tick/simulation.h"

namespace vicinity {

/// Grows when the bytes of a saved world change. Others are refused.
inline constexpr std::uint32_t saved_world_format = 1;
/// Stands behind the last part.
inline constexpr std::uint32_t saved_world_end = 0x444E'4556u;

void save_settings(const SimulationSettings& settings, ArchiveWriter& out);
/// Reads the head. Empty when the world was saved under these settings; else names the setting.
std::string fault_of_saved_settings(const SimulationSettings& settings, ArchiveReader& in);

}  // namespace vicinity
