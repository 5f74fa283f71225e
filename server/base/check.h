// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// CHECK stops the process on a programmer's mistake; it is always on and must be cheap. DCHECK is
// for debug builds and CI. Neither may ever guard against input from the network or a file: bad
// input is a Result, never a stop.

namespace vicinity {

/// Prints file, line and condition (and the seed set by set_check_context, if any) and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);

/// Text printed with every failed check, for example "seed 42". Tests set it; may be null.
/// Not synchronised: set it before starting threads. The text must outlive its use.
void set_check_context(const char* text);

}  // namespace vicinity

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) ::vicinity::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)

#ifdef NDEBUG
#define DCHECK(condition)       \
  do {                          \
    (void)sizeof(!(condition)); \
  } while (false)
#else
#define DCHECK(condition) CHECK(condition)
#endif
