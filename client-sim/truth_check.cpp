// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"

namespace vicinity::sim {
namespace {

constexpr std::size_t examples_max = 10;
constexpr std::size_t truth_ticks_min = 4;
constexpr std::size_t recycled_max = 4;
constexpr Tick never = std::numeric_limits<Tick>::max();

std::string name_of(EntityId id) { return fmt::format("{}:{}", id.index(), id.generation()); }

double distance_m(Vec3 point, const Aabb& box) {
  return length(point - Vec3{std::clamp(point.x, box.min.x, box.max.x),
                             std::clamp(point.y, box.min.y, box.max.y),
                             std::clamp(point.z, box.min.z, box.max.z)});
}

std::int64_t time_of(const TruthTick& truth) {
  return static_cast<std::int64_t>(truth.server_time_us);
}

}  // namespace

TruthCheck::TruthCheck(CheckSettings settings) : settings_(std::move(settings)) {
  CHECK(settings_.pending_ticks_max > 0);
}

// --- What comes in -----------------------------------------------------------------------------

void TruthCheck::add_truth(TruthTick truth) {
  // After a gap the older ticks are of no use: who still needs them cannot get past the gap.
  if (!truth_.empty() && truth.tick != truth_.back().tick + 1) {
    truth_.clear();
    truth_bytes_ = 0;
  }
  truth_bytes_ += truth.size_bytes();
  truth_.push_back(std::move(truth));
  while (truth_.size() > settings_.pending_ticks_max ||
         (truth_.size() > truth_ticks_min && truth_bytes_ > settings_.truth_bytes_max)) {
    truth_bytes_ -= std::min(truth_bytes_, truth_.front().size_bytes());
    if (recycled_.size() < recycled_max) recycled_.push_back(std::move(truth_.front()));
    truth_.pop_front();
  }
  for (auto& [number, bot] : bots_) check_waiting(bot);
  for (Watched& bot : ended_) check_waiting(bot);
  std::erase_if(ended_, [](const Watched& bot) { return bot.waiting.empty(); });
}

TruthTick TruthCheck::recycled() {
  if (recycled_.empty()) return {};
  TruthTick out = std::move(recycled_.back());
  recycled_.pop_back();
  return out;
}

void TruthCheck::add_bot(std::uint32_t bot, const ViewSpec& spec) {
  CHECK(!bots_.contains(bot));
  Watched& watched = bots_[bot];
  watched.number = bot;
  watched.spec = spec;
  watched.next_tick = spec.first_tick;
  watched.frame_tick = spec.first_tick == 0 ? 0 : spec.first_tick - 1;
  watched.view = View(spec.observer);
  if (settings_.is_told_where_from) watched.compared_from = never;
}

void TruthCheck::compare_from(std::uint32_t bot, Tick tick) {
  const auto found = bots_.find(bot);
  if (found == bots_.end() || found->second.compared_from != never) return;
  found->second.compared_from = tick;
  found->second.next_tick = std::max(found->second.next_tick, tick);
}

void TruthCheck::add_move(std::uint32_t bot, Tick tick, Vec3 position, const Quat& rotation) {
  const auto found = bots_.find(bot);
  if (found == bots_.end() || tick < found->second.next_tick) return;
  std::deque<Move>& moves = found->second.moves;
  if (!moves.empty() && moves.back().tick == tick) moves.pop_back();
  moves.push_back({tick, {position, rotation}});
  // Without frames nothing is compared; the oldest are of no use then.
  if (moves.size() > 4 * settings_.pending_ticks_max) moves.pop_front();
}

void TruthCheck::reset_view(std::uint32_t bot) {
  const auto found = bots_.find(bot);
  if (found != bots_.end()) found->second.resets_view = true;
}

void TruthCheck::end_bot(std::uint32_t bot) {
  const auto found = bots_.find(bot);
  if (found == bots_.end()) return;
  if (!found->second.waiting.empty()) {
    ended_.push_back(std::move(found->second));
    ended_.back().has_ended = true;
  }
  bots_.erase(found);
}

void TruthCheck::add_frame(std::uint32_t bot, const client::TickFrame& frame,
                           std::int64_t received_us) {
  const auto found = bots_.find(bot);
  if (found == bots_.end() || frame.tick < found->second.spec.first_tick) return;
  Watched& watched = found->second;
  watched.waiting.push_back({frame, received_us, watched.resets_view});
  watched.resets_view = false;
  if (watched.waiting.size() > settings_.pending_ticks_max) {
    note(watched, frame.tick, "waited too long for the witness");
    skip_frame(watched, watched.waiting.front());
    watched.waiting.pop_front();
  }
  check_waiting(watched);
}

std::size_t TruthCheck::unfinished_bots(Tick last) const {
  std::size_t count = ended_.size();
  for (const auto& [number, bot] : bots_)
    if (bot.next_tick <= last) ++count;
  return count;
}

void TruthCheck::finish(Tick last) {
  for (const auto& [number, bot] : bots_) {
    const Tick next = bot.compared_from == never ? bot.spec.first_tick : bot.next_tick;
    if (next <= last) stats_.unchecked_views += last + 1 - next;
  }
  for (const Watched& bot : ended_) stats_.unchecked_views += bot.waiting.size();
  bots_.clear();
  ended_.clear();
}

// --- Frame by frame ----------------------------------------------------------------------------

const TruthTick* TruthCheck::find_truth(Tick tick) const {
  if (truth_.empty() || tick < truth_.front().tick || tick > truth_.back().tick) return nullptr;
  return &truth_[static_cast<std::size_t>(tick - truth_.front().tick)];
}

void TruthCheck::check_waiting(Watched& bot) {
  while (!bot.waiting.empty()) {
    const WaitingFrame& waiting = bot.waiting.front();
    if (waiting.frame.tick < bot.compared_from) {
      pass_over(bot, waiting);
      bot.waiting.pop_front();
      continue;
    }
    if (truth_.empty() || waiting.frame.tick > truth_.back().tick) return;
    const TruthTick* truth = find_truth(waiting.frame.tick);
    if (waiting.resets_view) begin_anew(bot);
    if (is_regression(bot, waiting.frame)) {
      // Said below in the same breath; such a frame is not applied.
    } else if (truth == nullptr) {
      note(bot, waiting.frame.tick, "has no truth left to compare with");
      skip_frame(bot, waiting);
    } else {
      check_view(bot, waiting, *truth);
    }
    bot.waiting.pop_front();
  }
}

/// Its truth is not known.
void TruthCheck::skip_frame(Watched& bot, const WaitingFrame& waiting) {
  ++stats_.unchecked_views;
  pass_over(bot, waiting);
}

/// The view goes on, without judgement.
void TruthCheck::pass_over(Watched& bot, const WaitingFrame& waiting) {
  if (waiting.resets_view) begin_anew(bot);
  bot.view.apply(waiting.frame);
  apply_contacts(bot, waiting.frame, bot.frame_tick);
  bot.frame_tick = waiting.frame.tick;
  bot.frame_version = waiting.frame.index_version;
  bot.next_tick = std::max(bot.next_tick, waiting.frame.tick + 1);
  bot.resyncs = true;
}

void TruthCheck::begin_anew(Watched& bot) {
  bot.view.clear();
  bot.contacts.clear();
  bot.leaving.clear();
  bot.resyncs = true;
}

bool TruthCheck::is_regression(Watched& bot, const client::TickFrame& frame) {
  const bool went_back = frame.tick <= bot.frame_tick || frame.index_version < bot.frame_version;
  if (!went_back) return false;
  ++stats_.version_regressions;
  ++stats_.checked_views;
  ++stats_.wrong_views;
  note(bot, frame.tick,
       fmt::format("got tick {}, index version {} after tick {}, index version {}", frame.tick,
                   frame.index_version, bot.frame_tick, bot.frame_version));
  return true;
}

void TruthCheck::check_view(Watched& bot, const WaitingFrame& waiting, const TruthTick& truth) {
  const client::TickFrame& frame = waiting.frame;
  const Tick from = std::max(bot.next_tick, truth_.front().tick);
  if (from > bot.next_tick) bot.resyncs = true;
  bool right = true;
  for (const client::LostEntity& lost : frame.lost)
    if (lost.id == bot.spec.entity) bot.has_entity = false;
  for (Tick tick = from; tick <= frame.tick; ++tick) {
    const TruthTick& followed = *find_truth(tick);
    right = check_own_entity(bot, followed) && right;
    follow(bot, followed);
  }
  bot.next_tick = frame.tick + 1;
  note_health(bot, frame, truth);
  right = apply_frame(bot, frame) == 0 && right;
  right = apply_contacts(bot, frame, bot.frame_tick) == 0 && right;
  note_leaves(bot, waiting);
  if (!frame.events_only) right = compare_view(bot, waiting, truth) && right;
  right = compare_contacts(bot, truth) && right;
  bot.frame_tick = frame.tick;
  bot.frame_version = frame.index_version;
  ++stats_.checked_views;
  if (!right) ++stats_.wrong_views;
}

/// Returns the number of faults.
std::uint64_t TruthCheck::apply_frame(Watched& bot, const client::TickFrame& frame) {
  const ViewFaults faults = bot.view.apply(frame);
  stats_.duplicate_enters += faults.duplicate_enters;
  stats_.ghost_leaves += faults.ghost_leaves;
  stats_.ghost_updates += faults.ghost_updates;
  for (const std::string& sentence : faults.sentences)
    note(bot, frame.tick, "was told: " + sentence);
  stats_.leaves += frame.leaves.size();
  stats_.enters += frame.enters.size();
  stats_.updates += frame.changed.size() + frame.moved.size() + frame.turned.size() +
                    frame.velocities.size() + frame.spins.size();
  return faults.count();
}

/// After trouble the stream has the allowed delay to catch up.
void TruthCheck::note_health(Watched& bot, const client::TickFrame& frame,
                             const TruthTick& truth) const {
  const bool is_well = frame.health == client::StreamHealth::Ok &&
                       frame.shedding == client::Shedding::None && frame.enters_waiting == 0 &&
                       frame.tick == bot.frame_tick + 1 && !frame.events_only;
  if (!is_well) bot.unwell_until_us = time_of(truth) + settings_.allowed_delay_us;
}

// --- One tick further --------------------------------------------------------------------------

bool TruthCheck::check_own_entity(Watched& bot, const TruthTick& truth) {
  while (!bot.moves.empty() && bot.moves.front().tick < truth.tick) bot.moves.pop_front();
  std::optional<Pose> due;
  if (!bot.moves.empty() && bot.moves.front().tick == truth.tick) {
    due = bot.moves.front().pose;
    bot.moves.pop_front();
  }
  if (!bot.has_entity) return true;
  const auto row = truth.row_of(bot.spec.entity);
  if (!row) {
    ++stats_.missing;
    note(bot, truth.tick,
         fmt::format("has entity {}, which nobody sees", name_of(bot.spec.entity)));
    return false;
  }
  if (!due) return true;
  const client::EntityView& own = truth.entities[*row];
  const bool is_turned_right = settings_.precision.same_rotation(own.rotation, due->rotation);
  if (is_turned_right && settings_.precision.same_position(own.position, due->position))
    return true;
  ++stats_.wrong_positions;
  note(
      bot, truth.tick,
      fmt::format("moved to {:.6f}, {:.6f}, {:.6f} and is at {:.6f}, {:.6f}, {:.6f}{}",
                  due->position.x, due->position.y, due->position.z, own.position.x, own.position.y,
                  own.position.z, is_turned_right ? "" : ", and is not turned as it was told"));
  return false;
}

void TruthCheck::follow_area(Watched& bot, const TruthTick& truth) {
  // Once its entity is gone the area stays where it was.
  const auto own = truth.row_of(bot.spec.entity);
  if (!own) return;
  bot.area_centre = (truth.boxes[*own].min + truth.boxes[*own].max) * 0.5;
  bot.area_tolerance_m = settings_.precision.box_m(truth.entities[*own]);
}

/// Most boxes are far enough from the edge of the area that what is in them does not matter.
Standing TruthCheck::standing_at(const Watched& bot, const TruthTick& truth, std::size_t row,
                                 double tolerance_m) {
  const AreaSpec& area = bot.spec.area;
  const Aabb& box = truth.boxes[row];
  if (is_surely_within(area, bot.area_centre, box, tolerance_m)) return {true, true, true, true};
  const Standing by_box = standing_of(area, bot.area_centre, box, tolerance_m);
  if (!by_box.may_stay) return by_box;
  if (truth.is_known[row] == 0) return {false, by_box.may_enter, false, by_box.may_stay};
  return standing_of(area, bot.area_centre, box, solid_at(truth, row), tolerance_m);
}

/// What should be visible after this tick, from what should have been before.
void TruthCheck::follow(Watched& bot, const TruthTick& truth) {
  follow_area(bot, truth);
  const AreaSpec& area = bot.spec.area;
  const double own_m = bot.area_tolerance_m;
  truth.rows_near(bot.area_centre, reach_m(area) + 2 * own_m + 1, rows_);
  due_.clear();
  auto before = bot.due.begin();
  const auto leaves = [&](const Due& due) {
    if (due.is_seen) bot.leaving.emplace_back(due.id, time_of(truth));
  };
  for (const std::size_t row : rows_) {
    const client::EntityView& entity = truth.entities[row];
    if (entity.id == bot.spec.entity) continue;
    for (; before != bot.due.end() && before->id < entity.id; ++before) leaves(*before);
    const bool was_due = before != bot.due.end() && before->id == entity.id;
    // Two positions of a few roundings each: along the diagonal of a cube they are sqrt 3 longer.
    const double tolerance_m = std::sqrt(3.0) * (own_m + settings_.precision.box_m(entity));
    const Standing standing = standing_at(bot, truth, row, tolerance_m);
    Due due{entity.id, row, standing.surely_enters, false, false, time_of(truth)};
    if (was_due) {
      due.is_seen = before->is_seen;
      due.was_missed = before->was_missed;
      due.since_us = before->since_us;
      due.is_sure = due.is_sure || (before->is_sure && standing.surely_stays);
    }
    const bool is_due = standing.may_enter || ((was_due || bot.resyncs) && standing.may_stay);
    if (bot.resyncs) due.is_sure = standing.surely_enters;
    if (is_due) {
      due_.push_back(due);
      if (was_due) ++before;
    }
  }
  for (; before != bot.due.end(); ++before) leaves(*before);
  std::swap(bot.due, due_);
}

// --- At the tick of a frame --------------------------------------------------------------------

void TruthCheck::note_leaves(Watched& bot, const WaitingFrame& waiting) {
  for (const client::EntityLeave& leave : waiting.frame.leaves) {
    const auto since = std::find_if(bot.leaving.begin(), bot.leaving.end(),
                                    [&](const auto& entry) { return entry.first == leave.id; });
    if (since == bot.leaving.end()) continue;
    leave_latency_.add(waiting.received_us - since->second);
    bot.leaving.erase(since);
  }
  std::erase_if(bot.leaving,
                [&](const auto& entry) { return bot.view.find(entry.first) == nullptr; });
}

bool TruthCheck::compare_view(Watched& bot, const WaitingFrame& waiting, const TruthTick& truth) {
  bool right = true;
  const auto extra = [&](EntityId id) {
    right = false;
    ++stats_.extra;
    const auto row = truth.row_of(id);
    note(bot, truth.tick,
         "sees " + (row ? describe(bot, truth, *row)
                        : fmt::format("entity {} that does not exist", name_of(id))));
  };
  std::vector<Seen>& seen = bot.view.seen();
  auto next = seen.begin();
  for (Due& due : bot.due) {
    for (; next != seen.end() && next->entity.id < due.id; ++next) extra(next->entity.id);
    const bool is_seen = next != seen.end() && next->entity.id == due.id;
    if (is_seen) {
      note_visible(due, *next, waiting);
      right = compare_state(bot, *next, waiting, truth, due.row) && right;
      ++next;
    }
    due.is_seen = is_seen;
  }
  for (; next != seen.end(); ++next) extra(next->entity.id);
  // So near the edge the view's word is taken, once it is whole: what is not there yet may be one
  // of those that wait.
  const bool is_whole = waiting.frame.enters_waiting == 0;
  if (is_whole) {
    std::erase_if(bot.due, [](const Due& due) { return !due.is_seen && !due.is_sure; });
    for (Due& due : bot.due) due.is_sure = true;
  }
  right = compare_missing(bot, waiting.frame, truth) && right;
  bot.resyncs = bot.resyncs && !is_whole;
  return right;
}

/// Of those that are not visible, as many as wait may wait, for the allowed delay.
bool TruthCheck::compare_missing(Watched& bot, const client::TickFrame& frame,
                                 const TruthTick& truth) {
  std::uint64_t may_wait = frame.enters_waiting;
  bool right = true;
  for (Due& due : bot.due) {
    if (due.is_seen || !due.is_sure) continue;
    due.was_missed = true;
    if (may_wait > 0 && time_of(truth) - due.since_us <= settings_.allowed_delay_us) {
      --may_wait;
      continue;
    }
    right = false;
    ++stats_.missing;
    note(bot, truth.tick, "misses " + describe(bot, truth, due.row));
  }
  return right;
}

/// An entity that is visible as it should be: did it just come, in time or late?
void TruthCheck::note_visible(Due& due, const Seen& seen, const WaitingFrame& waiting) {
  if (due.was_missed) ++stats_.late;
  const bool just_came = seen.entered_tick == waiting.frame.tick && !due.is_seen;
  if (just_came) enter_latency_.add(waiting.received_us - due.since_us);
  due.was_missed = false;
}

/// Whether what is shown is the truth, or as old as it may be.
bool TruthCheck::compare_state(Watched& bot, Seen& seen, const WaitingFrame& waiting,
                               const TruthTick& truth, std::size_t row) {
  const client::EntityView& due = truth.entities[row];
  const bool is_told = seen.updated_tick == waiting.frame.tick;
  const bool is_true =
      same_nature(seen.entity, due) && settings_.precision.same_motion(seen.entity, due);
  const double tolerance_m = bot.area_tolerance_m + settings_.precision.box_m(due);
  const std::uint32_t interval =
      interval_ticks(bot.spec.area, bot.area_centre, truth.boxes[row], tolerance_m);
  if (is_told && !is_true) {
    ++stats_.wrong_positions;
    note(bot, truth.tick, "has a wrong state of " + describe(bot, truth, row));
  }
  if (is_told && seen.entered_tick != waiting.frame.tick && seen.fresh_us != 0) {
    const double away_m = length(due.position - bot.area_centre);
    const std::size_t ring = std::min(ring_of(bot.spec.area, away_m), rings_told_apart - 1);
    update_age_[ring].add(waiting.received_us - seen.fresh_us);
  }
  if (is_told || is_true || bot.resyncs) {
    seen.fresh_tick = truth.tick;
    seen.fresh_us = time_of(truth);
    seen.fresh_interval_ticks = interval;
    return is_true || !is_told;
  }
  const std::uint32_t allowed = std::max(interval, seen.fresh_interval_ticks);
  const std::uint32_t slack = allowed > 1 ? 1 : 0;  // when its turn comes is the server's choice
  if (truth.tick - seen.fresh_tick < allowed + slack) return true;
  const bool is_excused = time_of(truth) <= bot.unwell_until_us &&
                          time_of(truth) - seen.fresh_us <= settings_.allowed_delay_us;
  if (is_excused) return true;
  ++stats_.stale_updates;
  note(bot, truth.tick,
       fmt::format("has a state of {} ticks ago of {}", truth.tick - seen.fresh_tick,
                   describe(bot, truth, row)));
  return false;
}

std::string TruthCheck::describe(const Watched& bot, const TruthTick& truth,
                                 std::size_t row) const {
  return fmt::format("entity {} at {:.6f} m", name_of(truth.entities[row].id),
                     distance_m(bot.area_centre, truth.boxes[row]));
}

void TruthCheck::note(const Watched& bot, Tick tick, const std::string& what) {
  if (examples_.size() < examples_max)
    examples_.push_back(fmt::format("tick {}: bot {} {}", tick, bot.number, what));
}

}  // namespace vicinity::sim
