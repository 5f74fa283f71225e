// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

namespace vicinity::admin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Parameters = std::map<std::string, std::string>;

/// Of routes that answer with the open part of their path.
HttpResponse answer(const std::string& method, const std::string& path,
                    const Parameters& parameters = {}) {
  const Page page = [](const PageRequest& request) { return HttpResponse{200, request.name}; };
  const Router router({{"GET", "/debug/sessions", "list", page, {"after", "limit"}},
                       {"POST", "/sessions/*/kick", "ends one", page},
                       {"GET", "/metrics", "for Prometheus", page, {}, true}},
                      "title");
  return std::get<HttpResponse>(router.answer({method, path, parameters, {}}));
}

TEST(Router, TellsUnknownPathsFromWrongMethods) {
  EXPECT_EQ(answer("POST", "/sessions/12/kick").body, "12");
  EXPECT_EQ(answer("POST", "/sessions//kick").status, 404u);
  EXPECT_EQ(answer("GET", "/nothing").status, 404u);
  EXPECT_EQ(answer("GET", "/sessions/12/kick").status, 405u);
  EXPECT_EQ(answer("GET", "/sessions/12/kick").allow, "POST");
}

TEST(Router, AParameterThatThePageDoesNotKnowIsRefused) {
  EXPECT_EQ(answer("GET", "/debug/sessions", {{"after", "3"}, {"limit", "5"}}).status, 200u);
  const HttpResponse refused = answer("GET", "/debug/sessions", {{"after", "3"}, {"limt", "5"}});
  EXPECT_EQ(refused.status, 400u);
  EXPECT_THAT(refused.body, AllOf(HasSubstr("'limt'"), HasSubstr("after, limit")));
  const HttpResponse none = answer("POST", "/sessions/12/kick", {{"dry-run", ""}});
  EXPECT_EQ(none.status, 400u);
  EXPECT_THAT(none.body, AllOf(HasSubstr("'dry-run'"), HasSubstr("takes none")));
  EXPECT_EQ(answer("GET", "/", {{"x", ""}}).status, 400u);
  EXPECT_LT(answer("GET", "/", {{std::string(5'000, 'x'), ""}}).body.size(), 200u);
}

TEST(Router, PagesForScrapersTakeWhateverTheyAdd) {
  EXPECT_EQ(answer("GET", "/metrics", {{"target", "this"}}).status, 200u);
}

}  // namespace
}  // namespace vicinity::admin
