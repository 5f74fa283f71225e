// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Start, stop, settings, logs and exit codes of the vicinity-server program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/server_process.h"
#include "wire_client.h"

namespace vicinity::test {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;
constexpr std::chrono::milliseconds stop_limit{2'000};

constexpr int exit_failed = 1;
constexpr int exit_wrong_settings = 2;

// --- Signals ---------------------------------------------------------------------------------

class StopSignal : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Both, StopSignal, testing::Values(SIGTERM, SIGINT));

TEST_P(StopSignal, TellsEveryClientAndExitsWithZeroInTime) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  std::vector<WireClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.emplace_back(server.port());
    ASSERT_TRUE(clients.back().join());
  }
  const auto begin = Clock::now();
  server.process().signal(GetParam());
  for (auto& client : clients) {
    const auto* closing = client.next_of<proto::Closing>();
    ASSERT_NE(closing, nullptr);
    EXPECT_EQ(closing->code(), proto::ErrorCode::ServerStopping);
    EXPECT_GT(closing->retry_after_ms(), 0u);
    EXPECT_NE(closing->text()->str(), "");
    EXPECT_EQ(client.next(), nullptr);  // it is the last message
    client.socket().close();
  }
  EXPECT_EQ(server.process().wait(), 0);
  EXPECT_LT(Clock::now() - begin, stop_limit);
}

TEST_P(StopSignal, ExitsWithZeroInTimeThoughClientsHang) {
  ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient hanging(server.port());
  ASSERT_TRUE(hanging.join());
  const RawSocket silent = RawSocket::connected(server.port());
  const auto begin = Clock::now();
  server.process().signal(GetParam());
  EXPECT_EQ(server.process().wait(), 0);
  EXPECT_LT(Clock::now() - begin, stop_limit);
}

TEST_P(StopSignal, ASecondOneExitsAtOnce) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient hanging(server.port());  // holds the first stop up for its drain time
  ASSERT_TRUE(hanging.join());
  server.process().signal(GetParam());
  ASSERT_TRUE(server.process().wait_for_error_text("server stops"));
  server.process().signal(GetParam());
  EXPECT_EQ(server.process().wait(), 128 + GetParam());
  EXPECT_EQ(server.standard_error().find("server stopped"), std::string::npos);
}

TEST(ServerStop, EndsALongStepRequestAfterTheTickThatRuns) {
  ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  WireClient authority(server.port());
  ASSERT_TRUE(authority.join());
  Bytes steps;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    const Bytes frame = step_frame(i, 10'000);
    steps.insert(steps.end(), frame.begin(), frame.end());
  }
  ASSERT_TRUE(authority.send(steps));
  ASSERT_NE(authority.next_of<proto::Frame>(), nullptr);
  const auto begin = Clock::now();
  server.process().signal(SIGTERM);
  EXPECT_EQ(server.process().wait(), 0);
  EXPECT_LT(Clock::now() - begin, stop_limit);
}

// --- Start -----------------------------------------------------------------------------------

TEST(ServerStart, WritesThePortFileWholeAndLeavesNothingBesideIt) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "port";
  ChildProcess server("vicinity-server", {"--port", "0", "--port-file", file.string()});
  ASSERT_TRUE(server.wait_for_error_text("server started"));
  std::uint16_t port = 0;
  for (const auto end = Clock::now() + ChildProcess::patience; port == 0 && Clock::now() < end;)
    std::ifstream(file) >> port;
  WireClient client(port);
  EXPECT_TRUE(client.join());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1);
}

TEST(ServerStart, FailsWithAClearMessageWhenThePortIsTaken) {
  ServerProcess first;
  ASSERT_NE(first.port(), 0) << first.standard_error();
  ChildProcess second("vicinity-server", {"--port", std::to_string(first.port())});
  EXPECT_EQ(second.wait(), exit_failed);
  EXPECT_THAT(second.standard_error(), HasSubstr("127.0.0.1"));
  EXPECT_THAT(second.standard_error(), HasSubstr(std::to_string(first.port())));
  EXPECT_THAT(second.standard_error(), HasSubstr("in use"));
}

/// The kernel may hold the listener for a moment after the process, with io_uring above all.
TEST(ServerStart, TakesThePortOfAServerThatWasKilledAtOnce) {
  for (int round = 0; round < 5; ++round) {
    ServerProcess first;
    ASSERT_NE(first.port(), 0) << first.standard_error();
    WireClient client(first.port());
    ASSERT_TRUE(client.join());
    const std::string port = std::to_string(first.port());
    first.process().signal(SIGKILL);
    ChildProcess second("vicinity-server", {"--port", port});
    EXPECT_TRUE(second.wait_for_error_text("server started")) << second.standard_error();
    second.signal(SIGTERM);
    EXPECT_EQ(second.wait(), 0);
  }
}

TEST(ServerStart, FailsWhenThePortFileCannotBeWritten) {
  ChildProcess server("vicinity-server",
                      {"--port", "0", "--port-file", "/nonexistent-folder/port"});
  EXPECT_EQ(server.wait(), exit_failed);
  EXPECT_THAT(server.standard_error(), HasSubstr("/nonexistent-folder/port"));
}

TEST(ServerStart, RefusesAFolderOfOtherThingsForItsJournal) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "passwd") << "root";
  ChildProcess server("vicinity-server", {"--port", "0", "--journal", folder.path()});
  EXPECT_EQ(server.wait(), exit_wrong_settings);
  EXPECT_THAT(server.standard_error(),
              testing::AllOf(HasSubstr("journal_dir"), HasSubstr(folder.path().string())));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "lock"));
}

TEST(ServerStart, RefusesWrongSettingsFromEverySource) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "server.toml").string();
  std::ofstream(file) << "port = 7420\ntick_rate_hz = 1000\n";
  ChildProcess by_file("vicinity-server", {"--config", file});
  EXPECT_EQ(by_file.wait(), exit_wrong_settings);
  EXPECT_THAT(by_file.standard_error(),
              testing::AllOf(HasSubstr(file + ":2"), HasSubstr("tick_rate_hz"),
                             HasSubstr("from 1 to 240")));
  ChildProcess by_flag("vicinity-server", {"--tick-rate-hz", "0"});
  EXPECT_EQ(by_flag.wait(), exit_wrong_settings);
  EXPECT_THAT(by_flag.standard_error(),
              testing::AllOf(HasSubstr("--tick-rate-hz"), HasSubstr("from 1 to 240")));
  ChildProcess by_variable("vicinity-server", {}, {{"VICINITY_TICK_RATE_HZ", "fast"}});
  EXPECT_EQ(by_variable.wait(), exit_wrong_settings);
  EXPECT_THAT(by_variable.standard_error(),
              testing::AllOf(HasSubstr("VICINITY_TICK_RATE_HZ"), HasSubstr("from 1 to 240")));
  ChildProcess unknown("vicinity-server", {"--tick-rate", "20"});
  EXPECT_EQ(unknown.wait(), exit_wrong_settings);
  EXPECT_THAT(unknown.standard_error(), HasSubstr("--tick-rate"));
}

TEST(ServerStart, ListensBeyondLoopbackOnlyWhenToldThatThisIsInsecure) {
  ChildProcess refused("vicinity-server", {"--listen-address", "0.0.0.0", "--port", "0"});
  EXPECT_EQ(refused.wait(), exit_wrong_settings);
  EXPECT_THAT(refused.standard_error(), HasSubstr("--insecure"));
  ServerProcess allowed({"--listen-address", "0.0.0.0", "--insecure"});
  ASSERT_NE(allowed.port(), 0) << allowed.standard_error();
  EXPECT_TRUE(allowed.process().wait_for_error_text("warning insecure"))
      << allowed.standard_error();
}

TEST(ServerStart, PrintsSettingsThatItReadsBack) {
  ChildProcess first("vicinity-server", {"--print-config", "--tick-rate-hz", "33", "--insecure"},
                     {{"VICINITY_ROW_SIZE_M", "12.5"}});
  ASSERT_EQ(first.wait(), 0);
  EXPECT_THAT(first.standard_output(), HasSubstr("\ntick_rate_hz = 33\n"));
  EXPECT_THAT(first.standard_output(), HasSubstr("\nrow_size_m = 12.5\n"));
  EXPECT_THAT(first.standard_output(), HasSubstr("\ninsecure = true\n"));
  const auto file = (first.folder() / "out").string();
  ChildProcess second("vicinity-server", {"--print-config", "--config", file});
  ASSERT_EQ(second.wait(), 0) << second.standard_error();
  EXPECT_EQ(second.standard_output(), first.standard_output());
}

TEST(ServerStart, PrintsHelpAndVersionAndEnds) {
  ChildProcess help("vicinity-server", {"--help"});
  EXPECT_EQ(help.wait(), 0);
  EXPECT_THAT(help.standard_output(), HasSubstr("--tick-rate-hz"));
  EXPECT_THAT(help.standard_output(), HasSubstr("VICINITY_TICK_RATE_HZ"));
  ChildProcess version("vicinity-server", {"--version"});
  EXPECT_EQ(version.wait(), 0);
  EXPECT_THAT(version.standard_output(),
              testing::MatchesRegex("vicinity-server [0-9]+\\.[0-9]+\\.[0-9]+\\+[0-9A-Za-z.-]+\n"));
}

// --- Logs ------------------------------------------------------------------------------------

TEST(ServerLog, IsOneJsonObjectPerLineWhateverClientsCallThemselves) {
  ServerProcess server({"--log-format", "json"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const char* name = "evil\"name\\\n{\"level\":\"error\"}\x01\xff";
  {
    WireClient client(server.port());
    HelloOptions options{proto::Role::Player};
    options.name = name;
    ASSERT_TRUE(client.join(options));
    ASSERT_TRUE(client.send(goodbye_frame()));
    EXPECT_EQ(client.farewell(), ErrorCode::None);
  }
  ASSERT_TRUE(server.process().wait_for_error_text("session closed"));
  server.process().signal(SIGTERM);
  ASSERT_EQ(server.process().wait(), 0);
  std::istringstream lines(server.standard_error());
  std::vector<std::string> messages;
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(object.is_object()) << line;
    EXPECT_TRUE(object.contains("time") && object.contains("level")) << line;
    messages.push_back(object.at("message"));
    if (messages.back() == "session open") {
      EXPECT_EQ(object.at("role"), "player");
      EXPECT_THAT(object.at("client").get<std::string>(), HasSubstr("evil\"name\\\n"));
    }
  }
  EXPECT_THAT(messages, testing::ElementsAre("server started", "session open", "session closed",
                                             "server stops", "server stopped"));
}

TEST(ServerLog, NamesTheCauseOfEveryEndOfASession) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  {
    WireClient client(server.port());
    ASSERT_TRUE(client.join());
    ASSERT_TRUE(client.send(hello_frame()));
    EXPECT_EQ(client.farewell(), ErrorCode::BadFrame);
  }
  EXPECT_TRUE(server.process().wait_for_error_text("code=BadFrame"));
  {
    WireClient client(server.port());
    ASSERT_TRUE(client.join({proto::Role::Observer}));
  }
  EXPECT_TRUE(
      server.process().wait_for_error_text("code=None cause=\"the peer closed the connection\""));
}

}  // namespace
}  // namespace vicinity::test
