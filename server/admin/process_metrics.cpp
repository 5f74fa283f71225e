// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/process_metrics.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "admin/process_memory.h"

namespace vicinity::admin {
namespace {

/// Field of /proc/self/stat, counted from 1 as proc(5) does; of those behind the name.
double stat_field(int number) {
  std::ifstream file("/proc/self/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::size_t at = name_end + 1;
  for (int field = 2; field < number && at != std::string::npos; ++field)
    at = text.find(' ', at + (field > 2 ? 1 : 0));
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at, nullptr);
}

double resident_bytes() {
  return static_cast<double>(read_process_memory().value_or(ProcessMemory{}).resident_bytes);
}

double cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_descriptors() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error))
    ++count;
  return count > 0 ? count - 1 : 0;  // one of them is that of the listing
}

double descriptors_max() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

/// Seconds since 1970, to about 10 ms.
double start_time_s() {
  timespec now{};
  timespec since_boot{};
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  return seconds(now) - seconds(since_boot) + stat_field(22) / ticks_per_s;
}

}  // namespace

void add_process_metrics(MetricRegistry& metrics) {
  const double start_s = start_time_s();
  metrics.add_counter("process_cpu_seconds_total",
                      "Processor time that all threads of the server have used.", cpu_s);
  metrics.add_gauge("process_resident_memory_bytes", "Memory of the server that is in RAM.",
                    resident_bytes);
  metrics.add_gauge("process_virtual_memory_bytes", "Address space of the server.",
                    [] { return stat_field(23); });
  metrics.add_gauge("process_open_fds", "Descriptors that are open.", open_descriptors);
  metrics.add_gauge("process_max_fds", "Descriptors that may be open.", descriptors_max);
  metrics.add_gauge("process_threads", "Threads of the server.", [] { return stat_field(20); });
  metrics.add_gauge("process_start_time_seconds", "When the server started, since 1970.",
                    [start_s] { return start_s; });
}

}  // namespace vicinity::admin
