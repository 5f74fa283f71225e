// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/query.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/limits.h"
#include "geometry/primitive_bounds.h"
#include "index/search_box.h"
#include "narrow/mesh_walk.h"
#include "query/box_cast.h"
#include "query/exact_search.h"
#include "query/explain.h"
#include "query/ranking.h"

namespace vicinity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An entity whose hit, if there is one, has a value of `bound` or more. Slots make the order the
/// same for every index, so that a query whose looks are used up ends at the same place.
struct Candidate {
  double bound = 0;
  std::uint32_t slot = 0;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// The looks at shapes that one query has, counted in parts: each part has its own exact test, and
/// so has each triangle of a mesh that the query comes to, which is known behind the look only.
class Looks {
 public:
  /// False when they are used up. The last shape may have more than are left.
  bool take(std::size_t part_count) {
    const std::uint64_t triangles = narrow::triangles_walked - triangles_before_;
    ran_out_ = parts_ + triangles >= limits::exact_parts_per_query_max;
    parts_ += part_count;
    return !ran_out_;
  }
  /// Whether one was refused.
  bool ran_out() const { return ran_out_; }

 private:
  const std::uint64_t triangles_before_ = narrow::triangles_walked;
  std::uint64_t parts_ = 0;
  bool ran_out_ = false;
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
  void answer(const OverlapQuery& body);
  void answer(const CastQuery& body);
  void answer(const ShapeCastQuery& body);
  void answer(const NearestQuery& body);
  void answer(const ContactsQuery& body);
  void answer(const ExplainPairQuery& body) { answer_.pair = explain_pair(frame_, body.a, body.b); }
  void answer(const ExplainViewQuery&) { CHECK(false); }

  std::vector<std::uint32_t> slots_touching(const Aabb& box) const {
    std::vector<std::uint32_t> slots;
    frame_.index->find_in_box(search_box(box), slots);
    return slots;
  }
  bool found(std::uint32_t slot) const { return finds(query_.filter, snapshot_.filter[slot]); }
  /// Before each look at a shape.
  bool may_look_at(std::uint32_t slot) {
    const bool is_one = snapshot_.form[slot] != Form::Other || snapshot_.shape[slot].is_plain();
    return looks_.take(is_one ? 1 : snapshot_.shape[slot].compound->parts.size());
  }

  template <class Accepts>
  void answer_by_id(const Aabb& box, const Accepts& accepts);
  template <class ExactHit>
  void answer_cast(const Aabb& box, Vec3 delta, double max_t, const ExactHit& exact_hit);
  template <class ExactHit>
  void rank(std::vector<Candidate>& candidates, Ranking& ranking, const ExactHit& exact_hit);
  void look_between(const std::vector<std::uint32_t>& slots, Vec3 point, double beyond_m,
                    double reach_m, double limit_m, Ranking& ranking);
  void add_hit(std::uint32_t slot, const Surface& surface);
  void give(Ranking& ranking);

  const PublishedFrame& frame_;
  const Snapshot& snapshot_;
  const Query& query_;
  Looks looks_;
  /// Looks ran out, and hits from this value on are not known.
  std::optional<double> unknown_from_;
  QueryAnswer answer_;
};

void Answering::add_hit(std::uint32_t slot, const Surface& surface) {
  answer_.hits.push_back({snapshot_.id[slot], surface.value, snapshot_.position[slot],
                          snapshot_.user_data[slot], surface.point, surface.normal});
}

void Answering::give(Ranking& ranking) {
  for (const RankedHit& hit : ranking.finish(unknown_from_)) add_hit(hit.id.index(), hit.surface);
  answer_.complete = ranking.is_complete();
}

/// Looks at the most promising first, and ends when the others can change nothing any more, or when
/// looks ran out: what comes before the bound of the next one is certain then.
template <class ExactHit>
void Answering::rank(std::vector<Candidate>& candidates, Ranking& ranking,
                     const ExactHit& exact_hit) {
  std::make_heap(candidates.begin(), candidates.end(), std::greater<>());
  while (!candidates.empty() && ranking.may_take(candidates.front().bound)) {
    if (!may_look_at(candidates.front().slot)) {
      unknown_from_ = candidates.front().bound;
      return;
    }
    std::pop_heap(candidates.begin(), candidates.end(), std::greater<>());
    const std::uint32_t slot = candidates.back().slot;
    candidates.pop_back();
    if (const std::optional<Surface> hit = exact_hit(slot))
      ranking.offer({*hit, snapshot_.id[slot]});
  }
}

// --- Overlap -----------------------------------------------------------------------------------

/// Slots come in the order of ids, so that hits up to where looks ran out are all there are.
template <class Accepts>
void Answering::answer_by_id(const Aabb& box, const Accepts& accepts) {
  for (const std::uint32_t slot : slots_touching(box)) {
    if (query_.after && !comes_before(*query_.after, {0, snapshot_.id[slot]})) continue;
    const bool is_hit = accepts(slot);
    if (looks_.ran_out() || (is_hit && answer_.hits.size() >= query_.limit)) {
      answer_.complete = false;
      return;
    }
    if (is_hit) add_hit(slot, {});
  }
}

void Answering::answer(const BoxQuery& body) {
  answer_by_id(body.box, [&](std::uint32_t slot) {
    if (!found(slot) || !overlaps(body.box, snapshot_.tight_box[slot])) return false;
    return !query_.exact || (may_look_at(slot) && overlaps_box(snapshot_, slot, body.box));
  });
}

void Answering::answer(const SphereQuery& body) {
  const double r = body.radius_m;
  const Vec3 half{r, r, r};
  answer_by_id({body.centre - half, body.centre + half}, [&](std::uint32_t slot) {
    if (!found(slot)) return false;
    if (!(distance_squared(body.centre, snapshot_.tight_box[slot]) < r * r)) return false;
    return !query_.exact || (may_look_at(slot) && overlaps_sphere(snapshot_, slot, body.centre, r));
  });
}

void Answering::answer(const OverlapQuery& body) {
  const Aabb box = box_around(body.shape, body.pose);
  answer_by_id(box, [&](std::uint32_t slot) {
    if (!found(slot) || !overlaps(box, snapshot_.tight_box[slot])) return false;
    return !query_.exact ||
           (may_look_at(slot) && overlaps_shape(snapshot_, slot, body.shape, body.pose));
  });
}

void Answering::answer(const ContactsQuery& body) {
  if (!snapshot_.contains(body.entity)) return;
  const std::uint32_t own_slot = body.entity.index();
  // Whoever is in contact at the end of the tick overlaps, so the index knows the candidates; the
  // contacts are many and can be asked about one pair only.
  answer_by_id(snapshot_.tight_box[own_slot], [&](std::uint32_t slot) {
    // What covers the world has it all for candidates.
    if (slot == own_slot || !looks_.take(1)) return false;
    const auto [a, b] = std::minmax(snapshot_.id[slot], body.entity);
    return frame_.contacts.contains(a, b);
  });
}

// --- Cast --------------------------------------------------------------------------------------

template <class ExactHit>
void Answering::answer_cast(const Aabb& box, Vec3 delta, double max_t, const ExactHit& exact_hit) {
  constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();
  const Vec3 path = delta * max_t;
  const Aabb swept = merge(box, {box.min + path, box.max + path});
  Ranking ranking(query_.limit, query_.after, no_end);
  std::vector<Candidate> candidates;
  for (const std::uint32_t slot : slots_touching(swept)) {
    if (!found(slot)) continue;
    const Aabb& target = snapshot_.tight_box[slot];
    if (query_.exact) {
      if (const auto window = touch_window(box, delta, max_t, target))
        candidates.push_back({window->begin, slot});
    } else if (const auto hit = cast_box(box, delta, max_t, target)) {
      ranking.offer({{hit->value, {}, {}}, snapshot_.id[slot]});
    }
  }
  rank(candidates, ranking, exact_hit);
  give(ranking);
}

void Answering::answer(const CastQuery& body) {
  answer_cast(body.box, body.delta, body.max_t, [&](std::uint32_t slot) {
    return cast_box_at(snapshot_, slot, body.box, body.delta, body.max_t);
  });
}

void Answering::answer(const ShapeCastQuery& body) {
  answer_cast(box_around(body.shape, body.start), body.delta, body.max_t, [&](std::uint32_t slot) {
    return cast_shape_at(snapshot_, slot, body.shape, body.start, body.delta, body.max_t);
  });
}

// --- Nearest -----------------------------------------------------------------------------------

/// Offers those of `slots` whose box is farther than beyond_m and at most reach_m away. Distances
/// are compared as they are given back, not their squares: several squares have the same root, and
/// of those the id decides.
void Answering::look_between(const std::vector<std::uint32_t>& slots, Vec3 point, double beyond_m,
                             double reach_m, double limit_m, Ranking& ranking) {
  std::vector<Candidate> candidates;
  for (const std::uint32_t slot : slots) {
    if (!found(slot)) continue;
    const double distance_m = std::sqrt(distance_squared(point, snapshot_.tight_box[slot]));
    if (distance_m <= beyond_m || distance_m > reach_m) continue;
    if (query_.exact)
      candidates.push_back({distance_m, slot});
    else
      ranking.offer({{distance_m, {}, {}}, snapshot_.id[slot]});
  }
  rank(candidates, ranking, [&](std::uint32_t slot) {
    const Surface closest = closest_to(snapshot_, slot, point);
    return closest.value <= limit_m ? std::optional(closest) : std::nullopt;
  });
}

/// Searches cubes of growing size, and of each only what is new in it. No shape is closer than its
/// box, so the answer is complete as soon as nothing beyond the cube can come before what is there.
/// A cube that holds a good part of the world ends the search with one look at everything. Cost: at
/// most some 60 cubes (the last covers the f32 range) and about four looks at each entity, however
/// far the point lies from the world.
void Answering::answer(const NearestQuery& body) {
  constexpr double first_radius_m = 1.0;
  constexpr double growth = 4.0;
  constexpr std::size_t good_part = 16;  // one 16th of the world
  const double limit_m = body.max_distance_m < 0 ? infinity : body.max_distance_m;
  Ranking ranking(query_.limit, query_.after, body.k);
  double beyond_m = -1;  // up to there all were looked at
  for (double radius_m = first_radius_m; beyond_m < limit_m; radius_m *= growth) {
    if (snapshot_.entity_count == 0 || !ranking.may_take(beyond_m)) break;
    double reach_m = std::min(radius_m, limit_m);
    const Vec3 half{reach_m, reach_m, reach_m};
    auto slots = slots_touching({body.point - half, body.point + half});
    if (slots.size() * good_part >= snapshot_.entity_count) {
      slots.clear();
      for (std::uint32_t slot = 0; slot < snapshot_.slot_count(); ++slot)
        if (snapshot_.is_alive(slot)) slots.push_back(slot);
      reach_m = limit_m;
    }
    look_between(slots, body.point, beyond_m, reach_m, limit_m, ranking);
    if (unknown_from_) break;
    beyond_m = reach_m;
  }
  give(ranking);
}

}  // namespace

QueryAnswer answer_query(const PublishedFrame& frame, const Query& query) {
  CHECK(frame.snapshot != nullptr && frame.index != nullptr);
  return Answering(frame, query).run();
}

}  // namespace vicinity
