// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about the tick loop: the server's TickClock with a faked time, in which ticks cost what the
// case says. No world and no network: what a case asserts of clients is not measured.

#include "cases/special_case.h"

namespace vicinity::cases {

SpecialRunner clock_cases();

}  // namespace vicinity::cases
