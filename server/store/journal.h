// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The journal of a world that runs: takes what goes into every tick from the tick thread and has a
// thread of its own write it.
//
//      tick thread                          hand-over (bounded)          writer thread
//      begin_tick(N, commands) ─────────────►  tick N            ─┐
//        ... the tick runs ...                                    ├─► one transaction ─► store
//      end_tick(N, hash) ───────────────────►  hash N            ─┘
//      wait_until_durable(N)                                         parts of a snapshot, one at a
//        ... frames leave ...                                        time, between two transactions
//
// The tick thread never waits for the disk, but in wait_until_durable() with Sync::Tick. What a
// client was told can be lost when the process or the machine ends:
//
//                    process killed                       power lost
//      tick          nothing                              nothing
//      interval      the last sync_interval_ms            the last sync_interval_ms
//      none          what was in the hand-over            anything; the file may be damaged
//
// When the hand-over is full, ticks are dropped and counted, and `writable` is false, until a
// snapshot has made the journal whole again. A write that fails is tried again, once a second; a
// snapshot that cannot be written is given up, and the one before it stays, unless the journal is
// not whole without it.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "store/journal_status.h"
#include "store/record_store.h"
#include "store/session_ledger.h"

namespace vicinity::store {

enum class Sync : std::uint8_t { Tick = 0, Interval = 1, None = 2 };

struct JournalSettings {
  Sync sync = Sync::Interval;
  std::uint32_t sync_interval_ms = 100;
  std::uint64_t queue_bytes_max = std::uint64_t{64} << 20;
  /// Tests make it short.
  std::chrono::milliseconds retry{1'000};
  bool stops_on_failure = false;  ///< what cannot be written is not told to anybody
};

/// Where a journal goes on.
struct JournalStart {
  Tick tick = 0;           ///< the last that is in the store
  Tick first_tick = 1;     ///< the first whose commands are in the store
  Tick snapshot_tick = 0;  ///< 0 = none
  std::uint32_t snapshot_parts = 0;
  SessionLedger sessions;  ///< after `tick`
  RunState state;          ///< of the run that begins
};

class Journal {
 public:
  using Commands = std::shared_ptr<const std::vector<Command>>;

  /// `on_failure` (may be empty) is called from the writer thread, once, when the journal cannot be
  /// written.
  Journal(const JournalSettings& settings, std::unique_ptr<RecordStore> store, JournalStart start,
          std::function<void(const Error&)> on_failure);
  /// As close(false).
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Once, before the first tick and before anybody is told anything: notes in the store that a run
  /// has begun, durable. A start that ends before that was no run.
  Error begin_run();
  /// Tick thread, before the tick runs; ticks one after the other.
  void begin_tick(Tick tick, Commands commands, const std::vector<SessionRecord>& welcomed);
  /// Tick thread, after it ran.
  void end_tick(Tick tick, const TickHash& hash);
  /// Tick thread. With Sync::Tick: returns when the commands of the tick are durable, or when they
  /// will not be for a while (then the status says so). Returns at once otherwise.
  /// False: it is not. True at once without Sync::Tick.
  [[nodiscard]] bool wait_until_durable(Tick tick);
  bool stops_on_failure() const { return settings_.stops_on_failure; }

  /// Tick thread. Whether a snapshot can be taken: none is being written.
  bool takes_snapshot() const;
  /// Tick thread. Whether one should be taken now, whatever the schedule says: ticks were dropped,
  /// and the store can be written again.
  bool needs_snapshot() const;
  /// Tick thread, after end_tick(tick), if takes_snapshot(): `write_world` writes the world as it
  /// is after that tick. The snapshot before it, and the ticks up to it, go once it is complete.
  void snapshot(Tick tick, const TickHash& hash,
                const std::function<void(ArchiveWriter&)>& write_world);

  /// Tick thread, before close(true). Whether a snapshot must be taken so that nothing is lost:
  /// ticks were dropped, and none has been handed over since. Waits for one that is being written,
  /// as long as the disk takes. False, too, when the disk does not take anything.
  [[nodiscard]] bool needs_last_snapshot();

  /// Any thread.
  JournalStatus status() const;

  /// Writes what waits and ends the writer. A snapshot that runs is given up, unless `clean` asks
  /// for an end without loss and ticks were dropped that it makes good. `clean` also notes that
  /// nothing was lost. Takes as long as the disk does. No calls but status() afterwards.
  void close(bool clean);

 private:
  struct TickItem {
    Tick tick = 0;
    Commands commands;
    std::vector<SessionRecord> welcomed;
  };
  struct HashItem {
    Tick tick = 0;
    TickHash hash;
  };
  /// Complete, when its parts are: in the hand-over it has its place among the ticks.
  struct SnapshotItem {
    SnapshotEnd end;
    ArchiveWriter content;
    bool heals = false;  ///< ticks before it are missing, and it stands for them
  };
  using Item = std::variant<TickItem, HashItem, SnapshotItem>;
  struct Waiting {
    Item item;
    std::uint64_t bytes = 0;
  };
  /// Entries that a complete snapshot has made useless.
  struct Sweeping {
    Tick first_tick = 0;
    Tick last_tick = 0;
    Tick snapshot_tick = 0;  ///< the one before; 0 = none
    std::uint32_t snapshot_parts = 0;
  };

  void run();
  bool has_work(std::chrono::steady_clock::time_point now) const;
  std::chrono::steady_clock::time_point next_moment() const;
  bool is_due(std::chrono::steady_clock::time_point now) const;
  bool heals() const;
  static bool is_healing(const Waiting& waiting);
  std::deque<Waiting> take_items();
  std::deque<Waiting> take_rest();
  void give_up_from(Tick tick);
  void encode(std::deque<Waiting> items);
  void write_pending();
  void write_snapshot_part();
  bool write_of_snapshot(std::span<const StoreChange> changes);
  void give_up_snapshot();
  void finish_snapshot();
  void sweep();
  Error apply(std::span<const StoreChange> changes);
  bool decide(const Error& error);
  void finish();
  void push(Item item, std::uint64_t bytes);

  const JournalSettings settings_;
  const std::unique_ptr<RecordStore> store_;  ///< writer thread, once a run has begun
  const std::function<void(const Error&)> on_failure_;

  // Tick thread.
  SessionLedger sessions_;
  const RunState state_;
  bool has_begun_ = false;  ///< written before the first tick, then read by both

  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable wake_;
  std::condition_variable written_;
  std::deque<Waiting> queue_;
  std::uint64_t queue_bytes_ = 0;  ///< of queue_, and of what was taken and is not yet written
  std::uint64_t tick_items_ = 0;   ///< in queue_
  std::chrono::steady_clock::time_point oldest_;  ///< when the first of queue_ came
  JournalStatus status_;
  Tick handed_over_ = 0;
  bool is_dropping_ = false;  ///< until a snapshot is handed over
  bool has_gap_ = false;      ///< until a snapshot is complete
  bool is_failing_ = false;   ///< the last write failed
  bool closing_ = false;
  bool clean_ = false;

  // Writer thread.
  std::vector<StoreChange> pending_;  ///< taken from the queue and not yet written
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t taken_bytes_ = 0;  ///< part of queue_bytes_ that is in pending_
  Tick pending_tick_ = 0;          ///< the last whose commands are in the store, with pending_
  std::chrono::steady_clock::time_point retry_at_;
  bool has_failed_ = false;  ///< ever
  std::optional<SnapshotItem> writing_;
  std::uint32_t parts_written_ = 0;
  std::optional<Sweeping> sweeping_;
  std::chrono::steady_clock::time_point sweep_at_;  ///< not before, after one that failed
  Tick first_tick_;
  Tick snapshot_tick_;
  std::uint32_t snapshot_parts_;

  std::thread thread_;
};

}  // namespace vicinity::store
