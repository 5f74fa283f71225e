// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/net_loop.h"

#include <algorithm>
#include <utility>

#include "base/activity.h"
#include "net/connection_core.h"

namespace vicinity::net {

NetLoop::~NetLoop() = default;

void NetLoop::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    inbox_tasks_.push_back(std::move(task));
    if (std::exchange(wake_pending_, true)) return;
  }
  wake();
}

void NetLoop::send_at(TimePoint due, std::shared_ptr<ConnectionCore> connection) {
  {
    const std::lock_guard lock(mutex_);
    inbox_due_.push_back({due, std::move(connection)});
    if (due >= wakes_at_ || std::exchange(wake_pending_, true)) return;
  }
  wake();
}

NetLoop::Alarms::iterator NetLoop::set_alarm(TimePoint when, Task task) {
  const auto alarm = alarms_.emplace(when, std::move(task));
  {
    const std::lock_guard lock(mutex_);
    if (when >= wakes_at_ || std::exchange(wake_pending_, true)) return alarm;
  }
  wake();
  return alarm;
}

void NetLoop::take_inbox() {
  for (DueFrame& frame : inbox_due_) {
    due_.push_back(std::move(frame));
    std::push_heap(due_.begin(), due_.end(), later);
  }
  inbox_due_.clear();
}

NetLoop::TimePoint NetLoop::run_turn() {
  {
    const std::lock_guard lock(mutex_);
    wake_pending_ = false;
    wakes_at_ = TimePoint::min();
    tasks_.swap(inbox_tasks_);
    take_inbox();
  }
  for (const Task& task : tasks_) {
    const Activity activity("task");
    task();
  }
  tasks_.clear();
  run_due(Clock::now());

  const std::lock_guard lock(mutex_);
  take_inbox();
  wakes_at_ = TimePoint::max();
  if (!due_.empty()) wakes_at_ = due_.front().due;
  if (!alarms_.empty()) wakes_at_ = std::min(wakes_at_, alarms_.begin()->first);
  return inbox_tasks_.empty() ? wakes_at_ : TimePoint::min();
}

void NetLoop::run_due(TimePoint now) {
  while (!due_.empty() && due_.front().due <= now) {
    std::pop_heap(due_.begin(), due_.end(), later);
    const auto connection = std::move(due_.back().connection);
    due_.pop_back();
    const Activity activity("send");
    connection->send_due_frame(now);
  }
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    const Task task = std::move(alarms_.begin()->second);
    alarms_.erase(alarms_.begin());
    task();
  }
}

}  // namespace vicinity::net
