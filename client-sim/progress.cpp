// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace vicinity::sim {

std::string format_progress(const Progress& progress) {
  std::string line = fmt::format("{:4.0f} s  {:<10} bots {}/{}", progress.elapsed_s, progress.phase,
                                 progress.bots_joined, progress.bots);
  if (progress.bots_lost > 0) line += fmt::format(" ({} lost)", progress.bots_lost);
  line += fmt::format("  tick {}  entities {}  views checked {}, wrong {}", progress.tick,
                      progress.entities, progress.check.checked_views, progress.check.wrong_views);
  if (progress.check.unchecked_views > 0)
    line += fmt::format(", unchecked {}", progress.check.unchecked_views);
  line += fmt::format("  rx {:.0f} kbit/s", progress.kbit_per_s);
  if (progress.evictions > 0) line += fmt::format("  evictions {}", progress.evictions);
  if (progress.update_age_p99_ms)
    line += fmt::format("  age p99 {:.1f} ms", *progress.update_age_p99_ms);
  return line;
}

ProgressPrinter::ProgressPrinter(std::FILE* stream)
    : stream_(stream), is_terminal_(isatty(fileno(stream)) == 1) {}

ProgressPrinter::~ProgressPrinter() {
  if (line_open_) std::fputc('\n', stream_);
}

void ProgressPrinter::print(const Progress& progress) {
  const std::string line = format_progress(progress);
  if (is_terminal_) {
    // Back to the start of the line, and erase what an older, longer one left behind.
    fmt::print(stream_, "\r{}\x1b[K", line);
    line_open_ = true;
  } else {
    fmt::print(stream_, "{}\n", line);
  }
  std::fflush(stream_);
}

}  // namespace vicinity::sim
