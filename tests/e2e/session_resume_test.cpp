// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A client loses its connection to a real server and comes back, or does not.

#include <gmock/gmock.h>
#include <signal.h>

#include <memory>

#include "session_client.h"

namespace vicinity::test {
namespace {

using testing::HasSubstr;

class SessionResume : public SteppedServer {};

TEST_F(SessionResume, GoesOnWithItsEntitiesAndItsCommands) {
  start();
  for (const bool by_reset : {true, false}) {
    WireClient first = client();
    const Greeted begun = greet(first, {});
    ASSERT_TRUE(begun.welcomed);
    EXPECT_FALSE(begun.resumed);
    EXPECT_EQ(begun.token.size(), 32u);
    EXPECT_EQ(begun.grace_ms, 30'000u);
    command(first, 1, {spawn(0, 0, 0), spawn(5, 0, 0)});
    ASSERT_EQ(count_after_step(), 2u);
    command(first, 3, {spawn(10, 0, 0)});  // still waits when the connection breaks
    cut(first, begun, by_reset);
    EXPECT_EQ(count_after_step(), 3u);

    WireClient second = client();
    const Greeted resumed = greet(second, again(begun));
    ASSERT_TRUE(resumed.welcomed) << resumed.text;
    EXPECT_TRUE(resumed.resumed);
    EXPECT_TRUE(resumed.view_reset) << "it has no tick at all";
    EXPECT_EQ(resumed.session, begun.session);
    EXPECT_EQ(resumed.token, begun.token);
    EXPECT_EQ(resumed.last_sequence, 3u);
    command(second, 4, {spawn(15, 0, 0)});
    EXPECT_EQ(count_after_step(), 4u);
    // The session is its own: it may end with the old and the new entities.
    ASSERT_TRUE(second.send(goodbye_frame()));
    EXPECT_EQ(second.farewell(), ErrorCode::None);
    EXPECT_EQ(count_after_step(), 0u);
  }
}

TEST_F(SessionResume, ContinuesBehindTheLastWholeTick) {
  start();
  WireClient first = client();
  const Greeted begun = greet(first, {});
  command(first, 1, {spawn(0, 0, 0)});
  step(5);
  cut(first, begun);
  SessionWish wish = again(begun);
  wish.tick = 5;
  WireClient second = client();
  const Greeted resumed = greet(second, wish);
  EXPECT_TRUE(resumed.resumed);
  EXPECT_EQ(resumed.tick, 5u);
  // A tick that never was is no claim to build on.
  wish.tick = 6;
  WireClient third = client();
  EXPECT_TRUE(greet(third, wish).view_reset);
}

TEST_F(SessionResume, RefusesSequencesOfBeforeTheCut) {
  start();
  WireClient first = client();
  const Greeted begun = greet(first, {});
  command(first, 1, {spawn(0, 0, 0), spawn(5, 0, 0)});
  cut(first, begun);
  WireClient second = client();
  ASSERT_TRUE(greet(second, again(begun)).resumed);
  ASSERT_TRUE(second.send(commands_frame(2, {spawn(9, 0, 0)})));
  EXPECT_EQ(second.farewell(), ErrorCode::BadFrame);
  EXPECT_EQ(count_after_step(), 0u) << "a fault ends the session";
}

TEST_F(SessionResume, EndsWhenTheGraceIsOver) {
  start({"--grace-ms", "300"});
  WireClient first = client();
  const Greeted begun = greet(first, {});
  EXPECT_EQ(begun.grace_ms, 300u);
  command(first, 1, {spawn(0, 0, 0)});
  ASSERT_EQ(count_after_step(), 1u);
  cut(first, begun);
  const auto end = std::chrono::steady_clock::now() + ChildProcess::patience;
  while (count_after_step() > 0 && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(entity_count(), 0u);
  EXPECT_TRUE(noticed("session expired session=" + std::to_string(begun.session) + " "));
  WireClient second = client();
  const Greeted late = greet(second, again(begun));
  EXPECT_FALSE(late.welcomed);
  EXPECT_EQ(late.code, ErrorCode::ResumeRefused);
  EXPECT_THAT(late.text, HasSubstr("begin a new one"));
}

TEST_F(SessionResume, EndsAtOnceWithoutGrace) {
  start({"--grace-ms", "0"});
  WireClient first = client();
  ASSERT_TRUE(greet(first, {}).welcomed);
  command(first, 1, {spawn(0, 0, 0)});
  ASSERT_EQ(count_after_step(), 1u);
  first.socket().reset();
  ASSERT_TRUE(noticed("session closed"));
  EXPECT_EQ(count_after_step(), 0u);
}

TEST_F(SessionResume, AHalfOpenConnectionIsParkedWhenItWasSilentForTooLong) {
  start({"--idle-timeout-ms", "300"});
  WireClient silent = client();
  const Greeted begun = greet(silent, {});
  EXPECT_EQ(silent.farewell(), ErrorCode::IdleTimeout);
  silent.socket().close();
  ASSERT_TRUE(noticed("session parked session=" + std::to_string(begun.session) + " "));
  WireClient second = client();
  EXPECT_TRUE(greet(second, again(begun)).resumed);
}

TEST_F(SessionResume, TakesALiveSessionFromItsOldConnection) {
  start();
  WireClient first = client();
  const Greeted begun = greet(first, {});
  command(first, 1, {spawn(0, 0, 0)});
  ASSERT_EQ(count_after_step(), 1u);
  WireClient second = client();
  const Greeted resumed = greet(second, again(begun));
  EXPECT_TRUE(resumed.resumed);
  EXPECT_EQ(first.farewell(), ErrorCode::TakenOver);
  first.socket().close();
  command(second, 2, {spawn(5, 0, 0)});
  EXPECT_EQ(count_after_step(), 2u);
}

TEST_F(SessionResume, NeedsTheTokenOfTheSession) {
  start();
  WireClient first = client();
  const Greeted begun = greet(first, {});
  WireClient other = client();
  ASSERT_TRUE(greet(other, {proto::Role::Observer}).welcomed);
  cut(first, begun);
  std::string turned = begun.token;
  turned.back() = turned.back() == '0' ? '1' : '0';
  for (const std::string& token :
       {turned, std::string("0"), std::string(32, '0'), std::string(64, 'a'), begun.token.substr(1),
        begun.token + "0"}) {
    SessionWish wish;
    wish.token = token;
    WireClient wrong = client();
    EXPECT_EQ(greet(wrong, wish).code, ErrorCode::ResumeRefused) << token;
    EXPECT_FALSE(wrong.next()) << "it is closed";
  }
  SessionWish long_token;
  long_token.token = std::string(65, 'a');
  WireClient wrong = client();
  EXPECT_EQ(greet(wrong, long_token).code, ErrorCode::LimitExceeded);
  WireClient right = client();
  EXPECT_TRUE(greet(right, again(begun)).resumed);
}

TEST_F(SessionResume, NeedsTheSameRoleContactsDetailsAndSubject) {
  start();
  WireClient first = client();
  SessionWish own{proto::Role::Observer, "P"};
  own.contacts = proto::ContactScope::Own;
  const Greeted begun = greet(first, own);
  SessionWish role = own;
  role.role = proto::Role::Authority;
  SessionWish contacts = own;
  contacts.contacts = proto::ContactScope::All;
  SessionWish details = own;
  details.details = true;
  SessionWish subject = own;
  subject.subject = "Q";
  for (const SessionWish& wrong : {role, contacts, details, subject}) {
    WireClient refused = client();
    const Greeted greeted = greet(refused, again(begun, wrong));
    EXPECT_EQ(greeted.code, ErrorCode::ResumeRefused);
    EXPECT_THAT(greeted.text, HasSubstr("that the session began with"));
  }
  EXPECT_TRUE(first.is_served());
}

TEST_F(SessionResume, KeepsWhatWasGrantedAtTheStart) {
  start({"--budget-bytes-per-s", "50000", "--position-resolution-m", "0.25"});
  WireClient first = client();
  SessionWish wish;
  wish.budget_bytes_per_s = 20'000;
  wish.position_resolution_m = 0.5;  // a finer one than the server's would tell nothing
  const Greeted begun = greet(first, wish);
  EXPECT_EQ(begun.budget_bytes_per_s, 20'000u);
  EXPECT_EQ(begun.position_resolution_m, 0.5);
  WireClient second = client();
  const Greeted resumed = greet(second, again(begun));
  EXPECT_EQ(resumed.budget_bytes_per_s, 20'000u);
  EXPECT_EQ(resumed.position_resolution_m, 0.5);
  WireClient greedy = client();
  wish.budget_bytes_per_s = 60'000;
  EXPECT_EQ(greet(greedy, wish).budget_bytes_per_s, 50'000u);
  WireClient modest = client();
  const Greeted usual = greet(modest, {});
  EXPECT_EQ(usual.budget_bytes_per_s, 50'000u);
  EXPECT_EQ(usual.position_resolution_m, 0.25);
  WireClient ruling = client();
  EXPECT_EQ(greet(ruling, {proto::Role::Authority}).budget_bytes_per_s, 0u);
}

TEST_F(SessionResume, AStormOfThemFindsEverySessionAndEntity) {
  constexpr std::size_t count = 200;
  start();
  std::vector<std::unique_ptr<WireClient>> clients;
  std::vector<Greeted> begun;
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<WireClient>(server().port()));
    begun.push_back(greet(*clients[i], {}));
    ASSERT_TRUE(begun[i].welcomed) << begun[i].text;
    const double x = 4.0 * static_cast<double>(i);
    ASSERT_TRUE(clients[i]->send(commands_frame(1, {spawn(x, 0, 0)})));
  }
  for (const auto& one : clients) ASSERT_TRUE(one->is_served());
  ASSERT_EQ(count_after_step(), count);
  // Every second one breaks, the others are only silent; all come back at the same time.
  for (std::size_t i = 0; i < count; i += 2) clients[i]->socket().reset();
  std::vector<std::unique_ptr<WireClient>> back;
  for (std::size_t i = 0; i < count; ++i) {
    back.push_back(std::make_unique<WireClient>(server().port()));
    ASSERT_TRUE(back[i]->send(hello_frame(again(begun[i]))));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Greeted resumed = read_greeting(*back[i]);
    EXPECT_TRUE(resumed.resumed) << resumed.text;
    EXPECT_EQ(resumed.session, begun[i].session);
    EXPECT_EQ(resumed.last_sequence, 1u);
  }
  for (const auto& one : back) EXPECT_TRUE(one->is_served());
  EXPECT_EQ(count_after_step(), count);
  server().process().signal(SIGTERM);
  EXPECT_EQ(server().process().wait(), 0);
  EXPECT_THAT(server().standard_error(), HasSubstr("resumed=" + std::to_string(count)));
}

// --- A player's entities ---------------------------------------------------------------------

TEST_F(SessionResume, InModeDespawnTheEntitiesEndAtOnceAndTheSessionSpawnsAnew) {
  start({"--on-disconnect", "despawn"});
  WireClient first = client();
  const Greeted begun = greet(first, {});
  command(first, 1, {spawn(0, 0, 0), spawn(5, 0, 0)});
  ASSERT_EQ(count_after_step(), 2u);
  cut(first, begun);
  EXPECT_EQ(count_after_step(), 0u);
  WireClient second = client();
  const Greeted resumed = greet(second, again(begun));
  EXPECT_TRUE(resumed.resumed);
  EXPECT_EQ(resumed.last_sequence, 2u);
  command(second, 3, {spawn(0, 0, 0)});
  EXPECT_EQ(count_after_step(), 1u);
}

TEST_F(SessionResume, InModeKeepTheEntitiesOutliveTheSession) {
  start({"--on-disconnect", "keep", "--grace-ms", "1"});
  WireClient first = client();
  const Greeted begun = greet(first, {});
  command(first, 1, {spawn(0, 0, 0)});
  ASSERT_EQ(count_after_step(), 1u);
  cut(first, begun);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  step();  // without ticks nobody looks at the time
  ASSERT_TRUE(noticed("session expired session=" + std::to_string(begun.session) + " "));
  step(3);
  EXPECT_EQ(entity_count(), 1u);
}

// --- The end of the server -------------------------------------------------------------------

TEST_F(SessionResume, IsRefusedWhileTheServerStops) {
  start({"--retry-after-ms", "1234"});
  WireClient lost = client();
  const Greeted begun = greet(lost, {});
  cut(lost, begun);
  WireClient live = client();
  ASSERT_TRUE(greet(live, {}).welcomed);
  WireClient late = client();
  WireClient newcomer = client();
  server().process().signal(SIGTERM);
  ASSERT_TRUE(noticed("server stops"));
  // Both may be told before they say anything; what they say changes nothing.
  late.send(hello_frame(again(begun)));
  newcomer.send(hello_frame(SessionWish{}));
  for (WireClient* one : {&late, &newcomer}) {
    const Greeted told = read_greeting(*one);
    EXPECT_FALSE(told.welcomed);
    EXPECT_EQ(told.code, ErrorCode::ServerStopping) << told.text;
    EXPECT_EQ(told.retry_after_ms, 1234u);
  }
  const auto* closing = live.next_of<proto::Closing>();
  ASSERT_NE(closing, nullptr);
  EXPECT_EQ(closing->code(), proto::ErrorCode::ServerStopping);
  EXPECT_EQ(closing->retry_after_ms(), 1234u);
  for (WireClient* one : {&late, &newcomer, &live, &authority()}) one->socket().close();
  EXPECT_EQ(server().process().wait(), 0);
}

}  // namespace
}  // namespace vicinity::test
