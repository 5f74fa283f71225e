// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Runs of vicinity-bots against a server, every view of which must be right.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/server_process.h"

namespace vicinity::test {

/// The report of a run that ends with 0, in which views were compared and no counter of what may
/// not be is above 0. The allowed delay counts only while the server says that it is behind.
inline nlohmann::json run_bots(const ServerProcess& server, const Arguments& more,
                               bool may_have_gaps = false) {
  Arguments arguments = {"--connect", "127.0.0.1:" + std::to_string(server.port()),
                         "--report",  "json",
                         "--require", "wrong_views==0,checked_views>0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ChildProcess bots("vicinity-bots", arguments);
  const std::optional<int> code = bots.wait(std::chrono::seconds(120));
  EXPECT_TRUE(code == 0 || (code == 1 && may_have_gaps))
      << bots.standard_error() << bots.standard_output();
  auto report = nlohmann::json::parse(bots.standard_output(), nullptr, false);
  EXPECT_TRUE(report.is_object()) << bots.standard_output();
  if (!report.is_object()) return nlohmann::json::object();
  for (const char* name :
       {"wrong_views", "missing", "extra", "wrong_positions", "stale_updates", "duplicate_enters",
        "ghost_leaves", "ghost_updates", "version_regressions", "contact_errors", "wrong_contacts",
        "disconnects", "evictions"})
    EXPECT_EQ(report[name], 0) << name << "\n" << report["wrong_examples"].dump(2);
  EXPECT_GT(report["checked_views"], 0);
  if (!may_have_gaps) {
    EXPECT_EQ(report["unchecked_views"], 0);
  }
  return report;
}

/// A number of the server's last line, after stop().
inline double last_words(const ServerProcess& server, const std::string& field) {
  const std::string log = server.standard_error();
  const auto at = log.rfind(" " + field + "=");
  EXPECT_NE(at, std::string::npos) << field << "\n" << log;
  return at == std::string::npos ? 0 : std::stod(log.substr(at + field.size() + 2));
}

/// Memory of the process that is in use, bytes.
inline double resident_bytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace vicinity::test
