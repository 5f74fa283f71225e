// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/frame_sender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "world/command_queue.h"

namespace vicinity::app {
namespace {

using Clock = FrameSender::Clock;
using Bytes = std::vector<std::uint8_t>;

/// Reads so many bytes per tick of what it is offered, and keeps what it was offered.
class Reader final : public net::Connection {
 public:
  struct Offer {
    Bytes frame;
    Clock::time_point due;
    std::uint64_t turn = 0;  ///< of all offers of the test
  };

  Reader(std::uint64_t id, std::size_t bytes_per_tick, std::uint64_t& turns)
      : id_(id), bytes_per_tick_(bytes_per_tick), turns_(turns) {}

  void read() { outbox_bytes_ -= std::min(outbox_bytes_, bytes_per_tick_); }

  std::uint64_t id() const override { return id_; }
  std::string peer() const override { return "test"; }
  bool send(std::span<const std::uint8_t>) override { return !closing_; }
  bool wants_frame() const override {
    ++asked;
    return !closing_ && outbox_bytes_ == 0;
  }
  bool offer(Bytes frame, Clock::time_point due) override {
    outbox_bytes_ += frame.size();
    offers.push_back({std::move(frame), due, turns_++});
    return true;
  }
  void close(net::CloseCause cause) override {
    closing_ = true;
    closed_with = cause.code;
  }
  void close(net::CloseCause cause, Bytes) override { close(std::move(cause)); }
  bool closing() const override { return closing_; }
  bool authenticated() override { return true; }
  std::size_t outbox_bytes() const override { return outbox_bytes_; }

  std::vector<Offer> offers;
  mutable std::uint64_t asked = 0;  ///< how often whether it has room
  ErrorCode closed_with = ErrorCode::None;

 private:
  const std::uint64_t id_;
  const std::size_t bytes_per_tick_;
  std::uint64_t& turns_;
  std::size_t outbox_bytes_ = 0;
  bool closing_ = false;
};

constexpr std::size_t everything = SIZE_MAX;
constexpr std::uint32_t tick_rate_hz = 20;

/// A world of walkers in which every session sees all of them.
class World {
 public:
  explicit World(FrameSenderSettings settings) : sender_(one_worker(settings), sessions_) {
    add(everything);
    std::vector<Command> spawns;
    for (std::uint64_t i = 1; i <= 30; ++i) {
      SpawnCommand spawn;
      spawn.position = {static_cast<double>(i), 0, 0};
      spawn.velocity = {0.5, 0, 0};
      spawn.shape = Shape::sphere(0.3);
      spawns.push_back({SessionId{1}, i, spawn});
    }
    EXPECT_TRUE(commands_.push(SessionId{1}, std::move(spawns)));
  }

  void add(std::size_t bytes_per_tick) {
    readers.push_back(std::make_shared<Reader>(readers.size() + 1, bytes_per_tick, turns_));
    SessionTraits authority;
    authority.role = Role::Authority;
    const auto opened =
        sessions_.open(authority, readers.back(),
                       [](const Session&, const SessionRegistry::Admission&) { return Bytes{}; });
    ASSERT_TRUE(opened.ok());
    AreaSpec all;
    all.enter_radius_m = all.leave_radius_m = 1000;
    const SessionId id = opened.value()->id;
    ASSERT_TRUE(commands_.push(id, {{id, 100, AddAreaCommand{ObserverId{1}, AreaId{1}, all}}}));
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      begin = Clock::now();
      TickOutput output = simulation_.run_tick(commands_.drain());
      sender_.send(simulation_, output, 50'000 * output.report.tick, begin, Shedding::None);
      for (const auto& reader : readers) reader->read();
    }
  }
  Reader& reader(std::size_t number) { return *readers[number]; }
  const FrameSenderStats& stats() const { return sender_.stats(); }

  std::vector<std::shared_ptr<Reader>> readers;
  Clock::time_point begin;  ///< of the last tick

 private:
  static FrameSenderSettings one_worker(FrameSenderSettings settings) {
    settings.worker_count = 1;
    settings.stream.tick_rate_hz = tick_rate_hz;
    return settings;
  }

  std::uint64_t turns_ = 0;
  CommandQueue commands_;
  SessionRegistry sessions_{{}, commands_};
  Simulation simulation_{SimulationSettings{}};
  FrameSender sender_;
};

/// The same sessions with and without room: the world, and so the hash in each frame, is the same.
TEST(FrameSender, ClientsThatDoNotReadChangeNotAByteOfWhatOthersAreSent) {
  constexpr int ticks = 60;
  constexpr std::size_t healthy = 5;
  constexpr std::size_t slow = 20;
  FrameSenderSettings settings;
  settings.stream.slow_consumer_ms = 1000;
  World well(settings);
  World beside_slow(settings);
  for (std::size_t i = 1; i < healthy + slow; ++i) {
    well.add(everything);
    const bool is_slow = i >= healthy;
    beside_slow.add(!is_slow ? everything : i == healthy ? 0 : 200);
  }
  well.run(ticks);
  beside_slow.run(ticks);
  for (std::size_t i = 0; i < healthy; ++i) {
    const auto& alone = well.reader(i).offers;
    const auto& beside = beside_slow.reader(i).offers;
    ASSERT_EQ(alone.size(), static_cast<std::size_t>(ticks));
    ASSERT_EQ(beside.size(), static_cast<std::size_t>(ticks));
    for (std::size_t tick = 0; tick < alone.size(); ++tick)
      ASSERT_EQ(beside[tick].frame, alone[tick].frame) << "session " << i << ", tick " << tick;
  }
  // Nobody without room costs a frame, and nobody is waited for: each is asked once in a tick.
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < healthy + slow; ++i) {
    taken += beside_slow.reader(i).offers.size();
    EXPECT_LE(beside_slow.reader(i).asked, static_cast<std::uint64_t>(ticks));
  }
  EXPECT_EQ(beside_slow.stats().frames, taken);
  EXPECT_EQ(beside_slow.reader(healthy).offers.size(), 1u);
  EXPECT_EQ(beside_slow.reader(healthy).closed_with, ErrorCode::SlowConsumer);
  EXPECT_LT(taken, well.stats().frames);
}

TEST(FrameSender, FramesAreEncodedInTheOrderInWhichTheyLeave) {
  FrameSenderSettings settings;
  settings.send_slots = 4;
  World world(settings);
  constexpr std::size_t sessions = 12;
  while (world.readers.size() < sessions) world.add(everything);
  world.run(2);
  std::vector<std::pair<std::uint64_t, Clock::time_point>> offers;
  for (std::size_t i = 0; i < sessions; ++i)
    offers.emplace_back(world.reader(i).offers[1].turn, world.reader(i).offers[1].due);
  std::sort(offers.begin(), offers.end());
  for (std::size_t i = 1; i < sessions; ++i) {
    const bool is_next_slot = i % 3 == 0;
    if (is_next_slot)
      EXPECT_GT(offers[i].second, offers[i - 1].second) << i;
    else
      EXPECT_EQ(offers[i].second, offers[i - 1].second) << i;
  }
  EXPECT_GE(offers.front().second, world.begin);
}

TEST(FrameSender, WithoutSlotsAllFramesLeaveAtTheMomentOfTheTick) {
  World world(FrameSenderSettings{});
  world.add(everything);
  world.run(1);
  EXPECT_EQ(world.reader(0).offers[0].due, world.begin);
  EXPECT_EQ(world.reader(1).offers[0].due, world.begin);
}

}  // namespace
}  // namespace vicinity::app
