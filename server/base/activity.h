// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What threads do at the moment, for whoever traces the process. Any thread of any room; knows no
// clock: the probe has one, and without a probe nothing is measured.
//
//      {
//        const Activity activity("encode");   one load of a pointer while nobody traces
//        ...
//      }

#include <atomic>
#include <cstdint>

namespace vicinity {

/// Told by all threads, at the same time. Must neither block nor throw.
class ActivityProbe {
 public:
  virtual ~ActivityProbe() = default;
  /// Returns what end() is given: the moment, by the clock of the probe.
  virtual std::uint64_t begin() noexcept = 0;
  /// `name` lives as long as the process.
  virtual void end(const char* name, std::uint64_t began) noexcept = 0;
};

/// The one probe of the process; null: none. Whoever sets it keeps it alive until no thread that
/// may have seen it runs any more. It sees work of all worlds and sockets in the process; what they
/// compute never depends on it.
inline std::atomic<ActivityProbe*> activity_probe{nullptr};

/// From construction to destruction, on one thread.
class Activity {
 public:
  explicit Activity(const char* name) noexcept
      : probe_(activity_probe.load(std::memory_order_acquire)), name_(name) {
    if (probe_ != nullptr) began_ = probe_->begin();
  }
  ~Activity() {
    if (probe_ != nullptr) probe_->end(name_, began_);
  }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  ActivityProbe* const probe_;
  const char* const name_;
  std::uint64_t began_ = 0;
};

}  // namespace vicinity
