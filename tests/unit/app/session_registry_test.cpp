// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_registry.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

#include "session_fixture.h"

namespace vicinity::app {
namespace {

using testing::HasSubstr;

// --- Coming and going ------------------------------------------------------------------------

TEST_F(Sessions, HaveIdsAndTokensOfTheirOwn) {
  std::set<std::string> tokens;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const FakePtr over = connection();
    const SessionPtr session = open(over);
    EXPECT_EQ(session->id, SessionId{i});
    EXPECT_TRUE(tokens.insert(session->token.text()).second);
    EXPECT_EQ(session->connection(), over);
    EXPECT_EQ(registry().of_connection(*over), session);
    lose(over, {ErrorCode::BadFrame, ""});  // its id is not given out again
  }
}

TEST_F(Sessions, AreGreetedBeforeTheTickRoomHearsOfThem) {
  const FakePtr over = connection();
  std::size_t waiting = 99;
  const auto opened = registry().open(traits(Role::Observer), over,
                                      [&](const Session& session, const Admission& admission) {
                                        EXPECT_EQ(session.id, SessionId{1});
                                        EXPECT_FALSE(admission.resumed);
                                        waiting = commands_.size();
                                        return std::vector<std::uint8_t>{7};
                                      });
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(waiting, 0u);
  EXPECT_EQ(over->sent(), (std::vector<std::uint8_t>{7}));
  EXPECT_EQ(drained(), "open 1");
}

TEST_F(Sessions, AreParkedWhenTheirConnectionBreaksOrFallsSilent) {
  for (const ErrorCode code : {ErrorCode::None, ErrorCode::IdleTimeout}) {
    const FakePtr over = connection();
    const SessionPtr session = open(over);
    EXPECT_EQ(lose(over, {code, "lost"}), Loss::Parked);
    EXPECT_TRUE(lives(session));
    EXPECT_EQ(session->connection(), nullptr);
  }
  EXPECT_EQ(drained(), "open 1, open 2");
  EXPECT_EQ(stats().parked, 2u);
  EXPECT_EQ(stats().parked_now, 2u);
  EXPECT_EQ(stats().live, 0u);
}

TEST_F(Sessions, EndForEveryOtherCause) {
  std::uint64_t count = 0;
  for (const ErrorCode code :
       {ErrorCode::BadFrame, ErrorCode::FrameTooLarge, ErrorCode::LimitExceeded,
        ErrorCode::SlowConsumer, ErrorCode::ServerStopping, ErrorCode::Internal}) {
    const FakePtr over = connection();
    const SessionPtr session = open(over);
    drained();
    EXPECT_EQ(lose(over, {code, "fault"}), Loss::Ended) << to_string(code);
    EXPECT_FALSE(lives(session));
    EXPECT_EQ(drained(), "close " + std::to_string(++count));
    EXPECT_EQ(ended(code), 1u);
    EXPECT_EQ(resume(*session, connection()), ErrorCode::ResumeRefused);
  }
  EXPECT_EQ(stats().parked, 0u);
}

TEST_F(Sessions, EndAtOnceWhenTheirConnectionSaysGoodbye) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  drained();
  registry().end(*over, ErrorCode::None);
  EXPECT_FALSE(lives(session));
  EXPECT_EQ(drained(), "close 1");
  registry().end(*over, ErrorCode::None);
  EXPECT_EQ(lose(over), Loss::Ended);  // what comes after the goodbye changes nothing
  EXPECT_EQ(drained(), "");
  EXPECT_EQ(ended(ErrorCode::None), 1u);
}

TEST_F(Sessions, ExpireWhenNobodyComesForThemInTime) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  drained();
  lose(over, {ErrorCode::IdleTimeout, "silent"});
  after(29'999ms);
  EXPECT_TRUE(lives(session));
  EXPECT_EQ(drained(), "");
  after(1ms);
  EXPECT_FALSE(lives(session));
  EXPECT_EQ(drained(), "close 1");
  EXPECT_EQ(stats().expired, 1u);
  EXPECT_EQ(ended(ErrorCode::IdleTimeout), 1u);
  EXPECT_EQ(resume(*session, connection()), ErrorCode::ResumeRefused);
}

TEST_F(Sessions, ThatAreOverdueAreNotResumedThoughNobodySwept) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  lose(over);
  now_ += 30s;
  EXPECT_EQ(resume(*session, connection()), ErrorCode::ResumeRefused);
  EXPECT_FALSE(lives(session));
}

TEST_F(Sessions, HaveNoGraceWhenTheSettingIsZero) {
  settings({0ms, OnDisconnect::Grace, 10});
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  EXPECT_EQ(lose(over), Loss::Ended);
  EXPECT_FALSE(lives(session));
}

TEST_F(Sessions, OfAConnectionWithoutHelloAreNone) {
  EXPECT_EQ(lose(connection()), Loss::NoSession);
  EXPECT_EQ(registry().of_connection(*connection()), nullptr);
  EXPECT_EQ(drained(), "");
}

// --- A player's entities ---------------------------------------------------------------------

TEST_F(Sessions, InModeGraceTheEntitiesEndWithTheSession) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  lose(over);
  EXPECT_EQ(drained(), "open 1");
  after(30s);
  EXPECT_EQ(drained(), "close 1");
}

TEST_F(Sessions, InModeDespawnTheEntitiesEndAtOnceAndWhatComesLaterLives) {
  settings({30s, OnDisconnect::Despawn, 10});
  const FakePtr first = connection();
  const SessionPtr session = open(first);
  ASSERT_EQ(spawn(session, first, 5), Intake::Taken);
  lose(first);
  const FakePtr second = connection();
  ASSERT_EQ(resume(*session, second), ErrorCode::None);
  ASSERT_EQ(spawn(session, second, 6), Intake::Taken);
  EXPECT_EQ(drained(), "open 1, spawn 1, despawn 1, spawn 1");
  // Who has nothing of its own loses nothing.
  const FakePtr watching = connection();
  open(watching, Role::Observer);
  const FakePtr ruling = connection();
  open(ruling, Role::Authority);
  lose(watching);
  lose(ruling);
  EXPECT_EQ(drained(), "open 2, open 3");
}

TEST_F(Sessions, InModeDespawnComingAndGoingWithoutATickFillsNoMemory) {
  settings({30s, OnDisconnect::Despawn, 10});
  FakePtr over = connection();
  const SessionPtr session = open(over);
  for (int i = 0; i < 100; ++i) {
    lose(over);
    over = connection();
    ASSERT_EQ(resume(*session, over), ErrorCode::None);
  }
  EXPECT_EQ(drained(), "open 1, despawn 1");
}

TEST_F(Sessions, InModeKeepTheEntitiesOutliveTheSession) {
  settings({30s, OnDisconnect::Keep, 10});
  const FakePtr lost = connection();
  const FakePtr kicked = connection();
  const FakePtr leaving = connection();
  open(lost);
  open(kicked);
  open(leaving);
  drained();
  lose(lost);
  lose(kicked, {ErrorCode::BadFrame, ""});
  registry().end(*leaving, ErrorCode::None);
  after(30s);
  EXPECT_EQ(drained(), "close-keeping 1, close-keeping 2, close-keeping 3");
}

TEST_F(Sessions, InModeKeepWhatWaitsAtTheDoorIsKeptAsWell) {
  settings({30s, OnDisconnect::Keep, 10});
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  ASSERT_EQ(spawn(session, over, 1), Intake::Taken);
  registry().end(*over, ErrorCode::None);
  EXPECT_EQ(drained(), "open 1, spawn 1, close-keeping 1");
}

// --- Take-over -------------------------------------------------------------------------------

TEST_F(Sessions, ANewcomerOfTheSubjectEndsTheOneBefore) {
  const FakePtr first = connection();
  const FakePtr second = connection();
  const SessionPtr old = open(first, Role::Player, "P");
  const SessionPtr other = open(connection(), Role::Player, "Q");
  const SessionPtr fresh = open(second, Role::Player, "P");
  ASSERT_TRUE(fresh);
  EXPECT_NE(fresh->id, old->id);
  EXPECT_FALSE(fresh->token.same_as(old->token));
  EXPECT_FALSE(lives(old));
  EXPECT_TRUE(lives(other));
  EXPECT_EQ(first->code(), ErrorCode::TakenOver);
  EXPECT_FALSE(second->closing());
  EXPECT_EQ(resume(*old, connection()), ErrorCode::ResumeRefused);
  EXPECT_EQ(lose(first, *first->cause()), Loss::Ended);
  EXPECT_TRUE(lives(fresh));
  EXPECT_EQ(stats().taken_over, 1u);
  EXPECT_EQ(ended(ErrorCode::TakenOver), 1u);
}

TEST_F(Sessions, ANewcomerHasTheRatesOfTheOneBeforeInAnyRoleAndAGuardOfItsOwn) {
  const auto now = SessionRegistry::Clock::now();
  std::shared_ptr<access::SessionGuard> before;
  for (const Role role : {Role::Player, Role::Observer, Role::Player}) {
    SessionTraits of_subject = traits(role, "P");
    of_subject.guard = std::make_shared<access::SessionGuard>(access::SessionRates{0, 0, 100});
    const auto opened = registry().open(of_subject, connection(), greeting());
    ASSERT_TRUE(opened.ok());
    const auto guard = opened.value()->guard;
    EXPECT_NE(guard, before);
    if (!before) guard->charge_query(std::chrono::seconds(1), now);
    EXPECT_EQ(guard->query(now), access::Passage::Refused);
    before = guard;
  }
}

TEST_F(Sessions, ANewcomerOfTheSubjectEndsAParkedOneToo) {
  const FakePtr first = connection();
  const SessionPtr old = open(first, Role::Player, "P");
  lose(first);
  const SessionPtr fresh = open(connection(), Role::Player, "P");
  EXPECT_FALSE(lives(old));
  after(1h);  // nothing is left that could expire
  EXPECT_TRUE(lives(fresh));
  EXPECT_EQ(stats().expired, 0u);
}

TEST_F(Sessions, OfNobodyInParticularDoNotTakeOver) {
  const SessionPtr first = open(connection());
  const SessionPtr second = open(connection());
  EXPECT_TRUE(lives(first));
  EXPECT_TRUE(lives(second));
}

TEST_F(Sessions, TheEndOfTheOldComesBeforeTheBeginningOfTheNew) {
  for (const OnDisconnect mode : {OnDisconnect::Grace, OnDisconnect::Despawn, OnDisconnect::Keep}) {
    settings({30s, mode, 10});
    const FakePtr first = connection();
    const SessionPtr old = open(first, Role::Player, "P");
    ASSERT_EQ(spawn(old, first, 1), Intake::Taken);
    drained();
    ASSERT_EQ(spawn(old, first, 2), Intake::Taken);
    const FakePtr second = connection();
    const SessionPtr fresh = open(second, Role::Player, "P");
    ASSERT_EQ(spawn(fresh, second, 1), Intake::Taken);
    EXPECT_EQ(spawn(old, first, 3), Intake::Gone);
    // Its entities end in any mode: the player is still there.
    EXPECT_EQ(drained(), "spawn 1, close 1, open 2, spawn 2");
  }
}

TEST_F(Sessions, OfASubjectThatComesManyTimesAtOnceExactlyTheLastRemains) {
  constexpr int thread_count = 4;
  constexpr int times = 200;
  std::vector<FakePtr> connections;
  for (int i = 0; i < thread_count * times; ++i) connections.push_back(connection());
  const auto greet = [](const Session&, const Admission&) { return std::vector<std::uint8_t>{}; };
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < times; ++i) {
        const FakePtr& over = connections[static_cast<std::size_t>(t * times + i)];
        EXPECT_TRUE(registry().open(traits(Role::Player, "P"), over, greet).ok());
      }
    });
  }
  std::vector<Command> commands;
  for (int i = 0; i < 1000; ++i) {
    for (Command& command : commands_.drain()) commands.push_back(std::move(command));
    std::this_thread::yield();
  }
  for (auto& thread : threads) thread.join();
  for (Command& command : commands_.drain()) commands.push_back(std::move(command));
  const auto left = registry().all();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0]->id, SessionId{thread_count * times});
  EXPECT_EQ(std::count_if(connections.begin(), connections.end(),
                          [](const FakePtr& one) { return !one->closing(); }),
            1);
  // Whatever the tick saw of it: never two at a time.
  std::set<SessionId> present;
  for (const Command& command : commands) {
    if (std::holds_alternative<OpenSessionCommand>(command.body)) present.insert(command.session);
    if (std::holds_alternative<CloseSessionCommand>(command.body)) present.erase(command.session);
    EXPECT_LE(present.size(), 1u);
  }
  EXPECT_EQ(present, std::set<SessionId>{left[0]->id});
}

// --- Room ------------------------------------------------------------------------------------

TEST_F(Sessions, AreAsManyAsTheSettingAllows) {
  settings({30s, OnDisconnect::Grace, 2});
  open(connection());
  open(connection());
  const auto refused = registry().open(traits(Role::Player), connection(), greeting());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::ServerFull);
  EXPECT_THAT(refused.error().text, HasSubstr("all 2 sessions"));
  EXPECT_EQ(stats().opened, 2u);
}

TEST_F(Sessions, ThatWaitTheLongestMakeRoomForNewcomers) {
  settings({30s, OnDisconnect::Grace, 3});
  const FakePtr first = connection();
  const FakePtr second = connection();
  const SessionPtr live = open(connection());
  const SessionPtr a = open(first);
  const SessionPtr b = open(second);
  lose(second);
  now_ += 1s;
  lose(first);
  EXPECT_TRUE(open(connection()));
  EXPECT_FALSE(lives(b));
  EXPECT_TRUE(lives(a));
  EXPECT_TRUE(open(connection()));
  EXPECT_FALSE(lives(a));
  EXPECT_TRUE(lives(live));
  EXPECT_FALSE(open(connection()));
  EXPECT_EQ(stats().expired, 2u);
}

TEST_F(Sessions, TakeOverAndResumeNeedNoRoom) {
  settings({30s, OnDisconnect::Grace, 1});
  const SessionPtr first = open(connection(), Role::Player, "P");
  EXPECT_EQ(resume(*first, connection()), ErrorCode::None);
  const SessionPtr second = open(connection(), Role::Player, "P");
  EXPECT_TRUE(second);
  EXPECT_FALSE(lives(first));
}

// --- For operators ---------------------------------------------------------------------------

TEST_F(Sessions, EndByTheirIdWhetherLiveOrParked) {
  const FakePtr over = connection();
  const SessionPtr live = open(over);
  const FakePtr broken = connection();
  const SessionPtr parked = open(broken);
  lose(broken);
  drained();

  EXPECT_EQ(registry().end(live->id, ErrorCode::None), over) << "for the caller to close";
  const auto nobody = registry().end(parked->id, ErrorCode::None);
  ASSERT_TRUE(nobody);
  EXPECT_EQ(*nobody, nullptr);
  EXPECT_EQ(drained(), "close 1, close 2");
  EXPECT_FALSE(lives(live));
  EXPECT_FALSE(lives(parked));
  EXPECT_EQ(ended(ErrorCode::None), 2u);
  EXPECT_EQ(resume(*parked, connection()), ErrorCode::ResumeRefused);
  EXPECT_FALSE(registry().end(live->id, ErrorCode::None)) << "there is none any more";
}

TEST_F(Sessions, AreListedInPages) {
  for (int i = 0; i < 5; ++i) open(connection());
  const FakePtr broken = connection();
  open(broken);
  lose(broken);
  const auto first = registry().page(SessionId{}, 4);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first.front().session->id, SessionId{1});
  const auto rest = registry().page(first.back().session->id, 4);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_FALSE(rest[0].is_parked);
  EXPECT_EQ(rest[1].session->id, SessionId{6});
  EXPECT_TRUE(rest[1].is_parked);
  EXPECT_TRUE(registry().page(SessionId{6}, 4).empty());
}

}  // namespace
}  // namespace vicinity::app
