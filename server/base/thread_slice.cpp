// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/thread_slice.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace vicinity {
namespace {

/// The kernel's sched_attr, first version; the headers of older systems do not have it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

/// The least that the kernel takes.
constexpr std::uint64_t slice_ns = 100'000;

}  // namespace

bool ask_for_short_slices() {
  if (sched_getscheduler(0) != SCHED_OTHER) return false;  // somebody has decided otherwise
  SchedulingAttributes wanted;
  wanted.nice = getpriority(PRIO_PROCESS, 0);
  wanted.runtime_ns = slice_ns;
  return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}

}  // namespace vicinity
