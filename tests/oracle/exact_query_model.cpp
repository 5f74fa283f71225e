// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/exact_query_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "oracle/shape_pairs.h"

namespace vicinity::oracle {
namespace {

Piece finished(Piece piece) {
  for (const Vec3 point : piece.core)
    piece.reach_m = std::max(piece.reach_m, length(point - piece.core.front()));
  piece.reach_m += piece.radius_m;
  return piece;
}

void add_triangles(const Primitive& part, const Pose& pose, Vec3 base, std::vector<Piece>& out) {
  for (std::uint32_t i = 0; i < part.mesh->triangle_count(); ++i) {
    Piece piece;
    for (const Vec3 corner : part.mesh->corners(i))
      piece.core.push_back((pose.position - base) +
                           rotate(pose.rotation, apply(part.offset, corner)));
    piece.normal = unit_or(cross(piece.core[1] - piece.core[0], piece.core[2] - piece.core[0]), {});
    piece.is_triangle = true;
    piece.one_sided = !part.mesh->two_sided();
    out.push_back(finished(std::move(piece)));
  }
}

/// The closest point to the origin of the hull of up to four points, and those that hold it.
struct Few {
  std::vector<Vec3> points;
  Vec3 closest;
};

/// Of the plane, line or space through all of them; nothing when that lies outside of their hull.
std::optional<Vec3> closest_through(const std::vector<Vec3>& points) {
  const Vec3 p = points[0];
  if (points.size() == 1) return p;
  const Vec3 u = points[1] - p;
  if (points.size() == 2) {
    const double s = -dot(p, u) / length_squared(u);
    return s > 0 && s < 1 ? std::optional(p + u * s) : std::nullopt;
  }
  const Vec3 v = points[2] - p;
  const Vec3 normal = cross(u, v);
  if (points.size() == 3) {
    const double squared = length_squared(normal);
    const double s = -dot(cross(p, v), normal) / squared;
    const double t = -dot(cross(u, p), normal) / squared;
    return s > 0 && t > 0 && s + t < 1 ? std::optional(normal * (dot(p, normal) / squared))
                                       : std::nullopt;
  }
  const Vec3 w = points[3] - p;
  const double volume = dot(normal, w);
  const double s = -dot(cross(v, w), p) / volume;
  const double t = -dot(cross(w, u), p) / volume;
  const double r = -dot(normal, p) / volume;
  return s > 0 && t > 0 && r > 0 && s + t + r < 1 ? std::optional(Vec3{}) : std::nullopt;
}

/// The best of all choices among them.
Few closest_of(const std::vector<Vec3>& points) {
  Few best = {{points[0]}, points[0]};
  for (unsigned choice = 1; choice < 1u << points.size(); ++choice) {
    std::vector<Vec3> some;
    for (std::size_t i = 0; i < points.size(); ++i)
      if ((choice >> i & 1) != 0) some.push_back(points[i]);
    const std::optional<Vec3> closest = closest_through(some);
    if (closest && is_finite(*closest) && length(*closest) < length(best.closest))
      best = {some, *closest};
  }
  return best;
}

/// No common point of the two balls around them, on any part of the path.
bool out_of_reach(const Piece& moving, Vec3 path, const Piece& target, double slack_m) {
  const Vec3 way = target.core.front() - moving.core.front();
  const double squared = length_squared(path);
  const double along = squared > 0 ? std::clamp(dot(way, path) / squared, 0.0, 1.0) : 0;
  return length(way - path * along) > moving.reach_m + target.reach_m + slack_m;
}

/// Where a convex function on [0, end] is about smallest.
double place_of_minimum(const std::function<double(double)>& f, double end) {
  double low = 0;
  double high = end;
  for (int i = 0; i < 60; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (f(a) <= f(b))
      high = b;
    else
      low = a;
  }
  double best = (low + high) / 2;
  for (const double t : {0.0, end})
    if (f(t) < f(best)) best = t;
  return best;
}

/// `holds` is false up to some time before `known`, and true from there to `known`.
double first_time(const std::function<bool(double)>& holds, double known) {
  if (holds(0)) return 0;
  double low = 0;
  double high = known;
  for (int i = 0; i < 50; ++i) {
    const double t = (low + high) / 2;
    (holds(t) ? high : low) = t;
  }
  return high;
}

/// A shape that comes to a one-sided triangle from behind, or along it.
CastTruth from_behind(const Piece& moving, Vec3 path, double max_t, const Piece& target,
                      double depth_m, double slack_m) {
  const Answer at_start = overlap_of(moving, {}, target, depth_m, slack_m);
  const Answer at_end = overlap_of(moving, path, target, depth_m, slack_m);
  if (at_start == Answer::Yes) return {Answer::Yes, 0, 0};
  const Answer hit = std::max(at_start, at_end);
  return {hit, at_start == Answer::No ? max_t : 0, max_t};
}

}  // namespace

Piece piece_of(const Primitive& solid, const Pose& pose, Vec3 base) {
  Piece piece;
  piece.core = core_corners(solid, pose.rotation);
  for (Vec3& point : piece.core) point = point + (pose.position - base);
  piece.radius_m = solid.radius_m;
  piece.solid = solid;
  piece.pose = {pose.position - base, pose.rotation};
  return finished(std::move(piece));
}

std::vector<Piece> pieces_of(const Snapshot& snapshot, std::uint32_t slot, Vec3 base) {
  const Pose pose = snapshot.pose(slot);
  if (snapshot.form[slot] == Form::Box) {
    const Vec3 low = snapshot.tight_box[slot].min - base;
    const Vec3 high = snapshot.tight_box[slot].max - base;
    return {piece_of(box_primitive((high - low) * 0.5), {(low + high) * 0.5, {}}, {})};
  }
  std::vector<Piece> out;
  for_each_part(snapshot.shape[slot], [&](const Primitive& part) {
    if (part.kind == PrimitiveKind::Mesh)
      add_triangles(part, pose, base, out);
    else
      out.push_back(piece_of(part, pose, base));
  });
  return out;
}

// Wolfe ("Finding the nearest point in a polytope", 1976): the closest point of a few differences,
// then the difference that lies farthest on the near side of the plane through it comes to them.
// That plane proves the distance from below.
Bracket hull_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b, Vec3 shift_b) {
  std::vector<Vec3> differences;
  for (const Vec3 p : a)
    for (const Vec3 q : b) differences.push_back((q - p) + shift_b);
  double size = 0;
  for (const Vec3 d : differences) size = std::max(size, length(d));
  Few few = {{differences.front()}, differences.front()};
  Bracket out;
  while (true) {
    out.high = length(few.closest);
    if (out.high <= 1e-14 * size) return {-size, out.high};
    const auto along = [&few](Vec3 d) { return dot(d, few.closest); };
    const Vec3 nearest = *std::ranges::min_element(differences, {}, along);
    out.low = along(nearest) / out.high;
    if (out.high - out.low <= 1e-14 * size) return out;
    std::vector<Vec3> more = few.points;
    more.push_back(nearest);
    Few next = closest_of(more);
    if (!(length(next.closest) < out.high)) return out;
    few = std::move(next);
  }
}

Bracket distance_from(Vec3 point, const Piece& piece) {
  const Bracket core = hull_distance({point}, piece.core, {});
  return {std::max(core.low - piece.radius_m, 0.0), std::max(core.high - piece.radius_m, 0.0)};
}

Answer overlap_of(const Piece& a, Vec3 moved, const Piece& b, double depth_m, double slack_m) {
  const double radius_m = a.radius_m + b.radius_m;
  if (out_of_reach(a, {}, b, length(moved) + slack_m)) return Answer::No;
  const Bracket core = hull_distance(a.core, b.core, negated(moved));
  if (core.low > radius_m + slack_m) return Answer::No;
  if (core.high < radius_m - depth_m) return Answer::Yes;
  if (radius_m > depth_m) return Answer::Either;
  // The difference of the two contains an octahedron, and that a ball of radius depth_m.
  const double by_m = 1.8 * depth_m;
  for (const Vec3 side : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    for (const double sign : {by_m, -by_m})
      if (hull_distance(a.core, b.core, side * sign - moved).high > 0.01 * depth_m)
        return Answer::Either;
  return Answer::Yes;
}

CastTruth cast_of(const Piece& moving, Vec3 delta, double max_t, const Piece& target,
                  double depth_m, double slack_m) {
  const Vec3 path = delta * max_t;
  if (out_of_reach(moving, path, target, slack_m)) return {};
  const double against_front = dot(target.normal, delta);
  const bool is_along = std::abs(against_front) <= 1e-6 * length(delta);
  if (target.is_triangle && target.one_sided && against_front >= 0)
    return from_behind(moving, path, max_t, target, depth_m, slack_m);
  const double radius_m = moving.radius_m + target.radius_m;
  const auto gap = [&](double t) {
    return hull_distance(moving.core, target.core, negated(delta * t)).high - radius_m;
  };
  const double closest_t = place_of_minimum(gap, max_t);
  if (overlap_of(moving, delta * closest_t, target, depth_m, slack_m) == Answer::No) return {};
  CastTruth truth{Answer::Either, 0, max_t};
  truth.earliest_t = first_time([&](double t) { return gap(t) <= slack_m; }, closest_t);
  // Where polytopes overlap the gap is 0 all along; the middle of that is deep, if anything is.
  const double leave_t =
      max_t - first_time([&](double t) { return gap(max_t - t) <= slack_m; }, max_t - closest_t);
  const auto is_deep = [&](double t) {
    return overlap_of(moving, delta * t, target, depth_m, slack_m) == Answer::Yes;
  };
  const double deep_t = (truth.earliest_t + leave_t) / 2;
  if (!is_deep(deep_t) || (is_along && target.one_sided)) return truth;
  truth.hit = Answer::Yes;
  truth.latest_t = first_time(is_deep, deep_t);
  return truth;
}

CastTruth ray_of(Vec3 origin, Vec3 delta, double max_t, const Piece& target, double slack_m) {
  const Vec3 path = delta * max_t;
  const Piece point{{origin}, 0, 0, {}, {}, false, false, {}};
  if (out_of_reach(point, path, target, slack_m)) return {};
  if (target.is_triangle) {
    const double rate = dot(target.normal, delta);
    const double above = dot(target.normal, origin - target.core[0]);
    if (std::abs(rate) <= 1e-6 * length(delta)) return {Answer::Either, 0, max_t};
    const double t = -above / rate;
    const double slack_t = slack_m / std::abs(rate);
    const Vec3 at = origin + delta * t;
    double outside = -1e300;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 side = target.core[(i + 1) % 3] - target.core[i];
      outside =
          std::max(outside, dot(unit_or(cross(side, target.normal), {}), at - target.core[i]));
    }
    const double slack_side = slack_m * length(delta) / std::abs(rate);
    if (outside > slack_side || t < -slack_t || t > max_t + slack_t) return {};
    if (target.one_sided && rate > 0) return {};
    const bool is_sure = outside < -slack_side && t > slack_t && t < max_t - slack_t;
    return {is_sure ? Answer::Yes : Answer::Either, t - slack_t, t + slack_t};
  }
  const auto outside = [&](double t) {
    return outside_m(target.solid, target.pose.rotation, origin + delta * t - target.pose.position);
  };
  const double closest_t = place_of_minimum(outside, max_t);
  if (outside(closest_t) > slack_m) return {};
  CastTruth truth{Answer::Either, 0, max_t};
  truth.earliest_t = first_time([&](double t) { return outside(t) <= slack_m; }, closest_t);
  if (outside(closest_t) >= -slack_m) return truth;
  truth.hit = Answer::Yes;
  truth.latest_t = first_time([&](double t) { return outside(t) < -slack_m; }, closest_t);
  return truth;
}

}  // namespace vicinity::oracle
