// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Which snapshot a start goes on from when not all of them are whole, and when there is nothing to
// go on from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oracle/random_script.h"
#include "store/journal.h"
#include "store/recovery.h"
#include "support/server_process.h"

namespace vicinity::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Tick older = 10;  ///< ticks of the two snapshots
constexpr Tick newer = 20;
constexpr Tick last = 30;

/// What a snapshot has made useless stays, as it does until it is swept.
class KeepingStore final : public RecordStore {
 public:
  explicit KeepingStore(std::unique_ptr<RecordStore> store) : store_(std::move(store)) {}
  Error apply(std::span<const StoreChange> changes, bool sync) override {
    std::vector<StoreChange> kept;
    for (const StoreChange& change : changes)
      if (change.value) kept.push_back(change);
    return store_->apply(kept, sync);
  }
  Error for_each(const EntryKey& first, const EntryKey& end, const Visit& visit) override {
    return store_->for_each(first, end, visit);
  }
  std::uint64_t size_bytes() const override { return store_->size_bytes(); }

 private:
  const std::unique_ptr<RecordStore> store_;
};

/// A journal with both snapshots and all ticks, of which a test takes what is swept or damaged.
class ARecoveryFromSnapshots : public testing::Test {
 protected:
  void SetUp() override {
    oracle::RandomScript script(4);
    settings_ = script.settings();
    auto folder = open();
    auto begun = recover(*folder, {settings_, false, {}, {}});
    ASSERT_TRUE(begun.ok()) << begun.error().text;
    const std::unique_ptr<Simulation> world = std::move(begun.value().base.simulation);
    JournalSettings journal_settings;
    journal_settings.sync = Sync::None;
    Journal journal(journal_settings, std::make_unique<KeepingStore>(folder->take_store()),
                    std::move(begun.value().start), {});
    ASSERT_EQ(journal.begin_run().code, ErrorCode::None);
    for (Tick tick = 1; tick <= last; ++tick) {
      const auto commands = std::make_shared<const std::vector<Command>>(script.next_tick());
      journal.begin_tick(tick, commands, {});
      const TickOutput output = world->run_tick(*commands);
      script.learn(output);
      journal.end_tick(tick, TickHash::of(output.report));
      hashes_[tick] = output.report.hash;
      if (tick != older && tick != newer) continue;
      journal.snapshot(tick, TickHash::of(output.report),
                       [&](ArchiveWriter& out) { world->save(out); });
      while (journal.status().snapshot_running) std::this_thread::yield();
    }
    journal.close(false);
  }

  std::unique_ptr<JournalFolder> open() {
    auto opened = JournalFolder::open({folder_.path() / "journal", 1 << 28, false});
    EXPECT_TRUE(opened.ok()) << opened.error().text;
    return opened.ok() ? std::move(opened.value()) : nullptr;
  }
  std::map<EntryKey, Bytes> entries() {
    std::map<EntryKey, Bytes> out;
    const auto folder = open();
    const EntryKey end{EntryKind::Tick, last, hash_part};
    const Error error = folder->store().for_each(
        header_key, end, [&](const EntryKey& key, std::span<const std::uint8_t> bytes) {
          out[key] = Bytes(bytes.begin(), bytes.end());
          return true;
        });
    EXPECT_EQ(error.code, ErrorCode::None) << error.text;
    return out;
  }
  void apply(const std::vector<StoreChange>& changes) {
    const auto folder = open();
    ASSERT_EQ(folder->store().apply(changes, true).code, ErrorCode::None);
  }
  void put(const EntryKey& key, std::optional<Bytes> value) { apply({{key, std::move(value)}}); }
  void damage(const EntryKey& key) {
    Bytes bytes = entries().at(key);
    bytes.back() = static_cast<std::uint8_t>(bytes.back() ^ 4);
    put(key, bytes);
  }
  void drop_ticks(Tick first, Tick end) {
    std::vector<StoreChange> changes;
    for (Tick tick = first; tick <= end; ++tick)
      for (const std::uint32_t part : {commands_part, hash_part})
        changes.push_back({{EntryKind::Tick, tick, part}, std::nullopt});
    apply(changes);
  }

  /// The end of the newer snapshot, as its parts do not come to it.
  void change_end(const std::function<void(SnapshotEnd&)>& change) {
    const EntryKey key{EntryKind::SnapshotEnd, newer, 0};
    const Bytes sealed = entries().at(key);
    SnapshotEnd end = decode_snapshot_end(unseal(sealed).value()).value();
    change(end);
    put(key, encode(end));
  }

  Result<Recovered, Error> recovered(bool accept_loss = false) {
    warnings_.clear();
    const auto folder = open();
    return recover(*folder, {settings_, accept_loss, {}, [this](const std::string& text) {
                               warnings_.push_back(text);
                             }});
  }
  /// All ticks are there again, after those behind `base` were run.
  void expect_goes_on_from(Tick base) {
    const auto out = recovered();
    ASSERT_TRUE(out.ok()) << out.error().text;
    EXPECT_EQ(out.value().tick, last);
    EXPECT_EQ(out.value().hash, hashes_.at(last));
    EXPECT_EQ(out.value().base.simulation->last_hash(), hashes_.at(last));
    EXPECT_EQ(out.value().replayed, last - base);
    EXPECT_EQ(out.value().start.snapshot_tick, base);
  }
  /// Nothing is changed, so that whoever has a copy of what is missing can put it there.
  void expect_refused(const std::string& why) {
    const auto before = entries();
    for (const bool accept_loss : {false, true}) {
      const auto out = recovered(accept_loss);
      ASSERT_FALSE(out.ok());
      EXPECT_THAT(out.error().text, HasSubstr(why));
    }
    EXPECT_EQ(entries(), before);
  }

  test::TemporaryFolder folder_;
  SimulationSettings settings_;
  std::map<Tick, std::uint64_t> hashes_;
  std::vector<std::string> warnings_;
};

constexpr EntryKey part_of(Tick tick) { return {EntryKind::SnapshotPart, tick, 0}; }
constexpr EntryKey end_of(Tick tick) { return {EntryKind::SnapshotEnd, tick, 0}; }

TEST_F(ARecoveryFromSnapshots, TakesTheNewestThatIsWhole) {
  expect_goes_on_from(newer);
  EXPECT_THAT(warnings_, IsEmpty());
}

/// In none of these states has anything been swept but the ticks up to the older snapshot.
TEST_F(ARecoveryFromSnapshots, GoesOnFromTheOlderOneWhenTheNewerIsNotWhole) {
  drop_ticks(1, older);
  const struct {
    const char* warning;
    std::function<void()> damage;
  } table[] = {
      {"the snapshot of tick 20: part 0: its checksum is wrong", [&] { damage(part_of(newer)); }},
      {"the snapshot of tick 20: parts are missing", [&] { put(part_of(newer), std::nullopt); }},
      {"the snapshot of tick 20: parts are missing",
       [&] { change_end([](SnapshotEnd& end) { ++end.part_count; }); }},
      {"the snapshot of tick 20: parts are missing",
       [&] { change_end([](SnapshotEnd& end) { ++end.size_bytes; }); }},
      {"the snapshot of tick 20: its checksum is wrong",
       [&] { change_end([](SnapshotEnd& end) { ++end.checksum; }); }},
      {"the end of the snapshot of tick 20: its checksum is wrong", [&] { damage(end_of(newer)); }},
  };
  std::vector<StoreChange> whole;
  for (const auto& [key, bytes] : entries()) whole.push_back({key, bytes});
  for (const auto& row : table) {
    SCOPED_TRACE(row.warning);
    row.damage();
    expect_goes_on_from(older);
    EXPECT_THAT(warnings_, ElementsAre("a snapshot cannot be used: " + std::string(row.warning) +
                                       "; the start goes on from that of tick 10"));
    EXPECT_FALSE(entries().contains(part_of(newer)));  // it is in nobody's way any more
    expect_goes_on_from(older);
    EXPECT_THAT(warnings_, IsEmpty());
    apply(whole);
  }
}

/// The process ended while it was written: that is no damage.
TEST_F(ARecoveryFromSnapshots, GoesOnFromTheOlderOneWithoutAWordWhenTheNewerHasNoEnd) {
  drop_ticks(1, older);
  put(end_of(newer), std::nullopt);
  expect_goes_on_from(older);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ARecoveryFromSnapshots, WithoutAWholeOneRunsTheTicksFromTheFirstOn) {
  damage(part_of(older));
  damage(part_of(newer));
  expect_goes_on_from(0);
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("the snapshot of tick 20: part 0: its checksum is wrong; the "
                                    "start goes on from the first tick"),
                          HasSubstr("the snapshot of tick 10: part 0: its checksum is wrong; the "
                                    "start goes on from the first tick")));
}

/// However many ticks were swept: the first, all of it, or all that there were.
TEST_F(ARecoveryFromSnapshots, WithoutAWholeOneAndTheFirstTicksIsRefusedInWords) {
  put(end_of(older), std::nullopt);
  put(part_of(older), std::nullopt);
  damage(part_of(newer));
  for (const Tick swept : {Tick{1}, newer, last}) {
    SCOPED_TRACE("ticks swept: " + std::to_string(swept));
    drop_ticks(1, swept);
    expect_refused(
        "the journal cannot be used: the snapshot of tick 20: part 0: its checksum is wrong, and "
        "there is no other to begin with; bring the folder back from a copy, or empty it");
  }
}

/// The last run says that there was a world, of which only parts without an end are left.
TEST_F(ARecoveryFromSnapshots, WithoutAnEndOfOneAndWithoutTicksIsNotTakenForANewWorld) {
  put(end_of(older), std::nullopt);
  put(end_of(newer), std::nullopt);
  drop_ticks(1, last);
  RunState state;
  state.is_clean = true;
  state.tick = last;
  put(state_key, encode(state));
  expect_refused("the journal cannot be used");
}

TEST_F(ARecoveryFromSnapshots, RefusesOneWhoseEntitiesAreNotThoseThatItWasTakenOf) {
  change_end([](SnapshotEnd& end) { ++end.entity_hash.value(); });
  expect_refused("the snapshot of tick 20 holds another world than it says");
}

/// Nothing is damaged, but less is there than there was: a file of before, say.
TEST_F(ARecoveryFromSnapshots, SaysThatTicksAreMissingAtTheEnd) {
  RunState state;
  state.is_clean = true;
  state.tick = last;
  state.restarts = 3;
  put(state_key, encode(state));
  drop_ticks(last - 1, last);
  for (int start = 0; start < 2; ++start) {  // no run began, so that they are owed again
    const auto out = recovered();
    ASSERT_TRUE(out.ok()) << out.error().text;
    EXPECT_EQ(out.value().tick, last - 2);
    EXPECT_EQ(out.value().restarts, 5u);  // those owed, the lost ticks, the end
    ASSERT_EQ(warnings_.size(), start == 0 ? 1u : 0u);
    if (start > 0) continue;
    EXPECT_THAT(warnings_[0], HasSubstr("ends with tick 28, and a run was at tick 30"));
  }
}

/// As no sweep leaves it: the end of a snapshot goes before the ticks behind it.
TEST_F(ARecoveryFromSnapshots, DoesNotLeapOverTicksThatAreMissingBehindTheOlderOne) {
  drop_ticks(1, older + 1);
  damage(part_of(newer));
  const auto out = recovered();
  ASSERT_FALSE(out.ok());
  EXPECT_THAT(out.error().text, HasSubstr("tick 11 is damaged (it is missing)"));
}

}  // namespace
}  // namespace vicinity::store
