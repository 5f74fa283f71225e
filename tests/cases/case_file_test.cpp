// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/case_file.h"

#include <gtest/gtest.h>

namespace vicinity::cases {
namespace {

std::string one_case(const std::string& step) {
  return R"({"format": 1, "cases": [{"id": "A-1", "title": "t", "subsystem": "s", "script": [)" +
         step + "]}]}";
}

std::string fault_of(const std::string& text) {
  const auto parsed = parse_case_file(text, "file");
  return parsed.ok() ? "" : parsed.error();
}

TEST(TicksOfLabel, CountsBothEnds) {
  EXPECT_EQ(ticks_of_label("7"), 1u);
  EXPECT_EQ(ticks_of_label("3-102"), 100u);
  for (const char* wrong : {"", "x", "3-", "-3", "5-4", "1-2-3"})
    EXPECT_THROW(ticks_of_label(wrong), ScriptError) << wrong;
}

TEST(CaseFile, KeepsOperationsAndExpectationsInOrder) {
  const auto parsed = parse_case_file(
      one_case(R"({"tick": 1, "ops": [["a", {"x": 1}], ["b", {}]], "expect": [["c", [2]]]})"),
      "file");
  ASSERT_TRUE(parsed.ok());
  const Step& step = parsed.value().front().script.front();
  ASSERT_EQ(step.operations.size(), 2u);
  EXPECT_EQ(step.operations[0].fields["x"], 1);
  EXPECT_EQ(step.operations[1].name, "b");
  EXPECT_EQ(step.expectations.front().kind, "c");
}

TEST(CaseFile, SaysWhatIsWrongWithIt) {
  EXPECT_NE(fault_of("{"), "");
  EXPECT_NE(fault_of(R"({"format": 2, "cases": []})"), "");
  EXPECT_NE(fault_of(R"({"format": 1, "cases": []})"), "");
  EXPECT_NE(fault_of(R"({"format": 1})"), "");
  EXPECT_NE(fault_of(one_case(R"({"tick": "soon", "ops": [], "expect": []})")), "");
  EXPECT_NE(fault_of(one_case(R"({"tick": 1, "ops": ["spawn"], "expect": []})")), "");
  EXPECT_NE(fault_of(one_case(R"({"tick": 1, "ops": [], "expect": ["begin"]})")), "");
  EXPECT_NE(fault_of(one_case(R"({"tick": 1, "ops": []})")), "");
  EXPECT_EQ(fault_of(one_case(R"({"tick": 1, "ops": [], "expect": []})")), "");
  EXPECT_FALSE(read_case_file("/nonexistent/cases.json").ok());
}

TEST(CaseFile, KeepsParametersItDoesNotKnow) {
  const auto parsed = parse_case_file(
      R"({"format": 1, "cases": [{"id": "A-1", "title": "t", "subsystem": "s", "script": [],
          "params": {"cell": 2.5, "levels": [1, 16], "tick_hz": 20}}]})",
      "file");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().front().cell_m, 2.5);
  EXPECT_EQ(parsed.value().front().unknown_keys, std::vector<std::string>{"params.tick_hz"});
}

TEST(CaseFile, KeepsKeysOfCasesAndStepsItDoesNotKnow) {
  const auto parsed = parse_case_file(
      R"({"format": 1, "cases": [{"id": "A-1", "title": "t", "subsystem": "s", "scripts": [],
          "script": [{"tick": 7, "ops": [], "expect": [], "expects": []}]}]})",
      "file");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().front().unknown_keys,
            (std::vector<std::string>{"scripts", "tick 7: expects"}));
}

TEST(SkipList, NeedsAReasonForEveryEntry) {
  const auto parse = [](const std::string& entry) {
    return parse_skip_list(R"({"format": 1, "skip": [)" + entry + "]}", "list");
  };
  EXPECT_TRUE(parse(R"({"id": "A-1", "reason": "comes later"})").ok());
  EXPECT_FALSE(parse(R"({"id": "A-1", "reason": ""})").ok());
  EXPECT_FALSE(parse(R"({"id": "A-1"})").ok());
  EXPECT_FALSE(parse(R"({"id": "A-1", "reason": "r", "where": "sometimes"})").ok());
  EXPECT_EQ(parse(R"({"id": "A-1", "reason": "r", "where": "over_tcp"})").value().front().where,
            SkipWhere::OverTcp);
}

}  // namespace
}  // namespace vicinity::cases
