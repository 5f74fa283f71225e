// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/lmdb_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/prng.h"
#include "store/lmdb_check.h"
#include "support/server_process.h"

namespace vicinity::store {
namespace {

using ::testing::HasSubstr;

Bytes noise(Prng& prng, std::size_t size) {
  Bytes out(size);
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(prng.next());
  return out;
}

class AnLmdbStore : public testing::Test {
 protected:
  std::unique_ptr<LmdbStore> open(std::uint64_t bytes_max = 64 << 20) {
    auto opened = LmdbStore::open(file_, {bytes_max, false});
    error_ = opened.ok() ? Error() : opened.error();
    return opened.ok() ? std::move(opened.value()) : nullptr;
  }
  /// Entries of all sizes, some of which went again.
  void fill() {
    Prng prng(7);
    const auto store = open();
    for (Tick tick = 1; tick <= 300; ++tick) {
      const EntryKey key{EntryKind::Tick, tick, 0};
      const std::size_t size = prng.below(20) == 0 ? 9000 : prng.below(300);
      std::vector<StoreChange> changes{{key, seal(key, noise(prng, size))}};
      if (tick > 150) changes.push_back({{EntryKind::Tick, tick - 150, 0}, std::nullopt});
      ASSERT_EQ(store->apply(changes, tick % 10 == 0).code, ErrorCode::None);
    }
  }
  static std::vector<Tick> ticks(RecordStore& store) {
    std::vector<Tick> out;
    const Error error = store.for_each({EntryKind::Tick, 0, 0}, {EntryKind::Tick, 1 << 20, 0},
                                       [&](const EntryKey& key, std::span<const std::uint8_t>) {
                                         out.push_back(key.tick);
                                         return true;
                                       });
    EXPECT_EQ(error.code, ErrorCode::None) << error.text;
    return out;
  }

  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "journal.mdb";
  Error error_;
};

TEST_F(AnLmdbStore, KeepsEntriesInOrderAcrossOpenings) {
  fill();
  const auto store = open();
  ASSERT_NE(store, nullptr) << error_.text;
  const std::vector<Tick> found = ticks(*store);
  ASSERT_EQ(found.size(), 150u);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 151 + i);
  EXPECT_EQ(find_lmdb_damage(file_), "");
  EXPECT_EQ(std::filesystem::status(file_).permissions() & std::filesystem::perms(077),
            std::filesystem::perms::none);
}

TEST_F(AnLmdbStore, AppliesAllChangesOrNone) {
  const auto store = open(1 << 20);
  const StoreChange small{{EntryKind::Tick, 1, 0}, Bytes(10)};
  const StoreChange large{{EntryKind::Tick, 2, 0}, Bytes(2 << 20)};
  const std::vector<StoreChange> both{small, large};
  const Error error = store->apply(both, true);
  EXPECT_EQ(error.code, ErrorCode::LimitExceeded);
  EXPECT_THAT(error.text, HasSubstr("journal_bytes_max (1048576 bytes)"));
  EXPECT_TRUE(ticks(*store).empty());
  EXPECT_EQ(store->apply({&small, 1}, true).code, ErrorCode::None);
  EXPECT_EQ(ticks(*store), std::vector<Tick>{1});
}

/// LMDB itself keeps the pages that a transaction frees from the next one.
TEST_F(AnLmdbStore, UsesAtOnceWhatWasFreedInAFileThatIsFull) {
  const auto store = open(16 << 20);
  std::vector<EntryKey> keys;
  const auto add = [&](std::size_t bytes) {
    const StoreChange change{{EntryKind::Tick, keys.size() + 1, 0}, Bytes(bytes, 7)};
    const bool is_there = store->apply({&change, 1}, false).code == ErrorCode::None;
    if (is_there) keys.push_back(change.key);
    return is_there;
  };
  ASSERT_TRUE(add(10));  // an entry that stays
  while (add(1 << 20)) {
  }
  ASSERT_GT(keys.size(), 10u);
  std::vector<StoreChange> gone;
  for (std::size_t i = 1; i < keys.size(); ++i) gone.push_back({keys[i], std::nullopt});
  ASSERT_EQ(store->apply(gone, false).code, ErrorCode::None);
  EXPECT_TRUE(add(8 << 20));
}

TEST_F(AnLmdbStore, AnyLengthOfTheFileIsReadOrRefusedInWords) {
  fill();
  const auto size = std::filesystem::file_size(file_);
  const auto whole = folder_.path() / "whole";
  std::filesystem::copy_file(file_, whole);
  int refused = 0;
  for (std::uintmax_t cut = 1; cut < size; cut += 1 + size / 97) {
    std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file_, cut);
    const auto store = open();
    if (store != nullptr) {
      EXPECT_LE(ticks(*store).size(), 150u);
      continue;
    }
    ++refused;
    EXPECT_THAT(error_.text, HasSubstr("is damaged"));
  }
  EXPECT_GT(refused, 50);
}

/// Whatever the check lets pass, LMDB can read and write without harm, and every value that is read
/// is either what was written or has a wrong checksum.
TEST_F(AnLmdbStore, AnyFlippedBitIsNoticedOrHarmless) {
  fill();
  const auto whole = folder_.path() / "whole";
  std::filesystem::copy_file(file_, whole);
  const auto size = std::filesystem::file_size(file_);
  Prng prng(11);
  int noticed = 0;
  constexpr int flips = 600;
  for (int i = 0; i < flips; ++i) {
    std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
    {
      // Every second one where the pages say what they are.
      const std::uint64_t page = prng.below(size / 4096);
      const std::uint64_t at = i % 2 == 0 ? prng.below(size) : page * 4096 + prng.below(64);
      std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const auto byte = static_cast<char>(file.get() ^ (1 << prng.below(8)));
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    const auto store = open();
    if (store == nullptr) {
      ++noticed;
      continue;
    }
    bool is_whole = true;
    const Error read =
        store->for_each({EntryKind::Header, 0, 0}, {EntryKind::Tick, 1 << 20, 0},
                        [&](const EntryKey& key, std::span<const std::uint8_t> value) {
                          const auto entry = unseal(value);
                          is_whole = is_whole && entry.ok() && entry.value().key == key;
                          return true;
                        });
    noticed += !is_whole || read.code != ErrorCode::None;
    for (Tick tick = 301; tick < 330; ++tick) {
      const EntryKey key{EntryKind::Tick, tick, 0};
      const StoreChange change{key, seal(key, noise(prng, 900))};
      const Error written = store->apply({&change, 1}, false);
      if (written.code != ErrorCode::None) break;
    }
  }
  EXPECT_GT(noticed, flips / 4);
}

}  // namespace
}  // namespace vicinity::store
