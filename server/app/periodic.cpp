// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/periodic.h"

#include <utility>

#include "base/check.h"

namespace vicinity::app {

void Periodic::start(std::chrono::milliseconds interval, std::function<void()> task) {
  CHECK(!thread_.joinable());
  thread_ = std::thread([this, interval, run = std::move(task)] {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return stopping_; })) {
      lock.unlock();
      run();
      lock.lock();
    }
  });
}

void Periodic::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace vicinity::app
