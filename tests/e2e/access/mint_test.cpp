// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-token mint: it makes no token that every server would refuse, and says what is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/server_process.h"

namespace vicinity::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Minted {
  int exit_code = -1;
  std::string out;
  std::string err;
};

Minted mint(const Arguments& arguments) {
  const TemporaryFolder folder;
  const std::string key = folder.path() / "dev.hs256";
  std::ofstream(key) << "0123456789abcdef0123456789abcdef\n";
  Arguments all = {"mint", "--key", key, "--kid", "dev"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ChildProcess tool("vicinity-token", all);
  Minted minted;
  minted.exit_code = tool.wait().value_or(-1);
  minted.out = tool.standard_output();
  minted.err = tool.standard_error();
  return minted;
}

void expect_refused(const Arguments& arguments, const std::string& field,
                    const std::string& limit) {
  const Minted minted = mint(arguments);
  EXPECT_EQ(minted.exit_code, 2) << field;
  EXPECT_THAT(minted.err, AllOf(HasSubstr(field), HasSubstr(limit)));
  EXPECT_EQ(minted.out, "");
}

TEST(Mint, ASubjectHas1To64Bytes) {
  expect_refused({"--subject", ""}, "--subject", "1 to 64 bytes");
  expect_refused({"--subject", std::string(65, 's')}, "--subject", "1 to 64 bytes, not 65");
  EXPECT_EQ(mint({"--subject", std::string(64, 's')}).exit_code, 0);
  // The last of them is SUBJECT-100.
  expect_refused({"--subject", std::string(61, 's'), "--count", "100"}, "--subject", "--count");
  EXPECT_EQ(mint({"--subject", std::string(60, 's'), "--count", "100"}).exit_code, 0);
}

TEST(Mint, ASubjectIsTextWithoutControlCharacters) {
  for (const char* broken : {"a\xFF", "\xC3", "\xED\xA0\x80"})
    expect_refused({"--subject", broken}, "--subject", "UTF-8");
  for (const char* control : {"a\nb", "\x1B[2J", "a\x7F", "a\xC2\x9B"})
    expect_refused({"--subject", control}, "--subject", "control characters");
  expect_refused({"--subject", "ada", "--audience", "a\xFF"}, "--audience", "UTF-8");
  EXPECT_EQ(mint({"--subject", "\xC3\x84 \xE2\x82\xAC\xC2\xA0"}).exit_code, 0);
}

TEST(Mint, ATokenIsValidForAWhile) {
  expect_refused({"--subject", "ada", "--expires", "0s"}, "--expires", "1s or more");
  expect_refused({"--subject", "ada", "--expires", "0d"}, "--expires", "1s or more");
  expect_refused({"--subject", "ada", "--expires", "4000000d"}, "--expires", "9999");
  EXPECT_EQ(mint({"--subject", "ada", "--expires", "1s"}).exit_code, 0);
  EXPECT_EQ(mint({"--subject", "ada", "--not-before", "0s"}).exit_code, 0);
  for (const char* begin : {"2h", "1h"}) {
    expect_refused({"--subject", "ada", "--expires", "1h", "--not-before", begin}, "--not-before",
                   "less than --expires");
  }
  EXPECT_EQ(mint({"--subject", "ada", "--expires", "1h", "--not-before", "59m"}).exit_code, 0);
}

TEST(Mint, CapsAreWithinWhatServersRead) {
  expect_refused({"--subject", "ada", "--areas-max", "1025"}, "--areas-max", "1024");
  expect_refused({"--subject", "ada", "--area-radius-max", "-1"}, "--area-radius-max", "range");
  for (const char* number : {"nan", "NaN"}) {
    expect_refused({"--subject", "ada", "--area-radius-max", number}, "--area-radius-max",
                   "finite");
  }
  expect_refused({"--subject", "ada", "--bytes-per-s", "0"}, "--bytes-per-s", "");
  EXPECT_EQ(mint({"--subject", "ada", "--areas-max", "0", "--area-radius-max", "50",
                  "--bytes-per-s", "1000"})
                .exit_code,
            0);
}

}  // namespace
}  // namespace vicinity::test
