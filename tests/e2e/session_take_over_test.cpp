// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The same player twice, a world that must not be empty afterwards, and sockets that never say who
// they are (cases SE-01, SE-03 and SE-05), against a real server.

#include <signal.h>

#include <fstream>
#include <memory>

#include "session_client.h"

namespace vicinity::test {
namespace {

class TakeOver : public SteppedServer {
 protected:
  /// A player P with one body.
  Greeted enter(WireClient& client) {
    const Greeted greeted = greet(client, {proto::Role::Player, "P"});
    EXPECT_TRUE(greeted.welcomed) << greeted.text;
    command(client, 1, {spawn(0, 0, 0)});
    return greeted;
  }
  std::size_t sessions_closed(const std::string& code) {
    const std::string log = server().standard_error();
    std::size_t count = 0;
    for (auto at = log.find("session closed"); at != std::string::npos;
         at = log.find("session closed", at + 1)) {
      const std::string line = log.substr(at, log.find('\n', at) - at);
      count += line.find("code=" + code) != std::string::npos ? 1 : 0;
    }
    return count;
  }
};

TEST_F(TakeOver, ThereIsOneBodyOfAPlayerAtAnyTick) {
  start({"--grace-ms", "200"});
  WireClient c1 = client();
  const Greeted first = enter(c1);
  EXPECT_EQ(count_after_step(), 1u);

  // Its old connection is silent, but nobody knows yet that it is dead.
  WireClient c2 = client();
  const Greeted second = enter(c2);
  EXPECT_NE(second.session, first.session);
  EXPECT_NE(second.token, first.token);
  EXPECT_FALSE(second.resumed);
  EXPECT_EQ(c1.farewell(), ErrorCode::TakenOver);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(count_after_step(), 1u);

  // Two at the same time: the last one that was accepted stays.
  WireClient c3 = client();
  WireClient c4 = client();
  ASSERT_TRUE(c3.send(hello_frame(SessionWish{proto::Role::Player, "P"})));
  ASSERT_TRUE(c4.send(hello_frame(SessionWish{proto::Role::Player, "P"})));
  const Greeted third = read_greeting(c3);
  const Greeted fourth = read_greeting(c4);
  ASSERT_TRUE(third.welcomed);
  ASSERT_TRUE(fourth.welcomed);
  EXPECT_EQ(c2.farewell(), ErrorCode::TakenOver);
  WireClient& loser = third.session < fourth.session ? c3 : c4;
  WireClient& winner = third.session < fourth.session ? c4 : c3;
  EXPECT_EQ(loser.farewell(), ErrorCode::TakenOver);
  command(winner, 1, {spawn(0, 0, 0)});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(count_after_step(), 1u);

  // Long after everything that was left of the others could have expired.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(count_after_step(), 1u);
  EXPECT_TRUE(winner.is_served());
  for (WireClient* gone : {&c1, &c2, &loser}) gone->socket().close();
}

TEST_F(TakeOver, ASessionThatIsParkedIsReplacedWithItsBody) {
  for (const char* mode : {"grace", "despawn", "keep"}) {
    start({"--on-disconnect", mode});
    WireClient c1 = client();
    const Greeted first = enter(c1);
    ASSERT_EQ(count_after_step(), 1u);
    cut(c1, first);
    WireClient c2 = client();
    enter(c2);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(count_after_step(), 1u) << mode;
    WireClient c3 = client();
    EXPECT_EQ(greet(c3, again(first, {proto::Role::Player, "P"})).code, ErrorCode::ResumeRefused);
  }
}

TEST_F(TakeOver, ARaceOfTheSameSubjectLeavesOne) {
  start();
  constexpr int count = 50;
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<WireClient>(server().port()));
    Bytes frames = hello_frame(SessionWish{proto::Role::Player, "P"});
    const Bytes body = commands_frame(1, {spawn(0, 0, 0)});
    frames.insert(frames.end(), body.begin(), body.end());
    ASSERT_TRUE(clients.back()->send(frames));
    if (i % 5 == 0) {
      EXPECT_LE(count_after_step(), 1u);
    }
  }
  std::map<std::uint64_t, WireClient*> by_session;
  for (const auto& one : clients) {
    const Greeted greeted = read_greeting(*one);
    ASSERT_TRUE(greeted.welcomed);
    by_session[greeted.session] = one.get();
  }
  ASSERT_EQ(by_session.size(), clients.size());
  WireClient* last = by_session.rbegin()->second;
  for (const auto& [session, one] : by_session) {
    if (one == last) continue;
    EXPECT_EQ(one->farewell(), ErrorCode::TakenOver);
    one->socket().close();
  }
  EXPECT_TRUE(last->is_served());
  EXPECT_EQ(count_after_step(), 1u);
  EXPECT_TRUE(noticed("session taken over"));
}

TEST_F(TakeOver, AClientWithoutSubjectReplacesNobody) {
  start();
  WireClient c1 = client();
  WireClient c2 = client();
  ASSERT_TRUE(greet(c1, {}).welcomed);
  ASSERT_TRUE(greet(c2, {}).welcomed);
  EXPECT_TRUE(c1.is_served());
  EXPECT_TRUE(c2.is_served());
}

TEST_F(TakeOver, AClientThatComesBackSeesTheWorld) {
  start();
  std::vector<MakeCommand> bodies;
  for (int i = 0; i < 50; ++i) bodies.push_back(spawn(i, 0, 0));
  command(authority(), 1, bodies);
  step();
  std::uint64_t n0 = 0;
  // Reads the frames up to the one of `tick`; gives what came into view and did not leave.
  const auto view_at = [&](WireClient& of, std::uint64_t tick) {
    std::set<std::uint64_t> view;
    while (const auto* frame = of.next_of<proto::Frame>()) {
      if (const auto* leaves = frame->leaves())
        for (const auto* leave : *leaves) view.erase(leave->id());
      if (const auto* enters = frame->enters()) {
        for (const auto* enter : *enters) {
          EXPECT_EQ(enter->local_max().x(), 1) << "not the full state";
          EXPECT_TRUE(view.insert(enter->id()).second);
          if (enter->position().x() == 0) n0 = enter->id();
        }
      }
      if (frame->tick() >= tick && frame->last()) break;
    }
    return view;
  };
  const auto look = [&](WireClient& from) {
    ASSERT_TRUE(greet(from, {proto::Role::Player, "P"}).welcomed);
    command(from, 1, {add_area(1, 100)});
  };
  WireClient c1 = client();
  look(c1);
  step();
  EXPECT_EQ(view_at(c1, 2).size(), 50u);

  // Kicked.
  ASSERT_TRUE(c1.send({1, 0, 0, 0, 77}));
  EXPECT_EQ(c1.farewell(), ErrorCode::BadFrame);
  WireClient c2 = client();
  look(c2);
  step();
  EXPECT_EQ(view_at(c2, 3).size(), 50u);
  ASSERT_NE(n0, 0u);

  // Over the live session, with a change in the same tick.
  WireClient c3 = client();
  look(c3);
  command(authority(), 51, {despawn(n0)});
  step();
  const auto known = view_at(c3, 4);
  EXPECT_EQ(known.size(), 49u);
  EXPECT_EQ(known.count(n0), 0u);
  EXPECT_EQ(c2.farewell(), ErrorCode::TakenOver);
}

// --- Sockets without a hello -----------------------------------------------------------------

/// Memory of the process that is in use, bytes.
std::size_t resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(TakeOver, SocketsThatNeverSayWhoTheyAreKeepNobodyOut) {
  start({"--session-count-max", "100", "--handshake-deadline-ms", "3000"});
  constexpr std::size_t count = 300;
  const std::size_t before = resident_bytes(server().process().pid());
  const Bytes hello = hello_frame(SessionWish{});
  std::vector<std::unique_ptr<WireClient>> idle;
  for (std::size_t i = 0; i < count; ++i)
    idle.push_back(std::make_unique<WireClient>(server().port()));
  // One byte now and then, of which none may put the deadline off.
  const auto dribble = [&](std::size_t at) {
    for (const auto& one : idle) one->send({hello[at]});
  };
  dribble(0);
  WireClient good = client();
  ASSERT_TRUE(greet(good, {proto::Role::Player, "P"}).welcomed);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const std::size_t after = resident_bytes(server().process().pid());
  EXPECT_LE(after, before + count * 65'536);
#else
  (void)before;
#endif
  for (std::size_t at = 1; at < 8; ++at) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    dribble(at);
    ASSERT_TRUE(good.is_served());
    ASSERT_TRUE(authority().is_served());
  }
  for (const auto& one : idle) EXPECT_TRUE(one->socket().wait_for_end());
  EXPECT_TRUE(good.is_served());
}

TEST_F(TakeOver, HellosThatAreRefusedTakeNoPlace) {
  start({"--session-count-max", "100"});
  WireClient good = client();
  ASSERT_TRUE(greet(good, {proto::Role::Player, "P"}).welcomed);
  SessionWish stolen;
  stolen.token = std::string(32, '7');
  for (int i = 0; i < 300; ++i) {
    WireClient wrong = client();
    ASSERT_EQ(greet(wrong, stolen).code, ErrorCode::ResumeRefused);
  }
  // 98 places are free: those of the two above are taken, and no other.
  std::vector<std::unique_ptr<WireClient>> others;
  for (int i = 0; i < 98; ++i) {
    others.push_back(std::make_unique<WireClient>(server().port()));
    ASSERT_TRUE(greet(*others.back(), {}).welcomed) << i;
  }
  WireClient one_more = client();
  const Greeted refused = greet(one_more, {});
  EXPECT_EQ(refused.code, ErrorCode::ServerFull);
  EXPECT_GT(refused.retry_after_ms, 0u);
  // One that is away makes room; one that comes back needs none.
  others.back()->socket().reset();
  ASSERT_TRUE(noticed("session parked"));
  WireClient another = client();
  EXPECT_TRUE(greet(another, {}).welcomed);
}

}  // namespace
}  // namespace vicinity::test
