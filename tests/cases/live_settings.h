// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// How the server of a case that runs in real time is started, and how fast its time runs.

#include "cases/case_file.h"
#include "index/index.h"
#include "support/server_process.h"

namespace vicinity::cases {

struct LiveSettings {
  double speed = 1;  ///< times of the case are divided by it
  double tick_hz = 0;
  int places = 0;  ///< sessions at the same time; 0 = the server's default
  test::Arguments arguments;
};

LiveSettings live_settings(const Case& script, IndexKind kind);

}  // namespace vicinity::cases
