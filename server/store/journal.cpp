// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/journal.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "world/command_size.h"

namespace vicinity::store {
namespace {

using Clock = std::chrono::steady_clock;

/// Largest part of a snapshot: what a tick may have to wait for.
constexpr std::size_t part_bytes = std::size_t{1} << 20;
/// Ticks and parts that go in one transaction.
constexpr std::uint64_t swept_at_once = 512;
constexpr std::uint64_t item_bytes = 128;

/// A few hashes, which wait for the commands of the next tick.
constexpr std::uint64_t lone_hashes_bytes = 8 * item_bytes;

}  // namespace

Journal::Journal(const JournalSettings& settings, std::unique_ptr<RecordStore> store,
                 JournalStart start, std::function<void(const Error&)> on_failure)
    : settings_(settings),
      store_(std::move(store)),
      on_failure_(std::move(on_failure)),
      sessions_(std::move(start.sessions)),
      state_(start.state),
      handed_over_(start.tick),
      pending_tick_(start.tick),
      first_tick_(start.first_tick),
      snapshot_tick_(start.snapshot_tick),
      snapshot_parts_(start.snapshot_parts) {
  CHECK(store_ != nullptr);
  status_.durable_tick = start.tick;
  status_.snapshot_tick = start.snapshot_tick;
  status_.size_bytes = store_->size_bytes();
  thread_ = std::thread([this] { run(); });
}

Journal::~Journal() { close(false); }

Error Journal::begin_run() {
  const StoreChange change{state_key, vicinity::store::encode(state_)};
  Error error = store_->apply({&change, 1}, true);
  has_begun_ = error.code == ErrorCode::None;
  return error;
}

// --- Tick thread -----------------------------------------------------------------------------

void Journal::begin_tick(Tick tick, Commands commands, const std::vector<SessionRecord>& welcomed) {
  CHECK(has_begun_);
  sessions_.apply(welcomed, *commands);
  const std::uint64_t bytes =
      item_bytes + size_bytes(*commands) + welcomed.size() * sizeof(SessionRecord);
  push(TickItem{tick, std::move(commands), welcomed}, bytes);
}

void Journal::end_tick(Tick tick, const TickHash& hash) { push(HashItem{tick, hash}, item_bytes); }

/// Ticks are dropped when there is no room for them; what is behind them goes as well.
void Journal::push(Item item, std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(!closing_);
    const auto* tick = std::get_if<TickItem>(&item);
    if (tick != nullptr) {
      CHECK(tick->tick == handed_over_ + 1);
      handed_over_ = tick->tick;
      // One that comes alone is taken, however large; what hashes take does not count.
      if (queue_bytes_ + bytes > settings_.queue_bytes_max && queue_bytes_ > lone_hashes_bytes) {
        if (!is_dropping_)
          status_.last_error = "the disk is slower than the ticks: the hand-over is full";
        is_dropping_ = has_gap_ = true;
        status_.writable = false;
      }
      if (is_dropping_) ++status_.dropped_ticks;
    }
    auto* const snapshot = std::get_if<SnapshotItem>(&item);
    const bool is_snapshot = snapshot != nullptr;
    if (is_snapshot) {
      snapshot->heals = has_gap_;
      is_dropping_ = false;
      status_.snapshot_running = true;
    }
    if (is_dropping_) {
      written_.notify_all();
      return;
    }
    if (queue_.empty()) oldest_ = Clock::now();
    tick_items_ += tick != nullptr;
    if (!is_snapshot) queue_bytes_ += bytes;
    queue_.push_back({std::move(item), is_snapshot ? 0 : bytes});
  }
  wake_.notify_all();
}

bool Journal::wait_until_durable(Tick tick) {
  if (settings_.sync != Sync::Tick) return true;
  std::unique_lock lock(mutex_);
  written_.wait(lock, [&] { return status_.durable_tick >= tick || !status_.writable; });
  return status_.durable_tick >= tick;
}

bool Journal::takes_snapshot() const {
  const std::lock_guard lock(mutex_);
  return !status_.snapshot_running && !is_failing_ && !is_dropping_;
}

bool Journal::needs_snapshot() const {
  const std::lock_guard lock(mutex_);
  return is_dropping_ && queue_.empty() && queue_bytes_ == 0 && !is_failing_ &&
         !status_.snapshot_running;
}

bool Journal::needs_last_snapshot() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this] { return !is_dropping_ || !status_.snapshot_running || is_failing_; });
  return is_dropping_ && !is_failing_;
}

void Journal::snapshot(Tick tick, const TickHash& hash,
                       const std::function<void(ArchiveWriter&)>& write_world) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(!status_.snapshot_running);  // the disk may have failed since it was asked for
  }
  SnapshotItem item;
  item.content = begin_snapshot(sessions_.last_id(), sessions_.sessions());
  write_world(item.content);
  item.end.tick = tick;
  item.end.world_hash = hash.hash;
  item.end.entity_hash = hash.entity_hash;
  item.end.size_bytes = item.content.size();
  item.end.part_count =
      static_cast<std::uint32_t>((item.content.size() + part_bytes - 1) / part_bytes);
  push(std::move(item), 0);
}

JournalStatus Journal::status() const {
  const std::lock_guard lock(mutex_);
  JournalStatus status = status_;
  status.lag_ticks = handed_over_ - std::min(handed_over_, status.durable_tick);
  status.lag_bytes = queue_bytes_;
  return status;
}

void Journal::close(bool clean) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = true;
    clean_ = clean;
  }
  wake_.notify_all();
  thread_.join();
}

// --- Writer thread ---------------------------------------------------------------------------

/// A hash alone waits for the commands of the next tick. What is behind a gap waits until the
/// snapshot is complete that it goes on from.
bool Journal::is_due(Clock::time_point now) const {
  if (queue_.empty() || (writing_ && writing_->heals)) return false;
  const bool waits = !closing_ && (settings_.sync == Sync::Interval || tick_items_ == 0);
  return !waits || queue_bytes_ > settings_.queue_bytes_max / 2 ||
         std::holds_alternative<SnapshotItem>(queue_.front().item) ||
         now >= oldest_ + std::chrono::milliseconds(settings_.sync_interval_ms);
}

/// Whether a snapshot is under way with which the journal is whole again: worth waiting for at an
/// end that was asked for.
bool Journal::heals() const {
  if (!clean_ || !has_gap_ || is_failing_) return false;
  return (writing_ && writing_->heals) || std::any_of(queue_.begin(), queue_.end(), is_healing);
}

bool Journal::is_healing(const Waiting& waiting) {
  const auto* const snapshot = std::get_if<SnapshotItem>(&waiting.item);
  return snapshot != nullptr && snapshot->heals;
}

bool Journal::has_work(Clock::time_point now) const {
  if (closing_) return true;
  if (is_failing_) return now >= retry_at_;
  return is_due(now) || !pending_.empty() || (sweeping_ ? now >= sweep_at_ : writing_.has_value());
}

Clock::time_point Journal::next_moment() const {
  if (is_failing_) return retry_at_;
  const auto sweep_at = sweeping_ ? sweep_at_ : Clock::now() + std::chrono::hours(1);
  if (queue_.empty() || (writing_ && writing_->heals)) return sweep_at;
  return std::min(sweep_at, oldest_ + std::chrono::milliseconds(settings_.sync_interval_ms));
}

void Journal::run() {
  std::unique_lock lock(mutex_);
  while (!closing_ || heals()) {
    if (!has_work(Clock::now())) {
      wake_.wait_until(lock, next_moment());
      continue;
    }
    if (closing_ && !heals()) break;
    std::deque<Waiting> items;
    if (pending_.empty() && is_due(Clock::now())) items = take_items();
    const bool is_closing = closing_;
    lock.unlock();
    encode(std::move(items));
    if (!pending_.empty()) {
      write_pending();
      // What a full store holds in vain makes room.
      if (!pending_.empty() && sweeping_) sweep();
    } else if (sweeping_) {
      if (is_closing || Clock::now() >= sweep_at_) sweep();
    } else if (writing_) {
      write_snapshot_part();
    }
    lock.lock();
  }
  std::deque<Waiting> rest = take_rest();
  lock.unlock();
  encode(std::move(rest));
  finish();
}

/// All that waits; of a snapshot at the front only that.
std::deque<Journal::Waiting> Journal::take_items() {
  std::deque<Waiting> items;
  if (std::holds_alternative<SnapshotItem>(queue_.front().item)) {
    items.push_back(std::move(queue_.front()));
    queue_.pop_front();
  } else {
    items.swap(queue_);
    tick_items_ = 0;
  }
  return items;
}

/// At the end. Behind a gap nothing is worth writing: no snapshot will be complete that heals it.
std::deque<Journal::Waiting> Journal::take_rest() {
  std::deque<Waiting> items = std::move(queue_);
  if (!has_gap_) return items;
  const auto snapshot = std::find_if(items.begin(), items.end(), is_healing);
  items.erase(writing_ && writing_->heals ? items.begin() : snapshot, items.end());
  return items;
}

/// A tick that cannot be kept, which door 1 does not let happen: nothing behind it can be.
void Journal::give_up_from(Tick tick) {
  {
    const std::lock_guard lock(mutex_);
    status_.last_error =
        "tick " + std::to_string(tick) + " has more commands than the journal can hold";
    status_.dropped_ticks += handed_over_ - tick + 1;
    status_.writable = false;
    is_dropping_ = has_gap_ = true;
    queue_.clear();
    queue_bytes_ = tick_items_ = 0;
    status_.snapshot_running = writing_.has_value();
  }
  written_.notify_all();
}

void Journal::encode(std::deque<Waiting> items) {
  bool gave_up = false;
  for (Waiting& waiting : items) {
    taken_bytes_ += waiting.bytes;
    if (gave_up) continue;
    if (const auto* tick = std::get_if<TickItem>(&waiting.item)) {
      Bytes entry = encode_tick(tick->tick, *tick->commands, tick->welcomed);
      if (entry.empty()) {
        give_up_from(tick->tick);
        gave_up = true;
        continue;
      }
      pending_bytes_ += entry.size();
      pending_.push_back({{EntryKind::Tick, tick->tick, commands_part}, std::move(entry)});
      pending_tick_ = tick->tick;
    } else if (const auto* hash = std::get_if<HashItem>(&waiting.item)) {
      pending_.push_back(
          {{EntryKind::Tick, hash->tick, hash_part}, encode_hash(hash->tick, hash->hash)});
    } else {
      writing_ = std::move(std::get<SnapshotItem>(waiting.item));
      writing_->end.checksum = hash_bytes(writing_->content.bytes());
      parts_written_ = 0;
    }
    waiting.item = HashItem{};  // not all of it twice in memory
  }
  if (gave_up) taken_bytes_ = 0;  // as queue_bytes_
}

Error Journal::apply(std::span<const StoreChange> changes) {
  const auto began_at = Clock::now();
  Error error = store_->apply(changes, settings_.sync != Sync::None);
  const auto took_us =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_at);
  const std::uint64_t size_bytes = store_->size_bytes();
  const std::lock_guard lock(mutex_);
  status_.slowest_write_us =
      std::max(status_.slowest_write_us, static_cast<std::uint64_t>(took_us.count()));
  status_.size_bytes = size_bytes;
  if (error.code == ErrorCode::None) {
    ++status_.commits;
  } else {
    ++status_.write_errors;
    status_.last_error = error.text;
  }
  return error;
}

/// What cannot be written now is tried again, and until then the journal is not writable.
bool Journal::decide(const Error& error) {
  const bool failed = error.code != ErrorCode::None;
  {
    const std::lock_guard lock(mutex_);
    is_failing_ = failed;
    status_.writable = !failed && !has_gap_;
    if (failed) retry_at_ = Clock::now() + settings_.retry;
  }
  written_.notify_all();
  if (failed && !std::exchange(has_failed_, true) && on_failure_) on_failure_(error);
  return !failed;
}

/// A snapshot that takes the room of ticks goes.
void Journal::write_pending() {
  Error error = apply(pending_);
  if (error.code != ErrorCode::None && writing_ && !writing_->heals) {
    give_up_snapshot();
    error = apply(pending_);
  }
  if (!decide(error)) return;
  pending_.clear();
  {
    const std::lock_guard lock(mutex_);
    queue_bytes_ -= std::min(queue_bytes_, std::exchange(taken_bytes_, 0));
    status_.durable_tick = pending_tick_;
    status_.written_bytes += std::exchange(pending_bytes_, 0);
  }
  written_.notify_all();
}

void Journal::write_snapshot_part() {
  const SnapshotItem& snapshot = *writing_;
  if (parts_written_ == snapshot.end.part_count) return finish_snapshot();
  const std::size_t at = parts_written_ * part_bytes;
  const auto body = snapshot.content.bytes().subspan(
      at, std::min<std::size_t>(part_bytes, snapshot.content.size() - at));
  const EntryKey key{EntryKind::SnapshotPart, snapshot.end.tick, parts_written_};
  const StoreChange change{key, seal(key, body)};
  if (write_of_snapshot({&change, 1})) ++parts_written_;
}

/// One without which the journal is not whole is tried again, as ticks are; any other is given up
/// and says nothing of whether the journal can be written.
bool Journal::write_of_snapshot(std::span<const StoreChange> changes) {
  const Error error = apply(changes);
  if (error.code == ErrorCode::None || writing_->heals) return decide(error);
  give_up_snapshot();
  return false;
}

/// Its parts go at once, so that the ticks have their room.
void Journal::give_up_snapshot() {
  if (parts_written_ > 0) sweeping_ = Sweeping{1, 0, writing_->end.tick, parts_written_};
  writing_.reset();
  {
    const std::lock_guard lock(mutex_);
    status_.snapshot_running = false;
    ++status_.snapshots_given_up;
  }
  written_.notify_all();
  if (sweeping_) sweep();
}

/// Only now does the snapshot count, and what it replaces may go.
void Journal::finish_snapshot() {
  const SnapshotEnd& end = writing_->end;
  const StoreChange change{{EntryKind::SnapshotEnd, end.tick, 0}, vicinity::store::encode(end)};
  if (!write_of_snapshot({&change, 1})) return;
  sweeping_ = Sweeping{first_tick_, end.tick, snapshot_tick_, snapshot_parts_};
  first_tick_ = end.tick + 1;
  snapshot_tick_ = end.tick;
  snapshot_parts_ = end.part_count;
  writing_.reset();
  // Behind a gap no tick before it is in the store: the snapshot stands for them.
  pending_tick_ = std::max(pending_tick_, snapshot_tick_);
  const std::lock_guard lock(mutex_);
  status_.durable_tick = std::max(status_.durable_tick, snapshot_tick_);
  status_.snapshot_tick = snapshot_tick_;
  status_.snapshot_running = false;
  has_gap_ = is_dropping_;
  status_.writable = !has_gap_;
  written_.notify_all();
}

/// The end of the old snapshot goes before its parts: parts without an end are no snapshot.
void Journal::sweep() {
  const Sweeping before = *sweeping_;
  Sweeping& old = *sweeping_;
  std::vector<StoreChange> changes;
  if (old.snapshot_tick != 0)
    changes.push_back({{EntryKind::SnapshotEnd, old.snapshot_tick, 0}, std::nullopt});
  for (; old.first_tick <= old.last_tick && changes.size() < swept_at_once; ++old.first_tick) {
    for (const std::uint32_t part : {commands_part, hash_part})
      changes.push_back({{EntryKind::Tick, old.first_tick, part}, std::nullopt});
  }
  for (; old.snapshot_parts > 0 && changes.size() < swept_at_once; --old.snapshot_parts) {
    changes.push_back(
        {{EntryKind::SnapshotPart, old.snapshot_tick, old.snapshot_parts - 1}, std::nullopt});
  }
  const bool is_done = old.first_tick > old.last_tick && old.snapshot_parts == 0;
  const Error error = apply(changes);
  if (error.code != ErrorCode::None) {
    *sweeping_ = before;
    sweep_at_ = Clock::now() + settings_.retry;
  } else if (is_done) {
    sweeping_.reset();
  }
  if (!writing_) return;
  // A snapshot waits for this, and what is behind a gap for the snapshot: no tick says how it is.
  if (writing_->heals) {
    decide(error);
  } else if (error.code != ErrorCode::None) {
    give_up_snapshot();
  }
}

void Journal::finish() {
  if (!pending_.empty()) write_pending();
  bool whole = pending_.empty();
  {
    const std::lock_guard lock(mutex_);
    whole = whole && !has_gap_ && !is_failing_;
  }
  if (!has_begun_ || !clean_ || !whole) return;
  RunState state = state_;
  state.is_clean = true;
  state.tick = pending_tick_;
  state.last_session_id = std::max(state.last_session_id, sessions_.last_id());
  const StoreChange change{state_key, vicinity::store::encode(state)};
  const Error error = store_->apply({&change, 1}, true);
  if (error.code == ErrorCode::None) return;
  const std::lock_guard lock(mutex_);
  status_.last_error = error.text;
}

}  // namespace vicinity::store
