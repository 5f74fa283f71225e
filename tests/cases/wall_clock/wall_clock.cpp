// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A library for LD_PRELOAD that shifts the time of day of a program by as many seconds as a file
// says (8 bytes, named by WALL_CLOCK_OFFSET_FILE, mapped: it may change at any time). Clocks that
// nobody can set are left alone. What the system is given as a moment of the time of day, such as
// the end of a timed wait, is not shifted: who waits by that clock waits for the whole jump.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const volatile std::int64_t* map_offset() {
  static const std::int64_t none = 0;
  const char* name = std::getenv("WALL_CLOCK_OFFSET_FILE");
  if (name == nullptr) return &none;
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* at = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return at == MAP_FAILED ? &none : static_cast<const volatile std::int64_t*>(at);
}

std::int64_t offset_s() {
  static const volatile std::int64_t* const offset = map_offset();
  return *offset;
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, out);
  if (result == 0 && is_wall_clock(clock)) out->tv_sec += offset_s();
  return static_cast<int>(result);
}

extern "C" int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
