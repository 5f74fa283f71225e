// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/query.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "geometry/primitive_bounds.h"
#include "index/search_box.h"

namespace vicinity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One slot that answers a query, with what it is ordered by before the id. Ids ascend with slots.
struct Match {
  double key = 0;
  std::uint32_t slot = 0;
  friend bool operator<(const Match& a, const Match& b) {
    return std::tie(a.key, a.slot) < std::tie(b.key, b.slot);
  }
};

class Answering {
 public:
  Answering(const PublishedFrame& frame, const Query& query)
      : frame_(frame), snapshot_(*frame.snapshot), query_(query) {}

  QueryAnswer run() {
    answer_.tick = frame_.tick;
    answer_.index_version = frame_.index_version;
    std::visit([this](const auto& body) { answer(body); }, query_.body);
    return std::move(answer_);
  }

 private:
  void answer(const BoxQuery& body);
  void answer(const SphereQuery& body);
  void answer(const CastQuery& body);
  void answer(const NearestQuery& body);
  void answer(const ContactsQuery& body);
  void answer(const OverlapQuery& body) { answer(BoxQuery{box_around(body.shape, body.pose)}); }
  void answer(const ShapeCastQuery& body) {
    answer(CastQuery{box_around(body.shape, body.start), body.delta, body.max_t});
  }

  std::vector<std::uint32_t> slots_touching(const Aabb& box) const {
    std::vector<std::uint32_t> slots;
    frame_.index->find_in_box(search_box(box), slots);
    return slots;
  }
  bool found(std::uint32_t slot) const { return finds(query_.filter, snapshot_.filter[slot]); }
  void keep_first(std::vector<Match>& matches);
  /// False, and the answer incomplete, when there is no room left.
  bool add_hit(std::uint32_t slot, double value);
  std::vector<Match> matches_within(Vec3 point, double reach_m,
                                    const std::vector<std::uint32_t>& slots) const;

  const PublishedFrame& frame_;
  const Snapshot& snapshot_;
  const Query& query_;
  QueryAnswer answer_;
};

bool Answering::add_hit(std::uint32_t slot, double value) {
  if (answer_.hits.size() >= query_.limit) {
    answer_.complete = false;
    return false;
  }
  answer_.hits.push_back(
      {snapshot_.id[slot], value, snapshot_.position[slot], snapshot_.user_data[slot]});
  return true;
}

/// Sorts only as far as the answer goes.
void Answering::keep_first(std::vector<Match>& matches) {
  const std::size_t wanted = std::min<std::size_t>(matches.size(), query_.limit);
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(wanted),
                    matches.end());
  for (const Match& match : matches)
    if (!add_hit(match.slot, match.key)) return;
}

// --- Overlap -----------------------------------------------------------------------------------

void Answering::answer(const BoxQuery& body) {
  for (const std::uint32_t slot : slots_touching(body.box))
    if (found(slot) && overlaps(body.box, snapshot_.tight_box[slot]) && !add_hit(slot, 0)) return;
}

void Answering::answer(const SphereQuery& body) {
  const double r = body.radius_m;
  const Vec3 half{r, r, r};
  for (const std::uint32_t slot : slots_touching({body.centre - half, body.centre + half})) {
    if (!found(slot)) continue;
    if (distance_squared(body.centre, snapshot_.tight_box[slot]) < r * r && !add_hit(slot, 0))
      return;
  }
}

void Answering::answer(const ContactsQuery& body) {
  if (!snapshot_.contains(body.entity)) return;
  const std::uint32_t own_slot = body.entity.index();
  // Whoever is in contact at the end of the tick overlaps, so the index knows the candidates; the
  // contacts are many and can be asked about one pair only.
  for (const std::uint32_t slot : slots_touching(snapshot_.tight_box[own_slot])) {
    const EntityId other = snapshot_.id[slot];
    if (slot == own_slot) continue;
    const auto [a, b] = std::minmax(other, body.entity);
    if (frame_.contacts.contains(a, b) && !add_hit(slot, 0)) return;
  }
}

// --- Cast --------------------------------------------------------------------------------------

/// The open interval of t in which `box` moved by t * delta overlaps `target` strictly:
///
///     per axis     target.min < box.max + t * delta   and   box.min + t * delta < target.max
///
/// Divides rather than multiplies by a reciprocal, so that equal fractions give equal results.
/// An axis without movement (also -0) either overlaps all the time or never.
struct Interval {
  double begin = -infinity;
  double end = infinity;
};
std::optional<Interval> overlap_interval(const Aabb& box, Vec3 delta, const Aabb& target) {
  Interval overlap;
  for (int axis = 0; axis < 3; ++axis) {
    const double to_near = target.min[axis] - box.max[axis];
    const double to_far = target.max[axis] - box.min[axis];
    const double step = delta[axis];
    if (step == 0) {
      if (!(to_near < 0 && to_far > 0)) return std::nullopt;
      continue;
    }
    const double first = step > 0 ? to_near / step : to_far / step;
    const double last = step > 0 ? to_far / step : to_near / step;
    overlap.begin = std::max(overlap.begin, first);
    overlap.end = std::min(overlap.end, last);
  }
  if (!(overlap.begin < overlap.end)) return std::nullopt;
  return overlap;
}

void Answering::answer(const CastQuery& body) {
  const Vec3 path = body.delta * body.max_t;
  const Aabb swept = merge(body.box, {body.box.min + path, body.box.max + path});
  std::vector<Match> matches;
  for (const std::uint32_t slot : slots_touching(swept)) {
    if (!found(slot)) continue;
    const auto overlap = overlap_interval(body.box, body.delta, snapshot_.tight_box[slot]);
    if (!overlap || overlap->end <= 0) continue;
    const bool inside_at_start = overlap->begin < 0;
    if (!inside_at_start && overlap->begin >= body.max_t) continue;
    matches.push_back({inside_at_start ? 0.0 : overlap->begin + 0.0, slot});
  }
  keep_first(matches);
}

// --- Nearest -----------------------------------------------------------------------------------

/// Of `slots`, what the filter takes and is at most reach_m away. The key is the distance as it is
/// given back, not its square: several squares have the same root, and of those the id decides.
std::vector<Match> Answering::matches_within(Vec3 point, double reach_m,
                                             const std::vector<std::uint32_t>& slots) const {
  std::vector<Match> matches;
  for (const std::uint32_t slot : slots) {
    if (!found(slot)) continue;
    const double distance_m = std::sqrt(distance_squared(point, snapshot_.tight_box[slot]));
    if (distance_m <= reach_m) matches.push_back({distance_m, slot});
  }
  return matches;
}

/// Searches cubes of growing size. Whatever is at most reach_m away touches the cube, so as soon as
/// there are enough of those the answer is among them. A cube that holds a good part of the world
/// ends the search with one look at everything. Cost: at most some 60 cubes (the last covers the
/// f32 range) and about four looks at each entity, however far the point lies from the world.
void Answering::answer(const NearestQuery& body) {
  constexpr double first_radius_m = 1.0;
  constexpr double growth = 4.0;
  constexpr std::size_t good_part = 16;  // one 16th of the world
  const double limit_m = body.max_distance_m < 0 ? infinity : body.max_distance_m;
  // One more than can be given back shows whether the answer is complete.
  const std::size_t wanted = std::min<std::size_t>(body.k, std::size_t{query_.limit} + 1);
  if (wanted == 0 || snapshot_.entity_count == 0) return;

  std::vector<Match> matches;
  for (double radius_m = first_radius_m;; radius_m *= growth) {
    const double reach_m = std::min(radius_m, limit_m);
    const Vec3 half{reach_m, reach_m, reach_m};
    auto slots = slots_touching({body.point - half, body.point + half});
    matches = matches_within(body.point, reach_m, slots);
    if (matches.size() >= wanted || reach_m == limit_m) break;
    if (slots.size() * good_part >= snapshot_.entity_count) {
      slots.clear();
      for (std::uint32_t slot = 0; slot < snapshot_.slot_count(); ++slot)
        if (snapshot_.is_alive(slot)) slots.push_back(slot);
      matches = matches_within(body.point, limit_m, slots);
      break;
    }
  }
  const std::size_t kept = std::min(matches.size(), wanted);
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(kept),
                    matches.end());
  for (std::size_t i = 0; i < kept; ++i)
    if (!add_hit(matches[i].slot, matches[i].key)) return;
}

}  // namespace

QueryAnswer answer_query(const PublishedFrame& frame, const Query& query) {
  CHECK(frame.snapshot != nullptr && frame.index != nullptr);
  return Answering(frame, query).run();
}

}  // namespace vicinity
