// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "geometry/convex_hull.h"

namespace vicinity {
namespace {

/// Sines of angles below this count as parallel: 1e-9 rad, far below any camera's.
constexpr double parallel_sine = 1e-9;

using Planes = std::array<Plane, 6>;

Error refuse(ErrorCode code, const char* field, const char* text) {
  return {code, std::string(field) + ": " + text};
}

/// Whether some direction leaves no half space. The extreme directions of what is inside lie in two
/// of the planes, or it contains a whole line, which does so as well.
bool unbounded(const Planes& planes) {
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = i + 1; j < planes.size(); ++j) {
      const Vec3 line = cross(planes[i].normal, planes[j].normal);
      if (length(line) < parallel_sine) continue;
      for (const Vec3 way : {unit_or(line, {}), negated(unit_or(line, {}))}) {
        if (std::ranges::all_of(planes, [way](const Plane& plane) {
              return dot(plane.normal, way) <= parallel_sine;
            }))
          return true;
      }
    }
  }
  return false;
}

std::optional<Vec3> common_point(const Plane& a, const Plane& b, const Plane& c) {
  const Vec3 bc = cross(b.normal, c.normal);
  const double volume = dot(a.normal, bc);
  if (std::abs(volume) < parallel_sine) return std::nullopt;
  const Vec3 sum = bc * a.offset_m + cross(c.normal, a.normal) * b.offset_m +
                   cross(a.normal, b.normal) * c.offset_m;
  return sum * (1 / volume);
}

/// Where three planes meet inside of all the others.
std::vector<Vec3> corners_of(const Planes& planes) {
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = i + 1; j < planes.size(); ++j) {
      for (std::size_t k = j + 1; k < planes.size(); ++k) {
        const std::optional<Vec3> point = common_point(planes[i], planes[j], planes[k]);
        if (!point) continue;
        const double tolerance_m = 1e-12 * (1e-300 + largest_component(*point));
        bool inside = is_finite(*point);
        for (std::size_t other = 0; other < planes.size(); ++other) {
          if (other == i || other == j || other == k) continue;
          const Plane& plane = planes[other];
          inside = inside && dot(plane.normal, *point) <= plane.offset_m + tolerance_m;
        }
        if (inside) corners.push_back(*point);
      }
    }
  }
  return corners;
}

}  // namespace

Result<ConvexHull, Error> hull_of_frustum(std::span<const Plane, 6> planes, const char* field) {
  Planes units;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const Plane& plane = planes[i];
    if (!is_finite(plane.normal) || !std::isfinite(plane.offset_m))
      return refuse(ErrorCode::InvalidNumber, field, "every number must be finite");
    const double size = length(plane.normal);
    if (!(size > 1e-100) || !(size < 1e100))
      return refuse(ErrorCode::InvalidShape, field, "a normal is zero or out of range");
    units[i] = {plane.normal * (1 / size), plane.offset_m / size};
  }
  if (unbounded(units))
    return refuse(ErrorCode::InvalidShape, field, "the planes do not bound a volume");
  const std::vector<Vec3> corners = corners_of(units);
  if (corners.size() < 4)
    return refuse(ErrorCode::InvalidShape, field, "the planes leave no volume");
  return ConvexHull::build(corners, field);
}

}  // namespace vicinity
