// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/resting_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/prng.h"

namespace vicinity {
namespace {

using Contacts = std::vector<OpenContact>;

OpenContact contact(std::uint32_t a, std::uint32_t b, Tick begin_tick = 1) {
  return {EntityId(a, 1), EntityId(b, 1), begin_tick, false};
}

Contacts all(const RestingContacts::View& view) {
  Contacts out;
  view.append_to(out);
  std::sort(out.begin(), out.end(),
            [](const OpenContact& x, const OpenContact& y) { return slots_of(x) < slots_of(y); });
  return out;
}

Contacts wake(RestingContacts& contacts, const std::vector<SlotPair>& pairs, Tick tick) {
  Contacts woken;
  contacts.wake(pairs, tick, woken);
  return woken;
}

TEST(RestingContacts, AreNoneAtFirst) {
  RestingContacts contacts;
  EXPECT_EQ(contacts.size(), 0u);
  EXPECT_TRUE(all(contacts.view(1)).empty());
  EXPECT_FALSE(contacts.view(1).contains(EntityId(1, 1), EntityId(2, 1)));
  EXPECT_FALSE(RestingContacts::View().contains(EntityId(1, 1), EntityId(2, 1)));
  EXPECT_TRUE(wake(contacts, {{1, 2}}, 1).empty());
}

TEST(RestingContacts, AreThereUntilTheyWake) {
  RestingContacts contacts;
  contacts.rest(Contacts{contact(1, 2), contact(1, 5), contact(3, 4)});
  EXPECT_EQ(contacts.size(), 3u);
  // Of the pairs that wake some were never in contact.
  EXPECT_EQ(wake(contacts, {{1, 3}, {1, 5}, {2, 9}}, 7), Contacts{contact(1, 5)});
  EXPECT_EQ(contacts.size(), 2u);
  EXPECT_EQ(all(contacts.view(7)), (Contacts{contact(1, 2), contact(3, 4)}));
  EXPECT_TRUE(wake(contacts, {{1, 5}}, 8).empty());
}

TEST(RestingContacts, WakeInOrderFromSeveralRuns) {
  RestingContacts contacts;
  Contacts many;
  for (std::uint32_t i = 0; i < 10'000; ++i) many.push_back(contact(2 * i, 2 * i + 1));
  contacts.rest(many);
  contacts.rest(Contacts{contact(3, 9), contact(5, 9)});
  EXPECT_EQ(wake(contacts, {{2, 3}, {3, 9}, {4, 5}, {5, 9}, {19'998, 19'999}}, 2),
            (Contacts{contact(2, 3), contact(3, 9), contact(4, 5), contact(5, 9),
                      contact(19'998, 19'999)}));
  EXPECT_EQ(contacts.size(), 9997u);
}

TEST(RestingContacts, AViewStaysAsItWas) {
  RestingContacts contacts;
  contacts.rest(Contacts{contact(1, 2), contact(1, 5), contact(3, 4)});
  const auto before = contacts.view(6);
  wake(contacts, {{1, 5}}, 7);
  const auto after = contacts.view(7);
  contacts.rest(Contacts{contact(0, 8)});
  EXPECT_EQ(all(before), (Contacts{contact(1, 2), contact(1, 5), contact(3, 4)}));
  EXPECT_EQ(before.size(), 3u);
  EXPECT_TRUE(before.contains(EntityId(1, 1), EntityId(5, 1)));
  EXPECT_EQ(all(after), (Contacts{contact(1, 2), contact(3, 4)}));
  EXPECT_FALSE(after.contains(EntityId(1, 1), EntityId(5, 1)));
  EXPECT_FALSE(after.contains(EntityId(0, 1), EntityId(8, 1)));
  EXPECT_TRUE(contacts.view(8).contains(EntityId(0, 1), EntityId(8, 1)));
}

TEST(RestingContacts, AreOfTheEntityAndNotOfItsSlot) {
  RestingContacts contacts;
  contacts.rest(Contacts{contact(1, 2)});
  EXPECT_FALSE(contacts.view(1).contains(EntityId(1, 2), EntityId(2, 1)));
  EXPECT_FALSE(contacts.view(1).contains(EntityId(1, 1), EntityId(2, 2)));
}

TEST(RestingContacts, MayRestAgain) {
  RestingContacts contacts;
  contacts.rest(Contacts{contact(1, 2)});
  wake(contacts, {{1, 2}}, 3);
  contacts.rest(Contacts{contact(1, 2, 4)});
  EXPECT_EQ(all(contacts.view(5)), Contacts{contact(1, 2, 4)});
  EXPECT_EQ(wake(contacts, {{1, 2}}, 6), Contacts{contact(1, 2, 4)});
}

TEST(RestingContacts, AgreeWithAMap) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(seed);
    const std::uint64_t slots = 4 + prng.below(200);
    RestingContacts contacts;
    std::map<SlotPair, OpenContact> model;
    std::vector<std::pair<RestingContacts::View, Contacts>> kept;
    for (Tick tick = 1; tick <= 60; ++tick) {
      std::map<SlotPair, OpenContact> woken;
      std::vector<SlotPair> pairs;
      for (const auto& [pair, value] : model)
        if (prng.chance(tick % 10 == 0 ? 0.7 : 0.05)) woken[pair] = value;
      Contacts expected;
      for (const auto& [pair, value] : woken) {
        model.erase(pair);
        pairs.push_back(pair);
        expected.push_back(value);
      }
      EXPECT_EQ(wake(contacts, pairs, tick), expected);
      std::map<SlotPair, OpenContact> fresh;
      const std::uint64_t count = prng.below(prng.chance(0.1) ? 4000 : 20);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto a = static_cast<std::uint32_t>(prng.below(slots));
        const auto b = static_cast<std::uint32_t>(prng.below(slots));
        if (a < b && !model.contains({a, b})) fresh[{a, b}] = contact(a, b, tick);
      }
      Contacts rested;
      for (const auto& [pair, value] : fresh) rested.push_back(value);
      contacts.rest(rested);
      model.insert(fresh.begin(), fresh.end());
      Contacts now;
      for (const auto& [pair, value] : model) now.push_back(value);
      kept.emplace_back(contacts.view(tick), now);
      if (kept.size() > 8) kept.erase(kept.begin());
      EXPECT_EQ(contacts.size(), now.size());
      for (const auto& [view, content] : kept) ASSERT_EQ(all(view), content) << "seed " << seed;
    }
  }
}

TEST(RestingContactsDeathTest, RefuseToRestTwice) {
  RestingContacts contacts;
  contacts.rest(Contacts{contact(1, 2)});
  EXPECT_DEATH(contacts.rest(Contacts{contact(1, 2)}), "CHECK failed");
}

}  // namespace
}  // namespace vicinity
