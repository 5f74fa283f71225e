// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace vicinity::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What is wrong with the arguments; empty when nothing is.
std::string parse(const std::string& line, SwarmArguments& arguments) {
  CLI::App app;
  OutputArguments output;
  add_swarm_options(app, "Bots", arguments);
  add_output_options(app, "Bots", output);
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return read_swarm_arguments(arguments).value_or("");
}

TEST(CommandLine, DefaultsAreAsBefore) {
  SwarmArguments arguments;
  EXPECT_EQ(parse("", arguments), "");
  const SwarmOptions& options = arguments.options;
  EXPECT_EQ(options.bots, 100u);
  EXPECT_EQ(options.entities, 0u);
  EXPECT_EQ(options.duration_ms, 30'000u);
  EXPECT_EQ(options.enter_radius_m, 20);
  EXPECT_DOUBLE_EQ(options.leave_radius_m, 22);
  EXPECT_EQ(options.behaviours.weights, BehaviourMix{}.weights);
  EXPECT_FALSE(options.conditions);
  EXPECT_FALSE(options.is_open_loop);
  EXPECT_TRUE(options.checks);
  EXPECT_EQ(options.allowed_delay_ms, 2'000u);
}

TEST(CommandLine, EverySessionNeedsATokenOfItsOwn) {
  SwarmOptions options;
  options.bots = 10;
  EXPECT_FALSE(token_fault(0, options));  // a server without keys asks for none
  EXPECT_FALSE(token_fault(11, options));
  EXPECT_THAT(token_fault(10, options).value_or(""),
              AllOf(HasSubstr("10 tokens"), HasSubstr("11 sessions"), HasSubstr("--count 11")));
  EXPECT_TRUE(token_fault(1, options));
  options.entities = 5;
  EXPECT_TRUE(token_fault(11, options));
  EXPECT_FALSE(token_fault(12, options));
}

TEST(CommandLine, EveryOptionArrives) {
  SwarmArguments arguments;
  EXPECT_EQ(parse("--bots 7 --entities 9 --behaviours normal:1,flood:1 --net delay=5ms "
                  "--net-share 0.5 --schedule open --area-kind cylinder --area-radius 30 "
                  "--rings 10:1,20:3 --check-share 0.25 --allowed-delay 1s --spectator-radius 70",
                  arguments),
            "");
  const SwarmOptions& options = arguments.options;
  EXPECT_EQ(options.entities, 9u);
  EXPECT_EQ(options.behaviours.weights[static_cast<std::size_t>(Behaviour::Flood)], 1);
  ASSERT_TRUE(options.conditions);
  EXPECT_EQ(options.conditions->delay_us, 5'000);
  EXPECT_EQ(options.conditions_share, 0.5);
  EXPECT_TRUE(options.is_open_loop);
  EXPECT_EQ(options.area_kind, AreaKind::Cylinder);
  EXPECT_EQ(options.enter_radius_m, 30);
  EXPECT_EQ(options.rings, (std::vector<Ring>{{10, 1}, {20, 3}}));
  EXPECT_EQ(options.check_share, 0.25);
  EXPECT_EQ(options.allowed_delay_ms, 1'000u);
  EXPECT_EQ(options.spectator_radius_m, 70);
}

TEST(CommandLine, NothingIsCheckedWhenNobodyIs) {
  SwarmArguments none;
  EXPECT_EQ(parse("--check none", none), "");
  EXPECT_FALSE(none.options.checks);
  SwarmArguments nobody;
  EXPECT_EQ(parse("--check-share 0", nobody), "");
  EXPECT_FALSE(nobody.options.checks);
}

TEST(CommandLine, MistakesNameTheirOption) {
  for (const auto& [line, name] : {std::pair{"--behaviours lazy", "--behaviours"},
                                   {"--net fast", "--net"},
                                   {"--rings 1", "--rings"},
                                   {"--area-kind blob", "--area-kind"},
                                   {"--allowed-delay 2", "--allowed-delay"},
                                   {"--check maybe", "--check"},
                                   {"--schedule half", "--schedule"},
                                   {"--net-share 2", "--net-share"},
                                   {"--check-share -1", "--check-share"},
                                   {"--scenario riot", "--scenario"}}) {
    SwarmArguments arguments;
    EXPECT_THAT(parse(line, arguments), HasSubstr(name)) << line;
  }
}

}  // namespace
}  // namespace vicinity::sim
