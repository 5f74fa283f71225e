// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/nearest_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/config.h"
#include "support/server_process.h"

namespace vicinity::app {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string meant(const std::string& given) {
  const Setting* setting = nearest_setting(given);
  return setting == nullptr ? "none" : std::string(setting->key);
}

TEST(NearestSetting, IsTheOneOfThatNameHoweverItIsWritten) {
  for (const Setting& setting : settings_table()) {
    EXPECT_EQ(meant(std::string(setting.key)), setting.key);
    EXPECT_EQ(meant(flag_name(setting)), setting.key);
    EXPECT_EQ(meant(variable_name(setting)), setting.key);
  }
  EXPECT_EQ(meant("journal"), "journal_dir");  // another name of its flag
}

TEST(NearestSetting, IsTheOneWithTheSameFirstWordsOrFewOtherLetters) {
  EXPECT_EQ(meant("--tick-rate"), "tick_rate_hz");
  EXPECT_EQ(meant("tickrate_hz"), "tick_rate_hz");
  EXPECT_EQ(meant("jurnal_dir"), "journal_dir");
  EXPECT_EQ(meant("index_kernl"), "index_kernel");
  EXPECT_EQ(meant("tls_cert"), "tls_certificate");
  EXPECT_EQ(meant("log"), "log_level");
  EXPECT_EQ(meant("colour"), "none");
  EXPECT_EQ(meant(""), "none");
  EXPECT_EQ(meant(std::string(100'000, 'x')), "none");
}

std::string error_of(const std::vector<const char*>& words, const Environment& variables = {}) {
  std::vector<const char*> argv{"vicinity-server"};
  argv.insert(argv.end(), words.begin(), words.end());
  const auto result = configure(static_cast<int>(argv.size()), argv.data(), variables);
  return result.ok() ? "no error" : result.error().text;
}

TEST(NearestSetting, IsNamedInTheFormOfItsSource) {
  EXPECT_THAT(error_of({"--tick-rate", "20"}), HasSubstr("did you mean --tick-rate-hz?"));
  EXPECT_THAT(error_of({"--jurnal-dir=there"}), HasSubstr("did you mean --journal-dir?"));
  EXPECT_THAT(error_of({"--colour"}), Not(HasSubstr("did you mean")));
  EXPECT_THAT(error_of({}, {{"VICINITY_TICKRATE_HZ", "20"}}),
              HasSubstr("did you mean VICINITY_TICK_RATE_HZ?"));
  EXPECT_THAT(error_of({}, {{"VICINITY_", "20"}}), Not(HasSubstr("did you mean")));
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "server.toml";
  std::ofstream(file) << "journal = \"there\"\n";
  EXPECT_THAT(error_of({"--config", file.c_str()}), HasSubstr("did you mean journal_dir?"));
}

}  // namespace
}  // namespace vicinity::app
