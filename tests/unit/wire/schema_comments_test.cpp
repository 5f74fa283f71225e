// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The schemas are the reference for people who write a client: everything in them is explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vicinity::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The message that the lines of a schema are in, while they are read.
struct Reading {
  std::string message;  ///< "" outside of tables and structs
  std::string comment;  ///< the `///` lines directly above
};

/// "Message" or "Message.field" of what `line` declares without a comment of its own, or of a
/// length, position or speed whose comment names no unit. Empty when nothing is amiss.
std::string missing_comment(const std::string& line, Reading& reading) {
  static const std::regex comment(R"(^\s*///(.*))");
  static const std::regex type(R"(^(table|struct|enum|union) (\w+).*)");
  static const std::regex field(R"(^\s+(\w+):(\w+|\[\w+\]).*;.*)");
  static const std::regex unit(R"((^|[\s(])(m|m/s|s|us|rad|fraction|lengths|unit)($|[\s.,:;)]))");
  std::smatch found;
  if (std::regex_match(line, found, comment)) {
    reading.comment += found.str(1);
    return "";
  }
  const std::string above = std::exchange(reading.comment, "");
  if (std::regex_match(line, found, type)) {
    const bool has_fields = found.str(1) == "table" || found.str(1) == "struct";
    reading.message = has_fields ? found.str(2) : "";
    return above.empty() ? found.str(2) : "";
  }
  if (line.starts_with("}")) reading.message.clear();
  if (reading.message.empty() || !std::regex_match(line, found, field)) return "";
  const bool measures = found.str(2) == "double" || found.str(2) == "Vec3";
  const bool explained = !above.empty() && (!measures || std::regex_search(above, unit));
  return explained ? "" : reading.message + "." + found.str(1);
}

std::vector<std::string> missing_comments(std::istream& schema) {
  std::vector<std::string> out;
  Reading reading;
  for (std::string line; std::getline(schema, line);)
    if (const std::string missing = missing_comment(line, reading); !missing.empty())
      out.push_back(missing);
  return out;
}

TEST(SchemaComments, AreMissedWhereTheyAreMissing) {
  std::istringstream schema(R"(
/// Explained.
table Good {
  /// Of itself.
  id:ulong;
  /// Where, m.
  place:Vec3;
  bare:uint = 3;
}
struct Bare {
  /// For both, s.
  first:double;
  second:double;
  /// How far.
  third:double;
}
enum AlsoBare : ubyte { None = 0 }
)");
  EXPECT_THAT(missing_comments(schema),
              ElementsAre("Good.bare", "Bare", "Bare.second", "Bare.third", "AlsoBare"));
}

TEST(SchemaComments, ExplainEveryMessageAndEveryFieldWithItsUnit) {
  for (const std::string name : {"common", "client", "server", "explain"}) {
    std::ifstream schema(std::string(VICINITY_SOURCE_DIR) + "/proto/" + name + ".fbs");
    ASSERT_TRUE(schema) << name;
    EXPECT_THAT(missing_comments(schema), IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace vicinity::wire
