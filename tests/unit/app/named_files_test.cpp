// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/named_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/server_process.h"

namespace vicinity::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NamedFiles : public testing::Test {
 protected:
  void put(const std::string& name) const { std::ofstream(folder_ / name) << "x"; }
  /// Empty: the folder can be the one of a journal.
  std::string journal_fault() const { return journal_dir_fault(folder_).value_or(""); }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(NamedFiles, AJournalBeginsInAFolderThatIsNewOrEmpty) {
  EXPECT_EQ(journal_fault(), "");
  EXPECT_EQ(journal_dir_fault(folder_ / "new").value_or(""), "");
  // A file system of its own is not quite empty.
  std::filesystem::create_directory(folder_ / "lost+found");
  put(".snapshot");
  EXPECT_EQ(journal_fault(), "");
}

TEST_F(NamedFiles, AJournalIsFoundWhateverElseIsThere) {
  put("journal.mdb");
  put("notes");
  EXPECT_EQ(journal_fault(), "");
  std::filesystem::remove(folder_ / "journal.mdb");
  put("lock");
  EXPECT_EQ(journal_fault(), "");
  std::filesystem::remove(folder_ / "lock");
  put("cut-after-tick-7.entries");
  EXPECT_EQ(journal_fault(), "");
}

TEST_F(NamedFiles, AFolderOfOtherThingsIsNoJournal) {
  put("passwd");
  EXPECT_THAT(journal_fault(), AllOf(HasSubstr("journal_dir"), HasSubstr(folder_.string()),
                                     HasSubstr("passwd"), HasSubstr("empty")));
  put("file");
  EXPECT_THAT(journal_dir_fault(folder_ / "file").value_or(""), HasSubstr("not a folder"));
}

TEST_F(NamedFiles, OnlyWhatIsNamedIsLookedAt) {
  Config config;
  config.admin_token_file = "/nowhere/token";  // nobody listens for operators
  EXPECT_EQ(named_files_fault(config).value_or(""), "");
  config.admin = true;
  EXPECT_THAT(named_files_fault(config).value_or(""),
              AllOf(HasSubstr("admin_token_file"), HasSubstr("/nowhere/token")));
  config.journal_dir = folder_;
  config.admin = false;
  put("passwd");
  EXPECT_THAT(named_files_fault(config).value_or(""), HasSubstr("journal_dir"));
}

}  // namespace
}  // namespace vicinity::app
