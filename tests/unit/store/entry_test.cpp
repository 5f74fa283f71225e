// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/record.h"
#include "store/session_ledger.h"
#include "store/snapshot_schedule.h"
#include "world/archive_command.h"

namespace vicinity::store {
namespace {

using ::testing::HasSubstr;

constexpr EntryKey key{EntryKind::Tick, 77, 1};

TEST(Entry, ComesBackAsItWas) {
  const Bytes body{1, 2, 3};
  const Bytes sealed = seal(key, body);
  EXPECT_EQ(sealed.size(), envelope_bytes + 3);
  const auto entry = unseal(sealed);
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry.value().key, key);
  EXPECT_EQ(Bytes(entry.value().body.begin(), entry.value().body.end()), body);
}

TEST(Entry, EveryFlippedBitAndEveryLengthIsNoticed) {
  const Bytes sealed = seal(key, Bytes{1, 2, 3, 4, 5});
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    Bytes damaged = sealed;
    damaged[bit / 8] = static_cast<std::uint8_t>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(unseal(damaged).ok()) << bit;
  }
  for (std::size_t size = 0; size < sealed.size(); ++size)
    EXPECT_FALSE(unseal(std::span(sealed).first(size)).ok()) << size;
  Bytes longer = sealed;
  longer.push_back(0);
  EXPECT_FALSE(unseal(longer).ok());
}

TEST(Entry, KeysAreOrderedAsTheirBytes) {
  const std::vector<EntryKey> keys = {header_key,
                                      state_key,
                                      {EntryKind::SnapshotEnd, 300, 0},
                                      {EntryKind::SnapshotPart, 5, 255},
                                      {EntryKind::SnapshotPart, 5, 256},
                                      {EntryKind::Tick, 255, 1},
                                      {EntryKind::Tick, 256, 0},
                                      {EntryKind::Tick, 1ull << 40, 0}};
  for (std::size_t i = 1; i < keys.size(); ++i) {
    EXPECT_LT(keys[i - 1], keys[i]);
    EXPECT_LT(encode_key(keys[i - 1]), encode_key(keys[i]));
    EntryKey back;
    ASSERT_TRUE(decode_key(encode_key(keys[i]), back));
    EXPECT_EQ(back, keys[i]);
  }
  EntryKey none;
  EXPECT_FALSE(decode_key(Bytes(13, 0), none));
  EXPECT_FALSE(decode_key(Bytes(12, 1), none));
}

TEST(Record, OfAnythingElseIsRefused) {
  const Bytes state = encode(RunState{true, 5, 6, 2});
  const auto entry = unseal(state);
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(decode_state(entry.value()).value(), (RunState{true, 5, 6, 2}));
  EXPECT_FALSE(decode_tick(entry.value()).ok());
  EXPECT_FALSE(decode_settings(entry.value()).ok());
}

TEST(Record, KeepsTheCapsOfASession) {
  SessionRecord session;
  session.id = SessionId{3};
  session.caps.areas_max = 2;
  session.caps.area_radius_max_m = 50.5;
  session.caps.bytes_per_s = 9000;
  session.caps.categories = 6;
  session.caps.group = -4;
  const auto entry = encode_tick(8, {}, {session});
  const auto record = decode_tick(unseal(entry).value());
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record.value().sessions.size(), 1u);
  EXPECT_EQ(record.value().sessions[0], session);
}

TEST(Record, IsTruncatedByPairsAlone) {
  TickReport report;
  EXPECT_FALSE(TickHash::of(report).is_truncated);
  report.views_truncated = 1;
  EXPECT_FALSE(TickHash::of(report).is_truncated) << "what is kept of views is no matter of chance";
  report.looks_truncated = true;
  EXPECT_TRUE(TickHash::of(report).is_truncated) << "who comes to look that much is";
  report.looks_truncated = false;
  report.pairs_truncated = true;
  EXPECT_TRUE(TickHash::of(report).is_truncated);
}

TEST(Record, SaysWhetherThePairBudgetBit) {
  for (const bool bit : {false, true}) {
    const auto hash = decode_hash(unseal(encode_hash(8, {4711, 13, bit})).value());
    ASSERT_TRUE(hash.ok());
    EXPECT_EQ(hash.value().hash, 4711u);
    EXPECT_EQ(hash.value().entity_hash, 13u);
    EXPECT_TRUE(hash.value().has_entity_hash);
    EXPECT_EQ(hash.value().is_truncated, bit);
  }
}

// --- Format 1 --------------------------------------------------------------------------------

/// A session as format 1 has it: what follows `is_open` is new since.
void write_first(ArchiveWriter& out, const SessionRecord& session) {
  out(session.id), out(session.token), out(session.role), out(session.contacts);
  out(session.contact_details), out(session.client_name), out(session.subject);
  out(session.position_resolution_m), out(session.budget_bytes_per_s);
  out(session.view_number), out(session.last_sequence), out(session.is_open);
}

SessionRecord a_session() {
  SessionRecord session;
  session.id = SessionId{3};
  session.token = "t";
  session.role = Role::Player;
  session.subject = "ada";
  session.last_sequence = 17;
  session.is_open = true;
  return session;
}

TEST(FormatOne, OfTicksAndHashesIsRead) {
  ArchiveWriter tick;
  tick(Tick{8}), tick(std::vector<Command>{{SessionId{3}, 9, DespawnCommand{}}});
  tick(std::uint64_t{2});
  write_first(tick, a_session());
  write_first(tick, a_session());
  const EntryKey name{EntryKind::Tick, 8, commands_part};
  const auto record = decode_tick(unseal(seal(name, tick.bytes(), 1)).value());
  ASSERT_TRUE(record.ok()) << record.error().text;
  EXPECT_EQ(record.value().commands.size(), 1u);
  EXPECT_EQ(record.value().sessions, (std::vector{a_session(), a_session()}));
  EXPECT_FALSE(decode_tick(unseal(seal(name, tick.bytes())).value()).ok()) << "it is no format 2";

  ArchiveWriter hash;
  hash(std::uint64_t{4711});
  const auto read =
      decode_hash(unseal(seal({EntryKind::Tick, 8, hash_part}, hash.bytes(), 1)).value());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().hash, 4711u);
  EXPECT_FALSE(read.value().is_truncated);
  EXPECT_FALSE(read.value().has_entity_hash);
}

TEST(FormatOne, OfSnapshotsIsReadByTheVersionOfTheirEnd) {
  ArchiveWriter content;
  content(std::uint64_t{5}), content(std::uint64_t{1});
  write_first(content, a_session());
  content.append(Bytes{1, 2, 3});
  const Bytes now = encode(SnapshotEnd{8, 1, 1, content.size(), 2, 3});
  EXPECT_EQ(decode_snapshot_end(unseal(now).value()).value().format, format_version);
  ArchiveWriter end;
  end(Tick{8}), end(std::uint64_t{1}), end(std::uint32_t{1});
  end(std::uint64_t{content.size()}), end(std::uint64_t{2});
  const Bytes first = seal({EntryKind::SnapshotEnd, 8, 0}, end.bytes(), 1);
  const std::uint16_t format = decode_snapshot_end(unseal(first).value()).value().format;
  EXPECT_EQ(format, 1);
  const auto read = decode_snapshot(content.bytes(), format);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().last_session_id, 5u);
  EXPECT_EQ(read.value().sessions, std::vector{a_session()});
  EXPECT_EQ(read.value().world.size(), 3u);
}

TEST(FormatTwo, HadNoHashOfTheEntitiesAtTheEndOfASnapshot) {
  ArchiveWriter body;
  body(Tick{8}), body(std::uint64_t{11}), body(std::uint32_t{1});
  body(std::uint64_t{12}), body(std::uint64_t{13});
  const EntryKey name{EntryKind::SnapshotEnd, 8, 0};
  const auto end = decode_snapshot_end(unseal(seal(name, body.bytes(), 2)).value());
  ASSERT_TRUE(end.ok()) << end.error().text;
  EXPECT_EQ(end.value(), (SnapshotEnd{8, 11, 1, 12, 13, std::nullopt, 2}));
  EXPECT_FALSE(decode_snapshot_end(unseal(seal(name, body.bytes())).value()).ok());
}

TEST(FormatOne, HadABudgetForThePairsThatMoveAndAsMuchForThoseAtRest) {
  WorldSettings settings = world_settings({});
  settings.candidate_pairs_max = 1u << 22;
  const Bytes now = encode(settings);
  const Entry entry = unseal(now).value();
  const Bytes first = seal(entry.key, entry.body, 1);
  EXPECT_EQ(decode_settings(entry).value().candidate_pairs_max, 1u << 22);
  EXPECT_EQ(decode_settings(unseal(first).value()).value().candidate_pairs_max, 1u << 23);
}

TEST(WorldSettings, NameTheFirstThatDiffers) {
  WorldSettings one = world_settings({});
  EXPECT_EQ(difference(one, one), std::nullopt);
  WorldSettings other = one;
  other.dt_s = 0.02;
  EXPECT_THAT(difference(one, other).value_or(""),
              HasSubstr("tick_rate_hz is 20 in the journal and 50 now"));
  other = one;
  other.candidate_pairs_max = 9;
  EXPECT_THAT(difference(one, other).value_or(""), HasSubstr("candidate_pairs_max"));
  other = one;
  other.policy.push_back({});
  EXPECT_THAT(difference(one, other).value_or(""), HasSubstr("policy"));
}

TEST(SessionLedger, KnowsWhoIsOpenAndTheLastCommand) {
  SessionLedger ledger;
  SessionRecord welcomed;
  welcomed.id = SessionId{3};
  welcomed.token = "t";
  ledger.apply(std::vector{welcomed}, {});
  EXPECT_EQ(ledger.sessions().size(), 1u);
  EXPECT_TRUE(ledger.open_sessions().empty());
  ledger.apply({}, std::vector<Command>{{SessionId{3}, 0, OpenSessionCommand{}},
                                        {SessionId{3}, 8, DespawnCommand{}},
                                        {SessionId{3}, 9, DespawnCommand{}}});
  ASSERT_EQ(ledger.open_sessions().size(), 1u);
  EXPECT_EQ(ledger.open_sessions()[0].last_sequence, 9u);
  ledger.apply({}, std::vector<Command>{{SessionId{3}, ~0ull, CloseSessionCommand{}}});
  EXPECT_TRUE(ledger.sessions().empty());
  EXPECT_EQ(ledger.last_id(), 3u);
}

TEST(SessionLedger, TakesAWelcomeThatComesAfterTheOpening) {
  SessionLedger ledger;
  ledger.apply({}, std::vector<Command>{{SessionId{3}, 0, OpenSessionCommand{Role::Player}},
                                        {SessionId{3}, 4, DespawnCommand{}}});
  EXPECT_EQ(ledger.open_sessions()[0].token, "");
  SessionRecord welcomed;
  welcomed.id = SessionId{3};
  welcomed.role = Role::Player;
  welcomed.token = "t";
  ledger.apply(std::vector{welcomed}, {});
  ASSERT_EQ(ledger.open_sessions().size(), 1u);
  EXPECT_EQ(ledger.open_sessions()[0].token, "t");
  EXPECT_EQ(ledger.open_sessions()[0].last_sequence, 4u);
}

TEST(SnapshotSchedule, CountsTicksAndKeepsItsPaceWhenOneIsLate) {
  SnapshotSchedule schedule(2, 20, 100);
  EXPECT_FALSE(schedule.is_due(139));
  EXPECT_TRUE(schedule.is_due(140));
  schedule.taken(147);
  EXPECT_FALSE(schedule.is_due(179));
  EXPECT_TRUE(schedule.is_due(180));
  EXPECT_FALSE(SnapshotSchedule(0, 20, 0).is_due(1'000'000));
}

}  // namespace
}  // namespace vicinity::store
