// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <ctime>

#include "base/check.h"
#include "bench/implementation.h"

namespace vicinity::bench {

double StageClock::now_ms() const {
  timespec now = {};
  CHECK(clock_gettime(one_thread_ ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void StageClock::end_stage(std::string_view name) {
  CHECK(count_ < stages_max);
  const double now = now_ms();
  stages_[count_++] = {name, now - mark_ms_};
  mark_ms_ = now;
}

double StageClock::total_ms() const {
  double sum = 0;
  for (std::size_t i = 0; i < count_; ++i) sum += stages_[i].took_ms;
  return sum;
}

}  // namespace vicinity::bench
