// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-query against a real server: what it prints, and its exit codes.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/asio.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "client/blocking.h"
#include "support/server_process.h"

namespace vicinity {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

Outcome run_tool(const test::Arguments& arguments) {
  test::ChildProcess tool("vicinity-query", arguments);
  Outcome outcome;
  outcome.exit_code = tool.wait().value_or(-1);
  outcome.out = tool.standard_output();
  outcome.err = tool.standard_error();
  return outcome;
}

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) values.push_back(nlohmann::json::parse(line));
  return values;
}

/// A server in manual tick mode with three boxes of half size 1 at x = 0, 1.5 and 10; user data
/// 100, 101 and 102, the last one of category 2.
class QueryToolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(server_.port(), 0) << server_.standard_error();
    client::ConnectOptions options;
    options.port = server_.port();
    options.role = Role::Authority;
    const auto welcome = session_.connect(options);
    ASSERT_TRUE(welcome.ok());
    session_id_ = welcome.value().session;
    std::vector<CommandBody> commands;
    std::uint64_t user_data = 100;
    for (const double x : {0.0, 1.5, 10.0}) {
      SpawnCommand spawn;
      spawn.position = {x, 0, 0};
      spawn.shape = Shape::box({1, 1, 1});
      spawn.filter.category = x == 10.0 ? 2 : 1;
      spawn.user_data = user_data++;
      commands.emplace_back(spawn);
    }
    session_.send(commands);
    ASSERT_TRUE(session_.step().ok());
    for (const auto& outcome : session_.take_outcomes()) ids_.push_back(outcome.entity);
    ASSERT_EQ(ids_.size(), 3u);
  }

  Outcome ask(test::Arguments arguments) {
    arguments.insert(arguments.begin(),
                     {"--connect", "127.0.0.1:" + std::to_string(server_.port())});
    return run_tool(arguments);
  }
  /// User data of the hits of the only answer, in order.
  std::vector<std::uint64_t> hits(test::Arguments arguments) {
    arguments.emplace_back("--json");
    const Outcome outcome = ask(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto answers = json_lines(outcome.out);
    EXPECT_EQ(answers.size(), 1u) << outcome.out;
    std::vector<std::uint64_t> found;
    if (answers.size() == 1)
      for (const auto& hit : answers[0].at("hits")) found.push_back(hit.at("user_data"));
    return found;
  }

  test::ServerProcess server_{{"--tick-mode", "manual"}};
  client::BlockingClient session_;
  SessionId session_id_;
  std::vector<EntityId> ids_;
};

using Hits = std::vector<std::uint64_t>;

TEST_F(QueryToolTest, AnswersEveryKindOfQuery) {
  EXPECT_EQ(hits({"sphere", "0,0,0", "5"}), (Hits{100, 101}));
  EXPECT_EQ(hits({"box", "-1,-1,-1", "20,1,1"}), (Hits{100, 101, 102}));
  EXPECT_EQ(hits({"ray", "20,0,0", "-1,0,0"}), Hits{});
  EXPECT_EQ(hits({"ray", "20,0,0", "-1,0,0", "--max-t", "18"}), (Hits{102, 101}));
  EXPECT_EQ(hits({"cast", "19,0,0", "20,1,1", "-9,0,0"}), Hits{102});
  EXPECT_EQ(hits({"nearest", "12,0,0", "2"}), (Hits{102, 101}));
  EXPECT_EQ(hits({"nearest", "12,0,0", "2", "--max-distance", "3"}), Hits{102});
  EXPECT_EQ(hits({"contacts", std::to_string(ids_[0].raw())}), Hits{101});
  const std::string name =
      std::to_string(ids_[1].index()) + ":" + std::to_string(ids_[1].generation());
  EXPECT_EQ(hits({"contacts", name}), Hits{100});
}

std::string name_of(EntityId id) {
  return std::to_string(id.index()) + ":" + std::to_string(id.generation());
}

TEST_F(QueryToolTest, ExplainsPairs) {
  const auto explained = [this](const std::string& a, const std::string& b) {
    const Outcome outcome = ask({"explain", a, b, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto answer = json_lines(outcome.out).at(0);
    EXPECT_EQ(answer.at("tick"), 1);
    return answer.at("pair");
  };
  const auto contact = explained(name_of(ids_[1]), std::to_string(ids_[0].raw()));
  EXPECT_EQ(contact.at("stage"), "none");
  EXPECT_EQ(contact.at("in_contact"), true);
  EXPECT_EQ(contact.at("begin_tick"), 1);
  EXPECT_EQ(contact.at("gap_m"), -0.5);
  EXPECT_EQ(contact.at("a").at("id"), ids_[0].raw());
  EXPECT_EQ(contact.at("b").at("tight_box").at("min"), (nlohmann::json{0.5, -1, -1}));
  const auto apart = explained(name_of(ids_[0]), name_of(ids_[2]));
  EXPECT_TRUE(apart.at("stage") == "cell_arithmetic" || apart.at("stage") == "swept_bound");
  EXPECT_EQ(apart.at("candidate"), false);
  EXPECT_EQ(apart.at("missed"), false);
  EXPECT_TRUE(apart.contains("grid"));
  EXPECT_EQ(explained("77:3", name_of(ids_[0])).at("stage"), "gone");
  const Outcome text = ask({"explain", name_of(ids_[0]), name_of(ids_[1])});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("in contact since tick 1"), std::string::npos) << text.out;
  const Outcome other = ask({"explain", name_of(ids_[0]), name_of(ids_[2])});
  EXPECT_NE(other.out.find("rejected by: "), std::string::npos) << other.out;
  EXPECT_EQ(ask({"explain", name_of(ids_[0]), name_of(ids_[0])}).exit_code, 1);
}

TEST_F(QueryToolTest, ExplainsViewsOfOtherSessions) {
  AddAreaCommand area;
  area.observer = {3};
  area.area = {8};
  area.spec.enter_radius_m = area.spec.leave_radius_m = 5;
  session_.send({area});
  ASSERT_TRUE(session_.step().ok());
  const auto explained = [this](const std::string& observer, EntityId entity, int code = 0) {
    const Outcome outcome = ask(
        {"explain-view", std::to_string(session_id_.value), observer, name_of(entity), "--json"});
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    const bool names_the_list = outcome.err.find("/debug/sessions") != std::string::npos;
    EXPECT_EQ(names_the_list, code != 0) << outcome.err;
    return json_lines(outcome.out).at(0).at("view");
  };
  const auto seen = explained("3", ids_[1]);
  EXPECT_EQ(seen.at("stage"), "none");
  EXPECT_EQ(seen.at("hold"), "area");
  EXPECT_EQ(seen.at("in_view"), true);
  EXPECT_EQ(seen.at("entered"), 2);
  EXPECT_EQ(seen.at("told"), true);
  EXPECT_EQ(seen.at("visible_count"), 2);
  const auto unseen = explained("3", ids_[2]);
  EXPECT_EQ(unseen.at("stage"), "area");
  EXPECT_EQ(unseen.at("areas").at(0).at("area"), 8);
  EXPECT_EQ(unseen.at("areas").at(0).at("distance_m"), 9.0);
  EXPECT_EQ(explained("4", ids_[1], 1).at("stage"), "no_observer");
  const Outcome text =
      ask({"explain-view", std::to_string(session_id_.value), "3", std::to_string(ids_[2].raw())});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("kept away by: area"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("distance 9 m"), std::string::npos) << text.out;
  // It stands still: no interval of its updates has been reckoned.
  const Outcome told =
      ask({"explain-view", std::to_string(session_id_.value), "3", name_of(ids_[1])});
  EXPECT_NE(told.out.find("told: last in tick 2\n"), std::string::npos) << told.out;
}

TEST_F(QueryToolTest, ExplainsThatAnEnterWaitsForRoom) {
  std::vector<CommandBody> commands;
  for (int i = 0; i < 200; ++i) {
    SpawnCommand spawn;
    spawn.position = {100.0 + i, 0, 50};
    spawn.shape = Shape::sphere(0.1);
    commands.emplace_back(spawn);
  }
  session_.send(commands);
  ASSERT_TRUE(session_.step().ok());
  std::vector<EntityId> crowd;
  for (const auto& outcome : session_.take_outcomes()) crowd.push_back(outcome.entity);
  client::ConnectOptions narrow;
  narrow.port = server_.port();
  narrow.budget_bytes_per_s = 20'000;  // 1000 bytes a tick: some five entities
  client::BlockingClient observer;
  const auto welcome = observer.connect(narrow);
  ASSERT_TRUE(welcome.ok());
  AddAreaCommand area;
  area.spec.centre = {200, 0, 50};
  area.spec.enter_radius_m = area.spec.leave_radius_m = 500;
  observer.send({area});
  ASSERT_TRUE(observer.ping().ok());  // the server has the command
  ASSERT_TRUE(session_.step().ok());
  std::size_t waiting = 0;
  std::size_t told = 0;
  for (const EntityId entity : crowd) {
    const auto answer = session_.query({ExplainViewQuery{welcome.value().session, {}, entity}});
    ASSERT_TRUE(answer.ok() && answer.value().view) << answer.error().text;
    const ViewExplanation& view = *answer.value().view;
    EXPECT_TRUE(view.in_view);
    EXPECT_EQ(view.hold, ViewHold::Area);
    EXPECT_EQ(view.stage, view.told.told ? ViewStage::None : ViewStage::Budget);
    (view.told.told ? told : waiting) += 1;
  }
  EXPECT_GT(waiting, 0u);
  EXPECT_EQ(waiting + told, 200u);
}

TEST_F(QueryToolTest, QuestionsAboutNobodyAreAnswered) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const EntityId nobody = EntityId::from_raw(i * 0x9E37'79B9'7F4A'7C15u + 1);
    const auto pair = session_.query({ExplainPairQuery{nobody, EntityId(~0u - 1, 5)}});
    ASSERT_TRUE(pair.ok()) << pair.error().text;
    EXPECT_EQ(pair.value().pair.value().stage, ExplainStage::Gone);
    const auto view = session_.query({ExplainViewQuery{{i}, {7}, nobody}});
    ASSERT_TRUE(view.ok()) << view.error().text;
    EXPECT_EQ(view.value().view.value().stage, ViewStage::NoObserver);
  }
  client::ConnectOptions options;
  options.port = server_.port();
  client::BlockingClient curious;
  ASSERT_TRUE(curious.connect(options).ok());
  const auto refused = curious.query({ExplainViewQuery{session_id_, {}, ids_[0]}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::WrongRole);
  EXPECT_TRUE(curious.query({ExplainViewQuery{{}, {}, ids_[0]}}).ok());
}

TEST_F(QueryToolTest, FiltersAndLimits) {
  EXPECT_EQ(hits({"sphere", "0,0,0", "50", "--category-mask", "2"}), Hits{102});
  EXPECT_EQ(hits({"sphere", "0,0,0", "50", "--instance", "1"}), Hits{});
  const Outcome cut = ask({"sphere", "0,0,0", "50", "--limit", "1", "--json"});
  const auto answer = json_lines(cut.out).at(0);
  EXPECT_EQ(answer.at("complete"), false);
  EXPECT_EQ(answer.at("hits").size(), 1u);
}

TEST_F(QueryToolTest, JsonCarriesEveryField) {
  const Outcome outcome = ask({"--json", "ray", "20,0,0", "-10,0,0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto answer = json_lines(outcome.out).at(0);
  EXPECT_EQ(answer.at("tick"), 1);
  EXPECT_GE(answer.at("index_version"), 1);
  EXPECT_EQ(answer.at("complete"), true);
  const auto& hit = answer.at("hits").at(0);
  EXPECT_EQ(hit.at("id").get<std::uint64_t>(), ids_[2].raw());
  EXPECT_EQ(hit.at("position"), nlohmann::json({10.0, 0.0, 0.0}));
  EXPECT_DOUBLE_EQ(hit.at("value").get<double>(), 0.9);
  EXPECT_EQ(hit.at("user_data"), 102);
}

TEST_F(QueryToolTest, TextNamesTickAndVersionAndHits) {
  const Outcome outcome = ask({"sphere", "10,0,0", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("tick 1, index version "), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find(": 1 hit, complete\n"), std::string::npos) << outcome.out;
  const std::string id = std::to_string(ids_[2].index()) + ":" +
                         std::to_string(ids_[2].generation()) + " (raw " +
                         std::to_string(ids_[2].raw()) + ")";
  EXPECT_NE(outcome.out.find(id), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("user data 102"), std::string::npos) << outcome.out;
}

TEST_F(QueryToolTest, WatchAsksAgain) {
  const Outcome outcome =
      ask({"sphere", "0,0,0", "5", "--watch", "--interval", "20ms", "--count", "3", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json_lines(outcome.out).size(), 3u);
}

TEST_F(QueryToolTest, InterruptEndsWatchCleanly) {
  test::ChildProcess tool("vicinity-query",
                          {"--connect", "127.0.0.1:" + std::to_string(server_.port()), "sphere",
                           "0,0,0", "5", "--watch", "--interval", "10ms"});
  const auto until = std::chrono::steady_clock::now() + test::ChildProcess::patience;
  while (tool.standard_output().empty() && std::chrono::steady_clock::now() < until) {
    session_.run_for(5);
  }
  ASSERT_FALSE(tool.standard_output().empty());
  tool.signal(SIGINT);
  EXPECT_EQ(tool.wait(), 0) << tool.standard_error();
}

/// A watch on `server` that has printed an answer.
std::unique_ptr<test::ChildProcess> started_watch(const test::ServerProcess& server) {
  auto tool = std::make_unique<test::ChildProcess>(
      "vicinity-query", test::Arguments{"--connect", "127.0.0.1:" + std::to_string(server.port()),
                                        "sphere", "0,0,0", "5", "--watch", "--interval", "10ms"});
  const auto until = std::chrono::steady_clock::now() + test::ChildProcess::patience;
  while (tool->standard_output().empty() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(tool->standard_output().empty()) << tool->standard_error();
  return tool;
}

TEST(QueryTool, AWatchSaysWhyItEndsWithTheServer) {
  test::ServerProcess stopped;
  const auto told = started_watch(stopped);
  EXPECT_EQ(stopped.stop(), "");
  EXPECT_EQ(told->wait(), 1);
  EXPECT_EQ(told->standard_error().find("vicinity-query: ServerStopping: "), 0u);
  EXPECT_NE(told->standard_error().find("; the watch ends after "), std::string::npos)
      << told->standard_error();

  test::ServerProcess killed;
  const auto left = started_watch(killed);
  killed.process().signal(SIGKILL);
  EXPECT_EQ(left->wait(), 1);
  EXPECT_NE(left->standard_error().find("connection"), std::string::npos) << left->standard_error();
  EXPECT_NE(left->standard_error().find("; the watch ends after "), std::string::npos);
}

TEST_F(QueryToolTest, AnAnswerThatCannotBeWrittenIsAnError) {
  const std::string command =
      std::string(VICINITY_BINARY_DIR) +
      "/vicinity-query --connect 127.0.0.1:" + std::to_string(server_.port()) +
      " sphere 0,0,0 5 > /dev/full 2> /dev/null";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST_F(QueryToolTest, RefusedQueryIsAnErrorWithItsCode) {
  const Outcome outcome = ask({"ray", "0,0,0", "0,0,0"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("InvalidQuery"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST_F(QueryToolTest, ItSaysGoodbyeAfterAnErrorToo) {
  EXPECT_EQ(ask({"ray", "0,0,0", "0,0,0"}).exit_code, 1);
  ASSERT_TRUE(server_.process().wait_for_error_text("session closed")) << server_.standard_error();
  EXPECT_EQ(server_.standard_error().find("session parked"), std::string::npos);
}

TEST(QueryTool, UnreachableServerIsNamed) {
  std::uint16_t port = 0;
  {
    test::ServerProcess gone;
    port = gone.port();
    // Killed instead, its listener would live for the moment in which the kernel ends its ring.
    EXPECT_EQ(gone.stop(), "");
  }
  const Outcome outcome =
      run_tool({"--connect", "127.0.0.1:" + std::to_string(port), "sphere", "0,0,0", "1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "vicinity-query: cannot connect to 127.0.0.1:" + std::to_string(port) +
                             ": connection refused\n");
}

/// Accepts connections into its backlog and never says anything.
class SilentServer {
 public:
  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  void accept() { acceptor_.accept(socket_); }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
  boost::asio::ip::tcp::socket socket_{io_};
};

TEST(QueryTool, InterruptEndsAWaitAtOnce) {
  for (const bool watch : {false, true}) {
    SilentServer server;
    test::Arguments arguments{"--connect", server.address(), "sphere", "0,0,0",
                              "1",         "--timeout",      "1h"};
    if (watch) arguments.emplace_back("--watch");
    test::ChildProcess tool("vicinity-query", arguments);
    server.accept();  // so it has begun to wait
    tool.signal(SIGINT);
    EXPECT_EQ(tool.wait(), 128 + SIGINT) << tool.standard_error();
  }
}

TEST(QueryTool, WrongUsageIsTwo) {
  const test::Arguments mistakes[] = {{},
                                      {"sphere"},
                                      {"sphere", "0,0", "1"},
                                      {"sphere", "0,0,0", "wide"},
                                      {"sphere", "0,0,0", "1", "--limit", "0"},
                                      {"sphere", "0,0,0", "1", "--limit", "8193"},
                                      {"sphere", "0,0,0", "1", "--interval", "soon"},
                                      {"sphere", "0,0,0", "1", "--interval", "500"},
                                      {"sphere", "0,0,0", "1", "--timeout", "0s"},
                                      {"sphere", "0,0,0", "1", "--count", "3"},
                                      {"sphere", "0,0,0", "1", "--interval", "1s"},
                                      {"--connect", "nowhere", "sphere", "0,0,0", "1"},
                                      {"contacts", "tree"},
                                      {"explain", "0:1"},
                                      {"explain", "0:1", "tree"},
                                      {"explain-view", "0", "0"},
                                      {"explain-view", "self", "0", "0:1"},
                                      {"nearest", "0,0,0", "1", "--max-distance", "-1"},
                                      {"cube", "0,0,0"}};
  for (const auto& arguments : mistakes) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_FALSE(outcome.err.empty()) << ::testing::PrintToString(arguments);
  }
}

TEST(QueryTool, OptionsOfAWatchNeedOne) {
  for (const char* option : {"--count=3", "--interval=1s"}) {
    const Outcome outcome = run_tool({option, "sphere", "0,0,0", "1"});
    EXPECT_EQ(outcome.exit_code, 2);
    const std::string name(option, std::string_view(option).find('='));
    EXPECT_NE(outcome.err.find(name + " requires --watch"), std::string::npos) << outcome.err;
  }
}

TEST(QueryTool, AWatchHasOneAnswerOrMore) {
  for (const char* option : {"--count=0", "--count=-1"}) {
    const Outcome outcome = run_tool({"sphere", "0,0,0", "1", "--watch", option});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("--count"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("range"), std::string::npos) << outcome.err;
  }
}

TEST(QueryTool, HelpAndVersionAreAnswers) {
  const Outcome help = run_tool({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
}

TEST(EveryProgram, SaysTheVersionAndBuildOfTheServer) {
  const auto version_of = [](const std::string& program) {
    test::ChildProcess tool(program, {"--version"});
    EXPECT_EQ(tool.wait(), 0) << program;
    const std::string said = tool.standard_output();
    EXPECT_EQ(said.find(program + " "), 0u) << said;
    return said.substr(std::min(said.size(), program.size()));
  };
  const std::string version = version_of("vicinity-server");
  EXPECT_NE(version.find('+'), std::string::npos) << version;
  for (const char* tool : {"vicinity-query", "vicinity-bots", "vicinity-token", "vicinity-replay"})
    EXPECT_EQ(version_of(tool), version) << tool;
}

}  // namespace
}  // namespace vicinity
