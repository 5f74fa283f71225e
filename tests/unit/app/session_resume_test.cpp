// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A session goes on over another connection.

#include <algorithm>
#include <atomic>
#include <thread>

#include "app/session_registry.h"
#include "session_fixture.h"

namespace vicinity::app {
namespace {

TEST_F(Sessions, GoOnOverAnotherConnection) {
  const FakePtr first = connection();
  const SessionPtr session = open(first);
  ASSERT_EQ(spawn(session, first, 9), Intake::Taken);
  lose(first);
  after(29s);
  const FakePtr second = connection();
  ASSERT_EQ(resume(*session, second, 60), ErrorCode::None);
  EXPECT_TRUE(admission_.resumed);
  EXPECT_FALSE(admission_.view_reset);
  EXPECT_EQ(admission_.last_sequence, 9u);
  EXPECT_EQ(second->sent().size(), 3u);
  EXPECT_EQ(session->connection(), second);
  EXPECT_EQ(registry().of_connection(*second), session);
  EXPECT_EQ(session->acked_tick, 60u);
  after(1h);
  EXPECT_TRUE(lives(session)) << "what was resumed does not expire";
  EXPECT_EQ(spawn(session, second, 9), Intake::NotGrowing);
  EXPECT_EQ(spawn(session, second, 10), Intake::Taken);
  EXPECT_EQ(drained(), "open 1, spawn 1, spawn 1") << "the tick room sees one session";
  EXPECT_EQ(stats().resumed, 1u);
  EXPECT_EQ(stats().opened, 1u);
}

TEST_F(Sessions, AreParkedAgainAfterAResume) {
  FakePtr over = connection();
  const SessionPtr session = open(over);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(lose(over), Loss::Parked);
    after(20s);  // each time anew
    over = connection();
    ASSERT_EQ(resume(*session, over), ErrorCode::None);
  }
  lose(over);
  after(30s);
  EXPECT_FALSE(lives(session));
}

TEST_F(Sessions, ThatLiveGoOnTooAndTheOldConnectionIsTold) {
  const FakePtr first = connection();
  const FakePtr second = connection();
  const SessionPtr session = open(first);
  ASSERT_EQ(resume(*session, second), ErrorCode::None);
  EXPECT_EQ(first->code(), ErrorCode::TakenOver);
  EXPECT_EQ(session->connection(), second);
  // What the old one still says or does concerns the session no more.
  EXPECT_EQ(spawn(session, first, 1), Intake::Gone);
  session->acknowledge(*first, 50, newest_);
  EXPECT_EQ(session->acked_tick, 0u);
  registry().end(*first, ErrorCode::BadFrame);
  EXPECT_EQ(lose(first, *first->cause()), Loss::Elsewhere);
  EXPECT_TRUE(lives(session));
  EXPECT_EQ(lose(second), Loss::Parked);
  EXPECT_EQ(stats().taken_over, 0u) << "counts subjects only";
}

TEST_F(Sessions, AreNotResumedWithAnotherToken) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  lose(over);
  const std::string good = session->token.text();
  std::vector<std::string> wrong{"",
                                 "token",
                                 good + "0",
                                 good.substr(1),
                                 std::string(32, '0'),
                                 ResumeToken::random().text(),
                                 std::string(64, 'f')};
  for (std::size_t i = 0; i < good.size(); ++i) {
    wrong.push_back(good);
    wrong.back()[i] = good[i] == '0' ? '1' : '0';
  }
  for (const std::string& token : wrong)
    EXPECT_EQ(resume(token, *session, connection()), ErrorCode::ResumeRefused) << token;
  EXPECT_EQ(stats().resume_refused, wrong.size());
  EXPECT_EQ(resume(good, *session, connection()), ErrorCode::None);
}

TEST_F(Sessions, AreNotResumedAsSomethingElse) {
  const FakePtr over = connection();
  SessionTraits own = traits(Role::Observer, "P");
  own.contacts = ContactScope::Own;
  own.contact_details = true;
  const auto opened = registry().open(own, over, greeting());
  ASSERT_TRUE(opened.ok());
  const std::string token = opened.value()->token.text();
  SessionTraits role = own;
  role.role = Role::Authority;
  SessionTraits contacts = own;
  contacts.contacts = ContactScope::All;
  SessionTraits details = own;
  details.contact_details = false;
  SessionTraits subject = own;
  subject.subject = "Q";
  for (const SessionTraits& wrong : {role, contacts, details, subject})
    EXPECT_EQ(resume(token, wrong, connection()), ErrorCode::ResumeRefused);
  EXPECT_EQ(opened.value()->connection(), over) << "a refused wish changes nothing";
  EXPECT_FALSE(over->closing());
  own.subject = "";
  EXPECT_EQ(resume(token, own, connection()), ErrorCode::None);
}

// --- Where the stream goes on ----------------------------------------------------------------

TEST_F(Sessions, TellTheTickThreadOnceWhereToGoOn) {
  const FakePtr first = connection();
  const SessionPtr session = open(first);
  EXPECT_FALSE(session->take_resume()) << "a new session begins at its beginning";
  lose(first);
  ASSERT_EQ(resume(*session, connection(), 60), ErrorCode::None);
  const auto point = session->take_resume();
  ASSERT_TRUE(point);
  EXPECT_EQ(point->tick, 60u);
  EXPECT_EQ(point->event_seq, 77u);
  EXPECT_FALSE(point->reset);
  EXPECT_FALSE(session->take_resume());
  ASSERT_EQ(resume(*session, connection(), 70), ErrorCode::None);
  ASSERT_EQ(resume(*session, connection(), 80), ErrorCode::None);
  EXPECT_EQ(session->take_resume()->tick, 80u) << "of several the last one";
  EXPECT_FALSE(session->take_resume());
}

TEST_F(Sessions, BeginTheViewAnewWhenItCannotGoOn) {
  const SessionPtr session = open(connection());
  session->resumable_from = 50;
  const auto resets = [&](Tick tick) {
    EXPECT_EQ(resume(*session, connection(), tick), ErrorCode::None);
    EXPECT_EQ(session->take_resume()->reset, admission_.view_reset) << tick;
    EXPECT_EQ(session->acked_tick, admission_.view_reset ? 0 : tick);
    return admission_.view_reset;
  };
  EXPECT_FALSE(resets(50));
  EXPECT_FALSE(resets(100));
  EXPECT_TRUE(resets(0));
  newest_ = 200;
  EXPECT_FALSE(resets(101));
  EXPECT_TRUE(resets(49));
  newest_ = 300;
  EXPECT_FALSE(resets(201));
  EXPECT_TRUE(resets(301)) << "nobody has more than there is";
  session->resumable_from = Session::never;
  EXPECT_TRUE(resets(300));
}

TEST_F(Sessions, ThatBeganAnewDoNotGoOnBehindTheOldView) {
  const SessionPtr session = open(connection());
  ASSERT_EQ(resume(*session, connection(), 0), ErrorCode::None);
  EXPECT_TRUE(admission_.view_reset);
  newest_ = 110;
  // Its client was told to forget tick 90, or never heard of it: nobody knows.
  ASSERT_EQ(resume(*session, connection(), 90), ErrorCode::None);
  EXPECT_TRUE(admission_.view_reset);
  ASSERT_EQ(resume(*session, connection(), 110), ErrorCode::None);
  EXPECT_TRUE(admission_.view_reset);
  newest_ = 120;
  ASSERT_EQ(resume(*session, connection(), 111), ErrorCode::None);
  EXPECT_FALSE(admission_.view_reset);
}

TEST_F(Sessions, KeepWhatAWelcomePromisedWhileTheTickThreadForgets) {
  // The order that session.h asks of the tick thread, against welcomes at the same time.
  const SessionPtr session = open(connection());
  session->resumable_from = 1;
  std::atomic<bool> done{false};
  std::atomic<int> turn{0};
  std::atomic<int> turns_done{0};
  std::atomic<int> went_on{0};
  std::thread tick_thread([&] {
    for (Tick oldest = 2; !done;) {
      if (turn == turns_done) {
        std::this_thread::yield();
        continue;
      }
      session->resumable_from = oldest;
      const auto point = session->take_resume();
      // Everything before `oldest - 1` is forgotten already.
      if (point && !point->reset) {
        ++went_on;
        EXPECT_GE(point->tick + 1, oldest);
      }
      ++oldest;
      ++turns_done;
    }
  });
  for (int i = 0; i < 2000; ++i) {
    ++turn;
    newest_ = session->resumable_from.load();
    EXPECT_EQ(resume(*session, connection(), newest_), ErrorCode::None);
    while (turns_done < turn) std::this_thread::yield();
  }
  done = true;
  tick_thread.join();
  EXPECT_GT(went_on, 0);
}

TEST_F(Sessions, AcknowledgedTicksGrowAndExist) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  session->acknowledge(*over, 50, newest_);
  EXPECT_EQ(session->acked_tick, 50u);
  session->acknowledge(*over, 40, newest_);
  EXPECT_EQ(session->acked_tick, 50u);
  session->acknowledge(*over, newest_ + 1, newest_);
  EXPECT_EQ(session->acked_tick, 50u);
  session->acknowledge(*over, newest_, newest_);
  EXPECT_EQ(session->acked_tick, newest_);
}

TEST_F(Sessions, CountSequencesAlsoWhenTheDoorIsFullOrNothingIsGood) {
  const FakePtr over = connection();
  const SessionPtr session = open(over);
  CommandQueue tiny(1, 1);
  std::vector<Command> two(2, {session->id, 3, SpawnCommand{}});
  two[1].sequence = 4;
  EXPECT_EQ(session->take_commands(*over, 3, 4, std::move(two), tiny), Intake::Full);
  EXPECT_EQ(session->last_sequence(), 4u);
  EXPECT_EQ(session->take_commands(*over, 5, 7, {}, tiny), Intake::Taken);
  EXPECT_EQ(session->last_sequence(), 7u);
}

// --- Many at once ----------------------------------------------------------------------------

TEST_F(Sessions, ThatAreResumedByManyAtOnceHaveOneConnection) {
  const SessionPtr session = open(connection());
  constexpr int thread_count = 4;
  constexpr int times = 100;
  std::vector<FakePtr> connections;
  for (int i = 0; i < thread_count * times; ++i) connections.push_back(connection());
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < times; ++i) {
        const FakePtr& over = connections[static_cast<std::size_t>(t * times + i)];
        const auto resumed = registry().resume(
            {session->token.text(), 0, 0, 0}, *session, over,
            [](const Session&, const Admission&) { return std::vector<std::uint8_t>{1}; }, now_);
        EXPECT_TRUE(resumed.ok());
        // Commands that were taken count for whoever comes next, and each only once.
        const std::uint64_t next = session->last_sequence() + 1;
        (void)spawn(session, over, next);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto open_now = [](const FakePtr& one) { return !one->closing(); };
  EXPECT_EQ(std::count_if(connections.begin(), connections.end(), open_now), 1);
  EXPECT_EQ(session->connection(), *std::find_if(connections.begin(), connections.end(), open_now));
  std::uint64_t last = 0;
  for (const Command& command : commands_.drain()) {
    if (std::holds_alternative<OpenSessionCommand>(command.body)) continue;
    EXPECT_EQ(command.sequence, ++last);
  }
  EXPECT_EQ(last, session->last_sequence());
}

}  // namespace
}  // namespace vicinity::app
