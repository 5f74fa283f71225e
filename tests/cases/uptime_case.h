// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about a server that has run for long: its tick clock with a faked time, the schedule of its
// periodic job, which is the saving of the world, and the length of a tick.

#include "cases/special_case.h"

namespace vicinity::cases {

SpecialRunner uptime_cases();

}  // namespace vicinity::cases
