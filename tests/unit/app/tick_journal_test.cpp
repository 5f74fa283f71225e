// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/tick_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "store/contents.h"
#include "store/replay.h"
#include "unit/store/memory_store.h"

namespace vicinity::app {
namespace {

using store::Journal;

/// A world with a journal on a disk that a test holds up.
class ATickJournal : public testing::Test {
 protected:
  ATickJournal() {
    disk_->entries[store::header_key] = store::encode(store::world_settings(settings()));
    store::JournalSettings journal;
    journal.queue_bytes_max = 4096;
    journal.sync_interval_ms = 1;
    journal_ = std::make_unique<Journal>(journal, std::make_unique<store::MemoryStore>(disk_),
                                         store::JournalStart{}, [](const Error&) {});
    EXPECT_EQ(journal_->begin_run().code, ErrorCode::None);
    ticks_ = std::make_unique<TickJournal>(*journal_, store::SnapshotSchedule(0, 20, 0), 0,
                                           lost_ticks_max, sessions_, log_);
  }
  static SimulationSettings settings() {
    SimulationSettings settings;
    settings.worker_count = 1;
    return settings;
  }
  void tick() {
    const auto commands = ticks_->begin(world_.frame()->tick + 1, commands_.drain());
    const TickOutput output = world_.run_tick(*commands);
    ticks_->end(output.report);
    ticks_->settle(world_, output.report);
  }

  static constexpr Tick lost_ticks_max = 1'000;
  std::shared_ptr<store::Disk> disk_ = std::make_shared<store::Disk>();
  Log log_{LogLevel::Error, LogFormat::Text};
  CommandQueue commands_;
  SessionRegistry sessions_{{}, commands_};
  Simulation world_{settings()};
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<TickJournal> ticks_;
};

TEST_F(ATickJournal, ThatIsClosedBehindAGapLosesNothing) {
  disk_->set([&] { disk_->is_stuck = true; });
  while (journal_->status().dropped_ticks < 10) tick();
  const Tick last = world_.frame()->tick;
  const std::uint64_t hash = world_.last_hash();
  // The disk comes back when the end has been asked for.
  std::thread later([&] { disk_->set([&] { disk_->is_stuck = false; }); });
  ticks_->close(world_, true);
  later.join();
  store::MemoryStore reading(disk_);
  const auto contents = store::read_contents(reading);
  ASSERT_TRUE(contents.ok()) << contents.error().text;
  EXPECT_TRUE(contents.value().state.is_clean);
  EXPECT_EQ(contents.value().last_tick, last);
  auto base = store::restore_base(reading, contents.value(), settings());
  ASSERT_TRUE(base.ok()) << base.error().text;
  EXPECT_EQ(base.value().simulation->last_hash(), hash);
}

TEST_F(ATickJournal, OfAWorldWhoseLastTickFailedTakesNoSnapshotOfIt) {
  disk_->set([&] { disk_->is_stuck = true; });
  while (journal_->status().dropped_ticks < 10) tick();
  disk_->set([&] { disk_->is_stuck = false; });
  ticks_->close(world_, false);
  EXPECT_TRUE(disk_->keys(store::EntryKind::SnapshotEnd).empty());
}

TEST_F(ATickJournal, StopsBeforeMoreIsLostThanARestartCanTellApart) {
  disk_->set([&] { disk_->fault = "No space left on device"; });
  for (Tick i = 0; i < lost_ticks_max; ++i) tick();
  try {
    tick();
    ADD_FAILURE() << "one tick more than may be lost";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1001 ticks are not in the journal"));
  }
}

}  // namespace
}  // namespace vicinity::app
