// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Whatever stage of a tick throws: the server ends between two whole ticks. Nobody was told of half
// of one, and the journal leads the next run to what clients were told, and on from there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/server.h"
#include "e2e/session_client.h"
#include "store/journal_folder.h"
#include "store/replay.h"

namespace vicinity::app {
namespace {

namespace proto = vicinity::proto;
using test::Greeted;
using test::SessionWish;
using test::WireClient;
using testing::HasSubstr;

constexpr Tick told_ticks = 3;
constexpr Tick failed_tick = 4;
constexpr double everywhere_m = 1000;

std::vector<TickStage> all_stages() {
  std::vector<TickStage> stages;
  for (std::size_t i = 0; i < tick_stage_count; ++i) stages.push_back(static_cast<TickStage>(i));
  return stages;
}

/// What a client was told, and how that ended.
struct Told {
  std::map<Tick, std::uint64_t> hashes;
  std::optional<ErrorCode> closing;

  void take(const proto::ServerMessage& message) {
    if (const auto* frame = message.body_as_Frame()) hashes[frame->tick()] = frame->result_hash();
    if (const auto* end = message.body_as_Closing()) closing = WireClient::code(end->code());
  }
  /// The next message of the type; what comes before it is taken.
  template <class Message>
  const Message* next(WireClient& client) {
    while (const auto* message = client.next()) {
      take(*message);
      if (const auto* found = message->body_as<Message>()) return found;
    }
    return nullptr;
  }
};

class AJournaledServer : public testing::Test {
 protected:
  Config config() const {
    Config config;
    config.port = 0;
    config.tick_mode = "manual";
    config.workers = 1;
    config.net_threads = 1;
    config.sync = "tick";
    config.journal_dir = (folder_ / "journal").string();
    return config;
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  std::atomic<int> failures_{0};
};

class AStageThatThrows : public AJournaledServer, public testing::WithParamInterface<TickStage> {
 protected:
  /// Runs a server until the stage throws in its fourth tick, and stops it as main() would. Returns
  /// its log.
  std::string run_until_it_throws();
  void expect_whole_journal() const;
  std::string run_once_more();

  /// The last tick of which everything has been done that the world is made of.
  static Tick whole_ticks() {
    return GetParam() > TickStage::MakeOutputs ? failed_tick : told_ticks;
  }

  Greeted greeted_;
  Told told_;
  Tick published_ = 0;
};

std::string AStageThatThrows::run_until_it_throws() {
  testing::internal::CaptureStderr();
  std::atomic<bool> is_armed{false};
  ServerHooks hooks;
  hooks.on_stage = [&](TickStage stage) {
    if (is_armed && stage == GetParam()) throw std::runtime_error("injected");
  };
  {
    Log log(LogLevel::Info, LogFormat::Text);
    auto server = Server::start(
        config(), log, [this] { ++failures_; }, hooks);
    if (!server.ok()) return testing::internal::GetCapturedStderr() + server.error().text;
    WireClient client(server.value()->port());
    SessionWish wish;
    wish.role = proto::Role::Authority;
    greeted_ = greet(client, wish);
    EXPECT_TRUE(greeted_.welcomed);
    client.send(test::commands_frame(1, {test::spawn(0, 0, 0, 1), test::spawn(1, 0, 0),
                                         test::spawn(50, 0, 0), test::add_area(1, everywhere_m)}));
    client.send(test::step_frame(1, told_ticks));
    EXPECT_NE(told_.next<proto::StepDone>(client), nullptr);
    is_armed = true;
    client.send(test::commands_frame(5, {test::spawn(2, 0, 0)}));
    client.send(test::step_frame(2, 1));
    const auto patience_ends = std::chrono::steady_clock::now() + test::patience;
    while (failures_ == 0 && std::chrono::steady_clock::now() < patience_ends)
      std::this_thread::yield();
    // Until its owner stops it, it answers from the last tick that was published.
    client.send(test::box_query_frame(1, everywhere_m));
    if (const auto* answer = told_.next<proto::QueryAnswer>(client)) published_ = answer->tick();
    std::thread owner([&] { server.value()->stop(); });
    while (const auto* message = client.next()) told_.take(*message);
    client.socket().close();
    owner.join();
  }
  return testing::internal::GetCapturedStderr();
}

void AStageThatThrows::expect_whole_journal() const {
  auto folder = store::JournalFolder::open({folder_ / "journal", std::uint64_t{1} << 30, true});
  ASSERT_TRUE(folder.ok()) << folder.error().text;
  const auto contents = store::read_contents(folder.value()->store());
  ASSERT_TRUE(contents.ok()) << contents.error().text;
  EXPECT_FALSE(contents.value().state.is_clean);
  EXPECT_FALSE(contents.value().damage);
  EXPECT_EQ(contents.value().last_tick, failed_tick);  // its commands at least
  EXPECT_EQ(contents.value().last_hash.has_value(), whole_ticks() == failed_tick);
  auto base = store::restore_base(folder.value()->store(), contents.value(), {});
  ASSERT_TRUE(base.ok()) << base.error().text;
  Tick replayed = 0;
  const Error error =
      store::replay(folder.value()->store(), 1, whole_ticks(), base.value(), [&](const auto& tick) {
        ++replayed;
        EXPECT_TRUE(tick.journaled.has_value());
        EXPECT_FALSE(tick.differs());
        const auto told = told_.hashes.find(tick.record.tick);
        const std::uint64_t hash = tick.output.report.hash;
        EXPECT_EQ(told == told_.hashes.end() ? hash : told->second, hash);
        return true;
      });
  EXPECT_EQ(error.code, ErrorCode::None) << error.text;
  EXPECT_EQ(replayed, whole_ticks());
}

/// The next run: the commands of the tick that failed were in the journal, so they are carried out.
std::string AStageThatThrows::run_once_more() {
  testing::internal::CaptureStderr();
  {
    Log log(LogLevel::Info, LogFormat::Text);
    auto server = Server::start(config(), log, [this] { ++failures_; });
    if (!server.ok()) return testing::internal::GetCapturedStderr() + server.error().text;
    WireClient client(server.value()->port());
    SessionWish wish;
    wish.role = proto::Role::Authority;
    wish.token = greeted_.token;
    wish.tick = told_ticks;
    const Greeted again = greet(client, wish);
    EXPECT_TRUE(again.resumed) << again.text;
    EXPECT_EQ(again.session, greeted_.session);
    EXPECT_EQ(again.last_sequence, 5u);
    client.send(test::step_frame(1, 1));
    Told told;
    const auto* done = told.next<proto::StepDone>(client);
    EXPECT_TRUE(done != nullptr && done->tick() == failed_tick + 1);
    client.send(test::box_query_frame(1, everywhere_m));
    const auto* answer = told.next<proto::QueryAnswer>(client);
    EXPECT_TRUE(answer != nullptr && answer->hits() != nullptr && answer->hits()->size() == 4);
    client.socket().close();
    server.value()->stop();
  }
  return testing::internal::GetCapturedStderr();
}

INSTANTIATE_TEST_SUITE_P(Of, AStageThatThrows, testing::ValuesIn(all_stages()),
                         [](const auto& stage) { return std::string(to_string(stage.param)); });

TEST_P(AStageThatThrows, EndsTheServerBetweenTwoWholeTicks) {
  const std::string log = run_until_it_throws();
  EXPECT_EQ(failures_, 1);
  EXPECT_THAT(log, HasSubstr("error the tick failed tick=4 reason=injected"));
  EXPECT_THAT(log, HasSubstr("server stopped"));
  ASSERT_EQ(told_.hashes.size(), told_ticks) << log;
  EXPECT_EQ(told_.hashes.rbegin()->first, told_ticks);  // nobody was told of the fourth
  EXPECT_EQ(told_.closing, ErrorCode::ServerStopping);
  const bool is_published = GetParam() > TickStage::PublishFrame;
  EXPECT_EQ(published_, is_published ? failed_tick : told_ticks);
  expect_whole_journal();
  const std::string next = run_once_more();
  EXPECT_EQ(failures_, 1);
  EXPECT_THAT(next, HasSubstr("world restored from the journal"));
  EXPECT_THAT(next, HasSubstr("end=unclean"));
}

/// main() says what was thrown and ends with 1. Whatever starts the server again and again gets it
/// back in the end, without the tick.
TEST_F(AJournaledServer, ThatCannotRunATickAgainLeavesItOutInTheEnd) {
  constexpr int tries = 3;
  Tick begun = 0;  // in this run
  ServerHooks hooks;
  hooks.on_stage = [&](TickStage stage) {
    begun += stage == TickStage::ApplyCommands;
    if (begun == failed_tick && stage == TickStage::FindPairs) throw std::runtime_error("always");
  };
  const auto failed = [this] { ++failures_; };
  testing::internal::CaptureStderr();
  {
    Log log(LogLevel::Info, LogFormat::Text);
    {
      auto server = Server::start(config(), log, failed, hooks);
      ASSERT_TRUE(server.ok()) << server.error().text;
      WireClient client(server.value()->port());
      ASSERT_TRUE(client.join());
      ASSERT_TRUE(client.send(test::step_frame(1, failed_tick)));
      const auto patience_ends = std::chrono::steady_clock::now() + test::patience;
      while (failures_ == 0 && std::chrono::steady_clock::now() < patience_ends)
        std::this_thread::yield();
      server.value()->stop();
    }
    for (int i = 0; i < tries; ++i) {
      begun = 0;
      EXPECT_THROW((void)Server::start(config(), log, failed, hooks), std::runtime_error);
    }
    begun = 0;
    auto server = Server::start(config(), log, failed, hooks);
    ASSERT_TRUE(server.ok()) << server.error().text;
    server.value()->stop();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(failures_, 1);
  EXPECT_THAT(log, HasSubstr("the journal is cut off after tick 3"));
  EXPECT_THAT(log, HasSubstr("world restored from the journal"));
}

/// An end that the client was told of, and no tick has come since.
TEST_F(AJournaledServer, ThatIsStoppedBringsNoSessionBackThatHadEnded) {
  Config by_the_clock = config();
  by_the_clock.tick_mode = "timer";
  by_the_clock.tick_rate_hz = 2;
  testing::internal::CaptureStderr();
  {
    Log log(LogLevel::Info, LogFormat::Text);
    auto server = Server::start(by_the_clock, log, [this] { ++failures_; });
    ASSERT_TRUE(server.ok()) << server.error().text;
    WireClient client(server.value()->port());
    ASSERT_TRUE(client.join());
    Told told;
    ASSERT_NE(told.next<proto::Frame>(client), nullptr);
    ASSERT_TRUE(client.send(test::goodbye_frame()));
    while (client.next() != nullptr) {
    }
    server.value()->stop();
  }
  {
    Log log(LogLevel::Info, LogFormat::Text);
    auto server = Server::start(by_the_clock, log, [this] { ++failures_; });
    ASSERT_TRUE(server.ok()) << server.error().text;
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("cause=goodbye"));
  EXPECT_THAT(log, HasSubstr("sessions=0 end=clean"));
}

TEST_F(AJournaledServer, ThatCannotListenWasNoRun) {
  const auto start = [this](const Config& config, bool is_ok) {
    testing::internal::CaptureStderr();
    {
      Log log(LogLevel::Info, LogFormat::Text);
      auto server = Server::start(config, log, [this] { ++failures_; });
      EXPECT_EQ(server.ok(), is_ok);
    }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(start(config(), true), HasSubstr("end=none"));
  Config elsewhere = config();
  // Of a group: no stream listens there, whatever addresses a machine may bind that it has not.
  elsewhere.listen_address = "ff02::1";
  for (int i = 0; i < 2; ++i) EXPECT_THAT(start(elsewhere, false), HasSubstr("end=clean"));
  EXPECT_THAT(start(config(), true), HasSubstr("end=clean"));
}

}  // namespace
}  // namespace vicinity::app
