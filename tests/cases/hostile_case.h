// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about well-framed bytes with wrong contents: absent fields, unknown kinds, and mutations of
// every valid message, against a real server in manual tick mode. Over TCP only.

#include "cases/special_case.h"
#include "index/index.h"

namespace vicinity::cases {

SpecialRunner hostile_cases(IndexKind kind, std::string server_path);

}  // namespace vicinity::cases
