// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/cooldown_list.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "base/prng.h"

namespace vicinity {
namespace {

constexpr std::uint64_t slots = 40;

EntityPair any_pair(Prng& prng) {
  const auto a = static_cast<std::uint32_t>(prng.below(slots - 1));
  const auto b = static_cast<std::uint32_t>(a + 1 + prng.below(slots - 1 - a));
  return {EntityId(a, 1), EntityId(b, 1)};
}

TEST(CooldownList, SaysWhatATableSaysAndOldViewsStayAsTheyWere) {
  using Table = std::map<EntityPair, Cooldown>;
  struct Held {
    Tick tick;
    CooldownView view;
    Table table;
  };
  Prng prng(7);
  CooldownList list;
  Table table;
  std::deque<Held> held;
  std::size_t found = 0;
  for (Tick tick = 1; tick <= 400; ++tick) {
    std::erase_if(table, [&](const auto& entry) { return entry.second.until <= tick; });
    if (prng.chance(0.02)) {
      list.clear();
      table.clear();
    }
    std::map<EntityPair, Cooldown> fresh;
    for (std::uint64_t i = prng.below(12); i > 0; --i) {
      const EntityPair pair = any_pair(prng);
      if (table.contains(pair)) continue;  // what cools down has no contact that could end
      fresh[pair] = {pair, tick + 1 + prng.below(30), tick};
    }
    for (const auto& [pair, cooldown] : fresh) {
      list.note(cooldown);
      table[pair] = cooldown;
    }
    list.publish(tick, table.size());
    held.push_back({tick, list.view(), table});
    if (held.size() > 5) held.pop_front();
    for (const Held& each : held) {
      for (int i = 0; i < 40; ++i) {
        const EntityPair pair = any_pair(prng);
        const auto expected = each.table.find(pair);
        const auto answer = each.view.find(pair);
        ASSERT_EQ(answer.has_value(), expected != each.table.end());
        if (!answer) continue;
        ++found;
        EXPECT_EQ(answer->until, expected->second.until);
        EXPECT_EQ(answer->since, expected->second.since);
      }
    }
  }
  EXPECT_GT(found, 1'000u);
}

TEST(CooldownList, LetsGoOfWhatIsOver) {
  CooldownList list;
  for (std::uint32_t i = 0; i < 100'000; ++i)
    list.note({{EntityId(i, 1), EntityId(200'000, 1)}, 10, 1});
  list.publish(1, 100'000);
  EXPECT_EQ(list.view().size(), 100'000u);
  list.note({{EntityId(1, 1), EntityId(2, 1)}, 1'000, 10});
  list.publish(10, 1);
  EXPECT_EQ(list.view().size(), 1u);
  list.publish(1'000, 0);
  EXPECT_EQ(list.view().size(), 0u);
}

}  // namespace
}  // namespace vicinity
