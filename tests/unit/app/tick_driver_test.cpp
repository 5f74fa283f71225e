// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/tick_driver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace vicinity::app {
namespace {

/// A connection that swallows what it is sent and remembers why it was closed.
class SilentConnection final : public net::Connection {
 public:
  SilentConnection(std::uint64_t id, std::size_t outbox_bytes)
      : id_(id), outbox_bytes_(outbox_bytes) {}

  std::uint64_t id() const override { return id_; }
  std::string peer() const override { return "test"; }
  bool send(std::span<const std::uint8_t>) override { return !closing(); }
  bool wants_frame() const override { return outbox_bytes_ == 0; }
  bool offer(std::vector<std::uint8_t>, std::chrono::steady_clock::time_point) override {
    return !closing();
  }
  void close(net::CloseCause cause) override { causes.push_back(std::move(cause)); }
  void close(net::CloseCause cause, std::vector<std::uint8_t>) override {
    causes.push_back(std::move(cause));
  }
  bool closing() const override { return !causes.empty(); }
  bool authenticated() override { return true; }
  std::size_t outbox_bytes() const override { return outbox_bytes_; }

  std::vector<net::CloseCause> causes;  ///< tick thread; read after stop()

 private:
  std::uint64_t id_;
  std::size_t outbox_bytes_;
};

/// A driver in manual mode over an empty world, with sessions that a test adds.
class ManualDriver : public testing::Test {
 protected:
  static constexpr std::size_t outbox_bytes_max = 2048;

  std::shared_ptr<SilentConnection> add_session(std::uint64_t id, std::size_t outbox_bytes = 0) {
    auto connection = std::make_shared<SilentConnection>(id, outbox_bytes);
    SessionTraits authority;
    authority.role = Role::Authority;
    const auto opened = sessions_.open(authority, connection,
                                       [](const Session&, const SessionRegistry::Admission&) {
                                         return std::vector<std::uint8_t>{};
                                       });
    EXPECT_TRUE(opened.ok() && opened.value()->id == SessionId{id});
    return connection;
  }
  void run_ticks(std::uint32_t count) {
    driver_.start([] { FAIL() << "the tick failed"; });
    ASSERT_EQ(driver_.request_step(SessionId{1}, 1, count), ErrorCode::None);
    while (frames_.pin()->tick < count) std::this_thread::yield();
    driver_.stop();
  }

  ServerClock clock_;
  Log log_{LogLevel::Error, LogFormat::Text};
  CommandQueue commands_;
  FramePublisher frames_;
  SessionRegistry sessions_{{}, commands_};
  Simulation simulation_{SimulationSettings{}};
  static TickDriverSettings driver_settings() {
    TickDriverSettings settings;
    settings.mode = wire::TickMode::Manual;
    settings.sender.outbox_bytes_max = outbox_bytes_max;
    return settings;
  }
  TickDriver driver_{driver_settings(), {simulation_, commands_, frames_, sessions_, clock_, log_}};
};

TEST_F(ManualDriver, RefusesStepsOnceItStops) {
  frames_.publish(simulation_.frame());
  add_session(1);
  driver_.start([] { FAIL() << "the tick failed"; });
  EXPECT_EQ(driver_.request_step(SessionId{1}, 1, 1), ErrorCode::None);
  driver_.stop();
  // Were they taken, a client that goes on asking would keep the driver from ever ending.
  EXPECT_EQ(driver_.request_step(SessionId{1}, 2, 1), ErrorCode::ServerStopping);
}

TEST_F(ManualDriver, BoundsTheStepsThatWait) {
  frames_.publish(simulation_.frame());
  add_session(1);
  for (std::size_t i = 1; i <= limits::waiting_steps_max; ++i)
    ASSERT_EQ(driver_.request_step(SessionId{1}, i, 1), ErrorCode::None);
  EXPECT_EQ(driver_.request_step(SessionId{1}, 9999, 1), ErrorCode::QueueFull);
}

TEST_F(ManualDriver, ClosesASessionWhoseTickAloneIsAboveItsBoundAndSaysSo) {
  frames_.publish(simulation_.frame());
  const auto asking = add_session(1);
  const auto chatty = add_session(2);
  std::vector<Command> commands;  // 200 answers of 16 bytes are more than the 2048 of the outbox
  for (std::uint64_t i = 1; i <= 200; ++i)
    commands.push_back({SessionId{2}, i, DespawnCommand{{EntityId(7, 1), 0}}});
  ASSERT_TRUE(commands_.push(SessionId{2}, std::move(commands)));
  run_ticks(1);
  EXPECT_TRUE(asking->causes.empty());
  ASSERT_EQ(chatty->causes.size(), 1u);
  EXPECT_EQ(chatty->causes[0].code, ErrorCode::SlowConsumer);
  EXPECT_NE(chatty->causes[0].text.find("one tick of this session needs more than "
                                        "outbox_bytes_max (2048 bytes)"),
            std::string::npos)
      << chatty->causes[0].text;
}

TEST_F(ManualDriver, ClosesOnceWhoDoesNotReadAndWaitsNoMoreForIt) {
  frames_.publish(simulation_.frame());
  const auto asking = add_session(1);
  const auto stalled = add_session(2, outbox_bytes_max);
  const auto begin = std::chrono::steady_clock::now();
  run_ticks(5);
  EXPECT_TRUE(asking->causes.empty());
  ASSERT_EQ(stalled->causes.size(), 1u);
  EXPECT_EQ(stalled->causes[0].code, ErrorCode::SlowConsumer);
  // One time of patience, not five: a connection that ends holds up no tick.
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            2 * std::chrono::milliseconds(limits::reader_patience_ms));
}

}  // namespace
}  // namespace vicinity::app
