// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/port_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace vicinity::app {
namespace {

TEST(PortFile, HoldsTheNumberAndReplacesAnOlderFile) {
  std::string folder = (std::filesystem::temp_directory_path() / "vicinity-port-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/port";
  std::ofstream(path) << "something longer than a port";
  EXPECT_EQ(write_port_file(path, 7420).code, ErrorCode::None);
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "7420\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(PortFile, NamesFileAndReasonWhenItCannotBeWritten) {
  const Error error = write_port_file("/nonexistent/port", 1);
  EXPECT_EQ(error.code, ErrorCode::Internal);
  EXPECT_THAT(error.text, testing::HasSubstr("/nonexistent/port"));
  EXPECT_THAT(error.text, testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace vicinity::app
