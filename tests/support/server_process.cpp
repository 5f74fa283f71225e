// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "support/server_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace vicinity::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds poll_time{2};
/// Sanitizer builds on a busy machine start slowly.
constexpr std::chrono::milliseconds start_patience{60'000};
constexpr std::size_t log_tail_bytes = 600;

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool poll(std::chrono::milliseconds limit, const std::function<bool()>& condition) {
  const auto end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(poll_time);
  }
  return true;
}

std::vector<std::string> child_environment(const Variables& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("VICINITY_")) entries.emplace_back(*entry);
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

/// As exec wants it; valid as long as `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

Arguments with_port_file(const Arguments& extra, const std::filesystem::path& port_file) {
  Arguments arguments{"--port", "0", "--port-file", port_file.string()};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return arguments;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "vicinity-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ChildProcess::ChildProcess(const std::string& program, const Arguments& arguments,
                           const Variables& variables) {
  // An absolute path replaces the folder.
  const std::string path = (std::filesystem::path(VICINITY_BINARY_DIR) / program).string();
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = child_environment(variables);
  const auto argv = pointers(words);
  const auto envp = pointers(environment);
  const std::string out = (folder_.path() / "out").string();
  const std::string err = (folder_.path() / "err").string();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ != 0) return;
  // In the child: only calls that are safe after fork() in a program with threads.
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed must leave no server behind
  if (getppid() != parent) _exit(127);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  execve(path.c_str(), argv.data(), envp.data());
  _exit(127);
}

ChildProcess::~ChildProcess() {
  if (running()) {
    signal(SIGKILL);
    wait();
  }
  if (const std::string text = defects(); !text.empty()) report_defects(text);
}

void ChildProcess::signal(int number) const {
  if (!exit_code_ && pid_ > 0) kill(pid_, number);
}

bool ChildProcess::running() { return !wait(std::chrono::milliseconds(0)).has_value(); }

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
  poll(limit, [this] {
    if (exit_code_) return true;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  });
  return exit_code_;
}

double ChildProcess::cpu_ms() const {
  clockid_t clock{};
  timespec used{};
  if (exit_code_ || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

std::string ChildProcess::standard_output() const { return read_file(folder_.path() / "out"); }

std::string ChildProcess::standard_error() const { return read_file(folder_.path() / "err"); }

bool ChildProcess::wait_for_error_text(const std::string& text, std::chrono::milliseconds limit) {
  return poll(limit, [&] { return standard_error().find(text) != std::string::npos; });
}

std::string ChildProcess::defects() const {
  std::string printed = standard_error();
  for (const char* finding : {"ERROR: AddressSanitizer", "WARNING: ThreadSanitizer",
                              "runtime error:", "ERROR: LeakSanitizer", "CHECK failed"})
    if (printed.find(finding) != std::string::npos) return printed;
  return {};
}

ServerProcess::ServerProcess(const Arguments& extra_arguments, const Variables& variables,
                             const std::string& program)
    : process_(program, with_port_file(extra_arguments, folder_.path() / "port"), variables) {
  poll(start_patience, [this] {
    std::ifstream file(folder_.path() / "port");
    std::uint16_t port = 0;
    // The line end says that all digits are there.
    if (file >> port && file.get() == '\n') port_ = port;
    return port_ != 0 || !process_.running();
  });
}

std::string ServerProcess::stop() {
  process_.signal(SIGTERM);
  const std::optional<int> code = process_.wait();
  if (code == 0 && process_.defects().empty()) return {};
  const std::string log = standard_error();
  const std::string how = code ? "ended with " + std::to_string(*code) : "runs on after SIGTERM";
  return "the server " + how +
         "; its log ends with: " + log.substr(log.size() - std::min(log.size(), log_tail_bytes));
}

}  // namespace vicinity::test
