// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/view_questions.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "tick/explain_view.h"
#include "wire/encode.h"

namespace vicinity::app {

ErrorCode ViewQuestions::push(ViewQuestion question) {
  const std::lock_guard lock(mutex_);
  const auto of_connection = std::count_if(
      waiting_.begin(), waiting_.end(),
      [&](const ViewQuestion& other) { return other.connection == question.connection; });
  const std::size_t places =
      limits::view_questions_max -
      (question.is_authority ? 0 : limits::view_questions_kept_for_authorities);
  if (waiting_.size() >= places ||
      static_cast<std::size_t>(of_connection) >= limits::view_questions_per_connection_max) {
    return ErrorCode::QueueFull;
  }
  waiting_.push_back(std::move(question));
  return ErrorCode::None;
}

bool ViewQuestions::empty() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty();
}

bool ViewQuestions::take(ViewQuestion& out) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return false;
  out = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

/// Rounded up, so that no answer is for nothing.
void ViewQuestions::charge(const ViewQuestion& question,
                           access::QueryBudget::Clock::time_point began_at) {
  const auto now = access::QueryBudget::Clock::now();
  const auto cost = std::chrono::ceil<std::chrono::microseconds>(now - began_at);
  if (question.guard) question.guard->charge_query(cost, now);
  if (question.budget) question.budget->charge(cost, question.is_authority, now);
}

void ViewQuestions::answer(const Simulation& simulation, const Streams& streams) {
  std::size_t areas = 0;
  ViewLooks looks;
  ViewQuestion question;
  for (std::size_t i = 0; i < limits::view_answers_per_tick_max; ++i) {
    if (areas >= limits::view_answer_areas_per_tick_max ||
        looks.count >= limits::explain_nearest_looks_max)
      return;
    if (!take(question)) return;
    const auto began_at = access::QueryBudget::Clock::now();
    if (question.connection->closing()) continue;
    const auto frame = simulation.frame();
    const ExplainViewQuery& query = question.query;
    QueryAnswer answer;
    answer.tick = frame->tick;
    answer.index_version = frame->index_version;
    ViewExplanation& view =
        answer.view.emplace(explain_view(simulation.interest(), *frame->snapshot, query, &looks));
    answer.complete = !looks.ran_out;
    view.told = streams.told(query.session, query.observer, query.entity);
    if (view.stage == ViewStage::None && !view.told.told) view.stage = ViewStage::Budget;
    areas += view.areas.size();
    std::vector<std::uint8_t> frames;
    wire::encode_query_answer(question.request, answer, frames);
    question.connection->send(frames);
    charge(question, began_at);
  }
}

}  // namespace vicinity::app
