// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/frame_sender.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/activity.h"
#include "base/check.h"
#include "base/limits.h"

namespace vicinity::app {
namespace {

constexpr std::size_t sessions_per_block = 8;
constexpr std::size_t looks_per_block = 64;
/// Frames leave until this part of the tick is over, and so much longer as a part of the time until
/// they could be encoded: the next tick takes about as long, and only then asks whether they have
/// left. Where computing takes much of a tick, what is left of it alone would be too short for the
/// net threads.
constexpr double slots_share = 0.9;
constexpr double computing_share = 0.25;

std::vector<ListedObserver> observers_of(const Interest& interest, SessionId session) {
  std::vector<ListedObserver> out;
  const auto* observers = interest.observers_of(session);
  if (observers == nullptr) return out;
  std::size_t room = limits::listed_areas_max;
  for (const auto& [id, observer] : *observers) {
    if (room == 0) break;
    ListedObserver& listed = out.emplace_back(ListedObserver{id, {}, observer.visible.size()});
    for (const InterestArea& area : observer.areas) {
      if (room == 0) break;
      listed.areas.push_back(area.id);
      --room;
    }
  }
  return out;
}

}  // namespace

FrameSender::FrameSender(const FrameSenderSettings& settings, SessionRegistry& sessions)
    : settings_(settings),
      sessions_(sessions),
      workers_(static_cast<int>(settings.worker_count)),
      streams_(settings.stream),
      buffers_(static_cast<std::size_t>(workers_.worker_count())) {}

void FrameSender::configure(SessionStream& stream) const {
  const auto session = sessions_.find(stream.session());
  if (!session) return;  // it left while the tick ran
  stream.configure(session->role, session->position_resolution_m, session->budget_bytes_per_s);
}

void FrameSender::send(const Simulation& simulation, TickOutput& output,
                       std::uint64_t server_time_us, Clock::time_point begin, Shedding shedding) {
  begin_stage(TickStage::UpdateStreams);
  const auto started = [this](SessionStream& stream) { configure(stream); };
  const std::vector<SessionId> overfull =
      streams_.absorb(output, simulation.changed(), server_time_us, workers_, started);
  for (const SessionId id : overfull) {
    const auto session = sessions_.find(id);
    const auto connection = session ? session->connection() : nullptr;
    const std::string waited = std::to_string(settings_.stream.pending_events_max);
    if (connection)
      evict(*connection, "more than " + waited + " contacts and answers waited to be read");
    // Parked, it cannot be told; should it be resumed, its view begins anew.
    if (SessionStream* stream = streams_.find(id)) stream->forget_events(output.report.tick);
  }
  begin_stage(TickStage::SendFrames);
  collect(simulation.interest(), output.report.tick, server_time_us);
  divide_egress();
  const auto stream_at = [this](std::size_t i) -> const SessionStream& { return *jobs_[i].stream; };
  encoded_from_ = Clock::now();
  workers_.parallel_blocks(jobs_.size(), sessions_per_block,
                           [&](std::size_t, std::size_t first, std::size_t end) {
                             for (std::size_t i = first; i < end; ++i) {
                               fetch_ahead(i, jobs_.size(), streams_.motions(), stream_at);
                               run(simulation, output, server_time_us, begin, shedding, jobs_[i]);
                             }
                           });
  for (const Job& job : jobs_) {
    stats_.bytes += job.sent_bytes;
    job.session->gauges.note_frame(job.sent_bytes);
    egress_tokens_ = std::max(egress_tokens_ - static_cast<double>(job.sent_bytes),
                              -static_cast<double>(settings_.stream.egress_bytes_per_s));
    count_outbox(job.outbox_bytes);
  }
  stats_.outboxes_bytes = outboxes_bytes_;
  stats_.outboxes_peak_bytes = std::max(stats_.outboxes_peak_bytes, outboxes_bytes_);
  stats_.frames += jobs_.size();
  stats_.evicted = evicted_;
  jobs_.clear();
}

void FrameSender::begin_with(const Simulation& simulation,
                             const std::vector<SessionOutput>& sessions,
                             std::uint64_t server_time_us) {
  TickOutput output;
  output.frame = simulation.frame();
  output.sessions = sessions;
  const Snapshot& snapshot = *output.frame->snapshot;
  auto part = output.sessions.begin();
  for (ObserverEvents& events : simulation.interest().views(snapshot)) {
    while (part != output.sessions.end() && part->session < events.session) ++part;
    if (part != output.sessions.end() && part->session == events.session)
      part->observers.push_back(std::move(events));
  }
  std::vector<std::uint32_t> slots(snapshot.slot_count());
  std::iota(slots.begin(), slots.end(), 0u);
  const auto started = [this](SessionStream& stream) { configure(stream); };
  const auto overfull = streams_.absorb(output, slots, server_time_us, workers_, started);
  CHECK(overfull.empty());  // there are no events in it
}

/// Brings the stream to the client that a new connection belongs to. False when it cannot: what the
/// client was promised to go on from was forgotten at the same moment.
bool FrameSender::take_resume(SessionStream& stream, Session& session) {
  session.resumable_from = stream.resumable_from();
  const std::optional<ResumePoint> point = session.take_resume();
  if (point && point->reset) {
    stream.reset(point->view_number);
  } else if (point && point->tick < stream.resumable_from()) {
    return false;
  } else if (point) {
    stream.resume(point->tick);
  }
  stream.acknowledge(session.acked_tick);
  return true;
}

/// Who can be told something now. What is asked of a connection was last touched by another core:
/// looking at thousands takes milliseconds, so it is done in parallel.
void FrameSender::collect(const Interest& interest, Tick tick, std::uint64_t now_us) {
  const auto sessions = sessions_.all();  // ascending, as the streams are
  const auto streams = streams_.all();
  jobs_.assign(streams.size(), {});
  const auto look = [&](std::size_t, std::size_t begin, std::size_t end) {
    auto next = std::lower_bound(
        sessions.begin(), sessions.end(), streams[begin]->session(),
        [](const auto& session, SessionId wanted) { return session->id < wanted; });
    for (std::size_t i = begin; i < end; ++i) {
      while (next != sessions.end() && (*next)->id < streams[i]->session()) ++next;
      const bool is_there = next != sessions.end() && (*next)->id == streams[i]->session();
      jobs_[i] = look_at(interest, tick, now_us, *streams[i], is_there ? *next : nullptr);
    }
  };
  workers_.parallel_blocks(streams.size(), looks_per_block, look);

  stats_.waiting = stats_.degraded = 0;
  outboxes_bytes_ = 0;
  for (const Job& job : jobs_) {
    if (job.stream == nullptr) continue;
    stats_.degraded += job.stream->health() != StreamHealth::Ok;
    stats_.waiting += !job.has_room;
    if (!job.has_room) count_outbox(job.outbox_bytes);
  }
  std::erase_if(jobs_, [](const Job& job) { return !job.has_room; });
  sort_by_slot();
}

/// No stream: the session has no connection to be told anything over.
FrameSender::Job FrameSender::look_at(const Interest& interest, Tick tick, std::uint64_t now_us,
                                      SessionStream& stream,
                                      const std::shared_ptr<Session>& session) {
  const auto connection = session != nullptr ? session->connection() : nullptr;
  if (session != nullptr && !take_resume(stream, *session)) {
    const auto newest = session->connection();
    if (newest) {
      // Parked by this, it begins anew when the client comes again.
      newest->close({ErrorCode::None, "the view of tick " + std::to_string(tick) +
                                          " could not go on; resume once more"});
    }
    return {};
  }
  // A connection that took its place in between is served in the next tick, when its resume is.
  if (!connection || connection->closing() || session->connection() != connection) {
    stream.park();
    return {};
  }
  const bool has_room = connection->wants_frame();
  const std::size_t outbox_bytes = connection->outbox_bytes();
  if (!stream.observe(has_room, outbox_bytes, now_us)) {
    evict(*connection,
          "nothing was read for " + std::to_string(settings_.stream.slow_consumer_ms) + " ms");
    return {};
  }
  session->gauges.note(stream, tick % settings_.stream.tick_rate_hz == 0);
  // One session in this tick, another in that one.
  if ((tick + session->id.value) % settings_.observers_noted_ticks == 0)
    session->gauges.note_observers(observers_of(interest, session->id));
  const std::size_t bytes = std::min(stream.frame_bytes(), settings_.outbox_bytes_max / 2);
  return {&stream, connection, has_room, bytes, 0, outbox_bytes, session};
}

/// What leaves first is encoded first.
void FrameSender::sort_by_slot() {
  std::stable_sort(jobs_.begin(), jobs_.end(), [this](const Job& a, const Job& b) {
    return slot_of(a.stream->session()) < slot_of(b.stream->session());
  });
}

std::uint32_t FrameSender::slot_of(SessionId session) const {
  return static_cast<std::uint32_t>(session.value % std::max(settings_.send_slots, 1u));
}

/// What may leave in this tick, in fair parts.
void FrameSender::divide_egress() {
  const StreamSettings& settings = settings_.stream;
  if (settings.egress_bytes_per_s == 0) return;
  const auto per_s = static_cast<double>(settings.egress_bytes_per_s);
  egress_tokens_ = std::min(per_s, egress_tokens_ + per_s / settings.tick_rate_hz);
  std::vector<std::size_t> wanted;
  for (const Job& job : jobs_) wanted.push_back(job.frame_bytes);
  const auto total = static_cast<std::uint64_t>(std::max(1.0, egress_tokens_));
  const std::vector<std::size_t> shares = share_fairly(total, wanted);
  for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].frame_bytes = shares[i];
}

void FrameSender::run(const Simulation& simulation, const TickOutput& output,
                      std::uint64_t server_time_us, Clock::time_point begin, Shedding shedding,
                      Job& job) {
  const Activity activity("frame");
  SessionStream& stream = *job.stream;
  const TickReport& report = output.report;
  WorkerBuffers& buffers = buffers_[Workers::current_worker()];
  std::vector<std::uint8_t> bytes;
  wire::FrameContent content;
  content.shedding = shedding;
  bool fits = true;
  // What waited comes in frames of its own ticks, so that no end overtakes its begin. They say that
  // the views are behind: enters and updates come in the last frame.
  content.selection = &buffers.selection;
  content.snapshot = output.frame->snapshot.get();
  const std::vector<const ReliableTick*> reliable = stream.reliable_to_send();
  for (const ReliableTick* tick : reliable) {
    if (tick->tick == report.tick) break;
    stream.select_leaves(tick->tick, buffers.selection);
    content.tick = tick->tick;
    content.index_version = tick->index_version;
    content.server_time_us = tick->server_time_us;
    content.result_hash = tick->result_hash;
    content.events = &tick->events;
    fits = fits && wire::encode_frame(content, settings_.outbox_bytes_max - bytes.size(), bytes);
  }
  content.tick = report.tick;
  content.index_version = report.index_version;
  content.server_time_us = server_time_us;
  content.result_hash = report.hash;
  const bool has_events = !reliable.empty() && reliable.back()->tick == report.tick;
  content.events = has_events ? &reliable.back()->events : nullptr;
  const Snapshot& snapshot = *content.snapshot;
  const std::size_t room = job.frame_bytes > bytes.size() ? job.frame_bytes - bytes.size() : 0;
  stream.select(snapshot, streams_.motions(), simulation.interest(),
                {room, shedding >= Shedding::OuterRings ? 2u : 1u}, buffers.scratch,
                buffers.selection);
  fits = fits && wire::encode_frame(content, settings_.outbox_bytes_max - bytes.size(), bytes);
  if (!fits) {
    stream.forget_events(report.tick);  // what was chosen never went out
    return evict(*job.connection,
                 "one tick of this session needs more than outbox_bytes_max (" +
                     std::to_string(settings_.outbox_bytes_max) +
                     " bytes): see less by fewer or smaller areas, or raise that setting");
  }
  job.sent_bytes = bytes.size();
  stream.sent(report.tick, buffers.selection, snapshot, bytes.size());
  job.connection->offer(std::move(bytes), due(stream.session(), begin));
  job.outbox_bytes = job.connection->outbox_bytes();
}

void FrameSender::count_outbox(std::size_t bytes) {
  outboxes_bytes_ += bytes;
  stats_.outbox_peak_bytes = std::max<std::uint64_t>(stats_.outbox_peak_bytes, bytes);
}

/// The slots of a tick share the time from when its frames can be encoded.
FrameSender::Clock::time_point FrameSender::due(SessionId session, Clock::time_point begin) const {
  if (settings_.send_slots <= 1) return begin;
  const std::chrono::duration<double> whole(slots_share / settings_.stream.tick_rate_hz);
  const std::chrono::duration<double> computing = (encoded_from_ - begin) * computing_share;
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(whole + computing);
  const auto left = std::max(end - encoded_from_, Clock::duration::zero());
  const auto slot = static_cast<Clock::duration::rep>(slot_of(session));
  return encoded_from_ + left * slot / static_cast<Clock::duration::rep>(settings_.send_slots);
}

void FrameSender::evict(net::Connection& connection, std::string text) {
  ++evicted_;
  sessions_.end(connection, ErrorCode::SlowConsumer);  // nobody resumes it while it says goodbye
  connection.close({ErrorCode::SlowConsumer, std::move(text)});
}

}  // namespace vicinity::app
