// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Programs of the build as child processes: vicinity-server for as long as a test needs it, and
// programs that run to their end. What they print is captured in a folder of their own under the
// system's temporary one; it is removed, and the child killed, on destruction. Knows of no test
// framework.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vicinity::test {

using Arguments = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

/// A folder that lives as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What to do about a defect that a sanitizer or a CHECK found in a child: defined by the program
/// that uses this file (tests/support/gtest_failure.cpp for tests), called when the child is gone.
void report_defects(const std::string& text);

/// Any program from the build's bin folder, or at an absolute path. Variables VICINITY_... of the
/// caller are not inherited.
class ChildProcess {
 public:
  static constexpr std::chrono::milliseconds patience{20'000};

  ChildProcess(const std::string& program, const Arguments& arguments,
               const Variables& variables = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool running();
  /// Exit code, or 128 + number of the signal that ended it; nothing when it still runs.
  std::optional<int> wait(std::chrono::milliseconds limit = patience);

  /// Processor time of all its threads so far, milliseconds; 0 when it has ended.
  double cpu_ms() const;

  std::string standard_output() const;
  std::string standard_error() const;
  /// Waits until standard error contains the text.
  bool wait_for_error_text(const std::string& text, std::chrono::milliseconds limit = patience);
  /// Standard error when there is a report of a sanitizer or a CHECK in it, else empty.
  std::string defects() const;

  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

/// A server on a free port of loopback; the constructor returns when it listens.
class ServerProcess {
 public:
  explicit ServerProcess(const Arguments& extra_arguments = {}, const Variables& variables = {},
                         const std::string& program = "vicinity-server");

  /// 0 when the server did not come up; standard_error() says why.
  std::uint16_t port() const { return port_; }
  ChildProcess& process() { return process_; }
  std::string standard_error() const { return process_.standard_error(); }
  /// Sends SIGTERM and waits. Empty when it ended with 0 and without defects, else what was wrong
  /// and the end of its log.
  std::string stop();

 private:
  TemporaryFolder folder_;
  ChildProcess process_;
  std::uint16_t port_ = 0;
};

}  // namespace vicinity::test
