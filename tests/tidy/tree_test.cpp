// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The rules, held against the whole tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "tidy/rules.h"

namespace vicinity::tidy {
namespace {

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = load_tree(VICINITY_SOURCE_DIR);
  return files;
}

const SourceFile& file_named(const std::string& path) {
  for (const SourceFile& file : tree())
    if (file.path == path) return file;
  throw std::runtime_error("no file " + path);
}

Dependencies dependencies() { return parse_dependencies(file_named("server/DEPENDENCIES")); }

std::string report(const std::function<Findings(const SourceFile&)>& rule) {
  std::string text;
  for (const SourceFile& file : tree())
    for (const Finding& finding : rule(file))
      text += finding.path + ":" + std::to_string(finding.line) + ": " + finding.what + "\n";
  return text;
}

TEST(Tree, IsFound) {
  EXPECT_GT(tree().size(), 50u);
  EXPECT_EQ(file_named("server/base/ids.h").lines.front(), "// SPDX-License-Identifier: MIT");
}

TEST(Tree, DependenciesHaveNoCycle) {
  EXPECT_EQ(find_cycle(dependencies()), "");
  EXPECT_FALSE(dependencies().empty());
}

TEST(Tree, DependenciesNameOnlyModulesThatAreListed) {
  const Dependencies all = dependencies();
  for (const auto& [module, allowed] : all)
    for (const std::string& name : allowed) EXPECT_TRUE(all.contains(name)) << name;
}

TEST(Tree, ModulesIncludeOnlyWhatTheyMay) {
  const Dependencies all = dependencies();
  EXPECT_EQ(report([&](const SourceFile& file) { return check_includes(file, all); }), "");
}

TEST(Tree, LibrariesStayBehindTheirFences) { EXPECT_EQ(report(check_fences), ""); }
TEST(Tree, TickRoomComputesOnly) { EXPECT_EQ(report(check_tick_room), ""); }
TEST(Tree, EveryFileNamesItsLicence) { EXPECT_EQ(report(check_licence), ""); }
TEST(Tree, LinesFilesAndFunctionsAreShort) { EXPECT_EQ(report(check_sizes), ""); }
TEST(Tree, NothingUnfinishedIsCommitted) { EXPECT_EQ(report(check_words), ""); }

// The install test builds and runs this program, so what the README shows is known to work.
TEST(Tree, ReadmeShowsTheExampleThatIsTested) {
  const SourceFile& example = file_named("tests/install/consumer/example.cpp");
  std::string code;
  for (std::size_t i = 2; i < example.lines.size(); ++i) code += example.lines[i] + "\n";
  std::string readme;
  for (const std::string& line : file_named("README.md").lines) readme += line + "\n";
  EXPECT_THAT(readme, ::testing::HasSubstr("```cpp\n" + code + "```\n"));
}

#ifdef VICINITY_CLANG_FORMAT
TEST(Tree, IsFormatted) {
  const std::string list = std::string(VICINITY_BINARY_DIR) + "/format_files.txt";
  std::ofstream out(list);
  for (const SourceFile& file : tree())
    if (file.is_cpp()) out << VICINITY_SOURCE_DIR << '/' << file.path << '\n';
  out.close();
  const std::string command =
      std::string(VICINITY_CLANG_FORMAT) + " --dry-run --Werror --files='" + list + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << "run ./dev format";
}
#endif

}  // namespace
}  // namespace vicinity::tidy
