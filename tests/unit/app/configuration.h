// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One run of configure() with sources of its own, for tests.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/config.h"
#include "support/server_process.h"

namespace vicinity::app {

/// One run of configure() with a settings file, variables and flags.
class Configuration : public testing::Test {
 protected:
  void file(const std::string& toml) {
    std::ofstream(path()) << toml;
    words_.insert(words_.end(), {"--config", path()});
  }
  void variable(const std::string& name, const std::string& value) { variables_[name] = value; }
  void flags(const std::vector<std::string>& words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }
  std::string path() const { return (folder_.path() / "server.toml").string(); }

  Result<Invocation, ConfigError> run() const {
    std::vector<const char*> argv{"vicinity-server"};
    for (const auto& word : words_) argv.push_back(word.c_str());
    return configure(static_cast<int>(argv.size()), argv.data(), variables_);
  }
  Config config() const {
    const auto result = run();
    if (result.ok()) return result.value().config;
    ADD_FAILURE() << result.error().text;
    return {};
  }
  std::string error() const {
    const auto result = run();
    return result.ok() ? "no error" : result.error().text;
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<std::string> words_;
  Environment variables_;
};

}  // namespace vicinity::app
