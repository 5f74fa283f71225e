// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/archive_blocks.h"

namespace vicinity {
namespace {

using testing::ElementsAre;

enum class Colour : std::uint8_t { Red = 0, Green = 1, Blue = 2 };

struct Thing {
  double size = 0;
  bool is_new = false;
  Colour colour = Colour::Red;
  std::string name;
  std::optional<std::int32_t> depth;
  std::variant<std::uint32_t, std::string> held;
  std::vector<std::uint16_t> parts;
  friend bool operator==(const Thing&, const Thing&) = default;
};
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Thing>& thing) {
  a(thing.size), a(thing.is_new);
  archive_enum(a, thing.colour, Colour::Blue);
  a(thing.name), a(thing.depth), a(thing.held), a(thing.parts);
}

Thing some_thing() { return {0.1, true, Colour::Green, "abc", -7, std::string("held"), {1, 2, 3}}; }

std::vector<std::uint8_t> bytes_of(const Thing& thing) {
  ArchiveWriter out;
  out(thing);
  return out.take();
}

TEST(Archive, GivesBackWhatWasWritten) {
  const auto bytes = bytes_of(some_thing());
  ArchiveReader in(bytes);
  Thing back;
  in(back);
  EXPECT_TRUE(in.done());
  EXPECT_EQ(back, some_thing());
}

TEST(Archive, WritesLittleEndianOfFixedWidth) {
  ArchiveWriter out;
  out(std::uint32_t{0x01020304}), out(true), out(std::uint16_t{5});
  EXPECT_THAT(out.take(), ElementsAre(4, 3, 2, 1, 1, 5, 0));
  EXPECT_EQ(out.size(), 0u);
}

TEST(Archive, KeepsTheBitsOfNumbers) {
  ArchiveWriter out;
  out(-0.0), out(std::numeric_limits<double>::quiet_NaN());
  ArchiveReader in(out.bytes());
  double zero = 1;
  double nan = 1;
  in(zero), in(nan);
  EXPECT_TRUE(std::signbit(zero));
  EXPECT_TRUE(std::isnan(nan));
}

TEST(Archive, FailsForGoodWhenBytesRunOut) {
  const auto bytes = bytes_of(some_thing());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ArchiveReader in{std::span(bytes).first(size)};
    Thing back;
    in(back);
    EXPECT_FALSE(in.ok()) << size;
    std::uint8_t untouched = 7;
    in(untouched);
    EXPECT_EQ(untouched, 7);
    EXPECT_FALSE(in.done());
  }
}

TEST(Archive, RefusesCountsThatNoBytesAreLeftFor) {
  ArchiveWriter out;
  out(std::uint64_t{1} << 60), out(std::uint32_t{1});
  std::vector<std::uint32_t> values = {9};
  std::string text = "as before";
  ArchiveReader first(out.bytes());
  first(values);
  EXPECT_FALSE(first.ok());
  EXPECT_THAT(values, ElementsAre(9));
  ArchiveReader second(out.bytes());
  second(text);
  EXPECT_FALSE(second.ok());
  EXPECT_EQ(text, "as before");
  ArchiveReader third(out.bytes());
  EXPECT_EQ(third.count(1), 0u);
  EXPECT_FALSE(third.ok());
}

TEST(Archive, CountsWhatFitsIntoTheBytesThatAreLeft) {
  ArchiveWriter out;
  out(std::uint64_t{3});
  for (int i = 0; i < 3; ++i) out(std::uint32_t{});
  ArchiveReader fits(out.bytes());
  EXPECT_EQ(fits.count(4), 3u);
  ArchiveReader does_not(out.bytes());
  EXPECT_EQ(does_not.count(5), 0u);
  EXPECT_FALSE(does_not.ok());
}

TEST(Archive, RefusesWhatIsNoBoolNoEnumeratorAndNoAlternative) {
  const std::uint8_t bytes[] = {2, 3, 0, 0, 0, 0};
  bool flag = false;
  ArchiveReader bools(bytes);
  bools(flag);
  EXPECT_FALSE(bools.ok());
  Colour colour = Colour::Green;
  ArchiveReader enums{std::span(bytes).subspan(1)};
  archive_enum(enums, colour, Colour::Blue);
  EXPECT_FALSE(enums.ok());
  EXPECT_EQ(colour, Colour::Green);
  std::variant<std::uint8_t, bool> either = std::uint8_t{1};
  ArchiveReader variants(bytes);
  variants(either);
  EXPECT_FALSE(variants.ok());
}

TEST(Archive, IsNotDoneWhileBytesAreLeft) {
  const std::uint8_t bytes[] = {1, 2};
  ArchiveReader in(bytes);
  std::uint8_t byte = 0;
  in(byte);
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.done());
  EXPECT_EQ(in.left(), 1u);
  in.require(false);
  in.require(true);
  EXPECT_FALSE(in.ok());
}

TEST(Archive, KeepsWhatWasWrittenWhenItGrows) {
  ArchiveWriter out;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    if (i % 1000 == 0) out.reserve(out.size() + 100);
    out(i);
  }
  ArchiveReader in(out.bytes());
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    std::uint32_t value = 0;
    in(value);
    ASSERT_EQ(value, i);
  }
  EXPECT_TRUE(in.done());
  out.clear();
  EXPECT_EQ(out.size(), 0u);
}

TEST(ArchiveBlocks, AreTheSameBytesForAnyNumberOfWorkersAndAnyBlocks) {
  constexpr std::uint64_t count = 5000;
  const auto write = [](ArchiveWriter& out, std::size_t, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) {
      out(static_cast<std::uint64_t>(begin));
      if (begin % 3 == 0) out(std::uint8_t{1});  // not all of one size
    }
  };
  ArchiveWriter expected;
  expected(std::uint8_t{77});
  write(expected, 0, 0, count);
  for (const int workers : {1, 2, 3, 8}) {
    for (const std::size_t block_size : {1, 7, 100, 100'000}) {
      Workers arena(workers);
      ArchiveWriter out;
      out(std::uint8_t{77});
      write_in_blocks(arena, count, block_size, out, write);
      EXPECT_TRUE(std::ranges::equal(out.bytes(), expected.bytes()))
          << workers << " workers, blocks of " << block_size;
    }
  }
}

TEST(ArchiveBlocks, NameTheirBlockAndWriteNothingOfNothing) {
  Workers arena(2);
  ArchiveWriter out;
  std::vector<int> ends(40, -1);
  const auto note = [&](ArchiveWriter&, std::size_t block, std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, block * 10);
    ends.at(block) = static_cast<int>(end);
  };
  write_in_blocks(arena, 0, 10, out, note);
  EXPECT_EQ(ends.front(), -1);
  write_in_blocks(arena, 399, 10, out, note);
  EXPECT_EQ(ends.back(), 399);
  EXPECT_EQ(ends.front(), 10);
  EXPECT_EQ(out.size(), 0u);
}

}  // namespace
}  // namespace vicinity
