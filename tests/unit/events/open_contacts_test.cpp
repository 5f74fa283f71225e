// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/open_contacts.h"

#include <gtest/gtest.h>

#include <set>

namespace vicinity {
namespace {

OpenContact contact(std::uint32_t a, std::uint32_t b, Tick begin_tick = 1, bool sensor = false) {
  return {EntityId(a, 1), EntityId(b, 1), begin_tick, sensor};
}

TEST(OpenContacts, AreNoneByDefault) {
  const OpenContacts none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.digest(), 0u);
  EXPECT_TRUE(none.to_vector().empty());
  EXPECT_FALSE(none.contains(EntityId(1, 1), EntityId(2, 1)));
}

TEST(OpenContacts, HoldAList) {
  const std::vector<OpenContact> list{contact(1, 2), contact(1, 7), contact(4, 5)};
  const OpenContacts open(list);
  EXPECT_EQ(open.size(), 3u);
  EXPECT_EQ(open.to_vector(), list);
  std::vector<OpenContact> appended{contact(8, 9)};
  open.append_to(appended);
  EXPECT_EQ(appended, (std::vector<OpenContact>{contact(8, 9), list[0], list[1], list[2]}));
  EXPECT_TRUE(open.contains(EntityId(1, 1), EntityId(7, 1)));
  EXPECT_FALSE(open.contains(EntityId(1, 1), EntityId(5, 1)));
  EXPECT_FALSE(open.contains(EntityId(1, 2), EntityId(7, 1)));
  EXPECT_FALSE(open.contains(EntityId(4, 1), EntityId(6, 1)));
}

TEST(OpenContacts, DigestTellsSetsApart) {
  const std::vector<OpenContact> list{contact(1, 2), contact(4, 5)};
  EXPECT_EQ(OpenContacts(list).digest(), OpenContacts(list).digest());
  std::set<std::uint64_t> digests{
      OpenContacts().digest(),
      OpenContacts(list).digest(),
      OpenContacts({contact(1, 2)}).digest(),
      OpenContacts({contact(1, 2, 2)}).digest(),
      OpenContacts({contact(1, 2, 1, true)}).digest(),
      OpenContacts({{EntityId(1, 2), EntityId(2, 1), 1, false}}).digest(),
      OpenContacts({{EntityId(1, 1), EntityId(2, 2), 1, false}}).digest(),
      OpenContacts({contact(1, 5), contact(4, 2)}).digest(),
  };
  EXPECT_EQ(digests.size(), 8u);
}

TEST(OpenContactsDeathTest, RefuseAListThatIsNotSorted) {
  EXPECT_DEATH(OpenContacts({contact(4, 5), contact(1, 2)}), "CHECK failed");
}

}  // namespace
}  // namespace vicinity
