// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_pages.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/session_names.h"

namespace vicinity::app {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t sessions_default = 100;
constexpr std::uint64_t sessions_max = 1'000;
/// Looked up at a time: the registry is locked meanwhile.
constexpr std::size_t chunk = 64;

ordered_json session_json(const SessionRegistry::Listed& listed) {
  const Session& session = *listed.session;
  const auto connection = session.connection();
  const SessionGauges& gauges = session.gauges;
  ordered_json out = {{"session", session.id.value},
                      {"state", listed.is_parked ? "parked" : "live"},
                      {"role", name_of(session.role)},
                      {"client", session.client_name},
                      {"subject", session.subject}};
  out["address"] = connection ? ordered_json(connection->peer()) : ordered_json(nullptr);
  out["health"] = name_of(gauges.health.load());
  out["observers"] = gauges.observers.load();
  out["visible"] = gauges.visible.load();
  out["views"] = ordered_json::array();
  for (const ListedObserver& observer : gauges.listed_observers()) {
    ordered_json areas = ordered_json::array();
    for (const AreaId area : observer.areas) areas.push_back(area.value);
    out["views"].push_back(
        {{"observer", observer.id.value}, {"areas", areas}, {"visible", observer.visible}});
  }
  out["waiting_bytes"] = connection ? connection->outbox_bytes() : 0;
  out["frames"] = gauges.frames.load();
  out["frame_bytes"] = gauges.frame_bytes.load();
  out["frame_bytes_per_s"] = gauges.frame_bytes_per_s.load();
  out["budget_bytes_per_s"] = session.budget_bytes_per_s;
  out["last_sequence"] = session.last_sequence();
  out["acknowledged_tick"] = session.acked_tick.load();
  return out;
}

}  // namespace

admin::HttpResponse sessions_page(const SessionRegistry& sessions,
                                  const admin::HttpRequest& request) {
  admin::HttpResponse problem;
  const auto after = admin::whole_number(request, "after", 0,
                                         std::numeric_limits<std::uint64_t>::max(), 0, problem);
  const auto limit =
      admin::whole_number(request, "limit", 1, sessions_max, sessions_default, problem);
  if (!after || !limit) return problem;

  ordered_json list = ordered_json::array();
  SessionId last{*after};
  bool more = true;
  while (more && list.size() < *limit) {
    const std::size_t wanted = std::min<std::size_t>(chunk, *limit - list.size());
    const auto page = sessions.page(last, wanted);
    more = page.size() == wanted;
    for (const auto& listed : page) {
      list.push_back(session_json(listed));
      last = listed.session->id;
    }
  }
  const SessionStats stats = sessions.stats();
  ordered_json out = {{"live", stats.live}, {"parked", stats.parked_now}, {"sessions", list}};
  out["next_after"] = more ? ordered_json(last.value) : ordered_json(nullptr);
  return {200, out.dump(2, ' ', true, ordered_json::error_handler_t::replace) + "\n",
          "application/json"};
}

}  // namespace vicinity::app
