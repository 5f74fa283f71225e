// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/access_metrics.h"

#include <vector>

namespace vicinity::app {
namespace {

struct RateMetric {
  const char* name;
  const char* help;
  std::uint64_t ProtocolStats::*value;
};

constexpr RateMetric rate_metrics[] = {
    {"vicinity_commands_limited_total", "Commands that were above the rate of their session.",
     &ProtocolStats::commands_limited},
    {"vicinity_queries_limited_total", "Queries that were above the rate of their session.",
     &ProtocolStats::queries_limited},
    {"vicinity_queries_crowded_out_total",
     "Queries that were refused because all sessions together had used up their time.",
     &ProtocolStats::queries_crowded_out},
    {"vicinity_floods_total", "Sessions that were closed because they went on above their rates.",
     &ProtocolStats::floods},
    {"vicinity_tokens_ended_total", "Sessions that were closed because their token ended.",
     &ProtocolStats::expired},
};

}  // namespace

void add_access_metrics(const access::Gatekeeper& gatekeeper, const ClientProtocol& protocol,
                        admin::MetricRegistry& metrics) {
  metrics.add(
      {"vicinity_tokens_checked_total", "Tokens of hellos, by what came of them.",
       admin::MetricKind::Counter, [&gatekeeper] {
         const access::GatekeeperStats stats = gatekeeper.stats();
         const auto sample = [](const char* outcome, std::uint64_t value) {
           return admin::MetricSample{{{"outcome", outcome}}, static_cast<double>(value), {}};
         };
         return std::vector{sample("accepted", stats.accepted),
                            sample("unauthorized", stats.unauthorized),
                            sample("expired", stats.expired)};
       }});
  metrics.add_counter(
      "vicinity_query_seconds_total",
      "Time that queries took: decoding, refusals, hulls of players and, on the tick thread, "
      "answers about views included.",
      [&protocol] { return static_cast<double>(protocol.stats().query_us) * 1e-6; });
  metrics.add_gauge("vicinity_rates_remembered",
                    "Clients that left with rates used up, and would find them so.",
                    [&protocol] { return static_cast<double>(protocol.stats().rates_remembered); });
  for (const RateMetric& metric : rate_metrics) {
    metrics.add_counter(metric.name, metric.help, [&protocol, value = metric.value] {
      return static_cast<double>(protocol.stats().*value);
    });
  }
}

}  // namespace vicinity::app
