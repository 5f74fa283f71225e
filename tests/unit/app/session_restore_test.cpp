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

SessionTraits capped(std::uint32_t areas_max) {
  SessionTraits traits;
  traits.role = Role::Player;
  access::Caps caps;
  caps.areas_max = areas_max;
  traits.guard = std::make_shared<access::SessionGuard>(access::SessionRates{}, caps);
  return traits;
}

TEST_F(Sessions, OfAnEarlierRunAreNotResumedWithOtherCaps) {
  registry().restore({record(3, token)}, 100, now_);
  EXPECT_EQ(resume(token, capped(2), connection()), ErrorCode::ResumeRefused);
  SessionTraits plain;
  plain.role = Role::Player;
  EXPECT_EQ(resume(token, plain, connection()), ErrorCode::None);
  EXPECT_EQ(registry().find(SessionId{3})->guard, plain.guard);  // its rates hold from now on
}

TEST_F(Sessions, OfAnEarlierRunGoOnWithTheirCapsAndTheAreasThatCountAgainstThem) {
  store::SessionRecord held = record(3, token);
  held.caps.areas_max = 2;
  registry().restore({held}, 100, now_, [](SessionId id) {
    return id == SessionId{3} ? std::set{AreaId{7}} : std::set<AreaId>();
  });
  EXPECT_EQ(resume(token, traits(Role::Player), connection()), ErrorCode::ResumeRefused);
  EXPECT_EQ(resume(token, capped(3), connection()), ErrorCode::ResumeRefused);
  ASSERT_EQ(resume(token, capped(2), connection()), ErrorCode::None);
  access::SessionGuard& guard = *registry().find(SessionId{3})->guard;
  EXPECT_TRUE(guard.add_area(AreaId{8}));
  EXPECT_FALSE(guard.add_area(AreaId{9}));
}

TEST_F(Sessions, AreNotedForTheJournalWithTheirCaps) {
  registry().keep_welcomed();
  ASSERT_TRUE(registry().open(capped(5), connection(), greeting()).ok());
  const auto welcomed = registry().take_welcomed(commands_.drain());
  ASSERT_EQ(welcomed.size(), 1u);
  EXPECT_EQ(welcomed[0].caps.areas_max, 5u);
}

TEST_F(Sessions, AreNotedOnceForTheJournalUnlessTheyHaveEnded) {
  registry().keep_welcomed();
  const FakePtr leaving = connection();
  open(leaving);
  const SessionPtr staying = open(connection(), Role::Player, "who");
  lose(leaving, {ErrorCode::BadFrame, "its own fault"});
  const std::vector<Command> commands = commands_.drain();
  const auto welcomed = registry().take_welcomed(commands);
  ASSERT_EQ(welcomed.size(), 1u);
  EXPECT_EQ(welcomed[0].id, staying->id);
  EXPECT_EQ(welcomed[0].subject, "who");
  EXPECT_EQ(welcomed[0].token, staying->token.text());
  EXPECT_TRUE(registry().take_welcomed(commands).empty());
}

TEST_F(Sessions, ThatNoTickSeesLeaveNothingInTheJournal) {
  registry().keep_welcomed();
  const std::vector<Command> before = commands_.drain();
  const FakePtr brief = connection();
  open(brief);
  EXPECT_TRUE(registry().take_welcomed(before).empty()) << "it begins in the next tick";
  lose(brief, {ErrorCode::BadFrame, "its own fault"});
  const std::vector<Command> after = commands_.drain();
  EXPECT_TRUE(after.empty()) << "door 1 has taken back its beginning and its end";
  EXPECT_TRUE(registry().take_welcomed(after).empty());
}

}  // namespace
}  // namespace vicinity::app
