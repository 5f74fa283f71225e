// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_origins.h"

#include <gtest/gtest.h>

namespace vicinity::net {
namespace {

TEST(WebSocketOrigins, AnEmptyListAllowsNone) {
  EXPECT_FALSE(WebSocketOrigins("").allows("https://example.org"));
  EXPECT_FALSE(WebSocketOrigins("").allows(""));
  EXPECT_FALSE(WebSocketOrigins(" , ,").allows(""));
}

TEST(WebSocketOrigins, AllowsExactlyWhatIsListed) {
  const WebSocketOrigins origins("https://example.org, http://localhost:8080 ,null");
  EXPECT_TRUE(origins.allows("https://example.org"));
  EXPECT_TRUE(origins.allows("http://localhost:8080"));
  EXPECT_TRUE(origins.allows("null"));
  EXPECT_FALSE(origins.allows("http://example.org"));
  EXPECT_FALSE(origins.allows("https://example.org.evil.test"));
  EXPECT_FALSE(origins.allows("https://evil.test/https://example.org"));
  EXPECT_FALSE(origins.allows("http://localhost"));
  EXPECT_FALSE(origins.allows("*"));
}

TEST(WebSocketOrigins, LettersMatchWhateverTheirCase) {
  EXPECT_TRUE(WebSocketOrigins("HTTPS://Example.org").allows("https://example.ORG"));
}

TEST(WebSocketOrigins, AStarAllowsAll) {
  EXPECT_TRUE(WebSocketOrigins("*").allows("https://example.org"));
  EXPECT_TRUE(WebSocketOrigins("https://example.org,*").allows("https://other.org"));
  EXPECT_FALSE(WebSocketOrigins("https://*.example.org").allows("https://a.example.org"));
}

TEST(WebSocketOrigins, EntriesThatNoBrowserSendsAreNamed) {
  for (const char* good :
       {"", "*", "null", "https://a.org, http://localhost:8080", "http://[::1]:80"})
    EXPECT_EQ(WebSocketOrigins(good).unusable(), "") << good;
  for (const char* bad : {"a.org", "https://a.org/", "https://a.org/game", "https://*.a.org",
                          "://a.org", "https://", "https://a.org b.org"})
    EXPECT_EQ(WebSocketOrigins(std::string("https://b.org,") + bad).unusable(), bad);
}

}  // namespace
}  // namespace vicinity::net
