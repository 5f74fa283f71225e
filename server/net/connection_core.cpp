// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/connection_core.h"

#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "net/connection_registry.h"

namespace vicinity::net {
namespace {

/// Frames are delivered for about this long before other connections get their turn.
constexpr std::chrono::milliseconds turn_time(1);
constexpr std::chrono::milliseconds drain_time(limits::drain_deadline_ms);
/// Between two looks at a peer that seems silent; time for its thread to read what has come.
constexpr std::chrono::milliseconds second_look_time(50);
/// A server that is always late must end who is silent all the same.
constexpr int late_looks_max = 5;
/// Writes that the kernel took at once, in a row, before others get their turn.
constexpr int writes_per_turn = 4;

CloseCause slow_consumer(std::size_t outbox_bytes_max) {
  return {ErrorCode::SlowConsumer,
          "the client did not read fast enough: its outbox of " + std::to_string(outbox_bytes_max) +
              " bytes is full; read faster, use smaller areas or raise outbox_bytes_max"};
}

}  // namespace

ConnectionCore::ConnectionCore(const ConnectionContext& context, NetLoop& loop, std::uint64_t id,
                               std::string peer)
    : context_(context),
      loop_(loop),
      id_(id),
      peer_(std::move(peer)),
      reader_(limits::frame_bytes_before_hello_max),
      opened_at_(Clock::now()),
      received_at_(opened_at_),
      close_deadline_(opened_at_),
      outbox_(context.settings.outbox_bytes_max) {}

void ConnectionCore::start() {
  loop_.post([self = shared_from_this()] {
    if (self->finished_) return;
    self->announced_ = true;
    self->context_.handler.on_open(self);
    self->watch_deadline();
    self->start_reading();
  });
}

void ConnectionCore::start_closing(CloseCause cause) {
  cause_ = std::move(cause);  // nobody else has it yet
  closing_.store(true, std::memory_order_release);
  start();
  loop_.post([self = shared_from_this()] { self->enter_closing(std::nullopt); });
}

void ConnectionCore::cut(CloseCause cause) {
  loop_.post([self = shared_from_this(), last = std::move(cause)]() mutable {
    self->begin_closing(std::move(last), Bytes{});
    self->finish();
  });
}

// --- Any thread ------------------------------------------------------------------------------

bool ConnectionCore::send(std::span<const std::uint8_t> frames) {
  bool start_writing = false;
  bool overflow = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing()) return false;
    release_kept();
    overflow = !outbox_.push(frames);
    if (!overflow) start_writing = !std::exchange(writing_, true);
  }
  if (overflow) begin_closing(slow_consumer(outbox_.bytes_max()), std::nullopt);
  if (start_writing) post_write();
  return !overflow;
}

bool ConnectionCore::wants_frame() const {
  const std::lock_guard lock(mutex_);
  return !closing() && kept_frame_.empty() && outbox_.bytes() < context_.settings.frame_mark_bytes;
}

bool ConnectionCore::offer(Bytes frame, TimePoint due) {
  CHECK(frame.size() > limits::frame_prefix_bytes);
  bool start_writing = false;
  bool overflow = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing()) return false;
    if (!kept_frame_.empty()) {
      release_kept();
      start_writing = !std::exchange(writing_, true);
    }
    // Invariant: the kept frame fits into the outbox, which only shrinks until it goes there.
    overflow = frame.size() + outbox_.bytes() > outbox_.bytes_max();
    if (!overflow) {
      kept_frame_ = std::move(frame);
      kept_due_ = due;
    }
  }
  if (start_writing) post_write();
  if (overflow) {
    begin_closing(slow_consumer(outbox_.bytes_max()), std::nullopt);
    return false;
  }
  ++context_.counters.frames_offered;
  loop_.send_at(due, shared_from_this());
  return true;
}

void ConnectionCore::release_kept() {
  if (kept_frame_.empty()) return;
  const bool taken = outbox_.push_frame(std::move(kept_frame_));
  CHECK(taken);
  kept_frame_.clear();
  ++frames_waiting_;
}

void ConnectionCore::post_write() {
  loop_.post([self = shared_from_this()] { self->write_some(); });
}

void ConnectionCore::close(CloseCause cause) { begin_closing(std::move(cause), std::nullopt); }

void ConnectionCore::close(CloseCause cause, Bytes farewell) {
  begin_closing(std::move(cause), std::move(farewell));
}

void ConnectionCore::begin_closing(CloseCause cause, std::optional<Bytes> farewell) {
  {
    const std::lock_guard lock(mutex_);
    if (closing()) return;
    release_kept();
    cause_ = std::move(cause);
    closing_.store(true, std::memory_order_release);
  }
  loop_.post([self = shared_from_this(), last = std::move(farewell)]() mutable {
    self->enter_closing(std::move(last));
  });
}

std::size_t ConnectionCore::outbox_bytes() const {
  const std::lock_guard lock(mutex_);
  return outbox_.bytes() + kept_frame_.size();
}

bool ConnectionCore::congested() const { return outbox_bytes() > outbox_.bytes_max() / 2; }

// --- The end, on the net thread --------------------------------------------------------------

void ConnectionCore::enter_closing(std::optional<Bytes> farewell) {
  if (finished_ || farewell_done_) return;
  if (!farewell) farewell = context_.handler.farewell(cause_);
  bool start_writing = false;
  {
    const std::lock_guard lock(mutex_);
    if (cause_.code == ErrorCode::SlowConsumer) {
      // A peer that does not read would never see the farewell behind all that waits for it.
      outbox_.drop_waiting();
      frames_waiting_ = 0;
    }
    outbox_.push_farewell(*farewell);
    start_writing = !std::exchange(writing_, true);
  }
  if (cause_.code == ErrorCode::SlowConsumer) ++context_.counters.slow_consumers;
  farewell_done_ = true;
  close_deadline_ = Clock::now() + drain_time;
  watch_deadline();
  // What was not delivered is thrown away, and so is what still comes.
  hold_ = Hold::None;
  backlog_ = {};
  if (read_end_) end_reading();
  if (!finished_ && !input_ended_) start_reading();
  if (start_writing) write_some();
}

void ConnectionCore::finish() {
  if (std::exchange(finished_, true)) return;
  DCHECK(closing());
  if (alarm_) loop_.cancel_alarm(*alarm_);
  alarm_.reset();
  close_socket();
  if (announced_) context_.handler.on_close(shared_from_this(), cause_);
  context_.registry.forget(id_);
}

// --- Reading ---------------------------------------------------------------------------------

bool ConnectionCore::authenticated() {
  if (authenticated_) return true;
  if (!context_.registry.authenticate(id_)) return false;
  authenticated_ = true;
  reader_.set_body_bytes_max(frame_bytes_max());
  watch_deadline();
  return true;
}

std::size_t ConnectionCore::frame_bytes_max() const {
  return authenticated_ ? limits::client_frame_bytes_max : limits::frame_bytes_before_hello_max;
}

void ConnectionCore::on_bytes(std::span<const std::uint8_t> bytes) {
  if (finished_) return;
  count_bytes_in(bytes.size());
  take_bytes(bytes);
}

void ConnectionCore::count_bytes_in(std::size_t size_bytes) {
  context_.counters.bytes_in += size_bytes;
  if (!closing()) return;
  thrown_away_bytes_ += size_bytes;
  if (thrown_away_bytes_ > thrown_away_bytes_max) stop_reading();
}

void ConnectionCore::take_bytes(std::span<const std::uint8_t> bytes) {
  if (finished_ || closing()) return;  // thrown away
  received_at_ = Clock::now();
  if (hold_ == Hold::None) return deliver(bytes);
  backlog_.insert(backlog_.end(), bytes.begin(), bytes.end());
  pause_reading();
}

void ConnectionCore::deliver(std::span<const std::uint8_t> input) {
  const auto rest = deliver_turn(input);
  if (hold_ == Hold::None) return start_reading();
  backlog_.assign(rest.begin(), rest.end());
  pause_reading();
}

/// Returns what is left; then `hold_` says why.
std::span<const std::uint8_t> ConnectionCore::deliver_turn(std::span<const std::uint8_t> input) {
  const auto turn_ends = Clock::now() + turn_time;
  while (!closing()) {
    if (congested()) {  // on_written() goes on from here
      hold_ = Hold::Congestion;
      return input;
    }
    const auto body = reader_.next(input);
    if (body) {
      context_.handler.on_frame(shared_from_this(), *body);
      if (Clock::now() < turn_ends) continue;
      hold_ = Hold::NextTurn;
      loop_.post([self = shared_from_this()] {
        if (self->hold_ == Hold::NextTurn) self->deliver_backlog();
      });
      return input;
    }
    if (reader_.failed() == ErrorCode::None) break;
    begin_closing({reader_.failed(), reader_.failed() == ErrorCode::FrameTooLarge
                                         ? "the announced frame length is above the limit"
                                         : "a frame of length 0"},
                  std::nullopt);
  }
  return {};
}

void ConnectionCore::deliver_backlog() {
  if (finished_) return;
  hold_ = Hold::None;
  Bytes taken;
  taken.swap(backlog_);
  if (!read_end_) return deliver(taken);
  const auto rest = deliver_turn(taken);
  if (hold_ == Hold::None) return end_reading();
  backlog_.assign(rest.begin(), rest.end());
}

void ConnectionCore::on_read_end(std::string error) {
  if (finished_) return;
  read_end_ = std::move(error);
  if (hold_ == Hold::None) end_reading();
}

void ConnectionCore::end_reading() {
  input_ended_ = true;
  const bool orderly = read_end_->empty();
  begin_closing({ErrorCode::None,
                 orderly ? "the peer closed the connection" : "connection lost: " + *read_end_},
                Bytes{});
  // After an orderly end the peer may still read: what waits is flushed first.
  if (!orderly || write_ended_) finish();
}

// --- Writing ---------------------------------------------------------------------------------

void ConnectionCore::send_due_frame(TimePoint now) {
  {
    const std::lock_guard lock(mutex_);
    if (kept_frame_.empty() || kept_due_ > now) return;  // it went earlier
    context_.counters.note_lateness(std::chrono::steady_clock::now() - kept_due_);
    release_kept();
    if (std::exchange(writing_, true)) return;
  }
  write_some();
}

bool ConnectionCore::take_chunks() {
  const std::lock_guard lock(mutex_);
  outbox_.take_in_flight(chunks_);
  if (chunks_.empty()) {
    writing_ = false;
    context_.counters.frames_sent += std::exchange(frames_waiting_, 0);
  }
  return !chunks_.empty();
}

void ConnectionCore::write_some() {
  for (int count = 0; !finished_ && take_chunks(); ++count) {
    const auto written = write(chunks_);
    if (!written) return;
    consume(*written);
    if (count == writes_per_turn) return post_write();
  }
  if (finished_ || !farewell_done_ || write_ended_) return;
  shut_sending();
  write_ended_ = true;
  if (input_ended_) finish();
}

void ConnectionCore::consume(std::size_t size_bytes) {
  context_.counters.bytes_out += size_bytes;
  {
    const std::lock_guard lock(mutex_);
    outbox_.consume(size_bytes);
  }
  if (hold_ == Hold::Congestion && !congested()) deliver_backlog();
}

void ConnectionCore::on_written(std::size_t size_bytes) {
  if (finished_) return;
  consume(size_bytes);
  write_some();
}

void ConnectionCore::on_write_error(const std::string& error) {
  if (finished_) return;
  begin_closing({ErrorCode::None, "connection lost: " + error}, Bytes{});
  finish();
}

// --- Deadlines -------------------------------------------------------------------------------

ConnectionCore::TimePoint ConnectionCore::deadline() const {
  const SocketSettings& settings = context_.settings;
  if (farewell_done_) return close_deadline_;
  if (authenticated_) return received_at_ + std::chrono::milliseconds(settings.idle_timeout_ms);
  return opened_at_ + std::chrono::milliseconds(settings.handshake_deadline_ms);
}

void ConnectionCore::watch_deadline() { watch(deadline()); }

void ConnectionCore::watch(TimePoint moment) {
  if (alarm_) loop_.cancel_alarm(*alarm_);
  alarm_ = loop_.set_alarm(moment, [this] {  // finish() cancels it
    alarm_.reset();
    on_deadline();
  });
}

/// A process that was stopped, or a thread that did not get to run, finds its deadlines over and
/// what came meanwhile unread: the silence may be of our own making. So nobody is given up at once,
/// and a look that comes late itself is a first one again, a few times.
bool ConnectionCore::is_second_look(TimePoint now) {
  const auto since_first = now - std::exchange(looked_at_, now);
  if (since_first >= second_look_time && since_first < 4 * second_look_time) return true;
  return ++late_looks_ > late_looks_max;
}

void ConnectionCore::on_deadline() {
  const auto now = Clock::now();
  if (now < deadline()) {
    looked_at_ = {};
    late_looks_ = 0;
    return watch_deadline();
  }
  if (farewell_done_) return finish();
  if (!is_second_look(now)) return watch(now + second_look_time);
  if (!authenticated_) {
    const auto limit_ms = context_.settings.handshake_deadline_ms;
    return begin_closing(
        {ErrorCode::HandshakeTimeout, "no hello within " + std::to_string(limit_ms) + " ms"},
        std::nullopt);
  }
  if (congested()) return begin_closing(slow_consumer(outbox_.bytes_max()), std::nullopt);
  if (hold_ == Hold::NextTurn) {  // the silence is of our own making
    received_at_ = now;
    return watch_deadline();
  }
  begin_closing({ErrorCode::IdleTimeout, "nothing was received for " +
                                             std::to_string(context_.settings.idle_timeout_ms) +
                                             " ms; send a ping"},
                std::nullopt);
}

}  // namespace vicinity::net
