// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/session_stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {
namespace {

/// A link that stalls is tried again with frames of this size, at least.
constexpr double link_bytes_min = 4096;
/// What one record takes in a frame at most while it is not told as a whole.
constexpr std::size_t update_bytes_max = 56;
/// Part of a frame for enters while updates wait as well.
constexpr double enter_share = 0.75;
// Seconds until the health changes.
constexpr double degraded_after_s = 0.25;
constexpr double starved_after_s = 2;
constexpr double recovered_after_s = 1;
/// Priority of what the session owns itself, above all that ViewStream gives.
constexpr float own_first = 1e8f;

std::uint32_t ticks_of(double seconds, std::uint32_t tick_rate_hz) {
  return static_cast<std::uint32_t>(std::max(1.0, seconds * tick_rate_hz));
}

/// Of the moves of one view: where its first area is.
QuantisedPosition origin_of(std::span<const InterestArea> areas, double resolution_m) {
  for (const InterestArea& area : areas)
    if (area.placed) return quantise_position(area.position, resolution_m);
  return {};
}

void drop_contacts(SessionOutput& events) {
  events.contact_ends.clear();
  events.contact_begins.clear();
  events.contact_passed.clear();
  events.contact_stays.clear();
  events.begin_details.clear();
}

}  // namespace

ViewLists& SelectScratch::begin_view(std::size_t view, std::span<const InterestArea> areas,
                                     ObserverId observer, double resolution_m) {
  if (view >= lists.size()) lists.resize(view + 1);
  rings.reset(areas);
  lists[view].reset(observer, origin_of(areas, resolution_m));
  return lists[view];
}

std::size_t ReliableTick::count() const {
  return events.results.size() + events.lost.size() + events.contact_ends.size() +
         events.contact_begins.size() + events.contact_passed.size() + events.contact_stays.size();
}

SessionStream::SessionStream(SessionId session, const StreamSettings& settings)
    : session_(session),
      settings_(settings),
      resolution_m_(settings.position_resolution_m),
      frame_bytes_max_(settings.frame_bytes_max),
      log_(settings.resumable ? limits::told_log_entries_max : 0),
      link_bytes_(static_cast<double>(settings.frame_bytes_max)) {}

void SessionStream::configure(Role role, double resolution_m, std::uint64_t budget_bytes_per_s) {
  role_ = role;
  // A finer resolution than that of the table would tell nothing more.
  resolution_m_ = std::max(resolution_m, settings_.position_resolution_m);
  const bool is_authority = role == Role::Authority;
  const std::uint64_t upper = is_authority ? 0 : settings_.budget_bytes_per_s;
  budget_bytes_per_s_ = budget_bytes_per_s == 0 ? upper
                        : upper == 0            ? budget_bytes_per_s
                                                : std::min(budget_bytes_per_s, upper);
  frame_bytes_max_ = is_authority ? settings_.authority_frame_bytes_max : settings_.frame_bytes_max;
  link_bytes_ = static_cast<double>(frame_bytes_max_);
  tokens_ = static_cast<double>(budget_bytes_per_s_);
}

// --- Every tick --------------------------------------------------------------------------------

bool SessionStream::absorb(SessionOutput&& output, const TickReport& report,
                           std::uint64_t server_time_us, const Snapshot& snapshot) {
  refill();
  forget_dropped(output.observers);
  for (const ObserverEvents& events : output.observers) {
    ViewStream& view = views_.try_emplace(events.observer, events.observer).first->second;
    view.absorb(events, snapshot, aliases_);
    if (!events.dropped || !view.empty()) continue;
    looked_at_before_ += view.looked_at();
    views_.erase(events.observer);
  }
  output.observers.clear();
  if (output.view_number < view_number_) drop_contacts(output);
  ReliableTick reliable{report.tick, report.index_version, report.hash, server_time_us,
                        std::move(output)};
  const std::size_t count = reliable.count();
  if (count > 0) {
    events_waiting_ += count;
    reliable_.push_back(std::move(reliable));
  }
  return events_waiting_ <= settings_.pending_events_max;
}

/// All in one pass over what was told, however many observers end.
void SessionStream::forget_dropped(std::span<const ObserverEvents> events) {
  std::vector<ObserverId> dropped;
  for (const ObserverEvents& of_observer : events)
    if (of_observer.dropped) dropped.push_back(of_observer.observer);
  if (!dropped.empty()) log_.forget_observers(dropped);
}

void SessionStream::refill() {
  if (budget_bytes_per_s_ == 0) return;
  const auto per_s = static_cast<double>(budget_bytes_per_s_);
  tokens_ = std::min(per_s, tokens_ + per_s / settings_.tick_rate_hz);
}

bool SessionStream::observe(bool has_room, std::size_t outbox_bytes, std::uint64_t now_us) {
  const std::uint64_t slow_us = std::uint64_t{settings_.slow_consumer_ms} * 1000;
  const auto ticks = [&](double seconds) { return ticks_of(seconds, settings_.tick_rate_hz); };
  const bool progress = outbox_bytes < outbox_bytes_;
  outbox_bytes_ = outbox_bytes;
  const std::uint64_t since_look_us = now_us - std::exchange(looked_at_us_, now_us);
  if (has_room) {
    blocked_ticks_ = 0;
    ++smooth_ticks_;
    link_bytes_ = std::min(static_cast<double>(frame_bytes_max_), link_bytes_ * 1.1);
    if (health_ != StreamHealth::Ok && smooth_ticks_ >= ticks(recovered_after_s)) {
      health_ = health_ == StreamHealth::Starved ? StreamHealth::Degraded : StreamHealth::Ok;
      smooth_ticks_ = 0;
    }
    return true;
  }
  smooth_ticks_ = 0;
  const bool is_first = progress || blocked_ticks_ == 0;
  stuck_us_ = is_first ? 0 : stuck_us_ + std::min(since_look_us, slow_us / 2);
  if (++blocked_ticks_ == ticks(degraded_after_s)) {
    health_ = std::max(health_, StreamHealth::Degraded);
    link_bytes_ = std::max(link_bytes_min, link_bytes_ / 4);
  }
  if (blocked_ticks_ == ticks(starved_after_s)) {
    health_ = StreamHealth::Starved;
    link_bytes_ = link_bytes_min;
  }
  return stuck_us_ < slow_us;
}

std::size_t SessionStream::frame_bytes() const {
  double bytes = std::min(link_bytes_, static_cast<double>(frame_bytes_max_));
  if (budget_bytes_per_s_ > 0) bytes = std::min(bytes, tokens_);
  return static_cast<std::size_t>(std::max(bytes, 0.0));
}

// --- A frame -----------------------------------------------------------------------------------

std::size_t SessionStream::record_count() const {
  std::size_t count = 0;
  for (const auto& [observer, view] : views_) count += view.size();
  return count;
}

std::size_t SessionStream::waiting_count() const {
  std::size_t count = 0;
  for (const auto& [observer, view] : views_) count += view.enters_waiting();
  return count;
}

void SessionStream::select(const Snapshot& snapshot, const MotionTable& motions,
                           const Interest& interest, const FrameLimits& limits,
                           SelectScratch& scratch, FrameSelection& out) {
  out.clear();
  out.health = health_;
  const std::uint32_t slow_down = health_ == StreamHealth::Ok         ? 1
                                  : health_ == StreamHealth::Degraded ? 2
                                                                      : 4;
  const SelectContext context{
      snapshot,
      motions,
      session_,
      resolution_m_,
      slow_down,
      limits.outer_slow_down,
      ticks_of(settings_.update_max_age_ms / 1000.0, settings_.tick_rate_hz)};
  for (auto& [observer, view] : views_) view.select_leaves(snapshot.tick, aliases_, out);
  const std::size_t overhead = streamed_bytes::frame + views_.size() * streamed_bytes::moves_table +
                               out.leaves.size() * streamed_bytes::leave;
  const std::size_t bytes = limits.bytes > overhead ? limits.bytes - overhead : 0;
  if (all_fits(motions, bytes) && health_ != StreamHealth::Starved) {
    for (auto& [observer, view] : views_) {
      view.select_enters(context, {}, SIZE_MAX, out);
      if (view.size() == 0) continue;
      ViewLists& lists = scratch.begin_view(0, interest.areas_of(session_, observer, view.seat()),
                                            observer, resolution_m_);
      view.select_updates(context, scratch.rings, lists, scratch.near, out);
    }
  } else {
    select_best(context, interest, bytes, scratch, out);
  }
  out.enters_waiting = static_cast<std::uint32_t>(waiting_count());
}

/// Whether all that may be due is within so many bytes.
bool SessionStream::all_fits(const MotionTable& motions, std::size_t bytes) const {
  const std::size_t waiting = waiting_count();
  const std::size_t records = record_count();
  // For most it fits even if everything were told as a whole.
  if ((waiting + records) * streamed_bytes::state <= bytes) return true;
  std::size_t states = waiting;
  for (const auto& [observer, view] : views_) states += view.states_due(motions);
  return states * streamed_bytes::state + records * update_bytes_max <= bytes;
}

void SessionStream::select_leaves(Tick tick, FrameSelection& out) {
  out.clear();
  out.health = std::max(health_, StreamHealth::Degraded);
  out.enters_waiting = static_cast<std::uint32_t>(waiting_count());
  for (auto& [observer, view] : views_) view.select_leaves(tick, aliases_, out);
  if (!settings_.resumable) return;
  for (const StreamedLeave& leave : out.leaves)
    log_.add({tick, false, leave.observer, leave.leave});
}

/// Every view gets an equal part of what is left when its turn comes.
void SessionStream::select_enters(const SelectContext& context, const Interest& interest,
                                  std::size_t bytes, FrameSelection& out) {
  std::size_t left = bytes / streamed_bytes::state;
  std::size_t views_left =
      static_cast<std::size_t>(std::count_if(views_.begin(), views_.end(), [](const auto& entry) {
        return entry.second.enters_waiting() > 0;
      }));
  for (auto& [observer, view] : views_) {
    if (view.enters_waiting() == 0) continue;
    Vec3 centre;
    for (const InterestArea& area : interest.areas_of(session_, observer, view.seat()))
      if (area.placed) centre = area.position;
    const std::size_t before = out.enters.size();
    view.select_enters(context, centre, (left + views_left - 1) / views_left, out);
    left -= std::min(left, out.enters.size() - before);
    --views_left;
  }
}

/// There is more to tell than fits.
void SessionStream::select_best(const SelectContext& context, const Interest& interest,
                                std::size_t bytes, SelectScratch& scratch, FrameSelection& out) {
  std::vector<UpdateCandidate>& candidates = scratch.candidates;
  candidates.clear();
  std::vector<ViewStream*> views;
  for (auto& [observer, view] : views_) {
    scratch.begin_view(views.size(), interest.areas_of(session_, observer, view.seat()), observer,
                       resolution_m_);
    view.list_updates(context, scratch.rings, static_cast<std::uint32_t>(views.size()), candidates);
    views.push_back(&view);
  }
  // A player owns a handful; what an authority owns may be everything.
  for (UpdateCandidate& candidate : candidates)
    if (role_ == Role::Player && views[candidate.view]->owned(context, candidate.record))
      candidate.priority += own_first;
  const bool starved = health_ == StreamHealth::Starved;
  if (starved)
    std::erase_if(candidates, [](const UpdateCandidate& c) { return c.priority < own_first; });
  std::sort(candidates.begin(), candidates.end(),
            [](const UpdateCandidate& a, const UpdateCandidate& b) {
              if (a.priority != b.priority) return a.priority > b.priority;
              return std::pair(a.view, a.record) < std::pair(b.view, b.record);
            });
  const double share = candidates.empty() ? 1 : enter_share;
  const std::size_t entered_before = out.enters.size();
  // Records stay where they are: candidates name them by their place.
  if (!starved)
    select_enters(context, interest, static_cast<std::size_t>(static_cast<double>(bytes) * share),
                  out);
  std::size_t used = (out.enters.size() - entered_before) * streamed_bytes::state;
  for (const UpdateCandidate& candidate : candidates) {
    if (used + update_bytes_max > bytes && candidate.priority < own_first) {
      out.health = std::max(out.health, StreamHealth::Degraded);
      break;
    }
    used += views[candidate.view]->select_update(context, scratch.lists[candidate.view],
                                                 candidate.record, out);
  }
}

void SessionStream::fetch_self() const {
  const char* const at = reinterpret_cast<const char*>(this);
  for (std::size_t i = 0; i < sizeof(*this); i += 64) __builtin_prefetch(at + i, 1);
  asm volatile("");  // a function that only fetches may be left out
}

void SessionStream::fetch_view() const {
  if (views_.empty()) return;
  const char* const at = reinterpret_cast<const char*>(&*views_.begin());
  for (std::size_t i = 0; i < sizeof(ViewStream) + 64; i += 64) __builtin_prefetch(at + i, 1);
  asm volatile("");
}

void SessionStream::fetch_records() const {
  if (!views_.empty()) views_.begin()->second.fetch_records();
}

void SessionStream::fetch_motions(const MotionTable& motions) const {
  if (!views_.empty()) views_.begin()->second.fetch_motions(motions);
}

std::vector<const ReliableTick*> SessionStream::reliable_to_send() const {
  std::vector<const ReliableTick*> out;
  for (std::size_t i = told_count_; i < reliable_.size(); ++i) out.push_back(&reliable_[i]);
  return out;
}

void SessionStream::sent(Tick tick, const FrameSelection& selection, const Snapshot& snapshot,
                         std::size_t bytes) {
  // What must be told in any case may exceed the budget, but not for ever be held against it.
  const auto per_s = static_cast<double>(budget_bytes_per_s_);
  if (budget_bytes_per_s_ > 0) tokens_ = std::max(-per_s, tokens_ - static_cast<double>(bytes));
  for (; told_count_ < reliable_.size() && reliable_[told_count_].tick <= tick; ++told_count_) {
    const std::size_t count = reliable_[told_count_].count();
    events_waiting_ -= count;
    events_kept_ += count;
  }
  if (settings_.resumable) {
    for (const StreamedLeave& leave : selection.leaves)
      log_.add({tick, false, leave.observer, leave.leave});
    for (const StreamedEntity& enter : selection.enters)
      log_.add({tick, true, enter.observer, {snapshot.id[enter.slot], {}, 0, false}});
  }
  drop_acknowledged();
}

// --- Acknowledgement and resume ----------------------------------------------------------------

void SessionStream::acknowledge(Tick tick) {
  if (tick <= acknowledged_) return;
  acknowledged_ = tick;
  log_.acknowledge(tick);
  drop_acknowledged();
}

/// Frees what the client has, and the oldest of what it may have, where that is too much.
void SessionStream::drop_acknowledged() {
  while (told_count_ > 0) {
    const ReliableTick& oldest = reliable_.front();
    const bool is_kept = settings_.resumable && oldest.tick > acknowledged_;
    if (is_kept && events_kept_ <= settings_.pending_events_max) return;
    if (is_kept) log_.raise(oldest.tick);
    events_kept_ -= oldest.count();
    reliable_.pop_front();
    --told_count_;
  }
}

void SessionStream::resume(Tick tick) {
  acknowledge(tick);
  std::map<ObserverId, ViewStream::LeaveIndex> leaves;  // of the views to which something is done
  while (const auto entry = log_.take_back(tick)) {
    const auto found = views_.find(entry->observer);
    if (found == views_.end()) continue;
    ViewStream& view = found->second;
    const auto [index, is_first] = leaves.try_emplace(entry->observer);
    if (is_first) index->second = view.index_leaves();
    if (entry->entered)
      view.forget_enter(entry->leave.id, index->second, aliases_);
    else
      view.restore_leave(entry->leave, entry->tick, index->second);
  }
  for (auto& [observer, view] : views_) {
    if (leaves.contains(observer)) view.drop_void_leaves();
    view.forget_updates_after(tick);
  }
  begin_connection();
}

void SessionStream::reset(std::uint32_t view_number) {
  view_number_ = view_number;
  log_.clear();
  for (auto& [observer, view] : views_) view.forget_all(aliases_);
  for (ReliableTick& reliable : reliable_)
    if (reliable.events.view_number < view_number) drop_contacts(reliable.events);
  begin_connection();
}

void SessionStream::forget_events(Tick tick) {
  reliable_.clear();
  log_.clear();
  log_.raise(tick + 1);
  begin_connection();
}

/// Nothing of what is kept has been told over this connection.
void SessionStream::begin_connection() {
  std::erase_if(reliable_, [](const ReliableTick& reliable) { return reliable.count() == 0; });
  told_count_ = 0;
  events_kept_ = events_waiting_ = 0;
  for (const ReliableTick& reliable : reliable_) events_waiting_ += reliable.count();
  blocked_ticks_ = smooth_ticks_ = 0;
  outbox_bytes_ = 0;
  health_ = StreamHealth::Ok;
  link_bytes_ = static_cast<double>(frame_bytes_max_);
}

std::uint64_t SessionStream::looked_at() const {
  std::uint64_t sum = looked_at_before_ + log_.looked_at();
  for (const auto& [observer, view] : views_) sum += view.looked_at();
  return sum;
}

std::size_t SessionStream::size_bytes() const {
  std::size_t bytes = sizeof(*this) + aliases_.size_bytes() + log_.size() * sizeof(ToldLog::Entry);
  for (const auto& [observer, view] : views_) bytes += view.size_bytes();
  return bytes + (events_waiting_ + events_kept_) * sizeof(ContactBegin);
}

}  // namespace vicinity
