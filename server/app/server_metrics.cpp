// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/server_metrics.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/session_names.h"
#include "app/version.h"

namespace vicinity::app {
namespace {

using admin::MetricKind;
using admin::MetricRegistry;
using admin::MetricSample;

constexpr std::size_t sessions_per_page = 64;
constexpr std::size_t error_codes_max = 64;  ///< as SessionStats counts them
constexpr std::array roles = {Role::Observer, Role::Player, Role::Authority};
constexpr std::array healths = {StreamHealth::Ok, StreamHealth::Degraded, StreamHealth::Starved};

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

MetricSample sample(std::string label, std::string_view name, double value) {
  return {{{std::move(label), std::string(name)}}, value, {}};
}

// --- Sockets ---------------------------------------------------------------------------------

struct SocketMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  double (*value)(const net::SocketStats& stats);
};

constexpr SocketMetric socket_metrics[] = {
    {"vicinity_connections", "Connections that are open.", MetricKind::Gauge,
     [](const net::SocketStats& s) { return number(s.open); }},
    {"vicinity_connections_accepted_total", "Connections that were accepted.", MetricKind::Counter,
     [](const net::SocketStats& s) { return number(s.accepted); }},
    {"vicinity_connections_refused_total", "Connections that found all places taken.",
     MetricKind::Counter, [](const net::SocketStats& s) { return number(s.refused); }},
    {"vicinity_connections_turned_away_total", "Connections of addresses that have too many.",
     MetricKind::Counter, [](const net::SocketStats& s) { return number(s.turned_away); }},
    {"vicinity_connections_evicted_total", "Connections without a hello that made room for others.",
     MetricKind::Counter, [](const net::SocketStats& s) { return number(s.evicted); }},
    {"vicinity_accept_errors_total", "Connections that the system could not accept.",
     MetricKind::Counter, [](const net::SocketStats& s) { return number(s.accept_errors); }},
    {"vicinity_slow_consumers_total", "Connections that were closed with a full outbox.",
     MetricKind::Counter, [](const net::SocketStats& s) { return number(s.slow_consumers); }},
    {"vicinity_received_bytes_total", "Bytes from clients.", MetricKind::Counter,
     [](const net::SocketStats& s) { return number(s.bytes_in); }},
    {"vicinity_sent_bytes_total", "Bytes to clients.", MetricKind::Counter,
     [](const net::SocketStats& s) { return number(s.bytes_out); }},
    {"vicinity_frames_offered_total", "Frames that connections were given.", MetricKind::Counter,
     [](const net::SocketStats& s) { return number(s.frames_offered); }},
    {"vicinity_frames_sent_total", "Frames that have left for the system.", MetricKind::Counter,
     [](const net::SocketStats& s) { return number(s.frames_sent); }},
};

admin::HistogramReading lateness_of(const net::SocketStats& stats) {
  admin::HistogramReading reading;
  const auto& bounds = net::FrameLateness::bounds_us;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    reading.buckets.push_back({number(bounds[i]) * 1e-6, stats.lateness.within[i]});
  reading.count = stats.lateness.count;
  reading.sum = number(stats.lateness.sum_us) * 1e-6;
  return reading;
}

void add_socket_metrics(const ServerMetricSources& sources, MetricRegistry& metrics) {
  std::vector<std::pair<std::string, const net::ServerSocket*>> sockets = {
      {"tcp", &sources.socket}};
  if (sources.web_socket != nullptr) sockets.emplace_back("websocket", sources.web_socket);
  metrics.add({"vicinity_socket_engine_info", "What moves the bytes of each listener, and why.",
               MetricKind::Gauge, [sockets] {
                 std::vector<MetricSample> samples;
                 for (const auto& [listener, socket] : sockets) {
                   samples.push_back({{{"listener", listener},
                                       {"engine", std::string(socket->engine())},
                                       {"reason", std::string(socket->engine_reason())}},
                                      1,
                                      {}});
                 }
                 return samples;
               }});
  for (const SocketMetric& metric : socket_metrics) {
    metrics.add({metric.name, metric.help, metric.kind, [sockets, value = metric.value] {
                   std::vector<MetricSample> samples;
                   for (const auto& [listener, socket] : sockets)
                     samples.push_back(sample("listener", listener, value(socket->stats())));
                   return samples;
                 }});
  }
  metrics.add({"vicinity_frame_lateness_seconds", "How long after their moment frames left.",
               MetricKind::Histogram, [sockets] {
                 std::vector<MetricSample> samples;
                 for (const auto& [listener, socket] : sockets)
                   samples.push_back({{{"listener", listener}}, 0, lateness_of(socket->stats())});
                 return samples;
               }});
}

// --- Sessions --------------------------------------------------------------------------------

struct SessionCounts {
  std::array<double, roles.size()> by_role{};
  std::array<double, healths.size()> by_health{};  ///< of live ones
};

SessionCounts count(const SessionRegistry& sessions) {
  SessionCounts counts;
  SessionId after{};
  for (;;) {
    const auto page = sessions.page(after, sessions_per_page);
    for (const auto& [session, is_parked] : page) {
      after = session->id;
      for (std::size_t i = 0; i < roles.size(); ++i)
        counts.by_role[i] += session->role == roles[i] ? 1 : 0;
      for (std::size_t i = 0; i < healths.size(); ++i)
        counts.by_health[i] += !is_parked && session->gauges.health.load() == healths[i] ? 1 : 0;
    }
    if (page.size() < sessions_per_page) return counts;
  }
}

struct SessionMetric {
  const char* name;
  const char* help;
  std::uint64_t SessionStats::*value;
};

constexpr SessionMetric session_metrics[] = {
    {"vicinity_sessions_opened_total", "Sessions that began.", &SessionStats::opened},
    {"vicinity_sessions_parked_total", "Times that a session lost its connection and was kept.",
     &SessionStats::parked},
    {"vicinity_sessions_resumed_total", "Times that a client came back to its session.",
     &SessionStats::resumed},
    {"vicinity_sessions_taken_over_total", "Sessions that a newcomer of their subject ended.",
     &SessionStats::taken_over},
    {"vicinity_sessions_expired_total", "Sessions to which nobody came back in time.",
     &SessionStats::expired},
    {"vicinity_resumes_refused_total", "Resumes that were refused.", &SessionStats::resume_refused},
};

/// Codes that end sessions and connections; those below are of commands and queries.
constexpr std::size_t first_session_code = static_cast<std::size_t>(ErrorCode::BadFrame);

/// One sample for each code that can end them, those that never did as well: what appears with its
/// first occurrence would hide it from rates.
template <class Count>
std::vector<MetricSample> by_code(const Count& count_of) {
  std::vector<MetricSample> samples;
  for (std::size_t code = 0; code < error_codes_max; ++code) {
    const std::uint64_t value = count_of(code);
    const std::string_view name = to_string(static_cast<ErrorCode>(code));
    const bool can_end = (code == 0 || code >= first_session_code) && name != "Unknown";
    if (value > 0 || can_end) samples.push_back(sample("code", name, number(value)));
  }
  return samples;
}

void add_session_metrics(const ServerMetricSources& sources, MetricRegistry& metrics) {
  const SessionRegistry& sessions = sources.sessions;
  metrics.add({"vicinity_sessions", "Sessions with a connection, and those that wait for one.",
               MetricKind::Gauge, [&sessions] {
                 const SessionStats stats = sessions.stats();
                 return std::vector{sample("state", "live", number(stats.live)),
                                    sample("state", "parked", number(stats.parked_now))};
               }});
  metrics.add({"vicinity_sessions_by_role", "Sessions, live or parked, by role.", MetricKind::Gauge,
               [&sessions] {
                 const SessionCounts counts = count(sessions);
                 std::vector<MetricSample> samples;
                 for (std::size_t i = 0; i < roles.size(); ++i)
                   samples.push_back(sample("role", name_of(roles[i]), counts.by_role[i]));
                 return samples;
               }});
  metrics.add({"vicinity_sessions_by_health", "Live sessions by how well they read.",
               MetricKind::Gauge, [&sessions] {
                 const SessionCounts counts = count(sessions);
                 std::vector<MetricSample> samples;
                 for (std::size_t i = 0; i < healths.size(); ++i)
                   samples.push_back(sample("health", name_of(healths[i]), counts.by_health[i]));
                 return samples;
               }});
  for (const SessionMetric& metric : session_metrics) {
    metrics.add_counter(metric.name, metric.help, [&sessions, value = metric.value] {
      return number(sessions.stats().*value);
    });
  }
  metrics.add({"vicinity_sessions_ended_total", "Sessions that ended, by code.",
               MetricKind::Counter, [&sessions] {
                 const SessionStats stats = sessions.stats();
                 return by_code([&](std::size_t code) { return stats.ended[code]; });
               }});
  metrics.add({"vicinity_connections_rejected_total",
               "Connections that ended before they had a session, by code.", MetricKind::Counter,
               [&protocol = sources.protocol] {
                 return by_code([&](std::size_t code) {
                   return protocol.turned_away(static_cast<ErrorCode>(code));
                 });
               }});
}

}  // namespace

void add_server_metrics(const ServerMetricSources& sources, MetricRegistry& metrics) {
  metrics.add(
      {"vicinity_build_info", "Version of the server and the sources it was built from.",
       MetricKind::Gauge, [] {
         return std::vector<MetricSample>{
             {{{"version", std::string(version())}, {"build", std::string(build_id())}}, 1, {}}};
       }});
  metrics.add_gauge("vicinity_tick_period_seconds", "Length of a tick.",
                    [hz = sources.tick_rate_hz] { return 1.0 / hz; });
  metrics.add_gauge("vicinity_commands_waiting", "Commands that wait for the next tick.",
                    [&commands = sources.commands] { return number(commands.size()); });
  metrics.add_gauge("vicinity_draining", "1 when no newcomers are taken any more, else 0.",
                    [&protocol = sources.protocol] { return protocol.stopping() ? 1.0 : 0.0; });
  add_socket_metrics(sources, metrics);
  add_session_metrics(sources, metrics);
}

}  // namespace vicinity::app
