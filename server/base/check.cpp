// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace vicinity {
namespace {
const char* check_context = nullptr;
}  // namespace

void set_check_context(const char* text) { check_context = text; }

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s%s%s\n", file, line, condition,
               check_context != nullptr ? " | " : "",
               check_context != nullptr ? check_context : "");
  std::fflush(stderr);
  std::abort();
}

}  // namespace vicinity
