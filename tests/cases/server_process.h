// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A vicinity-server of our own, from start to stop. It cannot outlive this process.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace vicinity::cases {

class ServerProcess {
 public:
  /// Starts `path` with `arguments` on any free port and waits until it listens. The error tells
  /// what the server wrote when it did not.
  static Result<std::unique_ptr<ServerProcess>, std::string> start(
      const std::string& path, const std::vector<std::string>& arguments);
  /// Kills it when it was not stopped.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  /// Processor time of all its threads so far, milliseconds.
  double cpu_ms() const;
  /// Sends SIGTERM and waits. Empty when it ended with 0, else how it ended and what it wrote.
  std::string stop();

 private:
  explicit ServerProcess(std::string folder) : folder_(std::move(folder)) {}
  void launch(const std::string& path, const std::vector<std::string>& arguments);
  bool wait_for_port();
  bool wait_for_end(int deadline_ms);
  std::string ended_how() const;
  std::string log_tail() const;
  std::string port_file() const { return folder_ + "/port"; }
  std::string log_file() const { return folder_ + "/log"; }

  std::string folder_;  ///< port file and log; removed at the end
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;  ///< of waitpid, once ended
  std::uint16_t port_ = 0;
};

}  // namespace vicinity::cases
