// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Files whose trees lead nowhere, in circles or too deep: each is damage in words, before LMDB,
// which follows what it reads, has seen it.

#include "store/lmdb_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "store/lmdb_store.h"
#include "support/server_process.h"

namespace vicinity::store {
namespace {

using ::testing::HasSubstr;

/// Places in a page; server/store/lmdb_check.cpp draws all of it.
constexpr std::size_t flags_at = 10;
constexpr std::size_t lower_at = 12;
constexpr std::size_t upper_at = 14;
constexpr std::size_t slots_at = 16;
constexpr std::size_t page_bytes_at = 16 + 24;
constexpr std::size_t depth_at = 16 + 24 + 48 + 6;
constexpr std::size_t root_at = 16 + 24 + 48 + 40;
constexpr std::size_t last_page_at = 16 + 24 + 2 * 48;
constexpr std::size_t transaction_at = last_page_at + 8;
constexpr std::uint16_t branch = 1;
constexpr std::size_t node_bytes = 8;

/// A good file of three levels at least, of which a test changes bytes.
class AnLmdbFile : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<StoreChange> changes;
    for (Tick tick = 1; tick <= 5000; ++tick)
      changes.push_back({{EntryKind::Tick, tick, 0}, Bytes(200)});
    {
      const auto store = LmdbStore::open(file_, {64 << 20, false});
      ASSERT_TRUE(store.ok()) << store.error().text;
      ASSERT_EQ(store.value()->apply(changes, true).code, ErrorCode::None);
    }
    ASSERT_EQ(find_lmdb_damage(file_), "");
    std::ifstream file(file_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    page_bytes_ = get<std::uint32_t>(page_bytes_at);
    const bool is_second =
        get<std::uint64_t>(page_bytes_ + transaction_at) > get<std::uint64_t>(transaction_at);
    meta_at_ = is_second ? page_bytes_ : 0;
    root_ = get<std::uint64_t>(meta_at_ + root_at);
    depth_ = get<std::uint16_t>(meta_at_ + depth_at);
    ASSERT_GE(depth_, 3);
    ASSERT_GE(child_count(root_), 2u);
  }

  template <class T>
  T get(std::size_t at) const {
    T value{};
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::size_t child_count(std::uint64_t page) const {
    return (get<std::uint16_t>(page * page_bytes_ + lower_at) - slots_at) / 2;
  }
  std::size_t node_at(std::uint64_t page, std::size_t index) const {
    const std::size_t begin = page * page_bytes_;
    return begin + get<std::uint16_t>(begin + slots_at + 2 * index);
  }
  std::uint64_t child(std::uint64_t page, std::size_t index) const {
    return get<std::uint32_t>(node_at(page, index));
  }
  void set_child(std::uint64_t page, std::size_t index, std::uint64_t to) {
    put(node_at(page, index), static_cast<std::uint32_t>(to));
  }
  void set_depth(std::uint16_t depth) { put(meta_at_ + depth_at, depth); }
  /// A new root, whose only child is the one of before.
  void put_root_on_top() {
    const std::uint64_t page = bytes_.size() / page_bytes_;
    const std::size_t begin = page * page_bytes_;
    const auto node = static_cast<std::uint16_t>(page_bytes_ - node_bytes);
    bytes_.resize(begin + page_bytes_);
    put(begin, page);
    put(begin + flags_at, branch);
    put(begin + lower_at, static_cast<std::uint16_t>(slots_at + 2));
    put(begin + upper_at, node);
    put(begin + slots_at, node);
    set_child(page, 0, root_);
    root_ = page;
    put(meta_at_ + root_at, root_);
    put(meta_at_ + last_page_at, page);
    set_depth(++depth_);
  }

  /// What is wrong, as a start is told it; the bytes are good again afterwards.
  void expect_damage(const std::string& what, const Bytes& good) {
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
    bytes_ = good;
    EXPECT_THAT(find_lmdb_damage(file_), HasSubstr(what));
    const auto opened = LmdbStore::open(file_, {64 << 20, false});
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().text, HasSubstr("journal.mdb is damaged: "));
  }

  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "journal.mdb";
  Bytes bytes_;
  std::size_t page_bytes_ = 0;
  std::size_t meta_at_ = 0;  ///< of the newest
  std::uint64_t root_ = 0;
  std::uint16_t depth_ = 0;
};

/// Nothing but their number is wrong with the levels: each leads to the next, down to the leaves.
TEST_F(AnLmdbFile, OfMoreLevelsThanAnyTreeNeedsIsDamaged) {
  const Bytes good = bytes_;
  while (depth_ < 100) put_root_on_top();
  expect_damage("too deep", good);
}

TEST_F(AnLmdbFile, WhoseDepthIsNotThatOfItsTreeIsDamaged) {
  const Bytes good = bytes_;
  for (const int depth : {0, 1, depth_ - 1, depth_ + 1, 2 * depth_, 0xFFFF}) {
    SCOPED_TRACE("depth " + std::to_string(depth));
    set_depth(static_cast<std::uint16_t>(depth));
    expect_damage(depth == 0 || depth == 0xFFFF ? "too deep" : "is not what it should be", good);
  }
}

TEST_F(AnLmdbFile, WhoseTreeLeadsInCirclesIsDamaged) {
  const Bytes good = bytes_;
  const std::uint64_t below = child(root_, 0);
  const std::string used_twice = " is used twice";
  set_child(root_, 0, root_);
  expect_damage("page " + std::to_string(root_) + used_twice, good);
  set_child(root_, 1, root_);
  expect_damage("page " + std::to_string(root_) + used_twice, good);
  set_child(below, 0, root_);
  expect_damage("page " + std::to_string(root_) + used_twice, good);
  set_child(below, 1, below);
  expect_damage("page " + std::to_string(below) + used_twice, good);
}

TEST_F(AnLmdbFile, WithAPageThatTwoBranchesLeadToIsDamaged) {
  const Bytes good = bytes_;
  const std::uint64_t below = child(root_, 0);
  set_child(root_, 1, below);
  expect_damage("page " + std::to_string(below) + " is used twice", good);
  const std::uint64_t leaf = child(below, 0);
  set_child(child(root_, 1), 1, leaf);
  expect_damage("page " + std::to_string(leaf) + " is used twice", good);
}

TEST_F(AnLmdbFile, WithABranchThatLeadsOutOfItIsDamaged) {
  const Bytes good = bytes_;
  const auto last = get<std::uint64_t>(meta_at_ + last_page_at);
  const std::vector<std::uint64_t> outside{0, 1, last + 1, last + (1 << 20)};  // 0 and 1: the metas
  for (const std::uint64_t page : outside) {
    set_child(child(root_, 0), 1, page);
    expect_damage("page " + std::to_string(page) + " cannot be", good);
  }
}

/// LMDB keeps two at least, and ends the process that reads a branch with less.
TEST_F(AnLmdbFile, WithABranchOfOneChildIsDamaged) {
  const Bytes good = bytes_;
  const std::size_t lower = root_ * page_bytes_ + lower_at;
  put(lower, static_cast<std::uint16_t>(slots_at + 2));
  expect_damage("page " + std::to_string(root_), good);
  put_root_on_top();
  expect_damage("page " + std::to_string(root_), good);
}

TEST_F(AnLmdbFile, WithALeafWhereABranchBelongsIsDamaged) {
  const Bytes good = bytes_;
  const std::uint64_t below = child(root_, 0);
  const std::uint64_t leaf = child(below, 0);
  set_child(root_, 0, leaf);
  expect_damage("page " + std::to_string(leaf) + " is not what it should be", good);
}

}  // namespace
}  // namespace vicinity::store
