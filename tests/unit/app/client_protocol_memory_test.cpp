// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What clients are told while memory is short, and in which order: what the role forbids first,
// then what there is no memory for, and only then what the token allows, which counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "app/memory_guard.h"
#include "base/limits.h"
#include "protocol_fixture.h"

namespace vicinity::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Codes = std::map<std::uint64_t, ErrorCode>;

test::MakeCommand remove_area(std::uint32_t area) {
  return [=](test::Builder& b) {
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::RemoveArea);
    command.add_area(area);
    return command.Finish();
  };
}

/// Outlives the protocol that asks it.
struct TestMemory {
  std::uint64_t used_bytes = 0;
  Log log{LogLevel::Error, LogFormat::Text};
  MemoryGuard guard{1000, [this] { return used_bytes; }, [] {}, log};
};

class ProtocolWithMemory : private TestMemory, public Protocol {
 protected:
  ProtocolWithMemory() : Protocol({.world_half_size_m = 1000, .retry_after_ms = 4321}, &guard) {
    set_short(false);
  }
  void set_short(bool is_short) {
    used_bytes = is_short ? 1000 : 0;
    now_ += std::chrono::milliseconds(limits::memory_look_ms);
    guard.note_tick(0);
    guard.look(now_);
    ASSERT_EQ(guard.stats().is_closed, is_short);
  }
  MemoryStats memory() const { return guard.stats(); }

  std::shared_ptr<Session> join_with(const std::shared_ptr<FakeConnection>& over,
                                     const access::Caps& caps) {
    const auto session = join(over, proto::Role::Player);
    if (session)
      session->guard = std::make_shared<access::SessionGuard>(access::SessionRates(), caps);
    return session;
  }
  /// What each command came to, by its sequence. None: it is on its way to the tick.
  Codes outcomes(const std::shared_ptr<FakeConnection>& over,
                 const std::vector<test::MakeCommand>& make) {
    (void)commands_.drain();
    const std::size_t told = over->sent().size();
    say(over, test::commands_frame(sequence_, make));
    sequence_ += make.size();
    Codes codes;
    for (const Command& command : commands_.drain()) codes[command.sequence] = ErrorCode::None;
    const Bytes sent = over->sent();
    const Bytes answers(sent.begin() + static_cast<std::ptrdiff_t>(told), sent.end());
    for (const proto::ServerMessage* message : messages(answers)) {
      const auto* results = message->body_as_CommandResults();
      if (results == nullptr || results->errors() == nullptr) continue;
      for (const proto::CommandError* error : *results->errors())
        codes[error->sequence()] = test::WireClient::code(error->code());
    }
    return codes;
  }

 private:
  MemoryGuard::Clock::time_point now_ = MemoryGuard::Clock::time_point{} + std::chrono::hours(1);
  std::uint64_t sequence_ = 1;
};

// --- Commands --------------------------------------------------------------------------------

TEST_F(ProtocolWithMemory, WhatIsRefusedForWantOfItCountsToNoCap) {
  const auto over = connect();
  const auto session = join_with(over, {.areas_max = 2});
  ASSERT_TRUE(session);
  set_short(true);
  EXPECT_EQ(
      outcomes(over, {test::add_area(1, 100), test::add_area(2, 100), test::add_area(3, 100)}),
      (Codes{{1, ErrorCode::ServerFull}, {2, ErrorCode::ServerFull}, {3, ErrorCode::ServerFull}}));
  EXPECT_THAT(session->guard->areas(), IsEmpty());
  EXPECT_EQ(memory().commands_refused, 3u);
  set_short(false);
  EXPECT_EQ(
      outcomes(over, {test::add_area(4, 100), test::add_area(5, 100), test::add_area(6, 100)}),
      (Codes{{4, ErrorCode::None}, {5, ErrorCode::None}, {6, ErrorCode::LimitExceeded}}));
  EXPECT_THAT(session->guard->areas(), ElementsAre(AreaId{4}, AreaId{5}));
  EXPECT_EQ(memory().commands_refused, 3u) << "a cap is no want of memory";
}

TEST_F(ProtocolWithMemory, WhatEndsWhileItIsShortLeavesItsPlace) {
  const auto over = connect();
  const auto session = join_with(over, {.areas_max = 2});
  ASSERT_TRUE(session);
  (void)outcomes(over, {test::add_area(1, 100), test::add_area(2, 100)});
  set_short(true);
  EXPECT_EQ(outcomes(over, {remove_area(1), test::add_area(3, 100)}),
            (Codes{{3, ErrorCode::None}, {4, ErrorCode::ServerFull}}));
  EXPECT_THAT(session->guard->areas(), ElementsAre(AreaId{2}));
  set_short(false);
  EXPECT_EQ(outcomes(over, {test::add_area(3, 100), test::add_area(4, 100)}),
            (Codes{{5, ErrorCode::None}, {6, ErrorCode::LimitExceeded}}));
}

TEST_F(ProtocolWithMemory, WhatTheRoleForbidsIsNotForWantOfIt) {
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Observer));
  set_short(true);
  EXPECT_EQ(outcomes(over, {test::spawn(0, 0, 0)}), (Codes{{1, ErrorCode::WrongRole}}));
  EXPECT_EQ(memory().commands_refused, 0u);
}

// --- Questions -------------------------------------------------------------------------------

TEST_F(ProtocolWithMemory, WhileItIsShortOnlyAuthoritiesAreAnswered) {
  for (const auto role : {proto::Role::Observer, proto::Role::Player, proto::Role::Authority}) {
    SCOPED_TRACE(proto::EnumNameRole(role));
    const auto over = connect();
    ASSERT_TRUE(join(over, role));
    say(over, test::box_query_frame(1, 10));
    set_short(true);
    say(over, test::box_query_frame(2, 10));
    set_short(false);
    say(over, test::box_query_frame(3, 10));
    const auto answers = answers_in(over->sent());
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers[0].code, proto::ErrorCode::None);
    EXPECT_EQ(answers[1].request, 2u);
    EXPECT_EQ(answers[1].code, role == proto::Role::Authority ? proto::ErrorCode::None
                                                              : proto::ErrorCode::ServerFull);
    EXPECT_EQ(answers[2].code, proto::ErrorCode::None);
    EXPECT_FALSE(over->closing());
  }
}

TEST_F(ProtocolWithMemory, WhileItIsShortQuestionsOfPlayersDoNotWaitForTheTick) {
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Player));
  set_short(true);
  say(over, view_question(0, 1));
  const auto answers = answers_in(over->sent());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].code, proto::ErrorCode::ServerFull);
}

// --- Newcomers -------------------------------------------------------------------------------

TEST_F(ProtocolWithMemory, WhileItIsShortNewcomersAreToldWhyAndWhoCanEndSomethingComesIn) {
  set_short(true);
  const auto player = connect();
  EXPECT_FALSE(join(player, proto::Role::Player));
  EXPECT_EQ(player->code(), ErrorCode::ServerFull);
  EXPECT_THAT(player->cause()->text, HasSubstr("memory"));
  EXPECT_EQ(memory().sessions_refused, 1u);
  const auto authority = connect();
  EXPECT_TRUE(join(authority, proto::Role::Authority));
  EXPECT_EQ(memory().sessions_refused, 1u);
}

}  // namespace
}  // namespace vicinity::app
