// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "admin/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/router.h"

namespace vicinity::admin {
namespace {

using testing::HasSubstr;

TEST(MetricRegistry, WritesTheTextFormat) {
  MetricRegistry metrics;
  metrics.add_gauge("vicinity_x_bytes", "Of something.", [] { return 2.5; });
  metrics.add({"vicinity_y_total", "By code.", MetricKind::Counter, [] {
                 return std::vector<MetricSample>{{{{"code", "a\"b"}}, 7, {}}};
               }});
  metrics.add({"vicinity_z_seconds", "Spread.", MetricKind::Histogram, [] {
                 return std::vector<MetricSample>{{{}, 0, {{{0.1, 1}, {0.5, 3}}, 4, 2.0}}};
               }});
  EXPECT_EQ(metrics.text(),
            "# HELP vicinity_x_bytes Of something.\n"
            "# TYPE vicinity_x_bytes gauge\n"
            "vicinity_x_bytes 2.5\n"
            "# HELP vicinity_y_total By code.\n"
            "# TYPE vicinity_y_total counter\n"
            "vicinity_y_total{code=\"a\\\"b\"} 7\n"
            "# HELP vicinity_z_seconds Spread.\n"
            "# TYPE vicinity_z_seconds histogram\n"
            "vicinity_z_seconds_count 4\n"
            "vicinity_z_seconds_sum 2\n"
            "vicinity_z_seconds_bucket{le=\"0.1\"} 1\n"
            "vicinity_z_seconds_bucket{le=\"0.5\"} 3\n"
            "vicinity_z_seconds_bucket{le=\"+Inf\"} 4\n");
}

TEST(ReadyChecks, GivesEveryReason) {
  ReadyChecks ready;
  ready.add("disk", [] { return "full"; });
  ready.add("ticks", [] { return ""; });
  const auto findings = ready.run();
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].reason, "full");
  EXPECT_EQ(findings[1].reason, "");
}

HttpResponse ask(const Router& router, const std::string& method, const std::string& path) {
  return std::get<HttpResponse>(router.answer({method, path, {}, ""}));
}

TEST(Router, FindsPagesByPathAndMethod) {
  const Router router({{"GET", "/log/level", "says it",
                        [](const PageRequest&) {
                          return HttpResponse{200, "get"};
                        }},
                       {"PUT", "/log/level", "sets it",
                        [](const PageRequest&) {
                          return HttpResponse{200, "put"};
                        }},
                       {"POST", "/sessions/*/kick", "ends it",
                        [](const PageRequest& request) {
                          return HttpResponse{200, "kick " + request.name};
                        }}},
                      "title");
  EXPECT_EQ(ask(router, "GET", "/log/level").body, "get");
  EXPECT_EQ(ask(router, "PUT", "/log/level").body, "put");
  EXPECT_EQ(ask(router, "POST", "/sessions/17/kick").body, "kick 17");
  const HttpResponse wrong = ask(router, "DELETE", "/log/level");
  EXPECT_EQ(wrong.status, 405u);
  EXPECT_EQ(wrong.allow, "GET, HEAD, PUT");
  for (const char* unknown : {"/log", "/log/level/", "/sessions//kick", "/sessions/1/2/kick", ""})
    EXPECT_EQ(ask(router, "POST", unknown).status, 404u) << unknown;
  EXPECT_THAT(ask(router, "GET", "/").body, HasSubstr("POST /sessions/*/kick"));
}

TEST(WholeNumber, TakesNumbersWithinTheRangeOnly) {
  HttpResponse problem;
  const auto number = [&](const std::string& text) {
    return whole_number({"GET", "/", {{"n", text}}, ""}, "n", 1, 512, 10, problem);
  };
  EXPECT_EQ(number("512"), 512u);
  EXPECT_EQ(whole_number({"GET", "/", {}, ""}, "n", 1, 512, 10, problem), 10u);
  for (const char* wrong : {"0", "513", "", "1x", "-1", "99999999999999999999", " 1"})
    EXPECT_FALSE(number(wrong)) << wrong;
  EXPECT_EQ(problem.status, 400u);
  EXPECT_THAT(problem.body, HasSubstr("from 1 to 512"));
}

}  // namespace
}  // namespace vicinity::admin
