// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/admin_service.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "admin/health.h"
#include "admin/pages.h"
#include "admin/process_metrics.h"
#include "admin/tick_metrics.h"
#include "app/session_pages.h"
#include "app/settings_of_admin.h"
#include "app/version.h"

namespace vicinity::app {
namespace {

admin::TickPace pace_of(const Config& config) {
  return {config.tick_mode != "manual",
          1'000'000'000 / static_cast<std::int64_t>(config.tick_rate_hz)};
}

}  // namespace

Result<std::unique_ptr<AdminService>, Error> AdminService::open(const Config& config,
                                                                const AdminParts& parts) {
  auto token = read_admin_token(config);
  if (!token.ok()) return token.error();
  std::unique_ptr<AdminService> service(new AdminService(config, parts));
  admin::HttpSettings settings;
  settings.address = config.admin_address;
  settings.port = static_cast<std::uint16_t>(config.admin_port);
  settings.token = token.value();
  settings.open_paths = {"/healthz", "/readyz"};
  auto http = admin::HttpServer::open(
      std::move(settings), [&router = *service->router_](const admin::HttpRequest& request) {
        return router.answer(request);
      });
  if (!http.ok()) return http.error();
  service->http_ = std::move(http.value());
  return service;
}

AdminService::AdminService(const Config& config, const AdminParts& parts) : parts_(parts) {
  add_own_sources(config);
  router_ = std::make_unique<admin::Router>(routes(config), "vicinity-server " + full_version());
}

AdminService::~AdminService() = default;

void AdminService::add_own_sources(const Config& config) {
  admin::add_tick_metrics(parts_.ticks, parts_.metrics);
  admin::add_process_metrics(parts_.metrics);
  parts_.metrics.add(
      {"vicinity_admin_requests_total",
       "Requests of operators and their tools that were answered, by outcome.",
       admin::MetricKind::Counter, [this] {
         const admin::HttpStats stats = http_->stats();
         const auto sample = [](const char* outcome, std::uint64_t value) {
           return admin::MetricSample{{{"outcome", outcome}}, static_cast<double>(value), {}};
         };
         return std::vector{sample("ok", stats.answered_well),
                            sample("refused", stats.answered_badly), sample("cut", stats.cut)};
       }});
  parts_.ready.add("ticks", [&ticks = parts_.ticks, pace = pace_of(config)] {
    return admin::why_silent(ticks.pulse(), pace, admin::late_after_ns);
  });
  parts_.ready.add("audit", [&ticks = parts_.ticks] {
    const auto newest = ticks.newest();
    const std::uint64_t misses = newest ? newest->totals.audit_misses : 0;
    return misses == 0 ? std::string()
                       : "the audit found " + std::to_string(misses) + " misses of the index";
  });
  parts_.ready.add("drain", [&protocol = parts_.protocol] {
    return protocol.stopping() ? std::string("no newcomers are taken any more") : std::string();
  });
}

std::vector<admin::Route> AdminService::routes(const Config& config) {
  std::vector<admin::Route> routes = admin::standard_routes(
      {parts_.metrics, parts_.ready, parts_.ticks, pace_of(config), full_version()});
  routes.push_back({"GET",
                    "/debug/sessions",
                    "?after=ID&limit=N sessions, as JSON, in pages",
                    [this](const admin::PageRequest& request) {
                      return sessions_page(parts_.sessions, request.http);
                    },
                    {"after", "limit"}});
  routes.push_back({"POST", "/sessions/*/kick", "ends this session",
                    [this](const admin::PageRequest& request) { return kick(request.name); }});
  routes.push_back({"POST", "/drain", "takes no newcomers and sends all clients away",
                    [this](const admin::PageRequest&) { return drain(); }});
  routes.push_back(
      {"GET", "/log/level", "least severe kind of line that is logged",
       [this](const admin::PageRequest&) {
         return admin::HttpResponse{200, std::string(to_string(parts_.log.level())) + "\n"};
       }});
  routes.push_back(
      {"PUT", "/log/level", "sets it: debug, info, warning or error",
       [this](const admin::PageRequest& request) { return set_log_level(request.http.body); }});
  return routes;
}

admin::HttpResponse AdminService::kick(const std::string& id) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size())
    return {400, "a session is named by its number\n"};
  if (!parts_.protocol.kick(SessionId{value})) return {404, "there is no such session\n"};
  parts_.log.info("an operator ended a session", {{"session", value}});
  return {200, "ended\n"};
}

admin::HttpResponse AdminService::drain() {
  if (!parts_.protocol.stopping()) parts_.log.info("an operator drains the server");
  parts_.protocol.close_all();
  return {200, "no newcomers are taken any more; clients were told when to come again\n"};
}

admin::HttpResponse AdminService::set_log_level(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const LogLevel level = log_level_of(text);
  if (to_string(level) != text) return {400, "one of debug, info, warning, error\n"};
  // Of a kind that is logged before or behind the change, so that the log itself says why lines
  // end or begin.
  const LogLevel before = parts_.log.level();
  const LogLevel told = std::max(LogLevel::Info, std::min(before, level));
  if (level < before) parts_.log.set_level(level);
  parts_.log.write(told, "an operator set the log level", {{"level", to_string(level)}});
  parts_.log.set_level(level);
  return {200, text + "\n"};
}

}  // namespace vicinity::app
