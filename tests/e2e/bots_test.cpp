// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The vicinity-bots program against a real server: nothing may be wrong, and its exit code tells.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/server_process.h"

namespace vicinity::test {
namespace {

using testing::HasSubstr;
constexpr int exit_held = 0;
constexpr int exit_broken = 1;
constexpr int exit_usage = 2;
/// A run waits for its bots, its duration and its goodbyes; a busy machine may double all of it.
constexpr std::chrono::milliseconds run_limit{60'000};

std::string address_of(const ServerProcess& server) {
  return "127.0.0.1:" + std::to_string(server.port());
}

nlohmann::json report_of(const ChildProcess& bots) {
  return nlohmann::json::parse(bots.standard_output(), nullptr, false);
}

class BotsScenario : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Every, BotsScenario,
                         testing::Values("walk", "crowd", "flash-mob", "teleport", "corridor"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(BotsScenario, SeesTheTruthInEveryTick) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "20", "--scenario",
                                      GetParam(), "--duration", "2s", "--report", "json",
                                      "--query-interval", "500ms", "--require", "wrong_views==0"});
  EXPECT_EQ(bots.wait(run_limit), exit_held) << bots.standard_error();
  const auto report = report_of(bots);
  ASSERT_TRUE(report.is_object()) << bots.standard_output();
  EXPECT_EQ(report["scenario"], GetParam());
  EXPECT_EQ(report["entities"], 20);
  EXPECT_GT(report["checked_views"], 20 * 20);  // 2 s are 40 ticks at 20 Hz
  EXPECT_GT(report["enters"], 0);
  EXPECT_GT(report["updates"], 0);
  EXPECT_GT(report["queries"], 0);
  for (const char* name :
       {"unchecked_views", "wrong_views", "missing", "extra", "late", "wrong_positions",
        "stale_updates", "duplicate_enters", "ghost_leaves", "ghost_updates", "version_regressions",
        "contact_errors", "wrong_contacts", "disconnects", "evictions", "command_errors",
        "query_errors"})
    EXPECT_EQ(report[name], 0) << name << "\n" << report.dump(2);
}

TEST(Bots, WriteTheReportToAFileAndProgressToStandardError) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "report.json";
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "3", "--duration",
                                      "2s", "--report", "json", "--out", file.string()});
  EXPECT_EQ(bots.wait(run_limit), exit_held) << bots.standard_error();
  EXPECT_EQ(bots.standard_output(), "");
  EXPECT_THAT(bots.standard_error(), HasSubstr("bots 3/3"));
  EXPECT_THAT(bots.standard_error(), testing::Not(HasSubstr("\r")));  // it is not a terminal
  std::ifstream stream(file);
  const auto report = nlohmann::json::parse(stream, nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["bots"], 3);
  EXPECT_TRUE(report["ok"]);
}

TEST(Bots, AFailedRequirementExitsWithOne) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "2", "--duration",
                                      "500ms", "--require", "wrong_views==0,bots>2"});
  EXPECT_EQ(bots.wait(run_limit), exit_broken);
  EXPECT_THAT(bots.standard_output(), HasSubstr("held   wrong_views==0 (is 0)"));
  EXPECT_THAT(bots.standard_output(), HasSubstr("FAILED bots>2 (is 2)"));
  EXPECT_THAT(bots.standard_output(), HasSubstr("result: FAILED"));
}

TEST(Bots, ASignalEndsTheRunEarlyWithItsReport) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "5", "--duration",
                                      "1h", "--report", "json", "--require", "wrong_views==0"});
  ASSERT_TRUE(bots.wait_for_error_text("running")) << bots.standard_error();
  bots.signal(SIGINT);
  EXPECT_EQ(bots.wait(run_limit), exit_held) << bots.standard_error();
  const auto report = report_of(bots);
  ASSERT_TRUE(report.is_object()) << bots.standard_output();
  EXPECT_TRUE(report["interrupted"]);
  EXPECT_GT(report["checked_views"], 0);
}

TEST(Bots, AStoppedServerBreaksTheRun) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "5", "--duration",
                                      "1h", "--report", "json"});
  ASSERT_TRUE(bots.wait_for_error_text("running")) << bots.standard_error();
  server.process().signal(SIGTERM);
  EXPECT_EQ(bots.wait(run_limit), exit_broken);
  EXPECT_THAT(bots.standard_error(), HasSubstr("ServerStopping"));
  const auto report = report_of(bots);
  ASSERT_TRUE(report.is_object()) << bots.standard_output();
  EXPECT_EQ(report["wrong_views"], 0);
  EXPECT_EQ(report["evictions_by_code"]["ServerStopping"], report["disconnects"]);
  EXPECT_GT(report["disconnects"], 0);
}

TEST(Bots, ARefusedSpawnBreaksTheRun) {
  ServerProcess server({"--entity-count-max", "3"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--bots", "5", "--duration",
                                      "500ms", "--report", "json"});
  EXPECT_EQ(bots.wait(run_limit), exit_broken);
  EXPECT_THAT(bots.standard_error(), HasSubstr("EntityLimit"));
  const auto report = report_of(bots);
  ASSERT_TRUE(report.is_object()) << bots.standard_output();
  EXPECT_EQ(report["entities"], 3);
  EXPECT_EQ(report["wrong_views"], 0);
}

TEST(Bots, AManualServerIsRefusedWithAdvice) {
  ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots", {"--connect", address_of(server), "--duration", "1s"});
  EXPECT_EQ(bots.wait(run_limit), exit_broken);
  EXPECT_THAT(bots.standard_output(), HasSubstr("--tick-mode timer"));
}

TEST(Bots, AnUnreachableServerExitsWithOne) {
  ChildProcess bots("vicinity-bots", {"--connect", "127.0.0.1:1", "--require", "wrong_views==0"});
  EXPECT_EQ(bots.wait(run_limit), exit_broken);
  EXPECT_THAT(bots.standard_output(), HasSubstr("127.0.0.1:1"));
  // No view was checked, so the requirement has not held either.
  EXPECT_THAT(bots.standard_output(), HasSubstr("FAILED wrong_views==0"));
}

TEST(Bots, WrongUsageExitsWithTwo) {
  const std::vector<Arguments> wrong = {
      {"--bots", "0"},
      {"--bots", "many"},
      {"--scenario", "riot"},
      {"--duration", "30"},
      {"--require", ""},
      {"--require", "luck==1"},
      {"--require", "enters<1ms"},
      {"--connect", "nowhere"},
      {"--report", "xml"},
      {"--no-such-flag"},
      {"--area-radius", "20", "--leave-radius", "10"},
      {"--enter", "5"},
      {"--replay", "walk.csv", "--bots", "3"},
      {"--out", "/nowhere/x"},
      {"--behaviours", "lazy"},
      {"--net", "delay=fast"},
      {"--rings", "5"},
      {"--baseline", "/nowhere/x"},
      {"merge"},
      {"merge", "/nowhere/x"},
  };
  for (const Arguments& arguments : wrong) {
    ChildProcess bots("vicinity-bots", arguments);
    EXPECT_EQ(bots.wait(run_limit), exit_usage) << testing::PrintToString(arguments);
    EXPECT_NE(bots.standard_error(), "") << testing::PrintToString(arguments);
  }
}

TEST(Bots, HelpAndVersionExitWithZero) {
  ChildProcess help("vicinity-bots", {"--help"});
  EXPECT_EQ(help.wait(), exit_held);
  EXPECT_THAT(help.standard_output(), HasSubstr("Examples:"));
  ChildProcess version("vicinity-bots", {"--version"});
  EXPECT_EQ(version.wait(), exit_held);
  EXPECT_THAT(version.standard_output(), HasSubstr("vicinity-bots "));
}

}  // namespace
}  // namespace vicinity::test
