// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Journals of random worlds: what is written comes back to the same hash, whatever computes it, and
// what is damaged is cut off, refused or left out as promised.

#include "store/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "oracle/random_script.h"
#include "store/journal.h"
#include "support/server_process.h"

namespace vicinity::store {
namespace {

using ::testing::HasSubstr;

/// The entry as another program might seal it.
Bytes with_version(const Bytes& sealed, std::uint16_t version) {
  return seal(unseal(sealed).value().key, unseal(sealed).value().body, version);
}

class ARecovery : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "journal"; }
  std::unique_ptr<JournalFolder> open() {
    auto opened = JournalFolder::open({path(), 1 << 28, false});
    EXPECT_TRUE(opened.ok()) << opened.error().text;
    return opened.ok() ? std::move(opened.value()) : nullptr;
  }

  /// Runs ticks of the script in the world that the journal leads to. `snapshot_after`: 0 = none.
  void run(oracle::RandomScript& script, Tick count, Tick snapshot_after = 0, bool clean = true) {
    settings_ = script.settings();
    auto folder = open();
    auto recovered = recover(*folder, {settings_, false, {}, {}});
    ASSERT_TRUE(recovered.ok()) << recovered.error().text;
    const std::unique_ptr<Simulation> world = std::move(recovered.value().base.simulation);
    JournalSettings journal_settings;
    journal_settings.sync = Sync::None;
    std::uint32_t restarts = recovered.value().restarts;
    Journal journal(journal_settings, folder->take_store(), std::move(recovered.value().start), {});
    ASSERT_EQ(journal.begin_run().code, ErrorCode::None);
    for (Tick i = 1; i <= count; ++i) {
      std::vector<Command> list = script.next_tick();
      list.insert(list.begin(), std::exchange(restarts, 0),
                  Command{SessionId{}, 0, RestartCommand{}});
      const auto commands = std::make_shared<const std::vector<Command>>(std::move(list));
      const Tick tick = world->frame()->tick + 1;
      journal.begin_tick(tick, commands, {});
      const TickOutput output = world->run_tick(*commands);
      script.learn(output);
      journal.end_tick(tick, TickHash::of(output.report));
      hashes_.push_back(output.report.hash);
      entity_hashes_.push_back(output.report.entity_hash);
      if (i == snapshot_after)
        journal.snapshot(tick, TickHash::of(output.report),
                         [&](ArchiveWriter& out) { world->save(out); });
    }
    while (journal.status().snapshot_running) std::this_thread::yield();
    journal.close(clean);
  }

  Result<Recovered, Error> recovered(SimulationSettings settings, bool accept_loss = false) {
    warnings_.clear();
    auto folder = open();
    auto out = recover(*folder, {settings, accept_loss, {}, [this](const std::string& text) {
                                   warnings_.push_back(text);
                                 }});
    error_ = out.ok() ? "" : out.error().text;
    return out;
  }
  void expect_goes_on_from(Tick tick, bool accept_loss = false) {
    const auto out = recovered(settings_, accept_loss);
    ASSERT_TRUE(out.ok()) << error_;
    EXPECT_EQ(out.value().tick, tick);
    EXPECT_EQ(out.value().hash, hashes_.at(tick - 1));
    EXPECT_GT(out.value().restarts, 0u);
  }
  /// Changes entries of the store as a fault would.
  void put(const EntryKey& key, std::optional<Bytes> value) {
    const auto folder = open();
    const StoreChange change{key, std::move(value)};
    ASSERT_EQ(folder->store().apply({&change, 1}, true).code, ErrorCode::None);
  }
  Bytes get(const EntryKey& key) {
    const auto folder = open();
    return read_entry(folder->store(), key).value().value();
  }
  void damage(Tick tick, std::uint32_t part = commands_part) {
    Bytes bytes = get({EntryKind::Tick, tick, part});
    bytes.back() = static_cast<std::uint8_t>(bytes.back() ^ 1);
    put({EntryKind::Tick, tick, part}, bytes);
  }
  std::size_t cut_files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      count += entry.path().extension() == ".entries" && entry.file_size() > 0;
    return count;
  }

  test::TemporaryFolder folder_;
  SimulationSettings settings_;
  std::vector<std::uint64_t> hashes_;         ///< of tick i + 1
  std::vector<std::uint64_t> entity_hashes_;  ///< the same
  std::vector<std::string> warnings_;
  std::string error_;
};

TEST_F(ARecovery, ComesToTheSameHashWithAnyWorkersAndIndex) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove_all(path());
    hashes_.clear();
    oracle::RandomScript script(seed);
    run(script, 40, seed % 2 == 0 ? 25 : 0);
    run(script, 20);  // after a clean end the same world goes on
    for (const int workers : {1, 2, 8}) {
      for (const IndexKind kind : {IndexKind::Rows, IndexKind::Sweep}) {
        SimulationSettings settings = settings_;
        settings.worker_count = workers;
        settings.index.kind = kind;
        const auto out = recovered(settings);
        ASSERT_TRUE(out.ok()) << error_;
        EXPECT_EQ(out.value().tick, 60u);
        EXPECT_EQ(out.value().hash, hashes_.back());
        EXPECT_EQ(out.value().replayed, seed % 2 == 0 ? 35u : 60u);
      }
    }
  }
}

TEST_F(ARecovery, AfterAnUncleanEndAsksForARestartAndAfterACleanOneNot) {
  oracle::RandomScript script(3);
  run(script, 5, 0, true);
  EXPECT_EQ(recovered(settings_).value().restarts, 0u);
  run(script, 0, 0, false);  // of what it told nothing is known
  const auto second = recovered(settings_);
  EXPECT_EQ(second.value().restarts, 1u);
  run(script, 0, 0, false);
  const auto third = recovered(settings_);
  EXPECT_EQ(third.value().restarts, 2u);
  EXPECT_GT(third.value().last_session_id, second.value().last_session_id + 1'000'000);
}

TEST_F(ARecovery, AStartThatBeginsNoRunLeavesItsTraceNowhere) {
  oracle::RandomScript script(3);
  settings_ = script.settings();
  EXPECT_EQ(recovered(settings_).value().restarts, 0u);
  EXPECT_EQ(recovered(settings_).value().restarts, 0u);  // of a journal that is new no more
  for (const bool is_clean : {true, false}) {
    run(script, 5, 0, is_clean);
    const Bytes state = get(state_key);
    for (int start = 0; start < 3; ++start) {
      EXPECT_EQ(recovered(settings_).value().restarts, is_clean ? 0u : 1u);
      EXPECT_EQ(get(state_key), state);
    }
  }
}

TEST_F(ARecovery, CutsADamagedTailOffAndKeepsIt) {
  oracle::RandomScript script(4);
  run(script, 30);
  damage(29);
  damage(30);
  expect_goes_on_from(28);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("cut off after tick 28: tick 29 is damaged"));
  EXPECT_THAT(warnings_[0], HasSubstr("cut-after-tick-28.entries"));
  EXPECT_EQ(cut_files(), 1u);
  expect_goes_on_from(28);  // and is whole now
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ARecovery, ADamagedHashAtTheEndCostsNoTick) {
  oracle::RandomScript script(4);
  run(script, 10);
  damage(10, hash_part);
  expect_goes_on_from(10);
}

TEST_F(ARecovery, RefusesDamageBeforeGoodTicksUnlessLossIsAccepted) {
  oracle::RandomScript script(5);
  run(script, 30);
  damage(12);
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 12 is damaged"));
  EXPECT_THAT(error_, HasSubstr("--journal-accept-loss"));
  EXPECT_EQ(cut_files(), 0u);
  expect_goes_on_from(11, true);
  EXPECT_EQ(cut_files(), 1u);
  expect_goes_on_from(11);
}

TEST_F(ARecovery, RefusesAHashThatIsMissingWhereTicksFollow) {
  oracle::RandomScript script(5);
  run(script, 10);
  put({EntryKind::Tick, 6, hash_part}, std::nullopt);
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 6 is damaged (its hash is missing)"));
}

TEST_F(ARecovery, OwesItsRestartsUntilATickHasThem) {
  oracle::RandomScript script(5);
  run(script, 10, 0, false);
  std::uint64_t last_session_id = 0;
  for (int start = 1; start <= 3; ++start) {  // each ends as asked, before its first tick
    auto folder = open();
    auto out = recover(*folder, {settings_, false, {}, {}});
    ASSERT_TRUE(out.ok()) << out.error().text;
    EXPECT_EQ(out.value().restarts, 1u);
    EXPECT_GT(out.value().last_session_id, last_session_id);
    last_session_id = out.value().last_session_id;
    Journal journal({}, folder->take_store(), std::move(out.value().start), {});
    ASSERT_EQ(journal.begin_run().code, ErrorCode::None);
    journal.close(true);
  }
}

TEST_F(ARecovery, MakesUpForTheRestartsThatWereCutOff) {
  oracle::RandomScript script(5);
  run(script, 10, 0, false);
  run(script, 10, 0, false);  // its first tick has a restart
  run(script, 10);            // and so has this one's
  damage(11);
  const auto out = recovered(settings_, true);
  ASSERT_TRUE(out.ok()) << error_;
  EXPECT_EQ(out.value().tick, 10u);
  EXPECT_EQ(out.value().restarts, 4u);  // two that were cut off, their ticks, the end
  // That start began no run, and what it cut off is not there any more.
  EXPECT_EQ(recovered(settings_).value().restarts, 4u);
}

TEST_F(ARecovery, CutAgainAndAgainJumpsNoFartherThanItMust) {
  oracle::RandomScript script(5);
  run(script, 10, 0, false);
  for (std::uint32_t cut = 1; cut <= 20; ++cut) {
    run(script, 10, 0, false);
    damage(11);
    const auto out = recovered(settings_, true);
    ASSERT_TRUE(out.ok()) << error_;
    // For the starts of the runs that were cut off, their lost ticks, and the last end.
    EXPECT_EQ(out.value().restarts, 2 * cut + 1);
  }
}

TEST_F(ARecovery, MakesUpForAllTicksThatAreLost) {
  oracle::RandomScript script(5);
  run(script, 10);
  RunState state = decode_state(unseal(get(state_key)).value()).value();
  state.tick = 10 + 3 * ticks_per_restart(settings_);
  put(state_key, encode(state));
  EXPECT_EQ(recovered(settings_).value().restarts, 4u);
}

TEST_F(ARecovery, WithoutWordsAboutTheLastRunReckonsWithMany) {
  oracle::RandomScript script(5);
  run(script, 10);
  const std::uint64_t last_session_id = recovered(settings_).value().last_session_id;
  put(state_key, std::nullopt);
  const auto out = recovered(settings_);
  ASSERT_TRUE(out.ok()) << error_;
  EXPECT_GT(out.value().restarts, 4u);
  EXPECT_GT(out.value().last_session_id, 4 * last_session_id);
  // Also when that start only noted its damage, and began no run.
  damage(10);
  EXPECT_TRUE(recovered(settings_).ok());
  EXPECT_GT(recovered(settings_).value().restarts, 4u);
}

TEST_F(ARecovery, RefusesATickThatIsMissing) {
  oracle::RandomScript script(5);
  run(script, 10);
  put({EntryKind::Tick, 6, commands_part}, std::nullopt);
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 6 is damaged (it is missing)"));
}

TEST_F(ARecovery, RefusesAnotherResultUnlessLossIsAccepted) {
  oracle::RandomScript script(6);
  run(script, 30);
  put({EntryKind::Tick, 20, hash_part}, encode_hash(20, {4711, entity_hashes_[19], false}));
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 20 comes to another result"));
  expect_goes_on_from(19, true);
  EXPECT_EQ(cut_files(), 1u);
}

TEST_F(ARecovery, GoesOnFromOtherContactsWhenThePairBudgetBitAndSaysSo) {
  oracle::RandomScript script(6);
  run(script, 30, 0, false);
  put({EntryKind::Tick, 20, hash_part}, encode_hash(20, {4711, entity_hashes_[19], true}));
  put({EntryKind::Tick, 22, hash_part},  // they go on from it
      encode_hash(22, {4712, entity_hashes_[21], false}));
  expect_goes_on_from(30);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("tick 20 comes to other contacts"));
  EXPECT_THAT(warnings_[0], HasSubstr("candidate_pairs_max"));
  EXPECT_EQ(cut_files(), 0u);
  // Before the first such tick nothing is excused.
  put({EntryKind::Tick, 19, hash_part}, encode_hash(19, {4713, entity_hashes_[18], false}));
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 19 comes to another result"));
}

TEST_F(ARecovery, RefusesOtherEntitiesBehindAnExceededPairBudgetToo) {
  oracle::RandomScript script(6);
  run(script, 30, 0, false);
  put({EntryKind::Tick, 20, hash_part}, encode_hash(20, {4711, entity_hashes_[19], true}));
  put({EntryKind::Tick, 22, hash_part}, encode_hash(22, {4712, entity_hashes_[20], false}));
  ASSERT_NE(entity_hashes_[20], entity_hashes_[21]);
  EXPECT_FALSE(recovered(settings_).ok());
  EXPECT_THAT(error_, HasSubstr("tick 22 comes to another result"));
}

TEST_F(ARecovery, ReadsAJournalOfTheFirstFormat) {
  oracle::RandomScript script(12);
  run(script, 20);
  for (Tick tick = 1; tick <= 20; ++tick) {
    // Nobody was welcomed, so that the commands are the same in both.
    const EntryKey commands{EntryKind::Tick, tick, commands_part};
    put(commands, with_version(get(commands), 1));
    ArchiveWriter hash;
    hash(hashes_.at(tick - 1));
    const EntryKey name{EntryKind::Tick, tick, hash_part};
    put(name, seal(name, hash.bytes(), 1));
  }
  WorldSettings settings = world_settings(settings_);
  settings.candidate_pairs_max /= 2;
  put(header_key, with_version(encode(settings), 1));
  const RunState state = decode_state(unseal(get(state_key)).value()).value();
  ArchiveWriter first;
  first(state.is_clean), first(state.tick), first(state.tried_tick), first(state.tries);
  first(std::uint32_t{0}), first(state.last_session_id);
  put(state_key, seal(state_key, first.bytes(), 1));
  const auto out = recovered(settings_);
  ASSERT_TRUE(out.ok()) << error_;
  EXPECT_EQ(out.value().tick, 20u);
  EXPECT_EQ(out.value().hash, hashes_.back());
  EXPECT_EQ(out.value().restarts, 0u);
}

TEST_F(ARecovery, RefusesANewerFormatWhereverItIs) {
  oracle::RandomScript script(7);
  run(script, 5);
  for (const EntryKey& key : {header_key, state_key, EntryKey{EntryKind::Tick, 5, commands_part}}) {
    const Bytes before = get(key);
    put(key, with_version(before, format_version + 1));
    EXPECT_FALSE(recovered(settings_, true).ok());
    EXPECT_THAT(error_, HasSubstr("format version " + std::to_string(format_version + 1)));
    EXPECT_EQ(cut_files(), 0u);
    put(key, before);
  }
}

TEST_F(ARecovery, RefusesOtherSettingsAndNamesThem) {
  oracle::RandomScript script(8);
  run(script, 3);
  SimulationSettings other = settings_;
  other.entities_per_player_max += 1;
  EXPECT_FALSE(recovered(other).ok());
  EXPECT_THAT(error_, HasSubstr("entities_per_player_max"));
}

TEST_F(ARecovery, RunsATickWithoutAHashAndLeavesItOutWhenItEndsTheProcessEveryTime) {
  oracle::RandomScript script(9);
  run(script, 10, 0, false);
  put({EntryKind::Tick, 10, hash_part}, std::nullopt);
  expect_goes_on_from(10);
  // As if the process had ended in it, each time after it had noted the try.
  put({EntryKind::Tick, 10, hash_part}, std::nullopt);
  put(state_key, encode(RunState{false, 10, 10, 3}));
  expect_goes_on_from(9);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("ended 3 times"));
  EXPECT_EQ(cut_files(), 1u);
}

TEST_F(ARecovery, AFolderWhoseJournalIsGoneIsNotTakenForANewOne) {
  oracle::RandomScript script(11);
  run(script, 3);
  std::filesystem::remove(path() / "journal.mdb");
  const auto opened = JournalFolder::open({path(), 1 << 28, false});
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text, HasSubstr("is missing or empty"));
}

}  // namespace
}  // namespace vicinity::store
