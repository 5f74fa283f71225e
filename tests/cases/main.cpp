// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// vicinity-cases FILE.json: command line of the case runner.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "cases/clock_case.h"
#include "cases/hostile_case.h"
#include "cases/live_case.h"
#include "cases/saved_case.h"
#include "cases/slow_reader_case.h"
#include "cases/suite.h"
#include "cases/uptime_case.h"
#include "cases/view_case.h"
#include "cases/wire_case.h"

namespace {

using namespace vicinity;         // NOLINT: the program's own names
using namespace vicinity::cases;  // NOLINT

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

struct Arguments {
  std::string file;
  std::vector<std::string> only;
  std::vector<std::string> except;
  std::string index;
  bool over_tcp = false;
  std::string server;
  std::string skip = VICINITY_CASES_SKIP_LIST;
  bool strict = false;
  bool must_fail = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("file", arguments.file, "Case file (JSON)")->required();
  app.add_option("--only", arguments.only, "Subsystems or case ids, separated by commas")
      ->delimiter(',');
  app.add_option("--except", arguments.except, "Case ids to leave out, separated by commas")
      ->delimiter(',');
  app.add_option("--index", arguments.index, "One index instead of all, one after the other")
      ->check(CLI::IsMember({"brute_force", "rows", "sweep", "auto"}));
  app.add_flag("--over-tcp", arguments.over_tcp,
               "Through a real server in manual tick mode, a fresh one for every case");
  app.add_option("--server", arguments.server,
                 "vicinity-server to start; default: the one beside this program");
  app.add_option("--skip", arguments.skip, "List of cases not to count, each with its reason")
      ->capture_default_str();
  app.add_flag("--strict", arguments.strict,
               "Fail when a case on the skip list passes or does not exist");
  app.add_flag("--must-fail", arguments.must_fail,
               "For a file of wrong cases: each passes when it fails as its \"because\" says");
  app.set_version_flag("--version", "vicinity-cases " VICINITY_VERSION);
  app.footer("Exit code: 0 all passed, 1 something failed, 2 wrong usage or unreadable file.");
}

std::string server_beside(const char* fallback) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = error ? std::filesystem::path(fallback).parent_path() : self.parent_path();
  return folder / "vicinity-server";
}

std::vector<NamedWorlds> worlds_for(const Arguments& arguments) {
  std::vector<NamedWorlds> worlds;
  for (const IndexKind kind :
       {IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto}) {
    const std::string name(to_string(kind));
    if (!arguments.index.empty() && arguments.index != name) continue;
    if (!arguments.over_tcp) {
      worlds.push_back({name,
                        in_process_worlds(kind),
                        {clock_cases(), uptime_cases(), view_cases(in_process_worlds(kind)),
                         saved_cases(kind)}});
      continue;
    }
    const std::string& server = arguments.server;
    worlds.push_back(
        {name,
         tcp_worlds(kind, server),
         {wire_cases(kind, server), hostile_cases(kind, server), slow_reader_cases(kind, server),
          view_cases(tcp_worlds(kind, server)), live_cases(kind, server)}});
  }
  return worlds;
}

int complain(const std::string& text) {
  std::cerr << "vicinity-cases: " << text << '\n';
  return exit_usage;
}

int run(const Arguments& arguments) {
  const auto cases = read_case_file(arguments.file);
  if (!cases) return complain(cases.error());
  const auto skips = read_skip_list(arguments.skip);
  if (!skips) return complain(skips.error());
  const auto unmatched = unmatched_words(cases.value(), arguments.only);
  if (!unmatched.empty())
    return complain("--only: " + unmatched.front() + " is neither a subsystem nor a case");
  const auto nothing_left_out = unmatched_words(cases.value(), arguments.except);
  if (!nothing_left_out.empty())
    return complain("--except: there is no case " + nothing_left_out.front());
  if (arguments.over_tcp && !std::filesystem::exists(arguments.server))
    return complain("there is no server " + arguments.server);
  SuiteOptions options;
  options.only = arguments.only;
  options.over_tcp = arguments.over_tcp;
  options.strict = arguments.strict;
  options.except = arguments.except;
  options.must_fail = arguments.must_fail;
  const SuiteResult result =
      run_suite(cases.value(), skips.value(), worlds_for(arguments), options, std::cout);
  return result.failed == 0 ? 0 : exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs case scripts against Vicinity and checks every event, pair and answer."};
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return exit_usage;
  }
  if (arguments.server.empty()) arguments.server = server_beside(argv[0]);
  arguments.server = std::filesystem::absolute(arguments.server);
  return run(arguments);
}
