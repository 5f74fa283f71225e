// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace vicinity::cases {

namespace {

/// Generous: sanitizer builds on a busy machine start slowly.
constexpr int start_deadline_ms = 60'000;
constexpr int stop_deadline_ms = 30'000;
constexpr auto poll_interval = std::chrono::milliseconds(2);
constexpr std::size_t log_tail_bytes = 600;

/// Looks at `done` until it is true or the deadline has passed.
template <class Done>
bool poll_until(int deadline_ms, Done done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline_ms);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(poll_interval);
  }
  return true;
}

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become_server(char* const* arguments, const char* log_path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
  }
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

Result<std::unique_ptr<ServerProcess>, std::string> ServerProcess::start(
    const std::string& path, const std::vector<std::string>& arguments) {
  const char* base = std::getenv("TMPDIR");
  std::string folder = std::string(base != nullptr ? base : "/tmp") + "/vicinity-cases-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "cannot make a folder " + folder;
  std::unique_ptr<ServerProcess> server(new ServerProcess(folder));
  server->launch(path, arguments);
  if (server->pid_ < 0) return std::string("cannot fork");
  if (!server->wait_for_port()) {
    const std::string how = server->ended_ ? server->ended_how() : "does not say its port";
    return path + " " + how + "; its log ends with: " + server->log_tail();
  }
  return server;
}

void ServerProcess::launch(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {path, "--port", "0", "--port-file", port_file()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& argument : all) raw.push_back(argument.data());
  raw.push_back(nullptr);
  const std::string log = log_file();
  pid_ = fork();
  if (pid_ == 0) become_server(raw.data(), log.c_str());
}

bool ServerProcess::wait_for_port() {
  const auto ready = [this] {
    std::ifstream file(port_file());
    unsigned port = 0;
    // The line end says that all digits are there.
    if (file >> port && file.get() == '\n') port_ = static_cast<std::uint16_t>(port);
    return port_ != 0 || wait_for_end(0);
  };
  return poll_until(start_deadline_ms, ready) && port_ != 0;
}

bool ServerProcess::wait_for_end(int deadline_ms) {
  return poll_until(deadline_ms, [this] {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return ended_;
  });
}

double ServerProcess::cpu_ms() const {
  clockid_t clock{};
  timespec used{};
  if (ended_ || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

std::string ServerProcess::stop() {
  if (!ended_) kill(pid_, SIGTERM);
  if (!wait_for_end(stop_deadline_ms)) return "the server does not stop after SIGTERM";
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return {};
  return "the server " + ended_how() + "; its log ends with: " + log_tail();
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0 && !ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string ServerProcess::ended_how() const {
  if (WIFSIGNALED(status_)) return "was ended by signal " + std::to_string(WTERMSIG(status_));
  return "ended with " + std::to_string(WEXITSTATUS(status_));
}

std::string ServerProcess::log_tail() const {
  std::ifstream file(log_file());
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  return text.size() <= log_tail_bytes ? text : text.substr(text.size() - log_tail_bytes);
}

}  // namespace vicinity::cases
