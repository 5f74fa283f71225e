// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tidy/rules.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>

namespace vicinity::tidy {
namespace {

constexpr std::size_t columns_max = 100;
constexpr std::size_t file_lines_max = 500;
constexpr std::size_t function_lines_max = 70;

/// What follows `#include`, with its quotes or brackets; empty for any other line.
std::string include_of(const std::string& code_line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"][^>"]+[>"]))");
  std::smatch match;
  return std::regex_search(code_line, match, pattern) ? match[1].str() : "";
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

/// Whether the text before a `{` opens the body of a function.
bool opens_function(const std::string& before) {
  static const std::regex other(
      R"(^\s*(namespace|class|struct|enum|union|if|else|for|while|switch|do|try|catch)\b)");
  const std::size_t last = before.find_last_not_of(" \t\n");
  if (last == std::string::npos || before.find(')') == std::string::npos) return false;
  if (std::string_view("=,(").find(before[last]) != std::string_view::npos) return false;
  return !std::regex_search(before, other);
}

struct Function {
  std::size_t first = 0;  ///< lines, from 0
  std::size_t last = 0;
};

/// Bodies of functions by counting braces; a lambda belongs to the function around it.
std::vector<Function> find_functions(const SourceFile& file) {
  std::vector<Function> functions;
  std::size_t depth = 0;
  std::optional<std::size_t> function_depth;
  std::string statement;  // text since the last ; { or }
  std::size_t statement_line = 0;
  for (std::size_t line = 0; line < file.code.size(); ++line) {
    if (file.code[line].starts_with('#')) continue;
    for (const char c : file.code[line] + "\n") {
      if (statement.find_first_not_of(" \t\n") == std::string::npos) statement_line = line;
      statement += c;
      if (c != ';' && c != '{' && c != '}') continue;
      if (c == '{') {
        statement.pop_back();
        if (!function_depth && opens_function(statement)) {
          function_depth = depth;
          functions.push_back({statement_line, line});
        }
        ++depth;
      } else if (c == '}' && depth > 0) {
        --depth;
        if (function_depth == depth) {
          functions.back().last = line;
          function_depth.reset();
        }
      }
      statement.clear();
    }
  }
  return functions;
}

bool explains_length(const SourceFile& file, const Function& function) {
  const std::size_t first = function.first > 0 ? function.first - 1 : 0;
  for (std::size_t line = first; line <= function.last; ++line)
    if (file.lines[line].find("// long: ") != std::string::npos) return true;
  return false;
}

}  // namespace

Dependencies parse_dependencies(const SourceFile& file) {
  Dependencies dependencies;
  for (const std::string& line : file.lines) {
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 1));
    std::set<std::string>& allowed = dependencies[line.substr(0, colon)];
    for (std::string word; words >> word;) allowed.insert(word);
  }
  return dependencies;
}

std::string find_cycle(const Dependencies& dependencies) {
  std::set<std::string> clean;
  std::set<std::string> open;
  const std::function<bool(const std::string&)> leads_back = [&](const std::string& module) {
    if (clean.contains(module)) return false;
    if (!open.insert(module).second) return true;
    const auto found = dependencies.find(module);
    if (found != dependencies.end() && std::ranges::any_of(found->second, leads_back)) return true;
    open.erase(module);
    clean.insert(module);
    return false;
  };
  for (const auto& [module, allowed] : dependencies)
    if (leads_back(module)) return module;
  return "";
}

std::string module_of(const std::string& path) {
  static const std::regex pattern(R"(^(?:server/([^/]+)|(client|client-sim))/.*)");
  std::smatch match;
  if (!std::regex_match(path, match, pattern)) return "";
  return match[1].matched ? match[1].str() : match[2].str();
}

Findings check_includes(const SourceFile& file, const Dependencies& dependencies) {
  Findings findings;
  const std::string module = module_of(file.path);
  if (module.empty() || !file.is_cpp()) return findings;
  const auto own = dependencies.find(module);
  if (own == dependencies.end()) return {{file.path, 1, "module '" + module + "' is not listed"}};
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string include = include_of(file.code[i]);
    if (!include.starts_with('"') || include.ends_with("_generated.h\"")) continue;
    const std::string target = include.substr(1, include.find('/') - 1);
    if (target == module || own->second.contains(target)) continue;
    findings.push_back({file.path, i + 1, "module '" + module + "' must not include " + include});
  }
  return findings;
}

Findings check_fences(const SourceFile& file) {
  struct Fence {
    const char* name;
    std::regex include;
    std::regex allowed;
  };
  static const std::array<Fence, 3> fences = {
      Fence{"oneTBB", std::regex("^<(oneapi/)?tbb/"), std::regex("^server/base/parallel\\.")},
      Fence{"Boost.Asio", std::regex("^<(boost|asio)/"),
            std::regex("^(server/(net|app|admin)|client|client-sim|tests)/|^cmake/asio_impl")},
      Fence{"FlatBuffers", std::regex("^<flatbuffers/|_generated\\.h"),
            std::regex("^(server/(wire|persist)|client|client-sim|tests)/")}};
  Findings findings;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string include = include_of(file.code[i]);
    for (const Fence& fence : fences)
      if (std::regex_search(include, fence.include) && !std::regex_search(file.path, fence.allowed))
        findings.push_back({file.path, i + 1, std::string(fence.name) + " is fenced in elsewhere"});
  }
  return findings;
}

Findings check_tick_room(const SourceFile& file) {
  static const std::set<std::string> rooms = {"world",  "bounds",   "index", "pairs", "narrow",
                                              "events", "interest", "query", "tick"};
  // Order that depends on the library or the machine, and anything that waits for the outside.
  static const std::regex banned(
      R"(std::unordered_|std::hash\b|_distribution\b|mt19937|random_device|<random>|<unordered_)"
      R"(|std::chrono|<chrono>|<fstream>|<iostream>|<thread>|sleep_for|spdlog)"
      R"(|\bprintf\b|\brand\b)");
  // The two places where a net thread and the tick thread meet.
  static const std::set<std::string> doors = {
      "server/world/command_queue.h", "server/world/command_queue.cpp", "server/query/query.h",
      "server/query/frame_publisher.cpp"};
  static const std::regex lock(R"(std::mutex|<mutex>|std::atomic|<atomic>|condition_variable)");
  Findings findings;
  if (!rooms.contains(module_of(file.path)) || !file.path.starts_with("server/")) return findings;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    std::smatch match;
    if (std::regex_search(file.code[i], match, banned) ||
        (!doors.contains(file.path) && std::regex_search(file.code[i], match, lock)))
      findings.push_back({file.path, i + 1, "'" + match.str() + "' in the tick room"});
  }
  return findings;
}

Findings check_licence(const SourceFile& file) {
  if (!file.is_cpp() && !file.path.ends_with(".fbs")) return {};
  const bool present = file.lines.size() > 2 &&
                       file.lines[0] == "// SPDX-License-Identifier: MIT" &&
                       file.lines[1].starts_with("// SPDX-FileCopyrightText: ");
  if (!present) return {{file.path, 1, "the two SPDX lines are missing"}};
  if (file.path.ends_with(".h") && file.lines[2] != "#pragma once")
    return {{file.path, 3, "a header begins with #pragma once"}};
  return {};
}

Findings check_sizes(const SourceFile& file) {
  Findings findings;
  if (!file.is_cpp() && !file.path.ends_with(".fbs")) return findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (columns(file.lines[i]) > columns_max)
      findings.push_back({file.path, i + 1, "more than 100 columns"});
  if (file.lines.size() > file_lines_max)
    findings.push_back({file.path, file.lines.size(), "more than 500 lines"});
  for (const Function& function : find_functions(file))
    if (function.last - function.first + 1 > function_lines_max && !explains_length(file, function))
      findings.push_back({file.path, function.first + 1, "a function of more than 70 lines"});
  return findings;
}

Findings check_words(const SourceFile& file) {
  // Spelled in pieces, so that this file passes its own rule.
  static const std::regex banned(
      "FIX"
      "ME|\\bXX"
      "X\\b|\\bHA"
      "CK\\b|TO"
      "DO(?!\\(#\\d)|\\bDISA"
      "BLED_"
      // A test that is skipped says why.
      "|GTEST_"
      "SKIP\\(\\);"
      "|[\" '(=]/(home|root|work|Users)/");
  Findings findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(file.lines[i], match, banned))
      findings.push_back({file.path, i + 1, "'" + match.str() + "' does not belong here"});
  }
  return findings;
}

}  // namespace vicinity::tidy
