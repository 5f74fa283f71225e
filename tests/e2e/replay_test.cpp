// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Recorded movement of real people and aircraft, fed to a real server over TCP: every contact and
// every enter and leave must be exactly those that a brute-force program of its own computed.
// The recordings are not part of the project: their folder is named by SHARED_DATA_DIR, or is
// shared/data beside the source; without it the tests are skipped. A named folder must exist.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "client/blocking.h"
#include "support/server_process.h"

namespace vicinity {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;

struct Recording {
  const char* name;  ///< of expected_NAME_events.csv and expected_NAME.json
  const char* file;
  const char* columns;
  const char* half_size;
  const char* observe;
  const char* enter;
  const char* leave;
  const char* steps = "gap";
  const char* statics = "";
};

constexpr Recording bottleneck{"crowd_bottleneck",
                               "crowd_bottleneck_mm.csv",
                               "frame,id,x,y",
                               "200",
                               "every:10",
                               "1500",
                               "2000"};
constexpr Recording bidirectional{"crowd_bidirectional",
                                  "crowd_bidirectional_mm.csv",
                                  "frame,id,x,y",
                                  "200",
                                  "every:10",
                                  "1500",
                                  "2000"};
constexpr Recording switzerland{"aircraft_switzerland",
                                "aircraft_switzerland.csv",
                                "t_s,id,x_m,y_m,z_m",
                                "2500",
                                "every:10",
                                "20000",
                                "25000"};
constexpr Recording spoofing{
    "gps_spoofing", "aircraft_gps_spoofing.csv", "t_s,id,x_m,y_m", "500", "ids:0", "60000", "70000",
    "distinct",     "gps_spoofing_statics.csv"};

struct Run {
  Recording recording;
  const char* index;
  friend std::ostream& operator<<(std::ostream& out, const Run& run) {
    return out << run.recording.name << " with " << run.index;
  }
};

fs::path data_folder() {
  if (const char* named = std::getenv("SHARED_DATA_DIR")) return named;
  return fs::path(VICINITY_SOURCE_DIR) / ".." / "shared" / "data";
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

class ReplayTest : public ::testing::TestWithParam<Run> {};

TEST_P(ReplayTest, GivesExactlyTheExpectedEvents) {
  const fs::path data = data_folder();
  const auto& [recording, index] = GetParam();
  if (!fs::exists(data / recording.file)) {
    ASSERT_EQ(std::getenv("SHARED_DATA_DIR"), nullptr) << "no recordings in " << data;
    GTEST_SKIP() << "no recordings in " << data << "; set SHARED_DATA_DIR";
  }
  test::ServerProcess server({"--tick-mode", "manual", "--index", index});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  test::TemporaryFolder folder;
  const fs::path events = folder.path() / "events.csv";
  test::Arguments arguments{"--connect",   "127.0.0.1:" + std::to_string(server.port()),
                            "--replay",    (data / recording.file).string(),
                            "--columns",   recording.columns,
                            "--half-size", recording.half_size,
                            "--observe",   recording.observe,
                            "--enter",     recording.enter,
                            "--leave",     recording.leave,
                            "--steps",     recording.steps,
                            "--events",    events.string()};
  if (*recording.statics != '\0') {
    arguments.emplace_back("--statics");
    arguments.push_back((data / recording.statics).string());
  }
  test::ChildProcess bots("vicinity-bots", arguments);
  ASSERT_EQ(bots.wait(minutes(15)), 0) << bots.standard_error() << server.standard_error();

  const std::string name = std::string("expected_") + recording.name;
  const auto expected = read_lines(data / (name + "_events.csv"));
  const auto actual = read_lines(events);
  ASSERT_GT(expected.size(), 100u);
  for (std::size_t line = 0; line < std::min(expected.size(), actual.size()); ++line)
    ASSERT_EQ(actual[line], expected[line]) << "line " << line + 1;
  ASSERT_EQ(actual.size(), expected.size());

  const auto counts = nlohmann::json::parse(std::ifstream(data / (name + ".json")));
  const auto text = [&](const char* key) { return std::to_string(counts.at(key).get<int>()); };
  EXPECT_NE(bots.standard_error().find("replay: " + text("ticks") + " steps, " + text("begins") +
                                       " begins, " + text("ends") + " ends, " + text("enters") +
                                       " enters, " + text("leaves") + " leaves\n"),
            std::string::npos)
      << bots.standard_error();
}

std::vector<Run> runs() {
  std::vector<Run> all;
  for (const Recording& recording : {bottleneck, bidirectional, switzerland, spoofing}) {
    for (const char* index : {"brute_force", "rows", "sweep", "auto"})
      all.push_back({recording, index});
  }
  // 1,682 entities make 1.4 million pairs in each of 8,670 ticks, which takes minutes.
  std::erase_if(all, [](const Run& run) {
    return std::string_view(run.recording.name) == spoofing.name &&
           std::string_view(run.index) == "brute_force";
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Recorded, ReplayTest, ::testing::ValuesIn(runs()), [](const auto& run) {
  return std::string(run.param.recording.name) + "_" + run.param.index;
});

// --- What a user can get wrong -------------------------------------------------------------------

/// Runs a replay of these lines; returns the exit code and what it said.
struct Outcome {
  int exit_code = -1;
  std::string text;
  std::vector<std::string> events;
};
Outcome replay(const test::ServerProcess& server, const std::string& csv,
               const test::Arguments& extra) {
  test::TemporaryFolder folder;
  const fs::path movement = folder.path() / "movement.csv";
  std::ofstream(movement) << csv;
  const fs::path events = folder.path() / "events.csv";
  test::Arguments arguments{"--connect",   "127.0.0.1:" + std::to_string(server.port()),
                            "--replay",    movement.string(),
                            "--half-size", "1",
                            "--enter",     "5",
                            "--leave",     "6",
                            "--events",    events.string()};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  test::ChildProcess bots("vicinity-bots", arguments);
  Outcome outcome;
  outcome.exit_code = bots.wait().value_or(-1);
  outcome.text = bots.standard_error();
  if (fs::exists(events)) outcome.events = read_lines(events);
  return outcome;
}

TEST(Replay, GapEndsOneIncarnationAndDropsTheListOfAnObserver) {
  test::ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  // Times 10, 20 and 40: the smallest gap is 10, so 30 and 50 are steps without rows. Entity 7 is
  // away at 20, and both touch at 10 and at 40.
  const std::string csv = "t,id,x,y\n10,7,0,0\n10,3,1,0\n20,3,1,0\n40,7,0,0\n40,3,1,0\n";
  const test::Arguments options{"--observe", "all"};
  const std::vector<std::string> expected{"tick,kind,a,b", "10,B,3,7", "10,N,3,7", "10,N,7,3",
                                          "20,E,3,7",      "20,L,3,7", "40,B,3,7", "40,N,3,7",
                                          "40,N,7,3",      "50,E,3,7"};
  for (int round = 0; round < 2; ++round) {  // a replay leaves the world empty for the next one
    const Outcome outcome = replay(server, csv, options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.events, expected);
  }
}

TEST(Replay, DistinctStepsEndWithTheLastTime) {
  test::ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const std::string csv = "t,id,x,y\n10,7,0,0\n10,3,1,0\n17,7,0,0\n17,3,1,0\n";
  const std::vector<std::string> expected{"tick,kind,a,b", "10,B,3,7"};
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = replay(server, csv, {"--steps", "distinct"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.events, expected);
  }
}

TEST(Replay, OpensTheEventsFileBeforeTheRun) {
  test::ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  test::TemporaryFolder folder;
  const fs::path movement = folder.path() / "movement.csv";
  std::ofstream(movement) << "t,id,x,y\n1,1,0,0\n";
  test::ChildProcess bots("vicinity-bots",
                          {"--connect", "127.0.0.1:" + std::to_string(server.port()), "--replay",
                           movement.string(), "--events", "/nowhere/x"});
  EXPECT_EQ(bots.wait(), 2);
  EXPECT_NE(bots.standard_error().find("cannot write /nowhere/x"), std::string::npos)
      << bots.standard_error();
  client::BlockingClient session;
  client::ConnectOptions options;
  options.port = server.port();
  const auto welcome = session.connect(options);
  ASSERT_TRUE(welcome.ok());
  EXPECT_EQ(welcome.value().tick, 0u);  // nothing was fed
}

TEST(Replay, NeedsManualTicks) {
  test::ServerProcess server;
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const Outcome outcome = replay(server, "t,id,x,y\n1,1,0,0\n", {});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.text.find("manual tick mode"), std::string::npos) << outcome.text;
}

TEST(Replay, NamesWhatIsWrongInTheFileOrTheOptions) {
  test::ServerProcess server({"--tick-mode", "manual"});
  ASSERT_NE(server.port(), 0) << server.standard_error();
  const std::string good = "t,id,x,y\n1,1,0,0\n2,1,0,0\n";
  const struct {
    std::string csv;
    test::Arguments extra;
    std::string text;
  } mistakes[] = {
      {good, {"--columns", "time,id,x,y"}, "no column 'time'; its columns are t,id,x,y"},
      {good, {"--columns", "t,id,x"}, "--columns is 't,id,x'"},
      {good, {"--observe", "every:0"}, "--observe is 'every:0'"},
      {good, {"--observe", "ids:1,x"}, "--observe is 'ids:1,x'"},
      {good, {"--steps", "often"}, "--steps is 'often'"},
      {good, {"--statics", "no-such-file.csv"}, "cannot read no-such-file.csv"},
      {good, {"--statics", "/"}, "cannot read /"},
      {"t,id,x,y\n1,1,0,0\n1,1,0,0\n", {}, "movement.csv:3: a second row of id 1 at time 1"},
      {"t,id,x,y\n1,1,zero,0\n", {}, "movement.csv:2: a coordinate"},
      {"t,id,x,y\n1.5,1,0,0\n", {}, "movement.csv:2: time and id"},
      {"t,id,x,y\n1,1,0\n", {}, "movement.csv:2: a coordinate"},
      {"t,id,x,y\n", {}, "has no rows"},
      {"t,id,x,y\n0,1,0,0\n2,1,0,0\n5,1,0,0\n", {}, "time 5 is no multiple of the smallest gap 2"},
      {"t,id,x,y\n0,1,0,0\n1,1,0,0\n900000000000,1,0,0\n", {}, "steps of 1"},
  };
  for (const auto& mistake : mistakes) {
    const Outcome outcome = replay(server, mistake.csv, mistake.extra);
    EXPECT_EQ(outcome.exit_code, 2) << mistake.text;
    EXPECT_NE(outcome.text.find(mistake.text), std::string::npos)
        << "wanted: " << mistake.text << "\ngot: " << outcome.text;
  }
}

}  // namespace
}  // namespace vicinity
