// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/error.h"

namespace vicinity {
namespace {

TEST(Result, HoldsTheValue) {
  const Result<int, ErrorCode> result = 5;
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result);
  EXPECT_EQ(result.value(), 5);
}

TEST(Result, HoldsTheError) {
  const Result<int, ErrorCode> result = ErrorCode::NotOwner;
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error(), ErrorCode::NotOwner);
}

TEST(Result, HandsOutAValueThatCanOnlyBeMoved) {
  struct Wrong {
    int code;
  };
  Result<std::unique_ptr<int>, Wrong> result = std::make_unique<int>(3);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = std::move(result.value());
  EXPECT_EQ(*taken, 3);
}

TEST(ResultDeathTest, ReadingTheWrongSideStopsTheProcess) {
  const Result<int, ErrorCode> error = ErrorCode::Internal;
  EXPECT_DEATH((void)error.value(), "CHECK failed");
  const Result<int, ErrorCode> value = 1;
  EXPECT_DEATH((void)value.error(), "CHECK failed");
}

TEST(CheckDeathTest, PrintsTheContext) {
  set_check_context("seed 77");
  EXPECT_DEATH(CHECK(1 == 2), "1 == 2.*seed 77");
  set_check_context(nullptr);
}

TEST(ErrorCode, EveryCodeHasItsOwnText) {
  EXPECT_EQ(to_string(ErrorCode::StaleEntity), "StaleEntity");
  EXPECT_EQ(to_string(ErrorCode::FrameTooLarge), "FrameTooLarge");
  EXPECT_EQ(to_string(static_cast<ErrorCode>(9999)), "Unknown");
}

}  // namespace
}  // namespace vicinity
