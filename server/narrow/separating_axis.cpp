// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/separating_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vicinity::narrow {
namespace {

class Search {
 public:
  Search(const Polytope& a, const Polytope& b) : a_(a), b_(b) {
    for (const Polytope* shape : {&a, &b})
      for (const Vec3 vertex : shape->vertices())
        size_m_ = std::max(size_m_, largest_component(vertex - b.vertices()[0]));
  }

  SeparatingAxis run() {
    for (const Vec3 normal : a_.normals()) consider_face(normal, b_.low(normal) - a_.high(normal));
    for (const Vec3 normal : b_.normals())
      consider_face(negated(normal), a_.low(normal) - b_.high(normal));
    for (const Polytope::Edge& edge_a : a_.edges())
      for (const Polytope::Edge& edge_b : b_.edges()) consider_edges(edge_a, edge_b);
    if (!found_) consider_thin();
    best_.largest_gap_m = std::max(best_.gap_m, edge_gap_m_);
    return best_;
  }

 private:
  void consider_face(Vec3 normal, double gap_m) {
    if (!found_ || gap_m > best_.gap_m) best_ = {normal, gap_m, 0};
    found_ = true;
  }

  /// The normals of an edge are the arc between those of its faces; two edges make a face of the
  /// difference where the arc of one crosses that of the other, turned around. A segment's arc is
  /// the whole circle.
  void consider_edges(const Polytope::Edge& edge_a, const Polytope::Edge& edge_b) {
    const bool faces_a = !a_.normals().empty();
    const bool faces_b = !b_.normals().empty();
    if (!faces_a && !faces_b) return;
    double a_0 = 0, b_0 = 0;
    if (faces_b) {
      b_0 = dot(b_.normals()[edge_b.faces[0]], edge_a.direction);
      if (!(b_0 * dot(b_.normals()[edge_b.faces[1]], edge_a.direction) < 0)) return;
    }
    if (faces_a) {
      a_0 = dot(a_.normals()[edge_a.faces[0]], edge_b.direction);
      if (!(a_0 * dot(a_.normals()[edge_a.faces[1]], edge_b.direction) < 0)) return;
    }
    if (faces_a && faces_b && !(a_0 * b_0 > 0)) return;
    const Vec3 axis = cross_of_units(edge_a.direction, edge_b.direction);
    if (axis == Vec3{}) return;
    Vec3 normal = unit_or(axis, {});
    const Vec3 outward =
        faces_a ? a_.normals()[edge_a.faces[0]] + a_.normals()[edge_a.faces[1]]
                : negated(b_.normals()[edge_b.faces[0]] + b_.normals()[edge_b.faces[1]]);
    if (dot(normal, outward) < 0) normal = negated(normal);
    const double gap_m = dot(normal, b_.vertices()[edge_b.vertex] - a_.vertices()[edge_a.vertex]);
    edge_gap_m_ = std::max(edge_gap_m_, gap_m);
    if (!found_ || gap_m > best_.gap_m + 1e-9 * size_m_) best_ = {normal, gap_m, 0};
    found_ = true;
  }

  /// Points and segments: nothing to be deep in. Whatever is at a right angle to both.
  void consider_thin() {
    const bool line_a = !a_.edges().empty();
    const bool line_b = !b_.edges().empty();
    Vec3 normal = {0, 1, 0};
    if (line_a && line_b)
      normal = unit_or(cross_of_units(a_.edges()[0].direction, b_.edges()[0].direction),
                       any_perpendicular(a_.edges()[0].direction));
    else if (line_a || line_b)
      normal = any_perpendicular((line_a ? a_ : b_).edges()[0].direction);
    best_ = {normal, b_.low(normal) - a_.high(normal), 0};
    const double other_gap_m = a_.low(normal) - b_.high(normal);
    if (other_gap_m > best_.gap_m) best_ = {negated(normal), other_gap_m, 0};
  }

  const Polytope& a_;
  const Polytope& b_;
  double size_m_ = 0;
  bool found_ = false;
  SeparatingAxis best_;
  double edge_gap_m_ = -std::numeric_limits<double>::infinity();
};

double reach_along(const PlacedCore& box, Vec3 axis, int without) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    if (i != without) sum += box.half_extent_m[i] * std::abs(dot(box.axes.axis(i), axis));
  return sum;
}

}  // namespace

SeparatingAxis find_separating_axis(const Polytope& a, const Polytope& b) {
  return Search(a, b).run();
}

bool boxes_overlap(const PlacedCore& a, const PlacedCore& b) {
  const Vec3 between = b.centre - a.centre;
  double turn[3][3];  // cosines of the angles between the axes
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) turn[i][k] = std::abs(dot(a.axes.axis(i), b.axes.axis(k)));
  for (int i = 0; i < 3; ++i) {
    const Vec3 half_b = b.half_extent_m;
    const double reach_m = half_b.x * turn[i][0] + half_b.y * turn[i][1] + half_b.z * turn[i][2];
    if (!(std::abs(dot(between, a.axes.axis(i))) < a.half_extent_m[i] + reach_m)) return false;
  }
  for (int k = 0; k < 3; ++k) {
    const Vec3 half_a = a.half_extent_m;
    const double reach_m = half_a.x * turn[0][k] + half_a.y * turn[1][k] + half_a.z * turn[2][k];
    if (!(std::abs(dot(between, b.axes.axis(k))) < b.half_extent_m[k] + reach_m)) return false;
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      // At a right angle to both edges, so that neither reaches along it.
      const Vec3 axis = cross_of_units(a.axes.axis(i), b.axes.axis(k));
      if (axis == Vec3{}) continue;  // parallel: the axes of the faces decide
      const double reach_m = reach_along(a, axis, i) + reach_along(b, axis, k);
      if (!(std::abs(dot(between, axis)) < reach_m)) return false;
    }
  }
  return true;
}

}  // namespace vicinity::narrow
