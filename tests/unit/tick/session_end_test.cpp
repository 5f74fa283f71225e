// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What becomes of a player's entities when its connection or its session ends.

#include <gmock/gmock.h>

#include "world_of_sessions.h"

namespace vicinity::test {
namespace {

constexpr SessionId player{3};
constexpr SessionId other{4};
constexpr SessionId successor{5};

class SessionEnd : public testing::Test {
 protected:
  /// One tick with these commands.
  void tick(const std::vector<Command>& commands) { output_ = simulation_.run_tick(commands); }
  std::size_t entity_count() const { return output_.report.entities; }
  const SessionOutput* told(SessionId session) const {
    for (const SessionOutput& part : output_.sessions)
      if (part.session == session) return &part;
    return nullptr;
  }
  static Command open(SessionId session) {
    return {session, 0, OpenSessionCommand{Role::Player, {}}};
  }
  static Command spawn(SessionId session, std::uint64_t sequence, double x = 0) {
    return {session, sequence, unit_box({x, 0, 0})};
  }

  Simulation simulation_{small_world()};
  TickOutput output_;
};

TEST_F(SessionEnd, DespawnOwnedEndsTheEntitiesAndNotTheSession) {
  tick({open(player), spawn(player, 1), spawn(player, 2), open(other), spawn(other, 1, 50)});
  ASSERT_EQ(entity_count(), 3u);
  tick({{player, 2, DespawnOwnedCommand{}}, spawn(player, 3)});
  EXPECT_EQ(entity_count(), 2u) << "the other's, and what came behind it";
  ASSERT_NE(told(player), nullptr);
  ASSERT_EQ(told(player)->results.size(), 1u) << "the server's own command is answered to nobody";
  EXPECT_EQ(told(player)->results[0].code, ErrorCode::None);
  // It did not ask for it: so it is told.
  ASSERT_EQ(told(player)->lost.size(), 2u);
  EXPECT_EQ(told(player)->lost[0].reason, DespawnReason::SessionEnded);
  EXPECT_EQ(output_.report.commands, 1u);
}

TEST_F(SessionEnd, ASessionThatKeepsItsEntitiesLeavesThemBehind) {
  tick({open(player), spawn(player, 1)});
  tick({{player, 99, CloseSessionCommand{true}}});
  EXPECT_EQ(entity_count(), 1u);
  EXPECT_EQ(told(player), nullptr);
}

TEST_F(SessionEnd, OneBodyAtATimeWhenASuccessorComesInTheSameTick) {
  tick({open(player), spawn(player, 1)});
  ASSERT_EQ(entity_count(), 1u);
  tick({spawn(player, 2),
        {player, 99, CloseSessionCommand{}},
        open(successor),
        spawn(successor, 1)});
  EXPECT_EQ(entity_count(), 1u);
  EXPECT_EQ(told(player), nullptr);
  EXPECT_NE(told(successor), nullptr);
}

}  // namespace
}  // namespace vicinity::test
