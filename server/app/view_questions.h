// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Questions about views (ExplainViewQuery) on their way from the net threads to the tick thread.
// Views change during a tick, so they are answered between two, a bounded number each time:
//
//      net thread ──push──► queue ──answer, behind the frames of a tick──► Connection::send

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "access/query_budget.h"
#include "access/session_guard.h"
#include "app/frame_sender.h"
#include "base/error.h"
#include "net/server_socket.h"
#include "query/query_types.h"
#include "tick/simulation.h"

namespace vicinity::app {

/// Who asks, and what. query.session names a session that it may ask about.
struct ViewQuestion {
  std::shared_ptr<net::Connection> connection;
  std::uint64_t request = 0;
  ExplainViewQuery query;
  /// Both pay for the answer, unless null: the session, and all sessions together.
  std::shared_ptr<access::SessionGuard> guard = nullptr;
  std::shared_ptr<access::QueryBudget> budget = nullptr;
  bool is_authority = false;  ///< may use what is kept for authorities
};

class ViewQuestions {
 public:
  /// Any thread. QueueFull: too many wait. A part of the places is for authorities alone.
  [[nodiscard]] ErrorCode push(ViewQuestion question);
  /// Any thread.
  bool empty() const;
  /// Tick thread, between two ticks. Answers some, in their order, as limits.h allows.
  void answer(const Simulation& simulation, const Streams& streams);

 private:
  bool take(ViewQuestion& out);
  static void charge(const ViewQuestion& question, access::QueryBudget::Clock::time_point began_at);

  mutable std::mutex mutex_;  ///< guards waiting_
  std::deque<ViewQuestion> waiting_;
};

}  // namespace vicinity::app
