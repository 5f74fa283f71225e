// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "memory_store.h"
#include "store/contents.h"
#include "store/lmdb_store.h"
#include "support/server_process.h"

namespace vicinity::store {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class AJournal : public testing::Test {
 protected:
  void begin(const JournalSettings& settings, Tick tick = 0) {
    JournalStart start;
    start.tick = tick;
    start.first_tick = 1;
    tick_ = tick;
    disk_->entries[header_key] = encode(WorldSettings{});
    journal_ = std::make_unique<Journal>(settings, std::make_unique<MemoryStore>(disk_),
                                         std::move(start), [this](const Error&) { ++failures_; });
    ASSERT_EQ(journal_->begin_run().code, ErrorCode::None);
  }
  static JournalSettings with(Sync sync) {
    JournalSettings settings;
    settings.sync = sync;
    settings.sync_interval_ms = 1;
    settings.retry = 1ms;
    return settings;
  }
  void tick(std::size_t commands = 1) {
    ++tick_;
    std::vector<Command> list;
    for (std::size_t i = 0; i < commands; ++i)
      list.push_back({SessionId{1}, ++sequence_, DespawnCommand{}});
    journal_->begin_tick(tick_, std::make_shared<const std::vector<Command>>(std::move(list)), {});
    journal_->end_tick(tick_, {1000 + tick_});
  }
  void snapshot(std::size_t bytes = 10) {
    journal_->snapshot(tick_, {1000 + tick_},
                       [&](ArchiveWriter& out) { out.append(Bytes(bytes, 7)); });
  }
  bool becomes(const std::function<bool(const JournalStatus&)>& wanted) {
    for (int i = 0; i < 10'000; ++i) {
      if (wanted(journal_->status())) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  bool durable(Tick tick) {
    return becomes([&](const JournalStatus& status) { return status.durable_tick == tick; });
  }
  Contents contents() {
    MemoryStore store(disk_);
    const auto contents = read_contents(store);
    EXPECT_TRUE(contents.ok()) << contents.error().text;
    return contents.ok() ? contents.value() : Contents();
  }

  std::shared_ptr<Disk> disk_ = std::make_shared<Disk>();
  std::unique_ptr<Journal> journal_;
  Tick tick_ = 0;
  std::uint64_t sequence_ = 0;
  std::atomic<int> failures_{0};
};

TEST_F(AJournal, HoldsEveryTickWithItsHash) {
  begin(with(Sync::Interval));
  for (int i = 0; i < 20; ++i) tick();
  journal_->close(true);
  const Contents found = contents();
  EXPECT_EQ(found.last_tick, 20u);
  EXPECT_EQ(found.last_hash, 1020u);
  EXPECT_FALSE(found.damage);
  EXPECT_TRUE(found.state.is_clean);
  EXPECT_EQ(found.state.tick, 20u);
}

TEST_F(AJournal, NotEndedAsAskedSaysNothingOfACleanEnd) {
  begin(with(Sync::None));
  tick();
  journal_->close(false);
  EXPECT_EQ(contents().last_tick, 1u);
  EXPECT_FALSE(contents().state.is_clean);
}

TEST_F(AJournal, WithSyncTickWaitsForTheDiskAndWithOthersNot) {
  for (const Sync sync : {Sync::Tick, Sync::Interval, Sync::None}) {
    begin(with(sync));
    disk_->set([&] { disk_->is_stuck = true; });
    tick();
    std::atomic<bool> is_told{false};
    std::atomic<bool> is_durable{false};
    std::thread frames([&] {
      is_durable = journal_->wait_until_durable(tick_);
      is_told = true;
    });
    if (sync == Sync::Tick) {
      std::this_thread::sleep_for(50ms);
      EXPECT_FALSE(is_told);
      EXPECT_EQ(journal_->status().durable_tick, 0u);
    } else {
      while (!is_told) std::this_thread::yield();
    }
    disk_->set([&] { disk_->is_stuck = false; });
    frames.join();
    EXPECT_TRUE(is_durable);
    journal_->close(true);
    disk_->entries.clear();
  }
}

TEST_F(AJournal, SyncsEveryWriteButWithNone) {
  begin(with(Sync::Interval));
  tick();
  ASSERT_TRUE(durable(1));
  EXPECT_EQ(disk_->writes, disk_->synced_writes);
  journal_->close(false);
  begin(with(Sync::None), 1);
  const auto before = disk_->synced_writes;
  tick();
  ASSERT_TRUE(durable(2));
  journal_->close(false);
  EXPECT_EQ(disk_->synced_writes, before);
}

TEST_F(AJournal, LosesWhatItSaysThatWaitsAndNothingElse) {
  for (const Sync sync : {Sync::Interval, Sync::None}) {
    begin(with(sync));
    for (int i = 0; i < 5; ++i) tick();
    ASSERT_TRUE(durable(5));
    disk_->set([&] { disk_->is_stuck = true; });
    for (int i = 0; i < 7; ++i) tick();
    EXPECT_EQ(contents().last_tick, 5u);  // as a process that is killed now leaves it
    EXPECT_EQ(journal_->status().durable_tick, 5u);
    EXPECT_EQ(journal_->status().lag_ticks, 7u);
    disk_->set([&] { disk_->is_stuck = false; });
    ASSERT_TRUE(durable(12));
    EXPECT_EQ(contents().last_tick, 12u);
    EXPECT_EQ(journal_->status().lag_ticks, 0u);
    journal_->close(false);
    disk_->entries.clear();
  }
}

TEST_F(AJournal, ThatCannotBeWrittenSaysSoAndTriesAgain) {
  begin(with(Sync::Tick));
  disk_->set([&] { disk_->fault = "No space left on device"; });
  for (int i = 0; i < 3; ++i) {
    tick();
    EXPECT_FALSE(journal_->wait_until_durable(tick_));  // and does not wait for ever
  }
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.write_errors >= 3; }));
  EXPECT_FALSE(journal_->status().writable);
  EXPECT_THAT(journal_->status().last_error, HasSubstr("No space left"));
  EXPECT_EQ(journal_->status().lag_ticks, 3u);
  EXPECT_EQ(failures_, 1);
  disk_->set([&] { disk_->fault.clear(); });
  ASSERT_TRUE(durable(3));
  EXPECT_TRUE(becomes([](const JournalStatus& status) { return status.writable; }));
  journal_->close(true);
  EXPECT_EQ(contents().last_tick, 3u);
  EXPECT_EQ(journal_->status().dropped_ticks, 0u);
}

TEST_F(AJournal, WithoutRoomDropsTicksUntilASnapshotMakesItWhole) {
  JournalSettings settings = with(Sync::None);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  disk_->set([&] { disk_->is_stuck = true; });
  for (int i = 0; i < 1000; ++i) tick(10);
  const JournalStatus full = journal_->status();
  EXPECT_FALSE(full.writable);
  EXPECT_GT(full.dropped_ticks, 0u);
  EXPECT_LE(full.lag_bytes, settings.queue_bytes_max + (1 << 10));
  EXPECT_THAT(full.last_error, HasSubstr("slower than the ticks"));
  EXPECT_FALSE(journal_->needs_snapshot());  // the disk is not there yet
  disk_->set([&] { disk_->is_stuck = false; });
  while (!journal_->needs_snapshot()) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(journal_->status().writable);
  snapshot();
  tick();
  ASSERT_TRUE(durable(1001));
  EXPECT_TRUE(becomes([](const JournalStatus& status) { return status.writable; }));
  journal_->close(true);
  const Contents found = contents();
  EXPECT_EQ(found.base_tick(), 1000u);
  EXPECT_EQ(found.last_tick, 1001u);
  EXPECT_FALSE(found.damage);
}

TEST_F(AJournal, ThatIsClosedWhileASnapshotHealsItLosesNothingBehindIt) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  disk_->set([&] { disk_->is_stuck = true; });
  for (int i = 0; i < 1000; ++i) tick(10);
  EXPECT_FALSE(journal_->takes_snapshot());  // by the schedule: what waits is before the gap
  disk_->set([&] { disk_->is_stuck = false; });
  while (!journal_->needs_snapshot()) std::this_thread::sleep_for(1ms);
  snapshot((3u << 20) + 1);
  for (int i = 0; i < 3; ++i) tick();
  journal_->close(true);
  const Contents found = contents();
  EXPECT_EQ(found.base_tick(), 1000u);
  EXPECT_EQ(found.last_tick, 1003u);
  EXPECT_FALSE(found.damage);
  EXPECT_TRUE(found.state.is_clean);
  EXPECT_EQ(found.state.tick, found.last_tick) << "the next start would take it for a crash";
}

TEST_F(AJournal, ThatIsClosedBehindAGapIsMadeWholeByALastSnapshot) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  tick();
  EXPECT_FALSE(journal_->needs_last_snapshot());
  disk_->set([&] { disk_->is_stuck = true; });
  for (int i = 0; i < 1000; ++i) tick(10);
  ASSERT_FALSE(journal_->needs_snapshot());  // the disk is not there yet: none has begun
  EXPECT_TRUE(journal_->needs_last_snapshot());
  snapshot((3u << 20) + 1);
  disk_->set([&] { disk_->is_stuck = false; });
  journal_->close(true);
  EXPECT_TRUE(journal_->status().writable);
  const Contents found = contents();
  EXPECT_EQ(found.base_tick(), 1001u);
  EXPECT_EQ(found.last_tick, 1001u);
  EXPECT_FALSE(found.damage);
  EXPECT_TRUE(found.state.is_clean);
  EXPECT_EQ(found.state.tick, found.last_tick) << "the next start would take it for a crash";
}

TEST_F(AJournal, WaitsWithTheLastSnapshotForOneFromBeforeTheGap) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  tick();
  disk_->set([&] { disk_->is_stuck = true; });
  snapshot((3u << 20) + 1);
  for (int i = 0; i < 1000; ++i) tick(10);
  disk_->set([&] { disk_->is_stuck = false; });
  ASSERT_TRUE(journal_->needs_last_snapshot());
  EXPECT_EQ(journal_->status().snapshot_tick, 1u);
  snapshot();
  journal_->close(true);
  EXPECT_EQ(contents().base_tick(), 1001u);
  EXPECT_TRUE(contents().state.is_clean);
}

TEST_F(AJournal, TakesNoLastSnapshotForADiskThatTakesNothing) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  settings.retry = 1h;
  begin(settings);
  disk_->set([&] { disk_->fault = "No space left on device"; });
  for (int i = 0; i < 1000; ++i) tick(10);
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.write_errors > 0; }));
  EXPECT_FALSE(journal_->needs_last_snapshot());
  journal_->close(true);
  EXPECT_FALSE(journal_->status().writable);
}

TEST_F(AJournal, DropsWhatASnapshotReplacesOnlyWhenThatIsComplete) {
  begin(with(Sync::Tick));
  for (int i = 0; i < 5; ++i) tick();
  snapshot((5u << 20) + 3);
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshot_tick == 5; }));
  EXPECT_THAT(disk_->keys(EntryKind::SnapshotPart), SizeIs(6));
  disk_->set([&] { disk_->fault = "full"; });
  tick();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return !status.writable; }));
  EXPECT_FALSE(journal_->takes_snapshot());
  disk_->set([&] { disk_->fault.clear(); });
  ASSERT_TRUE(durable(6));
  EXPECT_EQ(contents().base_tick(), 5u);
  EXPECT_TRUE(becomes([&](const JournalStatus&) { return journal_->takes_snapshot(); }));
  snapshot();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshot_tick == 6; }));
  for (int i = 0; i < 10'000 && disk_->keys(EntryKind::SnapshotPart).size() > 1; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_THAT(disk_->keys(EntryKind::SnapshotPart), SizeIs(1));
  EXPECT_THAT(disk_->keys(EntryKind::SnapshotEnd), SizeIs(1));
  EXPECT_THAT(disk_->keys(EntryKind::Tick), SizeIs(0));
  journal_->close(true);
  EXPECT_EQ(contents().base_tick(), 6u);
}

TEST_F(AJournal, GivesUpASnapshotThatHasNoRoomAndStaysWritable) {
  begin(with(Sync::Tick));
  tick();
  snapshot();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshot_tick == 1; }));
  disk_->set([&] { disk_->bytes_max = 4u << 20; });
  for (std::uint64_t given_up = 1; given_up <= 2; ++given_up) {
    tick();
    snapshot((5u << 20) + 3);
    ASSERT_TRUE(becomes([&](const JournalStatus& status) {
      return status.snapshots_given_up == given_up && !status.snapshot_running;
    }));
    tick();
    ASSERT_TRUE(durable(tick_));
    EXPECT_TRUE(journal_->status().writable);
    EXPECT_THAT(journal_->status().last_error, HasSubstr("no more room"));
    EXPECT_EQ(journal_->status().snapshot_tick, 1u);
    EXPECT_THAT(disk_->keys(EntryKind::SnapshotPart), SizeIs(1));  // of the one before
  }
  EXPECT_EQ(failures_, 0);
  snapshot();  // one that has room counts again
  ASSERT_TRUE(becomes([&](const JournalStatus& status) { return status.snapshot_tick == tick_; }));
  journal_->close(true);
  EXPECT_EQ(contents().base_tick(), tick_);
  EXPECT_TRUE(contents().state.is_clean);
}

TEST_F(AJournal, GivesUpASnapshotThatTakesTheRoomOfATick) {
  begin(with(Sync::Tick));
  tick();
  ASSERT_TRUE(durable(1));
  disk_->set([&] { disk_->is_stuck = true; });
  snapshot(2u << 20);
  tick();
  tick(2'000);
  // Room for the snapshot, and none for a tick beside it.
  disk_->set([&] {
    disk_->bytes_max = (2u << 20) + 4'000;
    disk_->is_stuck = false;
  });
  ASSERT_TRUE(durable(3));
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return !status.snapshot_running; }));
  EXPECT_EQ(failures_, 0);
  journal_->close(true);
  EXPECT_EQ(contents().last_tick, 3u);
}

TEST_F(AJournal, InAFileThatIsFullGoesOnWithoutTheSnapshot) {
  const test::TemporaryFolder folder;
  auto store = LmdbStore::open(folder.path() / "journal.mdb", {32u << 20, false});
  ASSERT_TRUE(store.ok()) << store.error().text;
  journal_ = std::make_unique<Journal>(with(Sync::Tick), std::move(store.value()), JournalStart{},
                                       [this](const Error&) { ++failures_; });
  ASSERT_EQ(journal_->begin_run().code, ErrorCode::None);
  tick();
  snapshot(12u << 20);
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshot_tick == 1; }));
  for (std::uint64_t given_up = 1; given_up <= 3; ++given_up) {
    tick();
    snapshot(24u << 20);
    const auto goes_on = [&] { return journal_->status().snapshots_given_up < given_up; };
    for (int i = 0; goes_on() && i < 10'000; ++i) {
      tick();
      ASSERT_TRUE(journal_->wait_until_durable(tick_)) << journal_->status().last_error;
      std::this_thread::sleep_for(1ms);  // the snapshot goes between the ticks
    }
    ASSERT_FALSE(goes_on());
  }
  EXPECT_EQ(failures_, 0);
  EXPECT_EQ(journal_->status().snapshot_tick, 1u);
  EXPECT_THAT(journal_->status().last_error, HasSubstr("journal_bytes_max"));
}

TEST_F(AJournal, TriesASnapshotAgainWithoutWhichItIsNotWhole) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  disk_->set([&] { disk_->is_stuck = true; });
  for (int i = 0; journal_->status().dropped_ticks == 0 && i < 10'000; ++i) tick(10);
  disk_->set([&] { disk_->is_stuck = false; });
  ASSERT_TRUE(becomes([&](const JournalStatus&) { return journal_->needs_snapshot(); }));
  disk_->set([&] { disk_->bytes_max = 1u << 20; });
  snapshot(3u << 20);
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.write_errors > 2; }));
  EXPECT_FALSE(journal_->status().writable);
  EXPECT_EQ(journal_->status().snapshots_given_up, 0u);
  disk_->set([&] { disk_->bytes_max = 8u << 20; });
  ASSERT_TRUE(becomes([&](const JournalStatus& status) { return status.snapshot_tick == tick_; }));
  EXPECT_TRUE(journal_->status().writable);
}

TEST_F(AJournal, ASnapshotFromBeforeAGapDoesNotKeepItFromBecomingWhole) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  begin(settings);
  tick();
  ASSERT_TRUE(durable(1));
  disk_->set([&] { disk_->is_stuck = true; });
  snapshot(3u << 20);
  while (journal_->status().dropped_ticks == 0) tick(10);
  disk_->set([&] {
    disk_->bytes_max = 2u << 20;
    disk_->is_stuck = false;
  });
  ASSERT_TRUE(becomes([&](const JournalStatus&) { return journal_->needs_snapshot(); }));
  EXPECT_EQ(journal_->status().snapshots_given_up, 1u);
  snapshot();
  ASSERT_TRUE(becomes([&](const JournalStatus& status) { return status.snapshot_tick == tick_; }));
  EXPECT_TRUE(journal_->status().writable);
}

TEST_F(AJournal, EndsThoughADiskKeepsWhatAGapLeftBehind) {
  JournalSettings settings = with(Sync::Interval);
  settings.queue_bytes_max = 64 << 10;
  settings.retry = 1h;
  begin(settings);
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 100; ++k) tick();  // much to sweep
    ASSERT_TRUE(durable(tick_));
  }
  disk_->set([&] { disk_->is_stuck = true; });
  snapshot();
  while (journal_->status().dropped_ticks == 0) tick(10);
  disk_->set([&] {
    disk_->keeps_all = true;
    disk_->is_stuck = false;
  });
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.write_errors > 0; }));
  ASSERT_TRUE(journal_->needs_last_snapshot());
  snapshot();
  journal_->close(true);
  EXPECT_FALSE(journal_->status().writable);
  EXPECT_EQ(failures_, 1);
}

TEST_F(AJournal, ASnapshotThatWaitsForASweepInVainIsGivenUp) {
  begin(with(Sync::Tick));
  tick();
  ASSERT_TRUE(durable(1));
  disk_->set([&] { disk_->keeps_all = true; });
  snapshot();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.write_errors > 0; }));
  tick();
  snapshot();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshots_given_up == 1; }));
  tick();
  ASSERT_TRUE(durable(3));
  EXPECT_TRUE(journal_->status().writable);
  EXPECT_EQ(journal_->status().snapshot_tick, 1u);
  disk_->set([&] { disk_->keeps_all = false; });
  snapshot();
  ASSERT_TRUE(becomes([](const JournalStatus& status) { return status.snapshot_tick == 3; }));
  EXPECT_EQ(failures_, 0);
}

TEST_F(AJournal, WhoseRunHasNotBegunSaysNothingOfItsEnd) {
  disk_->entries[header_key] = encode(WorldSettings{});
  Journal journal(with(Sync::Interval), std::make_unique<MemoryStore>(disk_), {}, {});
  journal.close(true);
  EXPECT_FALSE(disk_->entries.contains(state_key));
}

}  // namespace
}  // namespace vicinity::store
