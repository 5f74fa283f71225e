// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Sessions that a journal brought back.

#include "session_fixture.h"

namespace vicinity::app {
namespace {

store::SessionRecord record(std::uint64_t id, const std::string& token) {
  store::SessionRecord out;
  out.id = SessionId{id};
  out.token = token;
  out.role = Role::Player;
  out.view_number = 4;
  out.last_sequence = 17;
  out.is_open = true;
  return out;
}

const std::string token = "0123456789abcdef0123456789abcdef";

TEST_F(Sessions, OfAnEarlierRunWaitForTheirClientsWhoseViewsBeginAnew) {
  registry().restore({record(3, token)}, 100, now_);
  EXPECT_EQ(stats().parked_now, 1u);
  const SessionPtr session = registry().find(SessionId{3});
  ASSERT_NE(session, nullptr);
  const FakePtr first = connection();
  EXPECT_EQ(resume(*session, first, newest_), ErrorCode::None);
  EXPECT_TRUE(admission_.view_reset);  // whatever tick the client says it has
  EXPECT_EQ(admission_.last_sequence, 17u);
  EXPECT_EQ(drained(), "open 3");
  // Only the first time: from then on the client has what this run told it.
  session->resumable_from = 0;
  lose(first);
  EXPECT_EQ(resume(*session, connection(), ++newest_), ErrorCode::None);
  EXPECT_FALSE(admission_.view_reset);
  EXPECT_EQ(open(connection())->id, SessionId{101});
}

TEST_F(Sessions, OfAnEarlierRunEndWhenNobodyComesOrNobodyCould) {
  registry().restore({record(3, token), record(4, "")}, 4, now_);
  EXPECT_EQ(drained(), "close 4");
  EXPECT_EQ(registry().find(SessionId{4}), nullptr);
  after(31s);
  EXPECT_EQ(drained(), "close 3");
}

TEST_F(Sessions, OfAnEarlierRunAreNotResumedWithCapsOfWhichNothingWasKept) {
  registry().restore({record(3, token)}, 100, now_);
  access::Caps caps;
  caps.areas_max = 2;
  SessionTraits capped = traits(Role::Player);
  capped.guard = std::make_shared<access::SessionGuard>(access::SessionRates{}, caps);
  EXPECT_EQ(resume(token, capped, connection()), ErrorCode::ResumeRefused);
  const SessionTraits plain = traits(Role::Player);
  EXPECT_EQ(resume(token, plain, connection()), ErrorCode::None);
  EXPECT_EQ(registry().find(SessionId{3})->guard, plain.guard);  // its rates hold from now on
}

TEST_F(Sessions, OfOneSubjectFindTheirRatesAsTheyLeftThem) {
  const SessionPtr first = open(connection(), Role::Player, "who");
  const SessionPtr second = open(connection(), Role::Player, "who");
  EXPECT_EQ(second->guard, first->guard);
  const SessionPtr other_role = open(connection(), Role::Observer, "who");
  EXPECT_NE(other_role->guard, first->guard);
}

TEST_F(Sessions, AreNotedOnceForTheJournalUnlessTheyHaveEnded) {
  registry().keep_welcomed();
  const FakePtr leaving = connection();
  open(leaving);
  const SessionPtr staying = open(connection(), Role::Player, "who");
  lose(leaving, {ErrorCode::BadFrame, "its own fault"});
  const auto welcomed = registry().take_welcomed();
  ASSERT_EQ(welcomed.size(), 1u);
  EXPECT_EQ(welcomed[0].id, staying->id);
  EXPECT_EQ(welcomed[0].subject, "who");
  EXPECT_EQ(welcomed[0].token, staying->token.text());
  EXPECT_TRUE(registry().take_welcomed().empty());
}

}  // namespace
}  // namespace vicinity::app
