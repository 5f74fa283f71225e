// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Each rule, held against text that breaks it and text that does not.

#include "tidy/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view licence =
    "// SPDX-License-Identifier: MIT\n// SPDX-FileCopyrightText: 2026 The Vicinity authors\n";

auto at_line(std::size_t line) { return ElementsAre(Field(&Finding::line, line)); }

std::string function_of(std::size_t lines, const std::string& first = "") {
  std::string text = "int f(int x) {" + first + "\n";
  for (std::size_t i = 2; i < lines; ++i) text += "  x += 1;\n";
  return text + "}\n";
}

Dependencies small() {
  return parse_dependencies(parse("server/DEPENDENCIES", "# law\nbase:\nworld: base\nnet: base\n"));
}

TEST(Dependencies, AreReadLineByLine) {
  EXPECT_EQ(small(), (Dependencies{{"base", {}}, {"world", {"base"}}, {"net", {"base"}}}));
}

TEST(Dependencies, CycleOverThreeModulesIsFound) {
  EXPECT_EQ(find_cycle(small()), "");
  EXPECT_NE(find_cycle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}), "");
}

TEST(Dependencies, DiamondIsNoCycle) {
  EXPECT_EQ(find_cycle({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}, {"d", {}}}), "");
}

TEST(Includes, ForbiddenModuleIsReported) {
  const auto file = parse("server/net/x.cpp", "#include \"base/ids.h\"\n#include \"world/a.h\"\n");
  EXPECT_THAT(check_includes(file, small()), at_line(2));
}

TEST(Includes, RelativeAndUnknownPathsAreReported) {
  EXPECT_THAT(check_includes(parse("server/world/x.h", "#include \"../net/a.h\"\n"), small()),
              at_line(1));
  EXPECT_THAT(check_includes(parse("server/world/x.h", "#include \"shape.h\"\n"), small()),
              at_line(1));
}

TEST(Includes, ModuleThatIsNotListedIsReported) {
  EXPECT_THAT(check_includes(parse("server/extra/x.h", "int a;\n"), small()), at_line(1));
}

TEST(Includes, OwnAllowedAndSystemHeadersPass) {
  const auto file = parse("server/world/x.cpp",
                          "#include \"world/x.h\"\n#include <vector>\n#include \"base/ids.h\"\n"
                          "// #include \"net/socket.h\"\n");
  EXPECT_THAT(check_includes(file, small()), IsEmpty());
}

TEST(Fences, OneTbbIsAllowedInBaseParallelOnly) {
  const std::string text = "#include <oneapi/tbb/parallel_for.h>\n";
  EXPECT_THAT(check_fences(parse("server/index/rows.cpp", text)), at_line(1));
  EXPECT_THAT(check_fences(parse("server/base/hash.cpp", text)), at_line(1));
  EXPECT_THAT(check_fences(parse("server/base/parallel.cpp", text)), IsEmpty());
}

TEST(Fences, AsioIsAllowedInTheNetRoomAndClientsOnly) {
  const std::string text = "#include <boost/asio/ip/tcp.hpp>\n";
  EXPECT_THAT(check_fences(parse("server/tick/simulation.cpp", text)), at_line(1));
  EXPECT_THAT(check_fences(parse("server/wire/encode.cpp", text)), at_line(1));
  EXPECT_THAT(check_fences(parse("server/net/socket.cpp", text)), IsEmpty());
  EXPECT_THAT(check_fences(parse("client/connection.cpp", text)), IsEmpty());
}

TEST(Fences, FlatBuffersAreAllowedWhereBytesAreReadOnly) {
  for (const std::string text :
       {"#include <flatbuffers/flatbuffers.h>\n", "#include \"client_generated.h\"\n"}) {
    EXPECT_THAT(check_fences(parse("server/net/socket.cpp", text)), at_line(1));
    EXPECT_THAT(check_fences(parse("server/wire/decode.cpp", text)), IsEmpty());
  }
}

TEST(TickRoom, HashContainersClocksAndLocksAreReported) {
  for (const std::string text :
       {"std::unordered_map<int, int> m;\n", "auto h = std::hash<int>{}(1);\n",
        "std::uniform_int_distribution<int> d;\n", "auto t = std::chrono::steady_clock::now();\n",
        "#include <iostream>\n", "std::mutex m;\n", "std::atomic<int> a;\n"}) {
    EXPECT_THAT(check_tick_room(parse("server/index/a.cpp", text)), at_line(1)) << text;
    EXPECT_THAT(check_tick_room(parse("server/net/a.cpp", text)), IsEmpty()) << text;
  }
}

TEST(TickRoom, LocksAreAllowedAtTheDoors) {
  EXPECT_THAT(check_tick_room(parse("server/world/command_queue.h", "std::mutex m;\n")), IsEmpty());
}

TEST(TickRoom, CommentsAndLiteralsAreNotCode) {
  const auto file =
      parse("server/index/a.cpp", "// std::hash is banned\nauto s = \"std::hash\";\n/* rand\n*/\n");
  EXPECT_THAT(check_tick_room(file), IsEmpty());
}

TEST(Licence, MissingLinesAreReported) {
  EXPECT_THAT(check_licence(parse("a.h", "#pragma once\n")), at_line(1));
  EXPECT_THAT(check_licence(parse("a.h", std::string(licence) + "int a;\n")), at_line(3));
  EXPECT_THAT(check_licence(parse("a.h", std::string(licence) + "#pragma once\n")), IsEmpty());
}

TEST(Sizes, LineOf101ColumnsIsReported) {
  EXPECT_THAT(check_sizes(parse("a.cpp", std::string(101, 'a') + "\n")), at_line(1));
  EXPECT_THAT(check_sizes(parse("a.cpp", std::string(100, 'a') + "\n")), IsEmpty());
}

TEST(Sizes, ColumnsAreCharactersNotBytes) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "\xC3\xA4";
  EXPECT_THAT(check_sizes(parse("a.cpp", line + "\n")), IsEmpty());
}

TEST(Sizes, FileOf501LinesIsReported) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "int a;\n";
  EXPECT_THAT(check_sizes(parse("a.cpp", text)), IsEmpty());
  EXPECT_THAT(check_sizes(parse("a.cpp", text + "int b;\n")), at_line(501));
}

TEST(Sizes, FunctionOf71LinesIsReported) {
  EXPECT_THAT(check_sizes(parse("a.cpp", function_of(70))), IsEmpty());
  EXPECT_THAT(check_sizes(parse("a.cpp", "\n" + function_of(71))), at_line(2));
}

TEST(Sizes, FunctionInsideClassAndNamespaceIsMeasured) {
  const std::string text = "namespace a {\nclass B {\n" + function_of(71) + "};\n}\n";
  EXPECT_THAT(check_sizes(parse("a.h", text)), at_line(3));
}

TEST(Sizes, LongNamespaceOrClassIsNoFunction) {
  const std::string text = "namespace a {\n" + function_of(60) + function_of(60) + "}\n";
  EXPECT_THAT(check_sizes(parse("a.cpp", text)), IsEmpty());
}

TEST(Sizes, LambdasCountForTheFunctionAroundThem) {
  std::string text = "void f() {\n  g([](int x) {\n";
  for (int i = 0; i < 70; ++i) text += "    x += 1;\n";
  EXPECT_THAT(check_sizes(parse("a.cpp", text + "  });\n}\n")), at_line(1));
}

TEST(Sizes, ReasonExcusesLongFunction) {
  EXPECT_THAT(check_sizes(parse("a.cpp", function_of(80, "  // long: one table"))), IsEmpty());
}

TEST(Words, UnfinishedWorkIsReported) {
  for (const std::string word : {"FIX"
                                 "ME",
                                 "XX"
                                 "X",
                                 "HA"
                                 "CK",
                                 "TO"
                                 "DO later",
                                 "DISA"
                                 "BLED_",
                                 "GTEST_"
                                 "SKIP();"})
    EXPECT_THAT(check_words(parse("README.md", "ok\n// " + word + "\n")), at_line(2)) << word;
  EXPECT_THAT(check_words(parse("README.md",
                                "TO"
                                "DO(#12) is allowed\n")),
              IsEmpty());
  EXPECT_THAT(check_words(parse("a.cpp",
                                "GTEST_"
                                "SKIP() << \"no data\";\n")),
              IsEmpty());
}

TEST(Words, PathsOfSomebodysMachineAreReported) {
  EXPECT_THAT(check_words(parse("a.md", std::string("see ") + "/ho" + "me/me/x\n")), SizeIs(1));
  EXPECT_THAT(check_words(parse("a.md", "see /usr/share/vicinity\n")), IsEmpty());
}

}  // namespace
}  // namespace vicinity::tidy
