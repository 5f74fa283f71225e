// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The contact policy as a file of settings has it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/settings_table.h"
#include "base/limits.h"
#include "configuration.h"

namespace vicinity::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Configuration, PolicyTablesBecomeRulesInTheirOrder) {
  file(
      "port = 7420\n"
      "[[policy]]\ncategories_a = 2\ncategories_b = 0xFFFFFFFF\naction = \"ignore\"\n"
      "[[policy]]\n"
      "[[policy]]\naction = \"trigger\"\nstay_interval_ticks = 864000\ncooldown_ticks = 7\n");
  const std::vector<PolicyRule> policy = config().policy;
  ASSERT_EQ(policy.size(), 3u);
  EXPECT_EQ(policy[0], (PolicyRule{2, 0xFFFF'FFFFu, PolicyAction::Ignore, 0, 0}));
  EXPECT_EQ(policy[1], PolicyRule{});
  EXPECT_EQ(policy[2], (PolicyRule{0xFFFF'FFFFu, 0xFFFF'FFFFu, PolicyAction::Trigger, 864'000, 7}));
}

TEST_F(Configuration, APolicyFieldOutOfRangeNamesLineRuleFieldAndLimit) {
  struct Case {
    const char* line;
    const char* allowed;
    const char* given;
  };
  for (const Case& wrong :
       {Case{"categories_a = -1", "from 0 to 4294967295 (bits)", "-1"},
        Case{"categories_b = 4294967296", "from 0 to 4294967295", "4294967296"},
        Case{"stay_interval_ticks = 864001", "from 0 to 864000 (ticks)", "864001"},
        Case{"cooldown_ticks = 1.5", "an integer from 0 to 864000", "1.5"},
        Case{"action = \"bounce\"", "one of contact, trigger, ignore", "bounce"},
        Case{"action = 1", "one of contact, trigger, ignore", "1"}}) {
    std::ofstream(path()) << "[[policy]]\n[[policy]]\n\n" << wrong.line << "\n";
    const std::string file_path = path();
    const char* argv[] = {"vicinity-server", "--config", file_path.c_str()};
    const auto result = configure(3, argv, {});
    ASSERT_FALSE(result.ok()) << wrong.line;
    const std::string key = std::string(wrong.line).substr(0, std::string(wrong.line).find(' '));
    EXPECT_THAT(result.error().text, AllOf(HasSubstr(path() + ":4: policy rule 2: " + key),
                                           HasSubstr(wrong.allowed), HasSubstr(wrong.given)));
  }
}

TEST_F(Configuration, AnUnknownPolicyKeyNamesLineAndRule) {
  file("[[policy]]\naction = \"ignore\"\ncooldown = 3\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(path() + ":3: policy rule 1: cooldown"),
                             HasSubstr("unknown key"), HasSubstr("cooldown_ticks")));
}

TEST_F(Configuration, TheFirstFaultOfAPolicyIsTheOneThatIsNamed) {
  file("[[policy]]\nzzz = 1\naction = \"none\"\n[[policy]]\naaa = 1\n");
  EXPECT_THAT(error(), AllOf(HasSubstr(":2:"), HasSubstr("zzz")));
}

TEST_F(Configuration, APolicyThatIsNoListOfTablesIsRefused) {
  for (const char* wrong : {"policy = 3\n", "policy = \"ignore\"\n", "policy = [1, 2]\n",
                            "[policy]\naction = \"ignore\"\n"}) {
    std::ofstream(path()) << wrong;
    const std::string file_path = path();
    const char* argv[] = {"vicinity-server", "--config", file_path.c_str()};
    const auto result = configure(3, argv, {});
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_THAT(result.error().text,
                AllOf(HasSubstr(path() + ":1"), HasSubstr("[[policy]] tables")));
  }
}

TEST_F(Configuration, APolicyHasAsManyRulesAsTheLimitSaysAndNoMore) {
  std::string tables;
  for (std::size_t i = 0; i < limits::policy_rules_max; ++i) tables += "[[policy]]\n";
  std::ofstream(path()) << tables;
  const std::string file_path = path();
  const char* argv[] = {"vicinity-server", "--config", file_path.c_str()};
  const auto most = configure(3, argv, {});
  ASSERT_TRUE(most.ok()) << most.error().text;
  EXPECT_EQ(most.value().config.policy.size(), limits::policy_rules_max);
  std::ofstream(path()) << tables << "[[policy]]\n";
  const auto too_many = configure(3, argv, {});
  ASSERT_FALSE(too_many.ok());
  EXPECT_THAT(too_many.error().text, AllOf(HasSubstr(":65: policy"), HasSubstr("at most 64")));
}

TEST_F(Configuration, APrintedPolicyReadsBackTheSame) {
  Config odd;
  odd.policy = {
      {1, 6, PolicyAction::Trigger, 3, 0}, {0xFFFF'FFFFu, 0, PolicyAction::Ignore, 0, 864'000}, {}};
  file(print_config(odd));
  EXPECT_EQ(config(), odd);
}

TEST_F(Configuration, HelpAndPrintedSettingsExplainEveryPolicyKey) {
  flags({"--help"});
  const auto help = run();
  ASSERT_TRUE(help.ok());
  for (const std::string& text : {help.value().print_and_exit, print_config(Config{})}) {
    for (const char* key : {"[[policy]]", "categories_a:", "categories_b:", "action:",
                            "stay_interval_ticks:", "cooldown_ticks:"})
      EXPECT_THAT(text, HasSubstr(key));
  }
}

}  // namespace
}  // namespace vicinity::app
