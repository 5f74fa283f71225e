// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/begin_details.h"

#include <algorithm>

#include "base/check.h"
#include "narrow/entity_tests.h"

namespace vicinity {
namespace {

/// A description takes some microseconds, up to a hundred.
constexpr std::size_t begins_per_block = 16;

/// Within a tick a pair begins once at the most, or is told again: the pair names the begin.
struct Described {
  EntityId a;
  EntityId b;
  double toi = 1;
  ImpactDetail detail;
};

template <class X, class Y>
bool comes_before(const X& x, const Y& y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

bool has_passed(const ContactEvents& events, const Described& begin) {
  const auto place = std::lower_bound(
      events.passed.begin(), events.passed.end(), begin,
      [](const ContactEnd& end, const Described& key) { return comes_before(end.contact, key); });
  return place != events.passed.end() && !comes_before(begin, place->contact);
}

/// Sorted, each once.
std::vector<Described> collect(const SessionTable& sessions,
                               const std::vector<SessionOutput>& outputs) {
  std::vector<Described> all;
  for (const SessionOutput& output : outputs) {
    if (!sessions.at(output.session).contact_details) continue;
    for (const ContactBegin& begin : output.contact_begins)
      all.push_back({begin.contact.a, begin.contact.b, begin.toi, {}});
  }
  const auto before = [](const Described& x, const Described& y) { return comes_before(x, y); };
  std::sort(all.begin(), all.end(), before);
  const auto same = [](const Described& x, const Described& y) { return x.a == y.a && x.b == y.b; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

/// Both lists are sorted, and all begins were described.
void hand_out(const std::vector<Described>& all, SessionOutput& output) {
  output.begin_details.reserve(output.contact_begins.size());
  auto place = all.begin();
  for (const ContactBegin& begin : output.contact_begins) {
    place = std::lower_bound(place, all.end(), begin,
                             [](const Described& described, const ContactBegin& key) {
                               return comes_before(described, key.contact);
                             });
    CHECK(place != all.end() && place->a == begin.contact.a && place->b == begin.contact.b);
    output.begin_details.push_back(place->detail);
  }
}

}  // namespace

void add_begin_details(const Snapshot& snapshot, const ContactEvents& events,
                       const SessionTable& sessions, Workers& workers,
                       std::vector<SessionOutput>& outputs) {
  std::vector<Described> all = collect(sessions, outputs);
  if (all.empty()) return;
  workers.parallel_blocks(
      all.size(), begins_per_block, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          Described& each = all[i];
          each.detail = describe_impact(snapshot, each.a.index(), each.b.index(), each.toi,
                                        !has_passed(events, each));
        }
      });
  for (SessionOutput& output : outputs)
    if (sessions.at(output.session).contact_details) hand_out(all, output);
}

}  // namespace vicinity
