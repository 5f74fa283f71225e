// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/memory_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "admin/process_memory.h"
#include "app/admission.h"
#include "app/config.h"
#include "app/memory_metrics.h"
#include "app/memory_watch.h"
#include "app/refusal_texts.h"
#include "base/limits.h"

namespace vicinity::app {
namespace {

using namespace std::chrono_literals;

/// A cap of 1000 bytes: one byte is a tenth of a percent.
constexpr std::uint64_t cap_bytes = 1000;

class AMemoryGuard : public testing::Test {
 protected:
  /// Looks while so much is in use, a moment later. True: closed.
  bool closed_at(std::optional<std::uint64_t> used_bytes) {
    used_bytes_ = used_bytes;
    now_ += std::chrono::milliseconds(limits::memory_look_ms);
    guard_.look(now_);
    return guard_.stats().is_closed;
  }
  ErrorCode outcome(const CommandBody& body) { return guard_.check(body, true).code; }
  ErrorCode spawned() { return outcome(plain_spawn()); }
  static CommandBody plain_spawn() {
    SpawnCommand spawn;
    spawn.shape = Shape::box({1, 1, 1});
    return spawn;
  }

  std::optional<std::uint64_t> used_bytes_ = 0;
  int given_back_ = 0;
  Log log_{LogLevel::Error, LogFormat::Text};
  MemoryGuard guard_{cap_bytes, [this] { return used_bytes_; }, [this] { ++given_back_; }, log_};
  MemoryGuard::Clock::time_point now_ = MemoryGuard::Clock::time_point{} + 1h;
};

TEST_F(AMemoryGuard, ClosesAboveNineTenthsAndOpensBelowEightyFivePercentOnly) {
  EXPECT_FALSE(closed_at(100));
  EXPECT_FALSE(closed_at(870));  // between the two marks it stays as it was
  EXPECT_FALSE(closed_at(900));
  EXPECT_TRUE(closed_at(901));
  EXPECT_TRUE(closed_at(2000));
  EXPECT_TRUE(closed_at(870));
  EXPECT_TRUE(closed_at(850));
  EXPECT_FALSE(closed_at(849));
  EXPECT_FALSE(closed_at(870));
}

TEST_F(AMemoryGuard, DoesNotFlapBetweenTheMarks) {
  ASSERT_TRUE(closed_at(950));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(closed_at(i % 2 == 0 ? 851 : 899));
  ASSERT_FALSE(closed_at(840));
  for (int i = 0; i < 100; ++i) ASSERT_FALSE(closed_at(i % 2 == 0 ? 851 : 899));
}

TEST_F(AMemoryGuard, StaysAsItIsWhenNobodyCanSayWhatIsInUse) {
  EXPECT_FALSE(closed_at(std::nullopt));
  ASSERT_TRUE(closed_at(950));
  EXPECT_TRUE(closed_at(std::nullopt));
  EXPECT_EQ(guard_.stats().used_bytes, 950u);
}

TEST_F(AMemoryGuard, WithoutACapNeverCloses) {
  MemoryGuard none(
      0, [] { return std::uint64_t{1} << 60; }, [] {}, log_);
  none.look(now_);
  EXPECT_FALSE(none.stats().is_closed);
  EXPECT_EQ(none.check_session().code, ErrorCode::None);
  EXPECT_EQ(none.check(plain_spawn(), true).code, ErrorCode::None);
  EXPECT_EQ(none.stats().used_bytes, std::uint64_t{1} << 60);  // operators see it all the same
}

TEST_F(AMemoryGuard, AsksForFreeMemoryWhenItClosesAndSeldomAfterwards) {
  closed_at(800);
  EXPECT_EQ(given_back_, 0);
  closed_at(950);
  EXPECT_EQ(given_back_, 1);
  const auto looks = static_cast<int>(limits::memory_trim_ms / limits::memory_look_ms);
  for (int i = 1; i < looks; ++i) closed_at(950);
  EXPECT_EQ(given_back_, 1);
  closed_at(950);
  EXPECT_EQ(given_back_, 2);
  // Not once for each time that it closes either.
  closed_at(100);
  closed_at(950);
  EXPECT_EQ(given_back_, 2);
}

TEST_F(AMemoryGuard, RefusesSessionsWhileClosedAndSaysWhy) {
  closed_at(950);
  const Error error = guard_.check_session();
  EXPECT_EQ(error.code, ErrorCode::ServerFull);
  EXPECT_THAT(error.text, testing::HasSubstr("memory"));
  EXPECT_EQ(guard_.why_closed(), "950 of the 1000 bytes of max_memory are in use");
  closed_at(100);
  EXPECT_EQ(guard_.check_session().code, ErrorCode::None);
  EXPECT_EQ(guard_.why_closed(), "");
  EXPECT_EQ(guard_.stats().sessions_refused, 1u);
  EXPECT_EQ(guard_.stats().commands_refused, 0u);
}

TEST_F(AMemoryGuard, OverloadIsNamedBeforeMemory) {
  closed_at(950);
  EXPECT_EQ(check_newcomer(Shedding::Sessions, Role::Player, &guard_).text, overloaded);
  EXPECT_EQ(check_newcomer(Shedding::Queries, Role::Player, &guard_).code, ErrorCode::ServerFull);
  EXPECT_EQ(check_newcomer(Shedding::Queries, Role::Player, nullptr).code, ErrorCode::None);
}

TEST_F(AMemoryGuard, LetsInWhoCanEndSomething) {
  closed_at(950);
  EXPECT_EQ(check_newcomer(Shedding::None, Role::Observer, &guard_).code, ErrorCode::ServerFull);
  EXPECT_EQ(check_newcomer(Shedding::None, Role::Authority, &guard_).code, ErrorCode::None);
}

// --- Commands --------------------------------------------------------------------------------

/// One command of each kind there is.
template <std::size_t... index>
std::vector<CommandBody> one_of_each(std::index_sequence<index...>) {
  return {CommandBody(std::in_place_index<index>)...};
}

TEST_F(AMemoryGuard, RefusesWhatMakesSomethingAndNothingElse) {
  closed_at(950);
  // By default an exclusion excludes; a policy without rules, an exception that is none and a plain
  // shape make nothing.
  const std::vector<std::size_t> refused = {
      CommandBody(SpawnCommand()).index(), CommandBody(AddAreaCommand()).index(),
      CommandBody(SubscribeCommand()).index(), CommandBody(ExcludePairCommand()).index(),
      CommandBody(AttachCommand()).index()};
  for (const auto& body :
       one_of_each(std::make_index_sequence<std::variant_size_v<CommandBody>>())) {
    const bool is_refused =
        std::find(refused.begin(), refused.end(), body.index()) != refused.end();
    EXPECT_EQ(outcome(body), is_refused ? ErrorCode::ServerFull : ErrorCode::None)
        << "kind " << body.index();
  }
  EXPECT_EQ(guard_.stats().commands_refused, refused.size());

  SetShapeCommand reshape;
  reshape.shape.compound = std::make_shared<Compound>();
  EXPECT_EQ(outcome(reshape), ErrorCode::ServerFull);
  EXPECT_EQ(outcome(SetPolicyCommand{{PolicyRule{}}}), ErrorCode::ServerFull);
  EXPECT_EQ(outcome(SetVisibilityCommand{{}, {}, Visibility::Never}), ErrorCode::ServerFull);
  EXPECT_EQ(outcome(ExcludePairCommand{{}, {}, false}), ErrorCode::None);
}

TEST_F(AMemoryGuard, LetsSpawnsHaveTheSlotsThatAreThere) {
  closed_at(950);
  EXPECT_EQ(spawned(), ErrorCode::ServerFull);
  guard_.note_tick(2);
  EXPECT_EQ(spawned(), ErrorCode::None);
  SpawnCommand compound;
  compound.shape.compound = std::make_shared<Compound>();
  EXPECT_EQ(outcome(compound), ErrorCode::ServerFull);  // a slot is not all that it needs
  EXPECT_EQ(spawned(), ErrorCode::None);
  EXPECT_EQ(spawned(), ErrorCode::ServerFull);
  // Whether the tick that says so knows of these two is open: they count once more.
  guard_.note_tick(3);
  EXPECT_EQ(spawned(), ErrorCode::None);
  EXPECT_EQ(spawned(), ErrorCode::ServerFull);
  guard_.note_tick(0);
  guard_.note_tick(1);
  EXPECT_EQ(spawned(), ErrorCode::None);
}

TEST_F(AMemoryGuard, CountsTheSlotsThatWereTakenBeforeItClosed) {
  guard_.note_tick(3);
  EXPECT_EQ(spawned(), ErrorCode::None);
  EXPECT_EQ(spawned(), ErrorCode::None);
  closed_at(950);
  EXPECT_EQ(spawned(), ErrorCode::None);
  EXPECT_EQ(spawned(), ErrorCode::ServerFull);
}

TEST_F(AMemoryGuard, KeepsTheSlotsForAuthoritiesWhenItIsClosed) {
  closed_at(950);
  guard_.note_tick(1);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(guard_.check(plain_spawn(), false).code, ErrorCode::ServerFull);
  EXPECT_EQ(guard_.check(plain_spawn(), true).code, ErrorCode::None);
}

/// 900 MB up to the mark, of which 200 are left: half of them at 2 KiB each, from tick to tick.
TEST_F(AMemoryGuard, TakesNoMoreFromTickToTickThanFillsHalfOfWhatIsLeft) {
  std::uint64_t used_bytes = 700'000'000;
  MemoryGuard guard(
      1'000'000'000, [&] { return used_bytes; }, [] {}, log_);
  const auto taken = [&] {
    std::uint64_t count = 0;
    while (guard.check(AddAreaCommand(), true).code == ErrorCode::None) ++count;
    return count;
  };
  guard.look(now_);
  EXPECT_EQ(taken(), 100'000'000u / 2048);
  guard.look(now_);
  EXPECT_EQ(taken(), 0u) << "no tick has made them yet";
  guard.note_tick(0);
  used_bytes = 800'000'000;
  guard.look(now_);
  EXPECT_EQ(taken(), 50'000'000u / 2048);
  guard.note_tick(0);
  used_bytes = 899'999'999;
  guard.look(now_);
  EXPECT_GT(taken(), 0u) << "else it would never close";
}

// --- The setting -----------------------------------------------------------------------------

TEST(MaxMemory, IsRefusedWhereNoServerFitsIn) {
  const char* words[] = {"vicinity-server"};
  const auto configured = [&](const char* cap) {
    return configure(1, words, {{"VICINITY_MAX_MEMORY", cap}});
  };
  const auto small = configured("67108863");
  ASSERT_FALSE(small.ok());
  EXPECT_THAT(small.error().text, testing::AllOf(testing::HasSubstr("max_memory 67108863"),
                                                 testing::HasSubstr("67108864 (64 MiB)")));
  for (const char* cap : {"67108864", "0"}) {
    const auto taken = configured(cap);
    ASSERT_TRUE(taken.ok()) << taken.error().text;
    EXPECT_EQ(std::to_string(taken.value().config.max_memory), cap);
  }
}

// --- The process -----------------------------------------------------------------------------

TEST(ProcessMemory, CountsWhatIsTouchedAndNoPagesOfFiles) {
  const auto before = admin::read_process_memory();
  ASSERT_TRUE(before);
  constexpr std::size_t size_bytes = 32u << 20;
  const std::vector<char> touched(size_bytes, 'x');
  const auto after = admin::read_process_memory();
  ASSERT_TRUE(after);
  // The kernel counts in batches for each thread, a few hundred kilobytes at the most.
  EXPECT_GT(after->anonymous_bytes, before->anonymous_bytes + size_bytes * 9 / 10);
  EXPECT_GT(after->resident_bytes, after->anonymous_bytes);  // this program is a file
  EXPECT_EQ(touched.back(), 'x');
}

TEST(MemoryWatch, ClosesByItselfAndDoesNotStartWithoutASourceOfNumbers) {
  Log log(LogLevel::Error, LogFormat::Text);
  std::atomic<std::uint64_t> used_bytes{100};
  MemoryWatch watch(
      cap_bytes, [&] { return used_bytes.load(); }, log);
  ASSERT_EQ(watch.start().code, ErrorCode::None);
  EXPECT_FALSE(watch.guard().stats().is_closed);
  used_bytes = 950;
  while (!watch.guard().stats().is_closed) std::this_thread::yield();
  used_bytes = 100;
  while (watch.guard().stats().is_closed) std::this_thread::yield();
  watch.stop();

  MemoryWatch blind(
      cap_bytes, [] { return std::nullopt; }, log);
  EXPECT_THAT(blind.start().text, testing::HasSubstr("max_memory"));
}

TEST(MemoryMetrics, ReadinessKnowsOfACapOnly) {
  Log log(LogLevel::Error, LogFormat::Text);
  for (const std::uint64_t cap : {std::uint64_t{0}, cap_bytes}) {
    MemoryGuard guard(
        cap, [] { return std::uint64_t{950}; }, [] {}, log);
    admin::MetricRegistry metrics;
    admin::ReadyChecks ready;
    add_memory_metrics(guard, metrics, ready);
    guard.look(MemoryGuard::Clock::now());
    (void)guard.check_session();
    const auto findings = ready.run();
    ASSERT_EQ(findings.size(), cap == 0 ? 0u : 1u);
    if (cap == 0) continue;
    EXPECT_EQ(findings[0].name, "memory");
    EXPECT_NE(findings[0].reason, "");
    const std::string text = metrics.text();
    for (const char* line :
         {"\nvicinity_memory_cap_bytes 1000\n", "\nvicinity_memory_used_bytes 950\n",
          "\nvicinity_memory_closed 1\n", "\nvicinity_memory_sessions_refused_total 1\n",
          "\nvicinity_memory_commands_refused_total 0\n"})
      EXPECT_THAT(text, testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace vicinity::app
