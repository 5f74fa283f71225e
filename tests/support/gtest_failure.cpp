// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A defect that a sanitizer found in a child is a failure of the test that started it.

#include <gtest/gtest.h>

#include "support/server_process.h"

namespace vicinity::test {

void report_defects(const std::string& text) { ADD_FAILURE() << text; }

}  // namespace vicinity::test
