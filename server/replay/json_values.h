// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Commands as JSON, for people and programs that look into a journal. Nothing reads it back.

#include <nlohmann/json.hpp>

#include "world/command.h"

namespace vicinity::replay {

/// {"session":1,"sequence":2,"kind":"spawn","values":[...]}: the values are those of
/// world/archive_command.h, in their order, structs and lists as arrays, what is absent as null.
nlohmann::json to_json(const Command& command);

}  // namespace vicinity::replay
