// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-server: settings, signals, exit codes.

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "app/config.h"
#include "app/logging.h"
#include "app/named_files.h"
#include "app/server.h"

namespace {

constexpr int exit_ok = 0;
constexpr int exit_failed = 1;
constexpr int exit_wrong_settings = 2;

/// Every session needs a descriptor, and the usual soft limit of 1024 is below the default number
/// of sessions. What cannot be raised shows up as accept errors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

/// Those that the server waits for: to stop, and to read its files anew.
sigset_t awaited_signals() {
  sigset_t signals = stop_signals();
  sigaddset(&signals, SIGHUP);
  return signals;
}

/// As the shell reports a process that the signal ended.
void exit_at_once(int signal) { _exit(128 + signal); }

/// From here on a stop signal ends the process without waiting for anything.
void arm_second_signal(const sigset_t& signals) {
  struct sigaction action {};
  action.sa_handler = exit_at_once;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

int serve(const vicinity::app::Invocation& invocation) {
  using namespace vicinity::app;
  const Config& config = invocation.config;
  // Blocked before any thread exists, so that all inherit it and only sigwait() sees a signal.
  const sigset_t signals = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a log reader that went away must not end the server
  raise_descriptor_limit();

  Log log(log_level_of(config.log_level), log_format_of(config.log_format));
  if (!invocation.ignored_variables.empty()) {
    std::string names;
    for (const auto& name : invocation.ignored_variables)
      names += (names.empty() ? "" : " ") + name;
    log.info("variables of a service link are ignored", {{"variables", std::string_view(names)}});
  }
  if (const auto fault = named_files_fault(config)) {
    log.error("the server does not start", {{"reason", std::string_view(*fault)}});
    return exit_wrong_settings;
  }
  std::atomic<bool> failed{false};
  auto server = Server::start(config, log, [&failed] {
    if (!failed.exchange(true)) kill(getpid(), SIGTERM);
  });
  if (!server.ok()) {
    log.error("the server does not start", {{"reason", server.error().text}});
    return exit_failed;
  }
  int signal = SIGHUP;
  while (sigwait(&signals, &signal) == 0 && signal == SIGHUP) server.value()->reload();
  arm_second_signal(stop_signals());
  server.value()->stop();
  return failed ? exit_failed : exit_ok;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto invocation =
        vicinity::app::configure(argc, argv, vicinity::app::process_environment());
    if (!invocation.ok()) {
      std::fprintf(stderr, "vicinity-server: %s\n", invocation.error().text.c_str());
      return exit_wrong_settings;
    }
    const auto& text = invocation.value().print_and_exit;
    if (text.empty()) return serve(invocation.value());
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return written && std::fflush(stdout) == 0 ? exit_ok : exit_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vicinity-server: %s\n", error.what());
    return exit_failed;
  }
}
