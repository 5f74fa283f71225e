// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What one net thread has to do besides moving bytes: tasks from other threads, frames that are due
// and alarms. Both engines drive it: they wait for sockets until the moment that run_turn() names,
// or until wake(). Net room.
//
//   any thread:  post(task), send_at(due, connection) ──► inbox (lock) ──► wake(), when it matters
//   net thread:  run_turn(): the tasks, then all frames that are due, then the alarms
//
// One timer per thread serves thousands of connections: those that share a moment go out in one
// turn. A frame that is due no earlier than the thread would wake anyway wakes nobody.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace vicinity::net {

class ConnectionCore;

class NetLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;
  using Task = std::function<void()>;
  using Alarms = std::multimap<TimePoint, Task>;

  NetLoop() = default;
  virtual ~NetLoop();
  NetLoop(const NetLoop&) = delete;
  NetLoop& operator=(const NetLoop&) = delete;

  // Any thread.
  /// Runs the task on the net thread, behind those that were posted before. Tasks that a turn posts
  /// run in the next one, after other sockets had their chance.
  void post(Task task);
  /// Calls connection->send_due_frame() at `due`.
  void send_at(TimePoint due, std::shared_ptr<ConnectionCore> connection);

  /// The net thread itself; returns after quit(), when nothing is pending any more.
  virtual void run() = 0;
  /// Any thread. Invariant: no connection is left.
  virtual void quit() = 0;

  // On the net thread only.
  /// Calls `task` once, at `when`. The iterator is valid until then.
  Alarms::iterator set_alarm(TimePoint when, Task task);
  void cancel_alarm(Alarms::iterator alarm) { alarms_.erase(alarm); }

 protected:
  /// Makes the net thread call run_turn() soon. Any thread, the net thread itself included.
  virtual void wake() = 0;

  /// Does what is due and returns when to be called again at the latest: in the past when at once.
  TimePoint run_turn();

 private:
  struct DueFrame {
    TimePoint due;
    std::shared_ptr<ConnectionCore> connection;
  };
  static bool later(const DueFrame& a, const DueFrame& b) { return a.due > b.due; }
  void take_inbox();
  void run_due(TimePoint now);

  // Net thread only.
  std::vector<Task> tasks_;
  std::vector<DueFrame> due_;  ///< a heap, the earliest in front
  Alarms alarms_;

  std::mutex mutex_;  ///< guards the members below
  std::vector<Task> inbox_tasks_;
  std::vector<DueFrame> inbox_due_;
  bool wake_pending_ = false;              ///< wake() was called; no turn has begun since
  TimePoint wakes_at_ = TimePoint::min();  ///< min() while a turn looks into the inbox anyway
};

}  // namespace vicinity::net
