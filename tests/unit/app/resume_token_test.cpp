// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/resume_token.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace vicinity::app {
namespace {

TEST(ResumeToken, IsThirtyTwoHexadecimalDigitsAndReadsBackTheSame) {
  const ResumeToken token = ResumeToken::random();
  const std::string text = token.text();
  EXPECT_EQ(text.size(), 32u);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos) << text;
  const auto parsed = ResumeToken::parse(text);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->same_as(token));
  EXPECT_EQ(parsed->text(), text);
}

TEST(ResumeToken, EveryBitIsRandom) {
  // Of 256 tokens each of the 128 bits is once 0 and once 1, or the chance of it is 2^-248.
  std::set<std::string> texts;
  unsigned ones[128] = {};
  for (int i = 0; i < 256; ++i) {
    const std::string text = ResumeToken::random().text();
    texts.insert(text);
    for (unsigned bit = 0; bit < 128; ++bit) {
      const auto digit = std::stoul(text.substr(bit / 4, 1), nullptr, 16);
      ones[bit] += digit >> (bit % 4) & 1;
    }
  }
  EXPECT_EQ(texts.size(), 256u);
  for (const unsigned count : ones) {
    EXPECT_GT(count, 0u);
    EXPECT_LT(count, 256u);
  }
}

TEST(ResumeToken, OtherTextsAreNone) {
  const std::string good = "00112233445566778899aabbccddeeff";
  EXPECT_TRUE(ResumeToken::parse(good).has_value());
  EXPECT_FALSE(ResumeToken::parse("").has_value());
  EXPECT_FALSE(ResumeToken::parse(good.substr(1)).has_value());
  EXPECT_FALSE(ResumeToken::parse(good + "0").has_value());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char wrong : {'g', 'A', ' ', '\0', 'x'}) {
      std::string text = good;
      text[i] = wrong;
      EXPECT_FALSE(ResumeToken::parse(text).has_value()) << i;
    }
  }
}

TEST(ResumeToken, DiffersInAnyDigit) {
  const std::string text = "00112233445566778899aabbccddeeff";
  const auto token = ResumeToken::parse(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '7' ? '8' : '7';
    EXPECT_FALSE(token->same_as(*ResumeToken::parse(other))) << other;
  }
}

TEST(ResumeToken, ItsPlaceDependsOnTheKeyAndOnEveryDigit) {
  const std::string text = "00112233445566778899aabbccddeeff";
  const auto token = ResumeToken::parse(text);
  EXPECT_EQ(token->place(1), ResumeToken::parse(text)->place(1));
  EXPECT_NE(token->place(1), token->place(2));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '7' ? '8' : '7';
    EXPECT_NE(token->place(1), ResumeToken::parse(other)->place(1)) << other;
  }
  EXPECT_NE(random_key(), random_key());
}

}  // namespace
}  // namespace vicinity::app
