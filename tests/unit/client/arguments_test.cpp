// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::client {
namespace {

using ::testing::HasSubstr;

TEST(Arguments, ReadsEndpoints) {
  const auto name = parse_endpoint("game.example:7420");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name.value().host, "game.example");
  EXPECT_EQ(name.value().port, 7420);
  const auto address = parse_endpoint("[::1]:1");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address.value().host, "::1");
  EXPECT_EQ(address.value().port, 1);
}

TEST(Arguments, RefusesWrongEndpoints) {
  for (const char* text :
       {"", "host", "host:", ":1", "host:0", "host:65536", "host:1x", "::1:7420"})
    EXPECT_FALSE(parse_endpoint(text).ok()) << text;
  EXPECT_THAT(parse_endpoint("::1:7420").error(), HasSubstr("brackets"));
}

TEST(Arguments, NamesTheSchemeThatAnEndpointHasNot) {
  for (const char* text :
       {"http://host:7420", "http://host", "http://host:7420/", "http://[::1]:1"})
    EXPECT_EQ(
        parse_endpoint(text).error(),
        "'" + std::string(text) +
            "' is not host:port: no scheme is expected, leave out 'http://' (for TLS: --tls)");
  EXPECT_THAT(parse_endpoint("wss://host:7421").error(), HasSubstr("leave out 'wss://'"));
}

TEST(Arguments, ReadsDurations) {
  EXPECT_EQ(parse_duration_ms("500ms").value(), 500u);
  EXPECT_EQ(parse_duration_ms("30s").value(), 30'000u);
  EXPECT_EQ(parse_duration_ms("1.5s").value(), 1'500u);
  EXPECT_EQ(parse_duration_ms("2m").value(), 120'000u);
  EXPECT_EQ(parse_duration_ms("2min").value(), 120'000u);
  EXPECT_EQ(parse_duration_ms("1h").value(), 3'600'000u);
  EXPECT_EQ(parse_duration_ms("0s").value(), 0u);
}

TEST(Arguments, RefusesWrongDurations) {
  for (const char* text :
       {"", "s", "30", "30x", "-1s", "nans", "infs", "169h", "1s ", "1 s", "1mins"})
    EXPECT_FALSE(parse_duration_ms(text).ok()) << text;
}

}  // namespace
}  // namespace vicinity::client
