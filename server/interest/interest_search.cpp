// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the observers that go the long way are inside of, and whether a session looks at more than
// it may. The latter must not depend on who goes which way, which is a matter of lanes and thus of
// the past. So in each session:
//
//   went the long way     counted by the index: at least their candidates      sum < limit: nobody
//   went the quick way    bounded by their groups: at least their candidates   is cut short
//
// Otherwise those that went the quick way are counted too, and when there is still a doubt, all are
// searched in turn, with exact counts. Whoever comes too late then is taken back.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "interest/interest.h"

namespace vicinity {

Interest::Task Interest::task_of(std::size_t seat, bool was_quick) const {
  Task task;
  task.seat = seat;
  task.observer_id = seats_[seat].observer_id;
  task.session = seats_[seat].session;
  task.observer = seats_[seat].observer;
  task.was_quick = was_quick;
  return task;
}

void Interest::sort_by_seat(std::vector<Task>& tasks) {
  std::sort(tasks.begin(), tasks.end(),
            [](const Task& a, const Task& b) { return a.seat < b.seat; });
}

std::vector<Interest::Task> Interest::make_tasks() const {
  std::vector<Task> tasks;
  for (const Block& block : quick_)
    for (const std::size_t seat : block.left_over) tasks.push_back(task_of(seat, false));
  sort_by_seat(tasks);
  return tasks;
}

/// Blocks know nothing of each other, yet a session over many blocks must not cost many times its
/// candidates. So each block stops at a share; four times an equal one, because crowds are uneven.
std::uint64_t Interest::candidates_per_block_max(const Session& session) const {
  const std::uint64_t blocks = session.observers.size() / observers_per_block + 2;
  return std::min(settings_.candidates_max, 4 * settings_.candidates_max / blocks + 1);
}

void Interest::search_block(AreaSearch& search, std::span<Task> tasks) const {
  const Session* session = nullptr;
  CandidateBudget budget;
  for (Task& task : tasks) {
    if (task.session != session) budget = {candidates_per_block_max(*task.session)};
    session = task.session;
    const std::uint64_t spent_before = budget.spent;
    const std::size_t searched = search.run(task.observer->areas, budget, task.inside);
    task.candidates = budget.spent - spent_before;
    task.complete = searched == task.observer->areas.size();
  }
}

void Interest::search_blocks(const Snapshot& snapshot, const IndexView& index, Workers& workers,
                             std::vector<Task>& tasks) const {
  workers.parallel_blocks(tasks.size(), observers_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            const auto block = std::span(tasks).subspan(begin, end - begin);
                            for (Task& task : block) place_areas(snapshot, *task.observer);
                            AreaSearch area_search(snapshot, world_, index);
                            search_block(area_search, block);
                          });
}

std::vector<std::span<Interest::Task>> Interest::by_session(std::vector<Task>& tasks) {
  std::vector<std::span<Task>> out;
  for (std::size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    while (end < tasks.size() && tasks[end].session == tasks[begin].session) ++end;
    out.push_back(std::span(tasks).subspan(begin, end - begin));
  }
  return out;
}

/// Whether the candidates of a session surely suffice for these, which were searched, and `others`
/// beside. Not when they are used up by the very last: whose turn it is may then matter.
bool Interest::suffices(std::span<const Task> tasks, std::uint64_t others) const {
  std::uint64_t candidates = others;
  bool complete = true;
  for (const Task& task : tasks) {
    candidates += task.candidates;
    complete = complete && task.complete;
  }
  return complete && candidates < settings_.candidates_max;
}

/// Those that went the quick way, of sessions whose candidates may not suffice for all. O(1) per
/// session whose left over observers get along with their equal shares, for so do the quick ones.
std::vector<Interest::Task> Interest::make_doubtful_tasks(std::vector<Task>& left_over) const {
  std::vector<Task> out;
  for (const std::span<Task> tasks : by_session(left_over)) {
    const Session& session = *tasks.front().session;
    std::size_t begin = tasks.front().seat;
    const std::size_t quick_count = session.observers.size() - tasks.size();
    if (quick_count == 0 || suffices(tasks, quick_count * seats_[begin].lanes_max)) continue;
    while (begin > 0 && seats_[begin - 1].session == &session) --begin;
    const std::size_t end = begin + session.observers.size();
    std::uint64_t others = 0;
    for (std::size_t seat = begin; seat < end; ++seat) {
      const MaskView& masks = seats_[seat].observer->masks;
      if (masks.is_valid) others += candidates_max(masks, world_);
    }
    if (suffices(tasks, others)) continue;
    const std::size_t first = out.size();
    for (std::size_t seat = begin; seat < end; ++seat)
      if (seats_[seat].observer->masks.is_valid) out.push_back(task_of(seat, true));
    CHECK(out.size() - first == quick_count);
  }
  return out;
}

/// All tasks of one session anew, one area after the other, from where the last truncated update
/// stopped and once around:
///
///     observer      1         2         3
///     areas       a  b      c  d  e    f
///                 5  6      .  1  2    3      search_from = d; a and b follow f, c comes last
///
/// Invariant: all observers of the session are among the tasks, unless nobody is cut short.
void Interest::search_in_turn(AreaSearch& search, std::span<Task> tasks) const {
  Session& session = *tasks.front().session;
  CHECK(tasks.size() == session.observers.size());
  for (Task& task : tasks) {
    task.inside.clear();
    task.complete = true;
  }
  auto first = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) {
    return task.observer_id >= session.search_from.observer;
  });
  if (first == tasks.end()) first = tasks.begin();
  std::size_t skipped = 0;  // areas of the first observer that come last
  if (first->observer_id == session.search_from.observer)
    skipped = static_cast<std::size_t>(std::count_if(
        first->observer->areas.begin(), first->observer->areas.end(),
        [&](const InterestArea& area) { return area.id < session.search_from.area; }));

  const auto first_index = static_cast<std::size_t>(first - tasks.begin());
  CandidateBudget budget{.limit = settings_.candidates_max, .is_exact = true};
  bool stopped = false;
  for (std::size_t turn = 0; turn <= tasks.size(); ++turn) {
    Task& task = tasks[(first_index + turn) % tasks.size()];
    std::span<const InterestArea> areas = task.observer->areas;
    if (turn == 0) areas = areas.subspan(skipped);
    if (turn == tasks.size()) areas = areas.first(skipped);
    const std::size_t searched = search.run(areas, budget, task.inside);
    if (searched == areas.size()) continue;
    task.complete = false;
    task.ran_out_of_looks = budget.spent < budget.limit;
    if (!stopped) session.search_from = {task.observer_id, areas[searched].id};
    stopped = true;
  }
}

void Interest::search(const Snapshot& snapshot, const IndexView& index, Workers& workers,
                      std::vector<Task>& tasks) const {
  search_blocks(snapshot, index, workers, tasks);
  std::vector<Task> doubtful = make_doubtful_tasks(tasks);
  if (!doubtful.empty()) {
    search_blocks(snapshot, index, workers, doubtful);
    std::move(doubtful.begin(), doubtful.end(), std::back_inserter(tasks));
    sort_by_seat(tasks);
  }
  std::vector<std::span<Task>> sessions = by_session(tasks);
  std::erase_if(sessions, [this](std::span<const Task> of) {
    // The quick ones that are not among them were found to have room.
    return of.size() < of.front().session->observers.size() || suffices(of, 0);
  });
  workers.parallel_blocks(sessions.size(), 1, [&](std::size_t block, std::size_t, std::size_t) {
    AreaSearch area_search(snapshot, world_, index);
    search_in_turn(area_search, sessions[block]);
  });
}

/// Of the tasks that went the quick way only those stay that nobody came to in this tick. Whoever
/// entered there goes back, and waits to be found by update_view(); leaves are never late. Returns
/// how many the quick way counted as visible there.
std::uint64_t Interest::take_back(std::vector<Task>& tasks) {
  std::erase_if(tasks, [](const Task& task) { return task.was_quick && task.complete; });
  std::uint64_t visible_count = 0;
  bool is_any = false;
  for (const Task& task : tasks) {
    if (!task.was_quick) continue;
    visible_count += task.observer->visible.size();
    is_any = true;
  }
  if (!is_any) return 0;
  const auto task_at = [&tasks](std::size_t seat) -> Task* {
    const auto at = std::lower_bound(tasks.begin(), tasks.end(), seat,
                                     [](const Task& task, std::size_t s) { return task.seat < s; });
    return at != tasks.end() && at->seat == seat ? &*at : nullptr;
  };
  for (Block& block : quick_) {
    for (Told& told : block.told) {
      Task* const task = task_at(told.seat);
      if (task == nullptr) continue;
      task->leaves = std::move(told.events.leaves);
      std::erase_if(task->observer->visible, [&told](const Visible& visible) {
        return std::binary_search(told.events.enters.begin(), told.events.enters.end(),
                                  visible.id.index());
      });
    }
    std::erase_if(block.told, [&](const Told& told) { return task_at(told.seat) != nullptr; });
  }
  return visible_count;
}

}  // namespace vicinity
