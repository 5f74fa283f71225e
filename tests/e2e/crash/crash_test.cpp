// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A server under load is killed at random moments, again and again, and goes on every time: at the
// tick and with the hash that its journal says, with everything that was acknowledged as far as the
// setting promises that, and with a client that takes its session up again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include "base/ids.h"
#include "base/prng.h"
#include "session_client.h"
#include "support/server_process.h"

namespace vicinity::test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

/// Rounds of each kind.
int round_count(int usual) {
  if (const char* rounds = std::getenv("VICINITY_CRASH_ROUNDS")) return std::atoi(rounds);
  const char* factor = std::getenv("DEV_SEEDS_FACTOR");
  return usual * (factor == nullptr ? 1 : std::atoi(factor));
}

std::uint64_t seed() {
  const char* given = std::getenv("VICINITY_SEED");
  return given == nullptr ? 20261201 : std::strtoull(given, nullptr, 10);
}

/// What vicinity-replay says of a journal.
struct Replayed {
  int code = -1;
  Json report;
  std::string error;
  Tick base_tick() const { return report.value("base_tick", Tick{0}); }
  Tick last_tick() const { return report.value("last_tick", Tick{0}); }
  std::string hash() const { return report.value("hash", ""); }
};

Replayed replay(const std::filesystem::path& journal, const Arguments& extra = {}) {
  Arguments arguments{journal.string(), "--json"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  ChildProcess program("vicinity-replay", arguments);
  Replayed out;
  out.code = program.wait(std::chrono::minutes(2)).value_or(-1);
  out.error = program.standard_error();
  out.report = Json::parse(program.standard_output(), nullptr, false);
  if (out.report.is_discarded()) out.report = Json::object();
  return out;
}

std::string hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

/// A field of the line with which a server says what it restored.
std::string restored(const std::string& log, const std::string& field) {
  std::smatch match;
  const std::regex line("world restored from the journal .*\\b" + field + R"(=(\S+))");
  return std::regex_search(log, match, line) ? match[1].str() : "";
}

/// A gauge on the page for operators; nothing when it is not there.
std::optional<double> gauge(std::uint16_t admin_port, const std::string& name) {
  RawSocket socket = RawSocket::connected(admin_port);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  socket.write({reinterpret_cast<const std::uint8_t*>(request.data()), request.size()});
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const auto byte = socket.read_bytes(1);
    if (!byte) return std::nullopt;
    head += static_cast<char>(byte->front());
  }
  std::smatch length;
  if (!std::regex_search(head, length, std::regex(R"(Content-Length: (\d+))"))) return std::nullopt;
  const auto body = socket.read_bytes(std::stoul(length[1].str()));
  const std::string page = body ? std::string(body->begin(), body->end()) : "";
  const std::string line = "\n" + name + " ";
  const std::size_t at = page.find(line);
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(page.c_str() + at + line.size(), nullptr);
}

/// What one client knows of a world that is killed under it.
struct Witness {
  std::string token;
  std::uint64_t session = 0;
  std::uint64_t sequence = 0;                   ///< sent last
  std::map<std::uint64_t, std::uint64_t> made;  ///< sequence acknowledged -> entity
  std::uint64_t acknowledged = 0;               ///< highest sequence
  Tick told_tick = 0;
  std::uint64_t told_hash = 0;
  std::set<std::uint64_t> all_ids;  ///< ever seen

  void read(const proto::ServerMessage& message) {
    if (const auto* frame = message.body_as<proto::Frame>()) {
      told_tick = frame->tick();
      told_hash = frame->result_hash();
    }
    const auto* results = message.body_as<proto::CommandResults>();
    if (results == nullptr || results->acks() == nullptr) return;
    for (const auto* ack : *results->acks()) {
      acknowledged = std::max(acknowledged, ack->sequence());
      if (ack->entity() == 0) continue;
      EXPECT_TRUE(all_ids.insert(ack->entity()).second) << "an id was given twice";
      made[ack->sequence()] = ack->entity();
    }
  }
};

class AJournal : public testing::Test {
 protected:
  std::filesystem::path journal() const { return folder_.path() / "journal"; }
  std::filesystem::path admin_port_file() const { return folder_.path() / "admin_port"; }
  Arguments arguments(const Arguments& extra = {}) const {
    Arguments all{"--journal", journal().string(), "--tick-rate-hz", "60"};
    all.insert(all.end(), extra.begin(), extra.end());
    return all;
  }
  std::unique_ptr<ServerProcess> start(const Arguments& extra = {}) {
    auto server = std::make_unique<ServerProcess>(arguments(extra));
    EXPECT_NE(server->port(), 0) << server->standard_error();
    return server;
  }
  static void kill(ServerProcess& server) {
    server.process().signal(SIGKILL);
    EXPECT_EQ(server.process().wait(), 128 + SIGKILL) << server.standard_error();
  }

  /// Goes on with the session, or begins one. `keeps_all`: what was told is there again. A welcome
  /// is no part of a tick, so a session that was told of none may be gone with any setting.
  void join(std::optional<WireClient>& client, const ServerProcess& server, bool keeps_all) {
    SessionWish wish;
    wish.role = proto::Role::Authority;
    wish.token = witness_.token;
    wish.tick = witness_.told_tick;
    const bool must_resume = keeps_all && witness_.told_tick > 0;
    client.emplace(server.port());
    Greeted greeted = greet(*client, wish);
    if (!wish.token.empty() && !must_resume && greeted.code == ErrorCode::ResumeRefused) {
      std::set<std::uint64_t> ids = std::move(witness_.all_ids);
      witness_ = Witness();
      witness_.all_ids = std::move(ids);
      wish.token.clear();
      wish.tick = 0;
      client.emplace(server.port());  // who is rejected is closed
      greeted = greet(*client, wish);
    }
    ASSERT_TRUE(greeted.welcomed) << greeted.text;
    EXPECT_EQ(greeted.resumed, !wish.token.empty());
    if (greeted.resumed) {
      EXPECT_TRUE(greeted.view_reset);
      EXPECT_EQ(greeted.session, witness_.session);
      EXPECT_GE(greeted.last_sequence, must_resume ? witness_.acknowledged : 0);
    }
    witness_.token = greeted.token;
    witness_.session = greeted.session;
    witness_.sequence = std::max(witness_.sequence, greeted.last_sequence);
  }

  Arguments with_admin(Arguments arguments) const {
    for (const char* more : {"--admin", "true", "--admin-port", "0", "--admin-port-file"})
      arguments.emplace_back(more);
    arguments.push_back(admin_port_file().string());
    return arguments;
  }
  /// What a server that was started with_admin() says of its journal.
  Tick durable_tick() const {
    std::uint16_t port = 0;
    std::ifstream(admin_port_file()) >> port;
    const auto tick = gauge(port, "vicinity_journal_durable_tick");
    EXPECT_TRUE(tick) << "the server does not say";
    return static_cast<Tick>(tick.value_or(0));
  }
  /// Waits until the server says so of the tick, and does `meanwhile` over and over.
  bool becomes_durable(Tick tick, const std::function<void()>& meanwhile) const {
    const auto patience_ends = std::chrono::steady_clock::now() + ChildProcess::patience;
    while (durable_tick() < tick) {
      if (HasFailure() || std::chrono::steady_clock::now() > patience_ends) return false;
      meanwhile();
    }
    return true;
  }

  /// Spawns for so long, and reads what comes.
  void load(WireClient& client, Milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      const auto x = static_cast<double>(++witness_.sequence % 1000);
      if (!client.send(commands_frame(witness_.sequence, {spawn(x, 0, 0, 1)}))) return;
      const auto* message = client.next(Milliseconds(3));
      if (message != nullptr) witness_.read(*message);
    }
  }

  /// An end to the entities that were acknowledged. `must_live`: all of them are there.
  void clear(WireClient& client, bool must_live = true) {
    std::vector<MakeCommand> ends;
    const std::uint64_t first = witness_.sequence + 1;
    for (const auto& [sequence, entity] : witness_.made) ends.push_back(despawn(entity));
    witness_.made.clear();
    if (ends.empty()) return;
    witness_.sequence += ends.size();
    ASSERT_TRUE(client.send(commands_frame(first, ends)));
    while (const auto* results = client.next_of<proto::CommandResults>()) {
      if (results->errors() != nullptr) {
        for (const auto* error : *results->errors()) {
          if (must_live) ADD_FAILURE() << "an acknowledged entity is gone";
          if (error->sequence() == witness_.sequence) return;
        }
      }
      if (results->acks() == nullptr) continue;
      for (const auto* ack : *results->acks()) {
        witness_.acknowledged = std::max(witness_.acknowledged, ack->sequence());
        if (ack->sequence() == witness_.sequence) return;
      }
    }
    FAIL() << "no answer";
  }

  /// The journal is whole, comes to the same with other workers and another index, and the server
  /// goes on where it ends.
  void expect_restored(ServerProcess& server, const Replayed& before) {
    ASSERT_TRUE(server.process().wait_for_error_text("server started"));  // the log comes later
    const std::string log = server.standard_error();
    EXPECT_EQ(restored(log, "tick"), std::to_string(before.last_tick())) << log;
    EXPECT_EQ(restored(log, "hash"), before.hash()) << log;
  }

  TemporaryFolder folder_;
  Witness witness_;
};

struct Kind {
  const char* name;
  Arguments arguments;
  bool keeps_all = false;  ///< what was acknowledged
};
/// Part of the name of the test: without it the bytes of the struct are, pointers among them.
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
class EverySync : public AJournal, public testing::WithParamInterface<Kind> {};
INSTANTIATE_TEST_SUITE_P(
    Of, EverySync,
    testing::Values(
        Kind{"Tick", {"--sync", "tick", "--snapshot-interval-s", "1"}, true},
        Kind{"TickWithoutSnapshots", {"--sync", "tick", "--snapshot-interval-s", "0"}, true},
        Kind{"Interval", {"--sync-interval-ms", "20", "--snapshot-interval-s", "1"}},
        Kind{"None", {"--sync", "none", "--snapshot-interval-s", "1"}}),
    [](const auto& kind) { return kind.param.name; });

TEST_P(EverySync, AServerThatIsKilledUnderLoadGoesOn) {
  const Kind& kind = GetParam();
  SCOPED_TRACE("VICINITY_SEED=" + std::to_string(seed()));
  Prng prng(seed());
  auto server = start(kind.arguments);
  const int rounds = round_count(4);
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    {
      std::optional<WireClient> client;
      join(client, *server, kind.keeps_all);
      if (HasFatalFailure()) return;
      clear(*client, kind.keeps_all);
      load(*client, Milliseconds(100 + prng.below(900)));
      kill(*server);
      // What was on its way is told, too.
      while (const auto* message = client->next(Milliseconds(200))) witness_.read(*message);
    }
    if (prng.chance(0.3)) {  // once more while it starts
      ChildProcess early("vicinity-server", arguments({"--port", "0"}));
      std::this_thread::sleep_for(Milliseconds(prng.below(80)));
      early.signal(SIGKILL);
      early.wait();
    }
    const Replayed before = replay(journal());
    ASSERT_EQ(before.code, 0) << before.error;
    const Replayed other = replay(journal(), {"--workers", "8", "--index", "sweep"});
    EXPECT_EQ(other.code, 0);
    EXPECT_EQ(other.hash(), before.hash());
    if (kind.keeps_all && witness_.told_tick > 0) {
      ASSERT_GE(before.last_tick(), witness_.told_tick);
      if (before.base_tick() <= witness_.told_tick) {
        const Replayed told = replay(journal(), {"--to-tick", std::to_string(witness_.told_tick)});
        EXPECT_EQ(told.code, 0) << told.error;
        EXPECT_EQ(told.hash(), hex(witness_.told_hash));
      }
    }
    server = start(kind.arguments);
    ASSERT_NE(server->port(), 0);
    expect_restored(*server, before);
  }
  EXPECT_EQ(server->stop(), "");
  EXPECT_EQ(replay(journal()).code, 0);
}

/// How much is lost is a matter of the disk, but not whether what the server says of it is so: what
/// was told gets into the journal while more comes, and what is in it outlives the process.
TEST_P(EverySync, AServerThatIsKilledLosesNoTickThatItSaidToBeDurable) {
  const Kind& kind = GetParam();
  SCOPED_TRACE("VICINITY_SEED=" + std::to_string(seed()));
  Prng prng(seed());
  auto server = start(with_admin(kind.arguments));
  const int rounds = round_count(2);
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Tick durable = 0;
    {
      std::optional<WireClient> client;
      join(client, *server, kind.keeps_all);
      if (HasFatalFailure()) return;
      load(*client, Milliseconds(100 + prng.below(300)));
      while (witness_.told_tick == 0) {
        const auto* message = client->next();
        ASSERT_NE(message, nullptr);
        witness_.read(*message);
      }
      ASSERT_TRUE(becomes_durable(witness_.told_tick, [&] { load(*client, Milliseconds(5)); }));
      load(*client, Milliseconds(prng.below(100)));
      durable = durable_tick();
      kill(*server);
      while (const auto* message = client->next(Milliseconds(200))) witness_.read(*message);
    }
    const Replayed before = replay(journal());
    ASSERT_EQ(before.code, 0) << before.error;
    EXPECT_GE(before.last_tick(), durable);
    server = start(with_admin(kind.arguments));
    ASSERT_NE(server->port(), 0);
    expect_restored(*server, before);
  }
  EXPECT_EQ(server->stop(), "");
}

/// Without a tick that comes behind them. The interval is so long that what was told to be durable
/// before it is over would be lost.
TEST_F(AJournal, OnceTheLastTickIsSaidToBeDurableAKillLosesNothingWithAnySync) {
  for (const char* sync : {"none", "interval", "tick"}) {
    SCOPED_TRACE(sync);
    const Arguments arguments =
        with_admin({"--sync", sync, "--sync-interval-ms", "500", "--tick-mode", "manual"});
    auto server = start(arguments);
    Tick tick = 0;
    std::string hash;
    {
      std::optional<WireClient> client;
      join(client, *server, true);
      ASSERT_FALSE(HasFatalFailure());
      for (int i = 0; i < 10; ++i)
        client->send(commands_frame(++witness_.sequence, {spawn(3.0 * i, 0, 0, 1)}));
      ASSERT_TRUE(client->send(step_frame(1, 5)));
      while (tick == 0) {
        const auto* message = client->next();
        ASSERT_NE(message, nullptr);
        witness_.read(*message);
        const auto* done = message->body_as<proto::StepDone>();
        if (done == nullptr) continue;
        tick = done->tick();
        hash = hex(done->result_hash());
      }
      ASSERT_TRUE(becomes_durable(tick, [] { std::this_thread::sleep_for(Milliseconds(5)); }));
      kill(*server);
    }
    const Replayed before = replay(journal());
    ASSERT_EQ(before.code, 0) << before.error;
    EXPECT_EQ(before.last_tick(), tick);
    EXPECT_EQ(before.hash(), hash);
    server = start(arguments);
    ASSERT_NE(server->port(), 0);
    expect_restored(*server, before);
    {
      std::optional<WireClient> client;
      join(client, *server, true);
    }
    EXPECT_EQ(server->stop(), "");
  }
}

TEST_F(AJournal, AServerThatEndsAsAskedLosesNothingWithAnySync) {
  for (const char* sync : {"none", "interval", "tick"}) {
    auto server = start({"--sync", sync});
    {
      std::optional<WireClient> client;
      join(client, *server, true);
      ASSERT_FALSE(HasFatalFailure());
      clear(*client);
      load(*client, Milliseconds(300));
      EXPECT_EQ(server->stop(), "");
    }
    const Replayed before = replay(journal());
    ASSERT_EQ(before.code, 0) << before.error;
    EXPECT_EQ(before.report.value("without_hash", 1), 0);
    server = start({"--sync", sync});
    expect_restored(*server, before);
    EXPECT_EQ(restored(server->standard_error(), "end"), "clean");
    std::optional<WireClient> client;
    join(client, *server, true);
    ASSERT_FALSE(HasFatalFailure());
    clear(*client);
    EXPECT_EQ(server->stop(), "");
  }
}

TEST_F(AJournal, TheTickOfItsSnapshotCanBeAskedFor) {
  auto server = start({"--snapshot-interval-s", "1"});
  ASSERT_TRUE(server->process().wait_for_error_text("snapshot written"));
  EXPECT_EQ(server->stop(), "");
  const Tick base = replay(journal()).base_tick();
  ASSERT_GT(base, 0u);
  const Replayed at_base = replay(journal(), {"--to-tick", std::to_string(base)});
  EXPECT_EQ(at_base.code, 0) << at_base.error;
  EXPECT_EQ(at_base.last_tick(), base);
  EXPECT_EQ(at_base.report.value("compared", 1), 0);
  EXPECT_EQ(replay(journal(), {"--to-tick", std::to_string(base - 1)}).code, 2);
}

TEST_F(AJournal, BelongsToOneServerAtATime) {
  auto server = start();
  ChildProcess second("vicinity-server", arguments({"--port", "0"}));
  EXPECT_EQ(second.wait(), 1);
  EXPECT_THAT(second.standard_error(), HasSubstr("in use by another process"));
  EXPECT_THAT(replay(journal()).error, HasSubstr("in use by another process"));
  EXPECT_EQ(server->stop(), "");
}

TEST_F(AJournal, OtherSettingsThanThoseItWasMadeUnderAreNamed) {
  EXPECT_EQ(start()->stop(), "");
  ChildProcess other("vicinity-server", arguments({"--port", "0", "--reuse-delay-ticks", "7"}));
  EXPECT_EQ(other.wait(), 1);
  EXPECT_THAT(other.standard_error(),
              HasSubstr("reuse_delay_ticks is 64 in the journal and 7 now"));
}

TEST_F(AJournal, CutShortIsRefusedInWords) {
  auto server = start({"--sync", "tick"});
  {
    std::optional<WireClient> client;
    join(client, *server, true);
    ASSERT_FALSE(HasFatalFailure());
    load(*client, Milliseconds(500));
  }
  EXPECT_EQ(server->stop(), "");
  const auto file = journal() / "journal.mdb";
  const auto size = std::filesystem::file_size(file);
  for (const double part : {0.1, 0.0}) {
    std::filesystem::resize_file(file,
                                 static_cast<std::uintmax_t>(static_cast<double>(size) * part));
    ChildProcess refused("vicinity-server", arguments({"--port", "0"}));
    EXPECT_EQ(refused.wait(), 1) << part;
    EXPECT_THAT(refused.standard_error(), HasSubstr("journal.mdb is "));
    EXPECT_EQ(replay(journal()).code, 2);
  }
}

}  // namespace
}  // namespace vicinity::test
