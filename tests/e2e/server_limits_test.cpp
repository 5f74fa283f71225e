// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What is bounded stays bounded, and who runs into a bound is told so, against a real server.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/server_process.h"
#include "wire_client.h"

namespace vicinity::test {
namespace {

constexpr double everything_m = 1e6;

/// Sends `batches` times 256 spheres, apart from each other, that move all the time; gives the next
/// free sequence.
std::uint64_t send_spheres(WireClient& authority, int batches) {
  std::uint64_t sequence = 1;
  for (int i = 0; i < batches; ++i) {
    std::vector<MakeCommand> commands;
    for (int k = 0; k < 256; ++k) commands.push_back(spawn(10.0 * k, 0, 10.0 * i, 0.001));
    EXPECT_TRUE(authority.send(commands_frame(sequence, commands)));
    sequence += commands.size();
  }
  return sequence;
}

/// The same, and waits until all of them exist.
void fill_world(WireClient& authority, int batches) {
  const std::uint64_t sequence = send_spheres(authority, batches);
  for (;;) {
    const auto* results = authority.next_of<proto::CommandResults>();
    ASSERT_NE(results, nullptr);
    ASSERT_NE(results->acks(), nullptr);
    if (results->acks()->Get(results->acks()->size() - 1)->sequence() == sequence - 1) return;
  }
}

/// Reads up to the end of the next tick; its number, or 0 at the end of the stream.
std::uint64_t read_tick(WireClient& client) {
  while (const auto* frame = client.next_of<proto::Frame>())
    if (frame->last()) return frame->tick();
  return 0;
}

TEST(ServerLimits, AClientThatStopsReadingIsClosedAndDelaysNobody) {
  ServerProcess server({"--outbox-bytes-max", "2097152", "--send-buffer-bytes", "262144"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  fill_world(authority, 8);

  WireClient reading(server.port());
  WireClient stalled(server.port(), 4096);
  for (auto* client : {&reading, &stalled}) {
    ASSERT_TRUE(client->join({proto::Role::Observer}));
    ASSERT_TRUE(client->send(commands_frame(1, {add_area(1, everything_m)})));
  }
  // About 130 KB per tick: the outbox of 2 MB is full after some twenty ticks. The authority does
  // not read either, but has no area: its frames are small.
  std::uint64_t last = read_tick(reading);
  ASSERT_GT(last, 0u);
  bool closed = false;
  for (int i = 0; i < 600 && !closed; ++i) {
    const std::uint64_t tick = read_tick(reading);
    ASSERT_EQ(tick, last + 1) << "a tick is missing or out of order";
    last = tick;
    closed = server.standard_error().find("code=SlowConsumer") != std::string::npos;
  }
  EXPECT_TRUE(closed) << server.standard_error();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(read_tick(reading), ++last);
  EXPECT_TRUE(stalled.socket().wait_for_end());
  EXPECT_TRUE(authority.is_served());
}

TEST(ServerLimits, ASightAboveTheOutboxComesInSeveralTicks) {
  // 16 384 entities of 192 bytes appear at once: more than the 2 MiB that may wait.
  ServerProcess server(
      {"--tick-mode", "manual", "--outbox-bytes-max", "2097152", "--budget-bytes-per-s", "0"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  WireClient observer(server.port());
  ASSERT_TRUE(observer.join({proto::Role::Observer}));
  ASSERT_TRUE(observer.send(commands_frame(1, {add_area(1, everything_m)})));
  ASSERT_TRUE(observer.is_served());  // the area is in the queue
  send_spheres(authority, 64);
  constexpr std::uint32_t ticks = 100;
  ASSERT_TRUE(authority.send(step_frame(1, ticks)));
  std::size_t enters = 0;
  std::uint32_t waiting = 0;
  for (bool last = false; !last;) {
    const auto* frame = observer.next_of<proto::Frame>();
    ASSERT_NE(frame, nullptr) << enters;
    enters += frame->enters() == nullptr ? 0 : frame->enters()->size();
    waiting = frame->enters_waiting();
    if (frame->tick() == 1 && frame->last()) {
      EXPECT_GT(waiting, 0u);
    }
    last = frame->tick() == ticks && frame->last();
  }
  EXPECT_EQ(waiting, 0u);
  EXPECT_EQ(enters, 16'384u);
}

TEST(ServerLimits, SessionsAboveTheCapAreToldToComeBackLater) {
  ServerProcess server({"--session-count-max", "2"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient first(server.port());
  WireClient second(server.port());
  ASSERT_TRUE(first.join());
  ASSERT_TRUE(second.join());
  WireClient third(server.port());
  ASSERT_TRUE(third.send(hello_frame()));
  const auto* message = third.next();
  ASSERT_NE(message, nullptr);
  ASSERT_NE(message->body_as_Closing(), nullptr);
  EXPECT_EQ(message->body_as_Closing()->code(), proto::ErrorCode::ServerFull);
  EXPECT_GT(message->body_as_Closing()->retry_after_ms(), 0u);
  EXPECT_NE(message->body_as_Closing()->text()->str(), "");
  EXPECT_TRUE(first.is_served());
  EXPECT_TRUE(server.process().wait_for_error_text("warning connections are refused"));

  ASSERT_TRUE(second.send(goodbye_frame()));
  EXPECT_EQ(second.farewell(), ErrorCode::None);
  second.socket().close();
  ASSERT_TRUE(server.process().wait_for_error_text("cause=goodbye"));
  WireClient fourth(server.port());
  EXPECT_TRUE(fourth.join());
}

TEST(ServerLimits, CommandsBeyondTheQueueOfASessionAreRefusedAndNobodyElses) {
  ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient flooding(server.port());
  WireClient other(server.port());
  ASSERT_TRUE(flooding.join());
  ASSERT_TRUE(other.join());
  constexpr std::uint64_t batch = 512;
  const std::vector<MakeCommand> commands(batch, despawn(1));
  std::uint64_t sequence = 1;
  for (; sequence + batch - 1 <= limits::queued_commands_per_session_max; sequence += batch)
    ASSERT_TRUE(flooding.send(commands_frame(sequence, commands)));
  ASSERT_TRUE(flooding.send(commands_frame(sequence, commands)));
  const auto* refused = flooding.next_of<proto::CommandResults>();
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->tick(), 0u);
  ASSERT_EQ(refused->errors()->size(), batch);
  for (std::uint32_t i = 0; i < batch; ++i) {
    EXPECT_EQ(refused->errors()->Get(i)->sequence(), sequence + i);
    EXPECT_EQ(refused->errors()->Get(i)->code(), proto::ErrorCode::QueueFull);
  }
  ASSERT_TRUE(other.send(commands_frame(1, {spawn(0, 0, 0)})));
  ASSERT_TRUE(other.send(step_frame(1, 1)));
  const auto* applied = other.next_of<proto::CommandResults>();
  ASSERT_NE(applied, nullptr);
  EXPECT_EQ(applied->tick(), 1u);
  ASSERT_NE(applied->acks(), nullptr);
}

TEST(ServerLimits, ManySteppedTicksWaitForAReaderThatKeepsUp) {
  // 100 ticks of 130 KB are six times the outbox; a client that reads gets every one of them.
  ServerProcess server({"--tick-mode", "manual", "--outbox-bytes-max", "2097152"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  const std::uint64_t sequence = send_spheres(authority, 8);
  ASSERT_TRUE(authority.send(commands_frame(sequence, {add_area(1, everything_m)})));
  constexpr std::uint32_t ticks = 100;
  ASSERT_TRUE(authority.send(step_frame(1, ticks)));
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) ASSERT_EQ(read_tick(authority), tick);
  const auto* done = authority.next_of<proto::StepDone>();
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->tick(), ticks);
  EXPECT_EQ(done->code(), proto::ErrorCode::None);
}

TEST(ServerLimits, AReaderThatStallsSteppedTicksIsClosedAfterAMoment) {
  ServerProcess server(
      {"--tick-mode", "manual", "--outbox-bytes-max", "2097152", "--send-buffer-bytes", "262144"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  WireClient stalled(server.port(), 4096);
  ASSERT_TRUE(stalled.join({proto::Role::Observer}));
  ASSERT_TRUE(stalled.send(commands_frame(1, {add_area(1, everything_m)})));
  ASSERT_TRUE(stalled.is_served());  // the area is in the queue
  send_spheres(authority, 8);
  ASSERT_TRUE(authority.send(step_frame(1, 100)));
  const auto* done = authority.next_of<proto::StepDone>();
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->tick(), 100u);
  EXPECT_TRUE(server.process().wait_for_error_text("code=SlowConsumer"));
  EXPECT_TRUE(stalled.socket().wait_for_end());
}

TEST(ServerLimits, ALoopOfConnectionsDoesNotFillTheLog) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 600; ++i) {
    WireClient client(server.port());
    ASSERT_TRUE(client.join());
  }
  // A few hundred lines at once, then four a second: far below the 600 sessions.
  const std::string log = server.standard_error();
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin)
          .count();
  for (const std::string line : {"session open", "session parked"}) {
    std::int64_t count = 0;
    for (auto at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) ++count;
    EXPECT_GT(count, 0);
    EXPECT_LE(count, 256 + 4 * (seconds + 1)) << line;
  }
}

TEST(ServerLimits, EntitiesOfAPlayerEndWithItsConnectionWhenThereIsNoGrace) {
  ServerProcess server({"--tick-mode", "manual", "--grace-ms", "0"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  WireClient player(server.port());
  ASSERT_TRUE(player.join({proto::Role::Player}));
  ASSERT_TRUE(player.send(commands_frame(1, {spawn(0, 0, 0)})));
  ASSERT_TRUE(player.is_served());  // the command is in the queue
  const auto hits_after_step = [&](std::uint64_t request) -> std::size_t {
    if (!authority.send(step_frame(request, 1))) return 99;
    if (authority.next_of<proto::StepDone>() == nullptr) return 99;
    if (!authority.send(box_query_frame(request, 1e3))) return 99;
    const auto* answer = authority.next_of<proto::QueryAnswer>();
    if (answer == nullptr || answer->request() != request) return 99;
    return answer->hits() == nullptr ? 0 : answer->hits()->size();
  };
  EXPECT_EQ(hits_after_step(1), 1u);
  player.socket().reset();
  ASSERT_TRUE(server.process().wait_for_error_text("session closed session=2"));
  EXPECT_EQ(hits_after_step(2), 0u);
}

}  // namespace
}  // namespace vicinity::test
