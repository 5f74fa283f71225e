// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Progress for people: one line that is rewritten on a terminal, one line per second elsewhere.

#include <cstdio>
#include <string>

#include "client-sim/swarm.h"

namespace vicinity::sim {

std::string format_progress(const Progress& progress);

class ProgressPrinter {
 public:
  /// `stream` must outlive the printer.
  explicit ProgressPrinter(std::FILE* stream);
  /// Ends a line that is being rewritten.
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void print(const Progress& progress);

 private:
  std::FILE* stream_;
  bool is_terminal_;
  bool line_open_ = false;
};

}  // namespace vicinity::sim
