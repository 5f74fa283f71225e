// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-bots with clients of every kind, networks of every kind, and its reports: whatever some
// of the clients do, the views of the others are right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/server_process.h"

namespace vicinity::test {
namespace {

using testing::HasSubstr;
using testing::Not;
constexpr std::chrono::milliseconds run_limit{90'000};

/// The report of a run that ends with 0 and in which every view that was compared is right.
nlohmann::json run_bots(const ServerProcess& server, const Arguments& more) {
  Arguments arguments = {"--connect",        "127.0.0.1:" + std::to_string(server.port()),
                         "--report",         "json",
                         "--query-interval", "500ms",
                         "--require",        "wrong_views==0,checked_views>0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ChildProcess bots("vicinity-bots", arguments);
  EXPECT_EQ(bots.wait(run_limit), 0) << bots.standard_error() << bots.standard_output();
  auto report = nlohmann::json::parse(bots.standard_output(), nullptr, false);
  EXPECT_TRUE(report.is_object()) << bots.standard_output();
  for (const char* name :
       {"unchecked_views", "missing", "extra", "wrong_positions", "stale_updates",
        "duplicate_enters", "ghost_leaves", "ghost_updates", "version_regressions",
        "contact_errors", "wrong_contacts", "disconnects"})
    EXPECT_EQ(report[name], 0) << name << "\n" << report["wrong_examples"].dump(2);
  return report;
}

class BotsBehaviour : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Every, BotsBehaviour,
                         testing::Values("slow-reader", "stalled-reader", "reconnect-storm",
                                         "border-hugger", "spectator", "malformed", "flood"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(BotsBehaviour, LeavesTheViewsOfOthersRight) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(server, {"--bots", "20", "--duration", "3s", "--behaviours",
                                        std::string("normal:3,") + GetParam() + ":1"});
  EXPECT_THAT(report["behaviours"].get<std::string>(), HasSubstr(GetParam()));
  EXPECT_EQ(server.stop(), "");
}

TEST(BotsMixed, ReconnectStormsComeBackAgainAndAgain) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(
      server, {"--bots", "10", "--duration", "4s", "--behaviours", "normal:1,reconnect-storm:1"});
  EXPECT_GE(report["cuts"], 5);
  EXPECT_GE(report["reconnects"], 5);
}

TEST(BotsMixed, MalformedClientsAreThrownOutByCode) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(
      server, {"--bots", "12", "--duration", "4s", "--behaviours", "normal:1,malformed:2"});
  EXPECT_GE(report["hostile_evictions_by_code"]["BadFrame"], 1) << report.dump(2);
  EXPECT_GE(report["hostile_evictions_by_code"]["FrameTooLarge"], 1) << report.dump(2);
  EXPECT_EQ(report["evictions"], 0);
  EXPECT_EQ(server.stop(), "");
}

TEST(BotsMixed, ABadNetworkShowsInLatenciesAndNotInViews) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(server, {"--bots", "12", "--duration", "5s", "--net",
                                        "delay=60ms,jitter=20ms,bandwidth=4mbit,cut-every=2s"});
  EXPECT_GE(report["cuts"], 3);
  EXPECT_GE(report["update_age_p50_ms"], 40);     // the delay less the jitter
  EXPECT_GE(report["query_latency_p50_ms"], 80);  // both ways
}

TEST(BotsMixed, OpenLoopBotsActByTheClock) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(server, {"--bots", "10", "--duration", "3s", "--schedule", "open"});
  EXPECT_EQ(report["schedule"], "open");
  EXPECT_GT(report["commands"], 100);
  EXPECT_FALSE(report["command_echo_p50_ms"].is_null());
}

TEST(BotsMixed, APopulationLivesBesideTheBotsAndLeavesWithThem) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const auto report = run_bots(
      server, {"--bots", "10", "--entities", "2000", "--duration", "3s", "--check-share", "0.5"});
  EXPECT_EQ(report["entities"], 2'010);
  EXPECT_GT(report["enters"], 0);
  const auto after = run_bots(server, {"--bots", "3", "--duration", "1s"});
  EXPECT_EQ(after["entities"], 3);
}

TEST(BotsMixed, WithoutACheckNothingIsCompared) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  ChildProcess bots("vicinity-bots",
                    {"--connect", "127.0.0.1:" + std::to_string(server.port()), "--bots", "10",
                     "--duration", "1s", "--check", "none", "--report", "json"});
  EXPECT_EQ(bots.wait(run_limit), 0) << bots.standard_error();
  const auto report = nlohmann::json::parse(bots.standard_output(), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["checked_views"], 0);
  EXPECT_GT(report["frames"], 100);
}

TEST(BotsMixed, ReportsMergeCompareAndDraw) {
  ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const TemporaryFolder folder;
  const std::string a = folder.path() / "a.json";
  const std::string b = folder.path() / "b.json";
  const std::string page = folder.path() / "page.html";
  ChildProcess first("vicinity-bots",
                     {"--connect", "127.0.0.1:" + std::to_string(server.port()), "--bots", "3",
                      "--duration", "1s", "--report", "json", "--out", a});
  ASSERT_EQ(first.wait(run_limit), 0) << first.standard_error();
  ChildProcess second("vicinity-bots",
                      {"--connect", "127.0.0.1:" + std::to_string(server.port()), "--bots", "4",
                       "--duration", "1s", "--report", "json", "--out", b, "--baseline", a});
  ASSERT_EQ(second.wait(run_limit), 0) << second.standard_error();
  ChildProcess merge("vicinity-bots", {"merge", a, b, "--report", "json", "--require", "bots==7"});
  EXPECT_EQ(merge.wait(run_limit), 0) << merge.standard_error();
  const auto merged = nlohmann::json::parse(merge.standard_output(), nullptr, false);
  ASSERT_TRUE(merged.is_object()) << merge.standard_output();
  EXPECT_EQ(merged["processes"], 2);
  ChildProcess draw("vicinity-bots", {"merge", a, b, "--report", "html", "--out", page});
  EXPECT_EQ(draw.wait(run_limit), 0) << draw.standard_error();
  std::stringstream html;
  html << std::ifstream(page).rdbuf();
  EXPECT_THAT(html.str(), HasSubstr("<svg"));
  EXPECT_THAT(html.str(), Not(HasSubstr("<script")));
  ChildProcess broken("vicinity-bots", {"merge", a, page});
  EXPECT_EQ(broken.wait(run_limit), 2);
  EXPECT_THAT(broken.standard_error(), HasSubstr("is no report"));
}

TEST(BotsMixed, MetricsAreListed) {
  ChildProcess list("vicinity-bots", {"--list-metrics"});
  EXPECT_EQ(list.wait(run_limit), 0);
  EXPECT_THAT(list.standard_output(), HasSubstr("stale_updates"));
  EXPECT_THAT(list.standard_output(), HasSubstr("command_echo_p999_ms"));
}

}  // namespace
}  // namespace vicinity::test
