// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <pthread.h>

namespace vicinity {

/// Names the present thread for debuggers, `top -H` and traces; at most 15 characters. Threads that
/// it starts inherit the name.
inline void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace vicinity
