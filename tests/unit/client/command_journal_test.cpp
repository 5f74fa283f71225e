// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/command_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<CommandBody> commands(std::uint32_t first_area, std::uint32_t count) {
  std::vector<CommandBody> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(RemoveAreaCommand{{first_area + i}});
  return all;
}

TEST(CommandJournal, ForgetsWhatWasAnsweredOnce) {
  CommandJournal journal;
  journal.add(1, commands(1, 2));
  journal.add(5, commands(5, 1));
  EXPECT_EQ(journal.unanswered_count(), 3u);
  EXPECT_TRUE(journal.answer(2));
  EXPECT_FALSE(journal.answer(2)) << "a second answer";
  EXPECT_FALSE(journal.answer(4)) << "never sent";
  EXPECT_FALSE(journal.answer(6));
  EXPECT_FALSE(journal.answer(0));
  EXPECT_THAT(journal.take_all(), ElementsAre(1, 5));
  EXPECT_EQ(journal.unanswered_count(), 0u);
  EXPECT_THAT(journal.take_all(), IsEmpty());
}

TEST(CommandJournal, GivesWhatMustBeSentAgainWithItsSequences) {
  CommandJournal journal;
  journal.add(1, commands(1, 3));
  journal.add(4, commands(4, 2));
  const auto after = journal.after(2);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].first_sequence, 3u);
  EXPECT_THAT(after[0].commands, ElementsAre(CommandBody(RemoveAreaCommand{{3}})));
  EXPECT_EQ(after[1].first_sequence, 4u);
  EXPECT_EQ(after[1].commands.size(), 2u);
  EXPECT_THAT(journal.after(5), IsEmpty());
  EXPECT_EQ(journal.after(0).size(), 2u);
}

TEST(CommandJournal, TakesOutWhatCameBefore) {
  CommandJournal journal;
  journal.add(1, commands(1, 3));
  journal.answer(1);
  EXPECT_THAT(journal.take_up_to(2), ElementsAre(2));
  EXPECT_TRUE(journal.answer(3));
}

}  // namespace
}  // namespace vicinity::client
