// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What every client knows against the truth, while everything that can go wrong with a stream does:
// late, cut and narrow links, clients that come back, small budgets, a server that cannot keep its
// rate. Each run says what must have happened in it, or it would prove nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "streaming_run.h"

namespace vicinity::test {
namespace {

struct Trouble {
  std::string name;
  Arguments server;
  Arguments bots;
  std::vector<std::string> happened;  ///< metrics that must not be 0
  /// The session that says what is true falls behind as well: then nothing is compared.
  bool may_have_gaps = false;
};

void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }

std::vector<Trouble> troubles() {
  return {
      {"LateLinks", {}, {"--net", "delay=80ms,jitter=40ms"}, {"updates"}},
      {"CutLinks", {}, {"--net", "cut-every=1s"}, {"cuts", "reconnects", "resumes"}},
      {"LateLinksThatAreCut",
       {},
       {"--net", "delay=60ms,jitter=30ms,cut-every=1500ms"},
       {"cuts", "reconnects", "resumes"}},
      {"CutLinksWithoutGrace",
       {"--grace-ms", "0"},
       {"--net", "cut-every=1s"},
       {"cuts", "reconnects"}},
      {"NarrowLinks", {}, {"--net", "bandwidth=200kbit", "--entities", "500"}, {"updates"}},
      {"StormsOfReconnects",
       {},
       {"--behaviours", "normal:2,reconnect-storm:1"},
       {"reconnects", "resumes"}},
      {"SmallBudgets",
       {"--budget-bytes-per-s", "6000"},
       {"--entities", "500", "--allowed-delay", "8s"},
       {"updates", "frames_degraded"}},
      {"ServersThatCannotKeepUp",
       {"--tick-rate-hz", "240", "--index", "brute_force"},
       {"--entities", "4000", "--allowed-delay", "8s"},
       {"updates", "frames_shedding_rings"},
       true},
  };
}

class StreamingTruth : public testing::TestWithParam<Trouble> {};
INSTANTIATE_TEST_SUITE_P(Under, StreamingTruth, testing::ValuesIn(troubles()),
                         [](const auto& trouble) { return trouble.param.name; });

TEST_P(StreamingTruth, EveryViewIsRight) {
  const Trouble& trouble = GetParam();
  ServerProcess server(trouble.server);
  ASSERT_NE(server.port(), 0) << server.standard_error();
  Arguments arguments = {"--bots", "16", "--duration", "5s"};
  arguments.insert(arguments.end(), trouble.bots.begin(), trouble.bots.end());
  const auto report = run_bots(server, arguments, trouble.may_have_gaps);
  for (const std::string& metric : trouble.happened)
    EXPECT_GT(report.value(metric, 0.0), 0) << metric << "\n" << report.dump(2);
  EXPECT_EQ(server.stop(), "");
}

/// The witness then sees no more than what is around these few, wherever they go and come back.
TEST(StreamingTruthInParts, FewBotsOfALargeWorldAreCheckedAgainstWhatIsAroundThem) {
  for (const char* behaviours : {"normal:1", "normal:1,reconnect-storm:1"}) {
    ServerProcess server;
    ASSERT_NE(server.port(), 0) << server.standard_error();
    const auto report =
        run_bots(server, {"--bots", "40", "--entities", "3000", "--scenario", "walk",
                          "--check-share", "0.1", "--duration", "4s", "--behaviours", behaviours});
    EXPECT_GE(report["checked_views"], 100);
    EXPECT_GE(report["entities"], 3000);
    EXPECT_EQ(server.stop(), "");
  }
}

}  // namespace
}  // namespace vicinity::test
