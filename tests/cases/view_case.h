// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about the model that a client keeps from its stream: which entities it knows. The client
// sees the whole world; in a random run a second observer of it sees a part, so that entities come
// and go. In the stream's order nothing unknown may be updated or left, and nothing known entered.

#include "cases/special_case.h"
#include "cases/world.h"

namespace vicinity::cases {

SpecialRunner view_cases(WorldFactory make_world);

}  // namespace vicinity::cases
